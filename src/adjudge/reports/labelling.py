"""An item and a question on a terminal, for a person who labels. Nothing of the judge's verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wcwidth import wcwidth

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.label import range_of
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Ordinal
from adjudge.judges import prepared_texts

from .renderers.terminal import printable

_INDENT = "  "


def item_lines(judge: Judge, item: Item, number: int, total: int, width: int) -> list[str]:
    """The texts as the judge was given them, in full; an input without a text is left out."""
    head = f"── item {number} of {total} · {printable(item.id)} "
    lines = [head + "─" * max(3, width - _width(head))]
    for name, text in prepared_texts(judge, item.fields).items():
        if text:
            lines += ["", printable(judge.inputs[name].title), *_indented(text, width)]
    return [*lines, ""]


def guide_lines(criterion: Criterion, width: int) -> list[str]:
    """What is asked, and what each level means, in the judge's own words."""
    lines = [printable(criterion.title)]
    if criterion.guide.strip():
        lines += _indented(criterion.guide.strip(), width)
    if isinstance(criterion.scale, Ordinal):
        for value in criterion.scale.values():
            level = criterion.scale.levels[value]
            if level.meaning:
                lines += _indented(f"{value} {level.label}: {level.meaning}", width)
    return lines


def prompt_text(criterion: Criterion, keys: Mapping[str, str]) -> str:
    """The keys with what they stand for, "1 terrible · 2 unhelpful"; else what is to be typed."""
    shown = " · ".join(f"{key} {words}" if key != words else key for key, words in keys.items())
    return printable(f"{criterion.name}: {shown or f'{range_of(criterion.scale)}, then Enter'} › ")


def wrapped(text: str, width: int) -> Iterator[str]:
    """The text in lines that fit, where a Hangul syllable takes two places; nothing is dropped but
    the space at which a line breaks."""
    for line in printable(text).expandtabs(4).split("\n"):
        rest = line
        while (at := _fitting(rest, width)) < len(rest):
            space = rest.rfind(" ", 1, at + 1)
            indent = len(rest) - len(rest.lstrip(" "))
            cut = space if space > indent else at
            yield rest[:cut]
            rest = rest[cut:].removeprefix(" ")
        yield rest


def _indented(text: str, width: int) -> list[str]:
    return [_INDENT + line for line in wrapped(text, width - len(_INDENT))]


def _fitting(text: str, width: int) -> int:
    """How many characters fit, at least one."""
    used = 0
    for at, sign in enumerate(text):
        used += max(wcwidth(sign), 0)
        if used > width:
            return max(at, 1)
    return len(text)


def _width(text: str) -> int:
    return sum(max(wcwidth(sign), 0) for sign in text)
