"""Blocks in which a model thinks aloud before it answers; nothing in there is an answer."""

from __future__ import annotations

import re

_TAGS = "think|thinking|reasoning|thought|reflection|scratchpad"
_OPEN = re.compile(rf"<({_TAGS})>", re.IGNORECASE)
_CLOSE = re.compile(rf"</({_TAGS})>", re.IGNORECASE)
# Tokens that mark the end of a turn and leak out of some servers.
_SPECIAL = re.compile(r"</s>|<\|(?:im_end|eot_id|endoftext|end)\|>|<end_of_turn>")


def without_reasoning(text: str) -> str:
    """The text after the last closed block, and around the others.

    Some servers swallow the opening tag, so a closing tag alone ends a block that began with the
    text. A block that never ends leaves nothing behind it: the answer did not come.
    """
    text = _SPECIAL.sub("", text)
    last_close = max(_CLOSE.finditer(text), key=re.Match.start, default=None)
    first_open = _OPEN.search(text)
    if last_close:
        head = text[: first_open.start()] if first_open else ""
        tail = text[last_close.end() :]
        return (head + tail).strip()
    return text[: first_open.start()].strip() if first_open else text
