"""The head of a GGUF file, without any weights."""

from __future__ import annotations

import struct


def gguf(architecture: str = "llama", context: int = 4096, *, template: bool = True) -> bytes:
    entries = [
        _key("general.architecture") + _kind(8) + _text(architecture),
        _key(f"{architecture}.context_length") + _kind(4) + struct.pack("<I", context),
        _key("tokenizer.ggml.tokens")
        + _kind(9)
        + struct.pack("<IQ", 8, 2)
        + _text("a")
        + _text("b"),
        _key("tokenizer.ggml.scores") + _kind(9) + struct.pack("<IQff", 6, 2, 0.5, 1.5),
        _key("general.alignment") + _kind(10) + struct.pack("<Q", 32),
    ]
    if template:
        entries.append(_key("tokenizer.chat_template") + _kind(8) + _text("{{ messages }}"))
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries) + b"\0" * 4096


def _key(name: str) -> bytes:
    return _text(name)


def _kind(number: int) -> bytes:
    return struct.pack("<I", number)


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()
