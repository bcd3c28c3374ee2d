"""What the labelling pages show. Nothing here knows a verdict."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import NamedTuple, cast, get_args
from urllib.parse import unquote, urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request

from adjudge.analysis.labelling import (
    LabelOptions,
    LabelSession,
    Pick,
    Question,
    complete_by_rater,
    keys_of,
)
from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.label import range_of
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Binary, Integer, Number, Ordinal, Scale, Value
from adjudge.judges import prepared_texts
from adjudge.service.state import service_of
from adjudge.stores import LabelCounts, RunRecord, is_probe

from .rendering import Paged, paged, whole_number

RATER_COOKIE = "adjudge_rater"
LONGEST_NAME = 80
LONGEST_COMMENT = 2000
ITEM = "item"  # the screen that asks all criteria of an item at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Fields as they were written; `problem` is the key of what is wrong with them, None if
    nothing is. `at` is the place of a question, None to begin with the first open one."""

    judge: str
    rater: str
    pick: str
    n: str
    seed: str
    criteria: tuple[str, ...]
    at: int | None
    team: str = ""
    overlap: str = ""
    screen: str = ""

    @property
    def members(self) -> tuple[str, ...]:
        """The team, by their names."""
        return tuple(dict.fromkeys(filter(None, map(str.strip, self.team.split(",")))))

    @property
    def problem(self) -> str | None:
        if not self.rater or len(self.rater) > LONGEST_NAME or not _printable(self.rater):
            return "label.problem.rater"
        if self.pick not in get_args(Pick):
            return "label.problem.pick"
        if self.n and not whole_number(self.n):
            return "label.problem.n"
        if self.members and self.rater not in self.members:
            return "label.problem.team"
        if self.overlap and whole_number(self.overlap) is None:
            return "label.problem.n"
        return "label.problem.seed" if whole_number(self.seed) is None else None

    @property
    def labelling(self) -> LabelOptions:
        """To be asked for only where there is no problem."""
        return LabelOptions(
            rater=self.rater,
            pick=cast(Pick, self.pick),
            criteria=self.criteria,
            limit=int(self.n) if self.n else None,
            seed=int(self.seed),
            team=self.members,
            overlap=int(self.overlap or 0),
        )

    @property
    def for_others(self) -> str:
        """The address's query that asks somebody else for their name, and for nothing more."""
        return replace(self, rater="").query()

    def query(self, at: int | None = None) -> str:
        """The address's query for the same choice, from the question in this place on."""
        fields = [
            ("judge", self.judge),
            ("rater", self.rater),
            ("pick", self.pick),
            ("n", self.n),
            ("seed", "" if self.seed == "0" else self.seed),
            *(("criterion", name) for name in self.criteria),
            ("team", self.team),
            ("overlap", self.overlap),
            ("screen", self.screen),
            ("at", "" if at is None else str(at)),
        ]
        return urlencode([(name, value) for name, value in fields if value])


def choice_of(params: QueryParams) -> Choice:
    return Choice(
        judge=params.get("judge", ""),
        rater=params.get("rater", "").strip(),
        pick=params.get("pick") or "random",
        n=params.get("n", "").strip(),
        seed=params.get("seed", "").strip() or "0",
        criteria=tuple(dict.fromkeys(filter(None, params.getlist("criterion")))),
        at=whole_number(params.get("at", "")),
        team=params.get("team", "").strip(),
        overlap=params.get("overlap", "").strip(),
        screen=ITEM if params.get("screen") == ITEM else "",
    )


def proposed_rater(request: Request) -> str:
    """The name used last in this browser, else the one of the token."""
    access = getattr(request.state, "access", None)
    return unquote(request.cookies.get(RATER_COOKIE, "")) or getattr(access, "name", "")


def _printable(text: str) -> bool:
    """Without signs that cannot be seen or stored: line breaks, halves of surrogate pairs."""
    return not any(unicodedata.category(sign) in {"Cc", "Cs"} for sign in text)


class LabelledRun(NamedTuple):
    """A run with one of its judges, and what labels there are for both."""

    record: RunRecord
    judge: str
    labels: LabelCounts


class PreviousQuestion(NamedTuple):
    """The question that undo asks again; `said` is None where it was skipped or taken back."""

    criterion: str
    said: Value | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """`texts` are the inputs by title, as the judge was given them; `levels` the answers that have
    a key, with their words and meaning; `range` is what to type where none has one. `first` says
    that the rater has not met this criterion before."""

    item: str
    number: int
    criterion: Criterion
    place: tuple[int, int]
    texts: tuple[tuple[str, str, bool], ...]
    levels: tuple[tuple[str, str, str], ...]
    range: str
    first: bool


def labelled_runs(request: Request, size: int) -> tuple[Paged[RunRecord], list[LabelledRun]]:
    """The page of runs that was asked for, the latest first; probes' own runs are none."""
    store = service_of(request).store
    records = [record for record in store.runs.all() if not is_probe(record)]
    shown = paged(request, records, size)
    return shown, [
        LabelledRun(record, judge, store.labels.counts(record.manifest.data_hash, judge))
        for record in shown.shown
        for judge in record.manifest.judges
    ]


def question_view(
    judge: Judge, item: Item, session: LabelSession, question: Question, rater: str
) -> QuestionView:
    criterion = judge.rubric.measures[question.criterion]
    keys = keys_of(criterion.scale)
    return QuestionView(
        item=item.id,
        number=question.number,
        criterion=criterion,
        place=(list(session.scales).index(question.criterion) + 1, len(session.scales)),
        texts=tuple(
            (judge.inputs[name].title, text, judge.inputs[name].judged)
            for name, text in prepared_texts(judge, item.fields).items()
            if text
        ),
        levels=tuple(
            (key, keys.words[key], _meaning(keys.scale, value))
            for key, value in keys.values.items()
        ),
        range=_range(criterion.scale),
        first=not any(
            label.criterion == question.criterion and label.rater == rater
            for label in session.labels
        ),
    )


def item_views(
    judge: Judge, item: Item, session: LabelSession, question: Question, rater: str
) -> list[QuestionView]:
    """All questions about the item, in the order in which they are asked."""
    return [
        question_view(judge, item, session, question._replace(criterion=name), rater)
        for name in session.scales
    ]


def _range(scale: Scale) -> str:
    """What may be typed, in signs that every language has."""
    if isinstance(scale, Integer | Number):
        return f"{scale.min:g} – {scale.max:g}"
    return str(range_of(scale))


def _meaning(scale: Scale, value: object) -> str:
    return scale.levels[int(str(value))].meaning if isinstance(scale, Ordinal) else ""


def label_progress(session: LabelSession, rater: str) -> dict[str, object]:
    """Items that have all their labels, `others` by the names of the other raters."""
    by_rater = complete_by_rater(session.labels, session.queue.places, session.scales)
    by_rater.pop(rater, None)
    return {"done": session.complete, "total": len(session.queue), "others": by_rater}


def previous_question(judge: Judge, session: LabelSession) -> PreviousQuestion | None:
    if session.before is None:
        return None
    question, label = session.before
    criterion = judge.rubric.measures[question.criterion]
    said = None if label is None else value_as_said(criterion.scale, label.value)
    return PreviousQuestion(criterion.title, said)


def value_as_said(scale: Scale, value: float | str) -> Value:
    """A label's value as a person gave it: "3 helpful", True for a yes, 8.5."""
    if isinstance(value, str):
        return value
    if isinstance(scale, Binary):
        return bool(value)
    name = scale.label(value) if value == int(value) else None
    return f"{value:g} {name}" if name else value
