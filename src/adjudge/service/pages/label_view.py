"""What the labelling pages show. Nothing here knows a verdict."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast, get_args
from urllib.parse import quote, unquote, urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request

from adjudge.analysis.labelling import (
    AnswerKeys,
    LabelOptions,
    LabelSession,
    Pick,
    complete_by_rater,
    keys_of,
)
from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.label import range_of
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Binary, Integer, Number, Ordinal, Scale, Value
from adjudge.judges import prepared_texts
from adjudge.stores import LabelCounts, RunRecord, Store

RATER_COOKIE = "adjudge_rater"
LONGEST_NAME = 80


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

    @property
    def problem(self) -> str | None:
        if not self.rater or len(self.rater) > LONGEST_NAME or not _printable(self.rater):
            return "label.problem.rater"
        if self.pick not in get_args(Pick):
            return "label.problem.pick"
        if self.n and not (_whole(self.n) and int(self.n) > 0):
            return "label.problem.n"
        return None if _whole(self.seed) else "label.problem.seed"

    @property
    def labelling(self) -> LabelOptions:
        """To be asked for only where there is no problem."""
        return LabelOptions(
            rater=self.rater,
            pick=cast(Pick, self.pick),
            criteria=self.criteria,
            limit=int(self.n) if self.n else None,
            seed=int(self.seed),
        )

    def query(self, at: int | None = None) -> str:
        """The address's query for the same choice, from the question in this place on."""
        fields = [
            ("judge", self.judge),
            ("rater", self.rater),
            ("pick", self.pick),
            ("n", self.n),
            ("seed", "" if self.seed == "0" else self.seed),
            *(("criterion", name) for name in self.criteria),
            ("at", "" if at is None else str(at)),
        ]
        return urlencode([(name, value) for name, value in fields if value])


def choice_of(params: QueryParams) -> Choice:
    at = params.get("at", "")
    return Choice(
        judge=params.get("judge", ""),
        rater=params.get("rater", "").strip(),
        pick=params.get("pick") or "random",
        n=params.get("n", "").strip(),
        seed=params.get("seed", "").strip() or "0",
        criteria=tuple(dict.fromkeys(filter(None, params.getlist("criterion")))),
        at=int(at) if _whole(at) else None,
    )


def proposed_rater(request: Request) -> str:
    """The name used last in this browser, else the one of the token."""
    access = getattr(request.state, "access", None)
    return unquote(request.cookies.get(RATER_COOKIE, "")) or getattr(access, "name", "")


def as_cookie(rater: str) -> str:
    return quote(rater)


def _whole(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9


def _printable(text: str) -> bool:
    """Without signs that cannot be seen or stored: line breaks, halves of surrogate pairs."""
    return not any(unicodedata.category(sign) in {"Cc", "Cs"} for sign in text)


@dataclass(frozen=True, slots=True)
class LabelledRun:
    """A run with one of its judges, and what labels there are for both."""

    record: RunRecord
    judge: str
    labels: LabelCounts


@dataclass(frozen=True, slots=True)
class AnswerLevel:
    """An answer that has a key. `words` may be a yes or no, which the page says in its language."""

    key: str
    words: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelProgress:
    """Items that have all their labels; `others` are the other raters' figures by name."""

    done: int
    total: int
    others: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousQuestion:
    """The question that undo asks again; `said` is None where it was skipped or taken back."""

    criterion: str
    said: Value | None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """`texts` are the inputs by title, as the judge was given them; `range` is what to type where
    no level has a key. `first` says that the rater has not met this criterion before."""

    item: str
    number: int
    criterion: Criterion
    place: tuple[int, int]
    texts: tuple[tuple[str, str, bool], ...]
    levels: tuple[AnswerLevel, ...]
    yes_or_no: bool
    range: str
    number_typed: bool
    first: bool
    before: PreviousQuestion | None
    progress: LabelProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class EndView:
    before: PreviousQuestion | None
    progress: LabelProgress

    @property
    def left(self) -> int:
        return self.progress.total - self.progress.done


def labelled_runs(store: Store, records: Sequence[RunRecord]) -> list[LabelledRun]:
    """A row for each run and judge."""
    return [
        LabelledRun(record, judge, store.labels.counts(record.manifest.data_hash, judge))
        for record in records
        for judge in record.manifest.judges
    ]


def question_view(judge: Judge, item: Item, session: LabelSession, choice: Choice) -> QuestionView:
    """The current question, which there must be."""
    question = session.current
    if question is None:
        raise ValueError("the queue is through")
    criterion = judge.rubric.criteria[question.criterion]
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
        levels=_levels(keys),
        yes_or_no=isinstance(criterion.scale, Binary),
        range=_range(criterion.scale),
        number_typed=isinstance(criterion.scale, Integer | Number),
        first=not any(
            label.criterion == question.criterion and label.rater == choice.rater
            for label in session.labels
        ),
        before=_before(judge, session),
        progress=_progress(session, choice),
    )


def end_view(judge: Judge, session: LabelSession, choice: Choice) -> EndView:
    return EndView(before=_before(judge, session), progress=_progress(session, choice))


def _levels(keys: AnswerKeys) -> tuple[AnswerLevel, ...]:
    return tuple(
        AnswerLevel(key, keys.words[key], _meaning(keys.scale, value))
        for key, value in keys.values.items()
    )


def _range(scale: Scale) -> str:
    """What may be typed, in signs that every language has."""
    if isinstance(scale, Integer | Number):
        return f"{scale.min:g} – {scale.max:g}"
    return str(range_of(scale))


def _meaning(scale: Scale, value: object) -> str:
    return scale.levels[int(str(value))].meaning if isinstance(scale, Ordinal) else ""


def _progress(session: LabelSession, choice: Choice) -> LabelProgress:
    by_rater = complete_by_rater(session.labels, session.queue.places, session.scales)
    by_rater.pop(choice.rater, None)
    return LabelProgress(done=session.complete, total=len(session.queue), others=by_rater)


def _before(judge: Judge, session: LabelSession) -> PreviousQuestion | None:
    if session.before is None:
        return None
    question, label = session.before
    criterion = judge.rubric.criteria[question.criterion]
    said = None if label is None else said_as(criterion.scale, label.value)
    return PreviousQuestion(criterion=criterion.title, said=said)


def said_as(scale: Scale, value: float | str) -> Value:
    """A label's value as a person gave it: "3 helpful", True for a yes, 8.5."""
    if isinstance(value, str):
        return value
    if isinstance(scale, Binary):
        return bool(value)
    name = scale.label(value) if value == int(value) else None
    return f"{value:g} {name}" if name else value
