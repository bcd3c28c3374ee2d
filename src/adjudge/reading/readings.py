"""What is read in one reply: the place of a score, a criterion's reading, the whole reading, and
the entries of a list of feedback."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from adjudge.core.reason import Reason
from adjudge.core.rubric import Criterion
from adjudge.core.scale import NotAValue, OffScale, Value, folded
from adjudge.core.score import SETTLED, Outcome, Quotation, ScorePart

from .values import leading_number, parse_value

Span = tuple[int, int]
PlaceForm = Literal["json", "label", "brackets", "other"]


class Withdrawn(NamedTuple):
    """What the reply said and then took back: no value of any scale."""

    said: str


class ScorePlace(NamedTuple):
    """What stands in a score's place, where that is, as it is shown, and its span in the reply.

    The span is None where the text had to be repaired before it could be read. `start` is where the
    statement begins that holds the value: its label, its key, its first word. `stop` is where a
    sentence's words end that state it. `form` says what kind of place it is; `key` is the last one
    of JSON.
    """

    raw: object
    where: Reason
    span: Span | None = None
    start: int | None = None
    stop: int | None = None
    form: PlaceForm = "other"
    key: str = ""


def place_of(match: re.Match[str], raw: str = "", group: int | str = "value") -> ScorePlace:
    """The place of a value that a sentence states: what the group holds, or what it stands for."""
    where = Reason("at.text", text=match[0].strip())
    return ScorePlace(raw or match[group], where, match.span(group), *match.span())


def withdrawn(place: ScorePlace) -> ScorePlace:
    """The place of a value that the reply takes back: it holds none any more."""
    return ScorePlace(Withdrawn(str(place.raw)), place.where)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionReading:
    """One criterion in one reply: its value, or the outcome that stands in its place.

    `raw` is what stood there, also when it is off the scale. `place` is where the value was
    read, e.g. the JSON key accuracy.score; `span` where that is in the reply's text, and
    `start` where the statement begins that holds it; `stop`, `form` and `key` are its ScorePlace's.

    The rest is known where the value was weighed by its tokens' probabilities: the `distribution`
    over the values of the scale (as the scale writes them; sums to 1), the `confidence`, which is
    the probability of the most likely of them, and the `mass` (0-1), the share of what the model
    might have written that the distribution rests on.

    `evidence` and `parts` are the score's; `unsupported`: quotations are missing, or are not in
    the texts.
    """

    outcome: Outcome
    value: Value | None = None
    raw: Value | None = None
    why: Reason | None = None
    explanation: str | None = None
    place: Reason | None = None
    span: Span | None = None
    start: int | None = None
    stop: int | None = None
    form: PlaceForm = "other"
    key: str = ""
    distribution: Mapping[str, float] | None = None
    confidence: float | None = None
    mass: float | None = None
    evidence: tuple[Quotation, ...] = ()
    parts: tuple[ScorePart, ...] = ()
    unsupported: bool = False


def unreadable(
    why: Reason, explanation: str | None = None, place: Reason | None = None
) -> CriterionReading:
    return CriterionReading(
        outcome=Outcome.UNREADABLE, why=why, explanation=explanation, place=place
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Everything found in one reply. `structured` is false when there was nothing of any form."""

    scores: Mapping[str, CriterionReading]
    flags: Mapping[str, bool] = field(default_factory=dict)
    feedback: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    structured: bool = True

    @property
    def complete(self) -> bool:
        return all(score.outcome in SETTLED for score in self.scores.values())


_N_A = frozenset(
    {"n/a", "na", "n.a", "n.a.", "not applicable", "not_applicable", "does not apply", "해당 없음",
     "해당없음", "해당 사항 없음", "không áp dụng", "null", "none"}
)  # fmt: skip


def is_not_applicable(raw: object) -> bool:
    """Whether what stands in a value's place says that there is none to give."""
    if raw is None:
        return True
    return isinstance(raw, str) and folded(raw.strip(" .*_`\"'()")) in _N_A


FeedbackTexts = Mapping[str, str | tuple[str, ...]]


def read_place(
    criterion: Criterion, place: ScorePlace | None, explanation: str | None, feedback: FeedbackTexts
) -> CriterionReading:
    """The place's value, or why it holds none."""
    explanation = _explanation(criterion, explanation, feedback)
    if place is None:
        return unreadable(Reason("reply.no_value", criterion=criterion.name), explanation)
    raw, where = place.raw, place.where
    stated: dict[str, Any] = {
        "explanation": explanation,
        "span": place.span,
        "start": place.start,
        "stop": place.stop,
        "form": place.form,
        "key": place.key,
    }
    if criterion.may_not_apply and is_not_applicable(raw):
        return CriterionReading(outcome=Outcome.NOT_APPLICABLE, place=where, **stated)
    try:
        value = parse_value(criterion.scale, raw)
    except OffScale as error:
        number = raw if isinstance(raw, int | float) else _number_off_scale(criterion, raw)
        why = Reason("reply.not_read", why=error.reason, where=where)
        return CriterionReading(outcome=Outcome.OUT_OF_RANGE, raw=number, why=why, **stated)
    except NotAValue as error:
        reason = error.reason
        if isinstance(raw, Withdrawn):
            reason = Reason("value.taken_back", text=raw.said)
        why = Reason("reply.not_read", why=reason, where=where)
        return unreadable(why, explanation, where)
    return CriterionReading(outcome=Outcome.SCORED, value=value, raw=value, place=where, **stated)


def _explanation(criterion: Criterion, own: str | None, feedback: FeedbackTexts) -> str | None:
    """The criterion's own, or the section that serves as it."""
    if not isinstance(criterion.explain, str):
        return own
    section = feedback.get(criterion.explain)
    return "\n".join(section) if isinstance(section, tuple) else section


def _number_off_scale(criterion: Criterion, raw: object) -> float | None:
    try:
        return leading_number(str(raw).strip(), criterion.scale)
    except NotAValue:
        return None


_BULLET = re.compile(r"^\s{0,40}(?:[-*•·]|\d{1,4}[.)])\s{1,40}")
# What a model writes where it has nothing to say but a list to fill, in lower case and without the
# signs around it.
_NOTHING = frozenset(
    (
        "", "none", "null", "nil", "n/a", "na", "nothing", "nothing to add", "not applicable",
        "empty", "no", "none mentioned", "none listed", "nothing else", "nothing in particular",
        "없음", "없습니다", "없다", "해당 없음", "해당사항 없음", "해당 사항 없음", "특별히 없음",
        "không", "không có", "không có gì", "không áp dụng", "chưa có", "không có gì thêm",
    )
)  # fmt: skip
_AROUND = " \t\r\n-–—*•·.…,;:!?\"'“”‘’()[]{}<>#_`。"


def split_entries(text: str) -> tuple[str, ...]:
    """The entries of a list written as text, without their bullets or numbers."""
    rows = [_BULLET.sub("", row).strip() for row in text.splitlines()]
    return tuple(row for row in rows if row)


def without_fillers(entries: Iterable[str], headings: Set[str]) -> tuple[str, ...]:
    """The entries that say something: not "None", an echo of the heading, or what was said before.

    `headings` are the names of the section, in lower case.
    """
    kept: dict[str, str] = {}
    for entry in entries:
        bare = _bare(entry)
        if bare in _NOTHING or bare in headings or bare.replace(" ", "_") in headings:
            continue
        # "None (weaknesses)" and "No weaknesses" are nothing too.
        words = [word for word in re.split(r"[^\w/]+", bare) if word]
        if words and words[0] in {"no", "none"} and set(words[1:]) <= headings | _LINKS:
            continue
        kept.setdefault(bare, entry)
    return tuple(kept.values())


_LINKS = frozenset(
    {"of", "the", "for", "are", "is", "were", "found", "identified", "noted", "at", "all"}
)


def _bare(entry: str) -> str:
    return " ".join(_BULLET.sub("", entry).strip(_AROUND).casefold().split())
