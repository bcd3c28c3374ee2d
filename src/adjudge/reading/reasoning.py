"""Blocks in which a model thinks aloud before it answers; nothing in there is an answer."""

from __future__ import annotations

import re

from .json.objects import whole_object
from .judged_text import JudgedTexts, folded
from .quotations import quotations

_TAGS = "think|thinking|reasoning|thought|reflection|scratchpad"
_OPEN = re.compile(rf"^[ \t]*+<({_TAGS})>", re.IGNORECASE | re.MULTILINE)
_CLOSE = re.compile(rf"</({_TAGS})>", re.IGNORECASE)
# Tokens that mark the end of a turn and leak out of some servers.
_SPECIAL = re.compile(r"</s>|<\|(?:im_end|eot_id|endoftext|end)\|>|<end_of_turn>")
# A tag belongs to the judged text by this many letters beside it, within this many characters.
_BESIDE, _NEAR = 4, 30
# Of a text made of tags, this many are looked at from either end.
_MOST = 50


def without_reasoning(text: str, judged: JudgedTexts) -> str:
    """The text with reasoning blanked out; every other character keeps its place.

    A reply that is JSON as a whole has none. A block begins with its line, and ends with the tag
    behind which nothing but JSON stands, or else with the last one. Some servers drop the
    opening tag, so a closing tag alone ends a block that began with the text. A block that never
    ends leaves nothing behind it: the answer did not come. Tags that are quoted, or that repeat
    what is judged, are none.
    """
    text = _SPECIAL.sub(lambda match: " " * len(match[0]), text)
    if "<" not in text or whole_object(text):
        return text
    opened = list(_OPEN.finditer(text))[:_MOST]
    closed = list(_CLOSE.finditer(text))
    closed = closed if len(closed) <= 2 * _MOST else closed[:_MOST] + closed[-_MOST:]
    if not opened and not closed:
        return text
    quoted = quotations(text)
    first_open = next((tag for tag in opened if _own(text, tag, quoted, judged)), None)
    ends = [tag for tag in closed if _own(text, tag, quoted, judged)]
    if first_open is None and not ends:
        return text
    begin = first_open.start() if first_open else 0
    end = _end_of(text, [tag.end() for tag in closed if tag.start() > begin], ends)
    return text[:begin] + " " * max(0, end - begin) + text[max(begin, end) :]


def _end_of(text: str, closed: list[int], ends: list[re.Match[str]]) -> int:
    before_json = next((end for end in closed if whole_object(text[end:])), None)
    if before_json is not None:
        return before_json
    return ends[-1].end() if ends else len(text)


def _own(text: str, tag: re.Match[str], quoted: list[tuple[int, int]], judged: JudgedTexts) -> bool:
    begin, end = tag.span()
    if any(low < begin and end < high for low, high in quoted):
        return False
    before = folded(text[max(0, begin - _NEAR) : begin])[-_BESIDE:]
    behind = folded(text[end : end + _NEAR].strip().partition("\n")[0])[:_BESIDE]
    return not (
        (before and judged.may_hold(before + tag[0]))
        or (behind and judged.may_hold(tag[0] + behind))
    )
