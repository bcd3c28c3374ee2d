"""Model files that other programs left on this machine, and what each can do.

Looked for where Ollama and LM Studio keep theirs, and among what `adjudge models pull hf:…` has
brought. Nothing is loaded: the head of a GGUF file says what it holds.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from . import hub

_MODEL_LAYER = "application/vnd.ollama.image.model"
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes, by kind
_INTEGERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 10: "Q", 11: "q"}
_TEXT, _ARRAY = 8, 9
_MOST = 4096  # entries of a file's head; no real one has as many
# Architectures that make vectors or see pictures, and write nothing.
_MUTE = frozenset({"bert", "nomic-bert", "jina-bert-v2", "t5encoder", "clip", "mmproj"})


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A file and what `-m` takes for it. `context` in tokens, None where the file does not say.

    `chats`: it has a template for conversations, without which judging is a gamble. `judges`: it is
    a model that writes at all.
    """

    model: str
    origin: str
    name: str
    path: Path
    size: int
    context: int | None
    chats: bool
    judges: bool


def local_models() -> list[LocalModel]:
    """All that are found, by origin and name; files that cannot be read are left out."""
    models = []
    for origin, name, model, path in (*_pulled(), *_ollama(), *_lm_studio()):
        try:
            head = _head(path)
            size = path.stat().st_size
        except (OSError, ValueError, struct.error):
            continue
        kind = str(head.get("general.architecture", ""))
        context = head.get(f"{kind}.context_length")
        judges = kind not in _MUTE
        chats = "tokenizer.chat_template" in head
        models.append(
            LocalModel(model, origin, name, path, size, context, chats and judges, judges)
        )
    return models


def _pulled() -> Iterator[tuple[str, str, str, Path]]:
    for path, kept in hub.pulled_files():
        name = f"{hub.PREFIX}{kept.repo}/{kept.file}"
        yield "hub", name, f"embedded/{name}", path


def _ollama() -> Iterator[tuple[str, str, str, Path]]:
    """Each manifest names the blob that holds the weights."""
    base = Path(os.environ.get("OLLAMA_MODELS") or Path.home() / ".ollama" / "models").expanduser()
    for manifest in sorted((base / "manifests").glob("*/*/*/*")):
        try:
            layers = json.loads(manifest.read_text("utf-8"))["layers"]
            digest = next(e["digest"] for e in layers if e["mediaType"] == _MODEL_LAYER)
        except (OSError, ValueError, KeyError, TypeError, StopIteration):
            continue
        path = base / "blobs" / str(digest).replace(":", "-")
        *_, owner, name, tag = manifest.parts
        shown = f"{name}:{tag}" if owner == "library" else f"{owner}/{name}:{tag}"
        yield "Ollama", shown, f"embedded:{path}", path


def _lm_studio() -> Iterator[tuple[str, str, str, Path]]:
    for base in (Path.home() / ".lmstudio" / "models", Path.home() / ".cache/lm-studio/models"):
        for path in sorted(base.glob("*/*/*.gguf")):
            yield "LM Studio", str(path.relative_to(base)), f"embedded:{path}", path


def _head(path: Path) -> dict[str, Any]:
    """The numbers and texts in the head of a GGUF file; lists are passed over."""
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise ValueError("no GGUF file")
        _, _, entries = struct.unpack("<IQQ", file.read(20))
        if entries > _MOST:
            raise ValueError("a head of another form")
        head: dict[str, Any] = {}
        for _ in range(entries):
            key = _text(file)
            (kind,) = struct.unpack("<I", file.read(4))
            head[key] = _value(file, kind)
        return head


def _text(file: IO[bytes]) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    if length > 1 << 24:
        raise ValueError("a text of another form")
    return file.read(length).decode(errors="replace")


def _value(file: IO[bytes], kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind == _ARRAY:
        inner, count = struct.unpack("<IQ", file.read(12))
        for _ in range(count if inner in (_TEXT, _ARRAY) else 0):
            _value(file, inner)
        if inner in _SIZES:
            file.seek(count * _SIZES[inner], os.SEEK_CUR)
        return None
    data = file.read(_SIZES[kind]) if kind in _SIZES else b""
    if kind in _INTEGERS:
        return struct.unpack(f"<{_INTEGERS[kind]}", data)[0]
    if kind not in _SIZES:
        raise ValueError("a value of another form")
    return None
