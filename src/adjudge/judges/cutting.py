"""A text that is too long for a model, shown without its middle."""

from __future__ import annotations

from adjudge.core.verdict import Cut

# What stands where something was left out, so that no model takes the seam for the author's.
_SIGNS = {
    "en": "[… {count} characters left out …]",
    "ko": "[… 중간 {count}자 생략 …]",
    "vi": "[… lược bỏ {count} ký tự …]",
}
_NEAR = 60  # characters within which a seam moves to the end of a word


def cut_of(text: str, keep: int) -> Cut:
    """Where to cut so that `keep` characters are left, half of them at each end.

    A seam moves to white space where some is near, which leaves out a little more.
    """
    head = _back(text, (keep + 1) // 2)
    tail = len(text) - _on(text, len(text) - keep // 2)
    return Cut(head, len(text) - head - tail, tail)


def shown(text: str, cut: Cut, language: str) -> str:
    """The head and the tail, with a sign between them that says how much is missing."""
    sign = _SIGNS.get(language.partition("-")[0], _SIGNS["en"]).format(count=f"{cut.left_out:,}")
    return f"{text[: cut.head]}\n{sign}\n{text[len(text) - cut.tail :]}"


def _back(text: str, place: int) -> int:
    spaces = (at for at in range(place, max(place - _NEAR, 0), -1) if text[at - 1].isspace())
    return next(spaces, place)


def _on(text: str, place: int) -> int:
    spaces = (at for at in range(place, min(place + _NEAR, len(text))) if text[at].isspace())
    return next(spaces, place)
