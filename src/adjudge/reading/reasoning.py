"""Blocks in which a model thinks aloud before it answers; nothing in there is an answer."""

from __future__ import annotations

import re

_TAGS = "think|thinking|reasoning|thought|reflection|scratchpad"
_OPEN = re.compile(rf"<({_TAGS})>", re.IGNORECASE)
_CLOSE = re.compile(rf"</({_TAGS})>", re.IGNORECASE)
# Tokens that mark the end of a turn and leak out of some servers.
_SPECIAL = re.compile(r"</s>|<\|(?:im_end|eot_id|endoftext|end)\|>|<end_of_turn>")


def without_reasoning(text: str) -> str:
    """The text with reasoning blanked out; every other character keeps its place.

    All from the first opening tag to the last closing one is reasoning. Some servers swallow the
    opening tag, so a closing tag alone ends a block that began with the text. A block that never
    ends leaves nothing behind it: the answer did not come.
    """
    text = _SPECIAL.sub(lambda found: " " * len(found[0]), text)
    last_close = max(_CLOSE.finditer(text), key=re.Match.start, default=None)
    first_open = _OPEN.search(text)
    if last_close is None and first_open is None:
        return text
    begin = first_open.start() if first_open else 0
    end = last_close.end() if last_close else len(text)
    return text[:begin] + " " * max(0, end - begin) + text[max(begin, end) :]
