"""Parts in tags, as some prompts ask for them: <score>4</score>."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Iterator

from .words import normal

_OPEN = re.compile(r"<([A-Za-z][\w-]{0,30})(?:\s[^<>\n]{0,100})?>")
# Of a text made of tags the last ones count, and none reaches further than this.
_MOST, _LONGEST = 200, 20_000


def tags_in(text: str, known: Container[str]) -> Iterator[tuple[str, int, int]]:
    """The normal form of each known tag's name, and where its content begins and ends."""
    opened = deque(
        (found for found in _OPEN.finditer(text) if normal(found[1]) in known), maxlen=_MOST
    )
    for found in opened:
        end = text.find(f"</{found[1]}>", found.end(), found.end() + _LONGEST)
        if end >= 0:
            yield normal(found[1]), found.end(), end
