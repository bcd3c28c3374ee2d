"""A rater's way through the items of a run, one question at a time, and the keys that answer it.

The terminal and the web pages ask the same way: `current` is what to show, `answer`, `skip` and
`undo` are what a person can do. Whatever was answered is in the store before the next question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from adjudge.core.label import Label, value_of
from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, Category, NotAValue, Scale, Value, folded
from adjudge.errors import UsageError
from adjudge.running import judge_as_kept
from adjudge.stores import RunRecord, Store

from .labels import LabelPlace, complete_by_rater, scales_of
from .queue import LabelOptions, Queue, queue_of


class Question(NamedTuple):
    """One criterion of one item; `number` is the item's place in the queue, from 1."""

    item: str
    criterion: str
    number: int


def open_session(
    record: RunRecord, store: Store, judge_name: str, chosen: LabelOptions
) -> LabelSession:
    """The rater's session; the same choices make the same queue, and it goes on."""
    record.needs_texts(Reason("run.nothing_to_rate"))
    judge = judge_as_kept(record, judge_name)
    scales = scales_of(judge, chosen.criteria)
    if chosen.limit is not None and chosen.limit < 1:
        raise UsageError(Reason("labels.limit").at_option("limit", chosen.limit))
    queue = queue_of(record, store, judge_name, chosen)
    place = LabelPlace(record.manifest.data_hash, judge_name)
    return LabelSession(store, place, chosen, queue[: chosen.limit], scales)


class LabelSession:
    """`queue` is the items in the order in which they are asked, `scales` the criteria asked for.

    An item that a random draw comes to counts as drawn at random, even if the rater had labelled
    it before for another reason: it would have been asked about all the same. `labels` are those
    that all raters had given when the session was opened.
    """

    def __init__(
        self,
        store: Store,
        place: LabelPlace,
        chosen: LabelOptions,
        queue: Sequence[str],
        scales: Mapping[str, Scale],
    ) -> None:
        self.queue = queue if isinstance(queue, Queue) else Queue(queue)
        self.scales = scales
        self._store, self._place = store, place
        self._chosen, self._criteria = chosen, list(scales)
        self.labels = store.labels.of(*place)
        self._kept = {
            (label.item, label.criterion): label
            for label in self.labels
            if label.rater == chosen.rater
        }
        self._draws = store.labels.plan(*place).draws if chosen.pick == "planned" else {}
        self._count_as_drawn()
        self._at = 0
        self._pass_answered()

    @property
    def current(self) -> Question | None:
        """What to ask now; None when the queue is through."""
        return self._question(self._at) if self._at < self._end else None

    @property
    def complete(self) -> int:
        """How many items of the queue have all their labels."""
        return complete_by_rater(self._kept.values(), self.queue.places, self.scales).get(
            self._chosen.rater, 0
        )

    @property
    def at(self) -> int:
        """The place of the current question among all, from 0; after the last, their number."""
        return self._at

    @property
    def before(self) -> tuple[Question, Label | None] | None:
        """The question that `undo` asks again, and what the rater said to it, if anything."""
        if self._at == 0:
            return None
        asked = self._question(self._at - 1)
        return asked, self._kept.get((asked.item, asked.criterion))

    def said(self, item: str, criterion: str) -> Label | None:
        """What the rater has said to a question so far."""
        return self._kept.get((item, criterion))

    def place_of(self, item: str, criterion: str) -> int | None:
        """The place of a question, None where the queue does not have it."""
        row = self.queue.places.get(item)
        if row is None or criterion not in self._criteria:
            return None
        return row * len(self._criteria) + self._criteria.index(criterion)

    def turn_to(self, at: int, *, again: bool = False) -> None:
        """Goes on from the question in this place; past those with a label, unless `again`."""
        self._at = min(max(at, 0), self._end)
        if not again:
            self._pass_answered()

    def answer(self, value: float | str, comment: str = "") -> None:
        """Keeps the label of the current question, and goes on to the next."""
        asked = self._question(self._at)
        rater, draw = self._chosen.rater, self._draws.get(asked.item, self._chosen.pick)
        self._keep(Label(asked.item, rater, asked.criterion, value, draw, comment=comment))
        self._at += 1
        self._pass_answered()

    def skip(self, *, item: bool = False) -> None:
        """Leaves the question, or the rest of the item, without a label; it comes back next time.

        What is skipped because it is hard is missing from a random sample, which bends the mean.
        """
        step = len(self._criteria)
        self._at = (self._at // step + 1) * step if item else self._at + 1
        self._pass_answered()

    def undo(self) -> Question | None:
        """Takes back the answer, or the skip, before the current question, and asks it again."""
        if self._at == 0:
            return None
        self._at -= 1
        asked = self._question(self._at)
        if self._kept.pop((asked.item, asked.criterion), None):
            self._store.labels.remove(*self._place, asked.item, self._chosen.rater, asked.criterion)
        return asked

    @property
    def _end(self) -> int:
        return len(self.queue) * len(self._criteria)

    def _question(self, at: int) -> Question:
        row, column = divmod(at, len(self._criteria))
        return Question(self.queue[row], self._criteria[column], row + 1)

    def _pass_answered(self) -> None:
        while self._at < self._end:
            asked = self._question(self._at)
            label = self._kept.get((asked.item, asked.criterion))
            if label is None:
                return
            draw = self._draws.get(asked.item, "random")
            if self._chosen.pick in {"random", "planned"} and label.draw != draw:
                self._keep(replace(label, draw=draw))
            self._at += 1

    def _count_as_drawn(self) -> None:
        """The labels of all raters that a plan builds on: it counts them in its strata."""
        drawn = [
            replace(label, draw=self._draws[label.item])
            for label in self.labels
            if self._draws.get(label.item, label.draw) != label.draw
        ]
        if drawn:
            self._store.labels.put(*self._place, drawn)
            self._store.sync()

    def _keep(self, label: Label) -> None:
        self._store.labels.put(*self._place, [label])
        self._store.sync()
        self._kept[label.item, label.criterion] = label


UNDO, SKIP, SKIP_ITEM, QUIT, HELP = "u", "s", "S", "q", "?"
COMMANDS = frozenset({UNDO, SKIP, SKIP_ITEM, QUIT, HELP})

_DIGITS, _LETTERS = "123456789", "abcdefghi"


@dataclass(frozen=True, slots=True)
class AnswerKeys:
    """`words` says what each key stands for; without any, the value is typed, with Enter."""

    scale: Scale
    values: Mapping[str, Value]
    words: Mapping[str, str]

    @property
    def single(self) -> bool:
        return bool(self.values)

    def read(self, typed: str) -> float | str:
        """The value that was meant: by its key, or written out. Raises NotAValue."""
        return value_of(self.scale, self.values.get(typed, typed), one_person=True)


def keys_of(scale: Scale) -> AnswerKeys:
    """A key for each value, where there are few and no key could be mistaken.

    Yes and no are `y` and `n`. Values of one sign are their own keys. Others have their number in
    the list, or a letter where numbers are values themselves.
    """
    if isinstance(scale, Binary):
        return AnswerKeys(scale, {"y": True, "n": False}, {"y": "yes", "n": "no"})
    values = scale.values() or ()
    for keys in ([scale.write(value) for value in values], _DIGITS, _LETTERS):
        if 0 < len(values) <= len(keys) and _unmistakable(keys, scale):
            pairs = dict(zip(keys, values, strict=False))
            return AnswerKeys(scale, pairs, {key: _words(scale, pairs[key]) for key in pairs})
    return AnswerKeys(scale, {}, {})


def _unmistakable(keys: Sequence[str], scale: Scale) -> bool:
    """Whether each is one sign, no command, and not how another value is written."""
    for key, value in zip(keys, scale.values() or (), strict=False):
        if len(key) != 1 or key in COMMANDS:
            return False
        try:
            if scale.read(key) != value:
                return False
        except NotAValue:
            # A number is a value between two levels: -1, 0 and 1 have letters for keys.
            if key.isdigit() and not isinstance(scale, Category):
                return False
    return True


def _words(scale: Scale, value: Value) -> str:
    label, written = scale.label(value), scale.write(value)
    if label is None or folded(label) == folded(written):
        return written
    return label if len(written) == 1 else f"{written} {label}"
