"""The form that a prompt asks its reply to have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjudge.errors import UsageError

from .criteria import SCORE_LINE
from .findings import ImportFindings
from .options import Options
from .sample import SampleField

_JSON = re.compile(r"\bjson\b", re.IGNORECASE)
_BRACKETS = re.compile(r"\[\[[^\[\]\n]{1,30}\]\]")
_RESULT = re.compile(r"\[(?:RESULT|SCORE|RATING)\]")
_TAG = re.compile(r"<(score|rating|grade|verdict|result|answer|judge?ment)>", re.IGNORECASE)


def find_form(
    text: str, sample: Sequence[SampleField], options: Options, findings: ImportFindings
) -> str:
    """ "json" or "text"; where the prompt shows a place for the score, the report says which."""
    given = options.get("reply")
    if given:
        if given not in {"json", "text"}:
            raise UsageError(f"--set reply={given}: a reply is json or text.")
        findings.add("reply", given, "set")
        return given
    if sample:
        keys = ", ".join(each.key for each in sample)
        findings.read("reply", f"json with {keys}", sample[0].at)
        return "json"
    asked = _JSON.search(text)
    if asked:
        findings.read("reply", "json", asked.start())
        return "json"
    place = _place(text)
    if place:
        findings.read("reply", f"text, the score as {place[0]}", place[1])
    else:
        findings.add("reply", "text, since no JSON is asked for; --set reply=json", "default")
    return "text"


def _place(text: str) -> tuple[str, int] | None:
    """The first place for a score that the prompt shows, as written, and where."""
    for pattern in (_BRACKETS, SCORE_LINE, _RESULT, _TAG):
        found = pattern.search(text)
        if found:
            return found[0].strip(), found.end() - len(found[0].lstrip())
    return None
