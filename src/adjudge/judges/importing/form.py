"""The form that a prompt asks its reply to have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from .findings import ImportFindings
from .keys import KEYS_BRACED
from .labels import SCORE_LINE
from .numerals import words_before
from .options import Options
from .sample import SampleField
from .vocabulary import words

_JSON = re.compile(r"json(?![a-z])|\bpython dict(?:ionary)?\b", re.IGNORECASE)
# What a clause about JSON says where it is the reply's, and where it is what the judge is shown.
_REPLIES = re.compile(
    rf"{words('answer', 'format', 'only', 'give', 'key')}|\b(?:produce|generate|must|object"
    rf"|schema|valid|your)\b|^\W{{0,4}}json\W{{0,3}}$",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"\b(?:shown|(?:be|are|is|were) given|given (?:a|an|the|in)|provided|listed"
    r"|stored|presented|retrieved|below (?:is|are)"
    r"|you (?:will )?(?:get|receive)|input)\b[^.\n]{0,200}json",
    re.IGNORECASE,
)
_NOT_ASKED = re.compile(
    r"json\W{0,2}\s*(?:is|are|was)\s+(?:\w+ly )?(?:malformed|improper|invalid|broken|formatted)"
    r"|[(,]\s*json\s*,|(?:malformed|improper\w*|input|tool) json",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\[\[[^\[\]\n]{1,30}\]\]")
_RESULT = re.compile(r"\[(?:RESULT|SCORE|RATING)\]")
_TAG = re.compile(r"<(score|rating|grade|verdict|result|answer|judge?ment)>", re.IGNORECASE)
# A fence around what the judge is shown: ```json {record}```
_SHOWN_IN_FENCE = re.compile(r"\s{0,4}[{$%<]{1,3}\s?[\w.]{1,60}\s?[}>]{0,3}\s{0,4}```")


def find_form(
    text: str, sample: Sequence[SampleField], options: Options, findings: ImportFindings
) -> str:
    """ "json" or "text"; where the prompt shows a place for the score, the report says which."""
    reply = options.get("reply")
    if reply:
        if reply not in {"json", "text"}:
            raise UsageError(Reason("import.reply").at_option("set", f"reply={reply}"))
        findings.set("reply", reply)
        return reply
    if sample:
        keys = tuple(field.key for field in sample)
        findings.read("reply", Reason("import.value.json", keys=keys), sample[0].at)
        return "json"
    asked = _asks_for_json(text)
    if asked is not None:
        findings.read("reply", "json", asked)
        return "json"
    place = _place(text)
    if place:
        findings.read("reply", Reason("import.value.place", place=place[0]), place[1])
    else:
        findings.assume("reply", Reason("import.value.text"), "reply")
    return "text"


def _asks_for_json(text: str) -> int | None:
    """Where JSON is asked for; what the judge is shown may be JSON too."""
    keys = KEYS_BRACED.search(text)
    if keys and _REPLIES.search(words_before(text, keys.start())):
        return keys.start()
    for match in _JSON.finditer(text):
        if _SHOWN_IN_FENCE.match(text, match.end()):
            continue
        start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - 240)
        end = text.find("\n", match.end())
        behind = text[match.end() : min(end if end >= 0 else len(text), match.end() + 80)]
        clause = re.split(r"[.。!?]\s", text[start : match.start()])[-1] + match[0] + behind
        shown = _SHOWN.search(clause) or _NOT_ASKED.search(clause)
        if _REPLIES.search(clause) and not shown:
            return match.start()
    return None


def _place(text: str) -> tuple[str, int] | None:
    """The first place for a score that the prompt shows, as written, and where."""
    for pattern in (_BRACKETS, SCORE_LINE, _RESULT, _TAG):
        match = pattern.search(text)
        if match:
            return match[0].strip(), match.end() - len(match[0].lstrip())
    return None
