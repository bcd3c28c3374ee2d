"""Where a text quotes: code, block quotes, and what stands in quotation marks.

One walk from left to right, so that a megabyte of unclosed quotation marks costs no more than any
other text.
"""

from __future__ import annotations

import re

Span = tuple[int, int]

_SIGN = re.compile(
    r"^[ \t]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*|^[ \t]*>(?P<line>[^\n]*)"
    r"|(?P<typographic>[“「『«])|`(?P<code>[^`\n]+)`"
    r"|(?P<straight>\"|')|(?P<blank>\n[ \t\r]*\n)",
    re.MULTILINE,
)
_CLOSES = {"“": "”", "「": "」", "『": "』", "«": "»"}
# What may stand before an opening and behind a closing straight mark: 5" and don't are neither.
_BEFORE = frozenset(" \t\r\n([{:,=>*_\\")
_BEHIND = frozenset(" \t\r\n)]}:,.;!?*_\\<")


def spans(text: str) -> list[Span]:
    """The quoted stretches in their order, without overlap."""
    return _Walk(text).found


class _Walk:
    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[Span] = []
        self._opened: dict[str, int] = {}  # straight marks that wait for their partner
        self._hopeless: set[str] = set()  # closing signs that do not come any more
        at = 0
        while sign := _SIGN.search(text, at):
            at = self._after(sign)

    def _after(self, sign: re.Match[str]) -> int:
        """Deals with a sign; returns where to go on."""
        if sign["fence"]:
            return self._until_closing_fence(sign)
        if sign["typographic"]:
            return self._until(sign, _CLOSES[sign["typographic"]])
        if sign["straight"]:
            self._straight(sign["straight"], sign.start())
        elif sign["blank"]:
            self._opened.clear()
            return sign.end() - 1  # its second line break may begin another blank line
        else:
            self._keep(sign.start(), sign.end())
        return sign.end()

    def _keep(self, start: int, end: int) -> None:
        self.found.append((start, end))
        self._opened.clear()

    def _until_closing_fence(self, sign: re.Match[str]) -> int:
        fence = sign["fence"]
        if fence not in self._hopeless:
            closing = re.compile(rf"^[ \t]{{0,3}}{fence}", re.MULTILINE).search(
                self.text, sign.end()
            )
            if closing:
                self._keep(sign.start(), closing.end())
                return closing.end()
            self._hopeless.add(fence)
        return sign.end()

    def _until(self, sign: re.Match[str], closing: str) -> int:
        if closing not in self._hopeless:
            end = self.text.find(closing, sign.end())
            if end >= 0:
                self._keep(sign.start(), end + 1)
                return end + 1
            self._hopeless.add(closing)
        return sign.end()

    def _straight(self, mark: str, at: int) -> None:
        """Opens after a space or bracket, closes before one; `\\"` of nested JSON counts too."""
        text = self.text
        before = text[at - 1] if at else " "
        behind = text[at + 1] if at + 1 < len(text) else " "
        opened = self._opened.pop(mark, None)
        if opened is not None and not before.isspace() and behind in _BEHIND:
            if mark == '"' or "\n" not in text[opened:at]:
                self.found.append((opened, at + 1))
        elif before in _BEFORE and not behind.isspace():
            self._opened[mark] = at
