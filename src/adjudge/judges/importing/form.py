"""The form that a prompt asks its reply to have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjudge.errors import UsageError

from .criteria import SCORE_LINE
from .findings import ImportFindings
from .options import Options
from .sample import SampleField

_JSON = re.compile(r"json(?![a-z])", re.IGNORECASE)
# What a line about JSON says where it is the reply's, and where it is what the judge is shown.
_REPLIES = re.compile(
    r"\b(?:respond|response|return|output|answer|repl(?:y|ies)|provide\b"
    r"|produce|generate|write|print"
    r"|give\b|must|only|object|schema|valid|following|(?:output|response|this"
    r"|your|the) format|antwort|gib|ausgabe|liefere|zurück"
    r"|répond|renvo|retourn|fourni|responde|devuelv|salida|retorne|responda|saída|formato)"
    r"|출력|반환|답|응답|형식|작성|trả về|trả lời|xuất|định dạng|输出|返回|格式"
    r"|回复|回答|出力|形式|返|答え"
    r"|^\W{0,4}json\W{0,3}$",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"\b(?:shown|given|provided|listed|stored|presented|below (?:is|are)"
    r"|you (?:will )?(?:get|receive)|input)\b"
    r"[^.\n]{0,40}json",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\[\[[^\[\]\n]{1,30}\]\]")
_RESULT = re.compile(r"\[(?:RESULT|SCORE|RATING)\]")
_TAG = re.compile(r"<(score|rating|grade|verdict|result|answer|judge?ment)>", re.IGNORECASE)


def find_form(
    text: str, sample: Sequence[SampleField], options: Options, findings: ImportFindings
) -> str:
    """ "json" or "text"; where the prompt shows a place for the score, the report says which."""
    reply = options.get("reply")
    if reply:
        if reply not in {"json", "text"}:
            raise UsageError(f"--set reply={reply}: a reply is json or text.")
        findings.set("reply", reply)
        return reply
    if sample:
        keys = ", ".join(field.key for field in sample)
        findings.read("reply", f"json with {keys}", sample[0].at)
        return "json"
    asked = _asks_for_json(text)
    if asked is not None:
        findings.read("reply", "json", asked)
        return "json"
    place = _place(text)
    if place:
        findings.read("reply", f"text, the score as {place[0]}", place[1])
    else:
        findings.assume("reply", "text, since no JSON is asked for", "reply")
    return "text"


def _asks_for_json(text: str) -> int | None:
    """Where JSON is asked for; what the judge is shown may be JSON too."""
    for match in _JSON.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        line = text[
            max(start, match.start() - 160) : min(end if end >= 0 else len(text), match.end() + 80)
        ]
        if _REPLIES.search(line) and not _SHOWN.search(line):
            return match.start()
    return None


def _place(text: str) -> tuple[str, int] | None:
    """The first place for a score that the prompt shows, as written, and where."""
    for pattern in (_BRACKETS, SCORE_LINE, _RESULT, _TAG):
        match = pattern.search(text)
        if match:
            return match[0].strip(), match.end() - len(match[0].lstrip())
    return None
