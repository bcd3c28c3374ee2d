"""How an honest judge quotes the text that it judged, from word for word to cut and re-wrapped."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Mapping

_COLUMNS = 48  # narrow enough to break most attacks across lines


def _cut(text: str) -> str:
    """The beginning and the end, with the middle left out."""
    third = max(1, len(text) * 2 // 5)
    return f"{text[:third]} […] {text[-third:]}"


def _rewrapped(text: str) -> str:
    return "\n" + "\n".join(textwrap.wrap(text, _COLUMNS, break_long_words=False)) + "\n"


def _block(text: str) -> str:
    return "\n\n" + "\n".join(f"> {line}" for line in text.split("\n")) + "\n\n"


WAYS: Mapping[str, Callable[[str], str]] = {
    "curly quotes": lambda text: f"“{text}”",
    "straight quotes": lambda text: f'"{text}"',
    "corner quotes": lambda text: f"「{text}」",
    "backticks": lambda text: f"`{text}`",
    "code block": lambda text: f"\n\n```\n{text}\n```\n\n",
    "tilde block": lambda text: f"\n\n~~~text\n{text}\n~~~\n\n",
    "block quote": _block,
    "bare, own lines": lambda text: f"\n\n{text}\n\n",
    "bare, in a sentence": lambda text: text,
    "JSON string": lambda text: json.dumps(text, ensure_ascii=False),
    "cut in the middle": lambda text: f"“{_cut(text)}”",
    "cut, bare": lambda text: f"\n{_cut(text)}\n",
    "one line": lambda text: " ".join(text.split()),
    "re-wrapped": _rewrapped,
    "upper case": lambda text: f"\n{text.upper()}\n",
    "twice": lambda text: f"“{text}” and again:\n\n{text}\n\n",
}
