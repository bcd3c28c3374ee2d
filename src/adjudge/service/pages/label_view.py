"""What the labelling pages show. Nothing here knows a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.analysis.answer_keys import AnswerKeys, keys_of
from adjudge.analysis.label_progress import complete_by_rater
from adjudge.analysis.labelling import Session
from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.label import wording
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Binary, Integer, Number, Ordinal, Scale, Value
from adjudge.judges.prepare import prepared
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord, Tally

from .label_choice import Choice


@dataclass(frozen=True, slots=True)
class LabelledRun:
    """A run with one of its judges, and what labels there are for both."""

    record: RunRecord
    judge: str
    labels: Tally


@dataclass(frozen=True, slots=True)
class Level:
    """An answer that has a key. `words` may be a yes or no, which the page says in its language."""

    key: str
    words: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Items that have all their labels; `others` are the other raters' figures by name."""

    done: int
    total: int
    others: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
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
    levels: tuple[Level, ...]
    yes_or_no: bool
    range: str
    number_typed: bool
    first: bool
    before: Before | None
    progress: Progress


@dataclass(frozen=True, slots=True, kw_only=True)
class EndView:
    before: Before | None
    progress: Progress

    @property
    def left(self) -> int:
        return self.progress.total - self.progress.done


def labelled_runs(store: Store, records: Sequence[RunRecord]) -> list[LabelledRun]:
    """A row for each run and judge."""
    return [
        LabelledRun(record, judge, store.labels.tally(record.manifest.data_hash, judge))
        for record in records
        for judge in record.manifest.judges
    ]


def question_view(judge: Judge, item: Item, session: Session, choice: Choice) -> QuestionView:
    """The current question, which there must be."""
    asked = session.current
    if asked is None:
        raise ValueError("the queue is through")
    criterion = judge.rubric.criteria[asked.criterion]
    keys = keys_of(criterion.scale)
    return QuestionView(
        item=item.id,
        number=asked.number,
        criterion=criterion,
        place=(list(session.scales).index(asked.criterion) + 1, len(session.scales)),
        texts=tuple(
            (judge.inputs[name].title, text, judge.inputs[name].judged)
            for name, text in prepared(judge, item.fields).items()
            if text
        ),
        levels=_levels(keys),
        yes_or_no=isinstance(criterion.scale, Binary),
        range=_range(criterion.scale),
        number_typed=isinstance(criterion.scale, Integer | Number),
        first=not any(
            each.criterion == asked.criterion and each.rater == choice.rater
            for each in session.labels
        ),
        before=_before(judge, session),
        progress=_progress(session, choice),
    )


def end_view(judge: Judge, session: Session, choice: Choice) -> EndView:
    return EndView(before=_before(judge, session), progress=_progress(session, choice))


def _levels(keys: AnswerKeys) -> tuple[Level, ...]:
    return tuple(
        Level(key, keys.words[key], _meaning(keys.scale, value))
        for key, value in keys.values.items()
    )


def _range(scale: Scale) -> str:
    """What may be typed, in signs that every language has."""
    if isinstance(scale, Integer | Number):
        return f"{scale.min:g} – {scale.max:g}"
    return wording(scale)


def _meaning(scale: Scale, value: object) -> str:
    return scale.levels[int(str(value))].meaning if isinstance(scale, Ordinal) else ""


def _progress(session: Session, choice: Choice) -> Progress:
    by_rater = complete_by_rater(session.labels, session.queue.places, session.scales)
    by_rater.pop(choice.rater, None)
    return Progress(done=session.complete, total=len(session.queue), others=by_rater)


def _before(judge: Judge, session: Session) -> Before | None:
    if session.before is None:
        return None
    question, label = session.before
    criterion = judge.rubric.criteria[question.criterion]
    said = None if label is None else said_as(criterion.scale, label.value)
    return Before(criterion=criterion.title, said=said)


def said_as(scale: Scale, value: float | str) -> Value:
    """A label's value as a person gave it: "3 helpful", True for a yes, 8.5."""
    if isinstance(value, str):
        return value
    if isinstance(scale, Binary):
        return bool(value)
    name = scale.label(value) if value == int(value) else None
    return f"{value:g} {name}" if name else value
