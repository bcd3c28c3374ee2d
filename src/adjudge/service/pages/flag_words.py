"""Messages name flags of the command line; on a page they are fields."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from adjudge.reports.strings import Strings

from .problem_words import Line

_FLAG = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)")
# Flag → the title of the field of the form for a new run.
_FIELDS = {
    "map": "new_run.map",
    "skip-bad-rows": "new_run.skip_bad_rows",
    "keep-texts": "new_run.no_texts",
    "limit": "new_run.limit",
    "repeat": "new_run.repeat",
    "explain-in": "new_run.explain_in",
    "budget": "new_run.budget",
}


def in_fields(lines: Sequence[Line], say: Strings) -> list[Line]:
    """The lines with the titles of fields; what the form does not have is said at their end."""
    absent: dict[str, None] = {}

    def field(flag: re.Match[str]) -> str:
        if flag[1] in _FIELDS:
            return f"“{say(_FIELDS[flag[1]])}”"
        absent[flag[0]] = None
        return flag[0]

    told = [replace(line, text=_FLAG.sub(field, line.text)) for line in lines]
    if absent:
        told.append(Line(say("new_run.not_here", flags=", ".join(absent))))
    return told
