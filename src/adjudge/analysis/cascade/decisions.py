"""What a cascade decided, what it left to people, and what it saved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.core.reply import NO_USAGE, Usage
from adjudge.core.scale import Scale, Value
from adjudge.core.verdict import Verdict
from adjudge.errors import UsageError
from adjudge.running import Stage, is_sure, judge_as_kept, sure, verdicts_by_item
from adjudge.stats.stat import sum_of_known
from adjudge.stores import RunRecord, Store


@dataclass(frozen=True, slots=True)
class Decision:
    """One item. `by` is the model that decided it, None where none was sure enough; `values` are
    then empty, and `confidence` is that of the last model that was asked."""

    item: str
    by: str | None
    confidence: float | None
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Cascaded:
    """`promise` holds agree, delta and within; `stages` are the models in order; `labelled` items
    had a label that counts and a score by the first model, `left_out` a label that does not count.
    `rows` is how many items the data has. `labelled_items` are those with a label that counts, and
    `labelled_since` those for which the store has a label of every criterion."""

    run: str
    judge: str
    rows: int
    agree: float
    delta: float
    within: float | None
    by_repeats: bool
    criteria: tuple[str, ...]
    labelled: int
    left_out: int
    stages: tuple[Stage, ...]
    decisions: tuple[Decision, ...]
    spent: Mapping[str, Spent] = field(default_factory=dict)
    labelled_items: frozenset[str] = frozenset()
    labelled_since: frozenset[str] = frozenset()

    @property
    def abstained(self) -> tuple[Decision, ...]:
        return tuple(decision for decision in self.decisions if decision.by is None)

    @property
    def left_to_people(self) -> tuple[Decision, ...]:
        """Those that nobody had labelled when the run ended; labels that come later change none."""
        return tuple(one for one in self.abstained if one.item not in self.labelled_items)

    @property
    def to_label(self) -> tuple[Decision, ...]:
        """Those left to people that nobody has labelled yet."""
        return tuple(one for one in self.left_to_people if one.item not in self.labelled_since)

    @property
    def usd(self) -> float | None:
        """What the cascade cost; None where a price is not known."""
        return sum_of_known([model.usage.cost_usd for model in self.spent.values()])

    @property
    def usd_of_last_alone(self) -> float | None:
        """What the last model would have cost for all items, at what it cost for those it had."""
        return self._last.usd_for(len(self.decisions))

    @property
    def tokens_of_last_alone(self) -> int | None:
        """The same in tokens, None also where the model counts none."""
        tokens = self._last.tokens_for(len(self.decisions))
        return None if tokens is None else round(tokens)

    @property
    def _last(self) -> Spent:
        return self.spent.get(self.stages[-1].model, Spent())

    @property
    def saved(self) -> Saved:
        """What the last model did not have to do."""
        return saved(self.spent, len(self.decisions))


def cascade_of(record: RunRecord, store: Store) -> Cascaded:
    """Reads a cascade back from the store; UsageError where the run is none, or has not ended."""
    if not is_cascade(record):
        raise UsageError(Reason("cascade.not_one", run=record.id))
    (judge,) = record.manifest.judges
    kept = store.cascades.find(record.id)
    if kept is None:
        raise UsageError(Reason("cascade.unfinished", run=record.id, state=record.state))
    rubric = judge_as_kept(record, judge).rubric.criteria
    scales = {name: rubric[name].scale for name in kept["criteria"]}
    stages = tuple(Stage.of(stage) for stage in kept["stages"])
    spent = {stage.model: Spent() for stage in stages}
    decisions = []
    for item, verdicts in verdicts_by_item(
        entry.verdict for entry in store.verdicts.entries(record.id)
    ):
        by_model = {model: [one for one in verdicts if one.model == model] for model in spent}
        for model, some in by_model.items():
            spent[model].add(some)
        decisions.append(_decision(item, stages, by_model, scales, kept))
    return Cascaded(
        run=record.id,
        judge=judge,
        rows=record.rows,
        criteria=tuple(kept["criteria"]),
        stages=stages,
        decisions=tuple(decisions),
        spent=spent,
        # A store that an earlier version wrote does not name them.
        labelled_items=frozenset(kept.get("labelled_items", ())),
        labelled_since=_labelled(store.labels.of(record.manifest.data_hash, judge), scales),
        **{name: kept[name] for name in _PLAIN},
    )


def stages_of(record: RunRecord, store: Store) -> tuple[Stage, ...]:
    """The models with what each decided, without a look at the verdicts; none before the end."""
    kept = store.cascades.find(record.id)
    return () if kept is None else tuple(Stage.of(stage) for stage in kept["stages"])


_PLAIN = ("agree", "delta", "within", "by_repeats", "labelled", "left_out")


def is_cascade(record: RunRecord) -> bool:
    return "cascade" in record.manifest.settings


def _labelled(labels: Iterable[Label], criteria: Collection[str]) -> frozenset[str]:
    """The items that people, several together too, have labelled for all of the criteria."""
    by_item: dict[str, set[str]] = {}
    for label in labels:
        by_item.setdefault(label.item, set()).add(label.criterion)
    return frozenset(item for item, names in by_item.items() if names.issuperset(criteria))


def _decision(
    item: str,
    stages: Sequence[Stage],
    by_model: Mapping[str, Sequence[Verdict]],
    scales: Mapping[str, Scale],
    kept: Mapping[str, Any],
) -> Decision:
    judged = None
    for stage in stages:
        if not (verdicts := by_model[stage.model]):
            continue
        judged = sure(verdicts, scales, kept["within"], by_repeats=bool(kept["by_repeats"]))
        if judged and stage.threshold is not None and is_sure(judged, stage.threshold):
            return Decision(item, stage.model, judged.confidence, judged.values)
    return Decision(item, None, judged.confidence if judged else None, {})


@dataclass(slots=True)
class Spent:
    """What a model's verdicts took: `calls` questions about `items` items. Of the `verdicts`, one a
    sample, `paid` ones were not there already; the usage is theirs alone."""

    items: int = 0
    verdicts: int = 0
    paid: int = 0
    calls: int = 0
    usage: Usage = NO_USAGE

    def add(self, verdicts: Sequence[Verdict]) -> None:
        """The samples of one item."""
        self.items += bool(verdicts)
        self.verdicts += len(verdicts)
        self.paid += sum(verdict.attempts > 0 for verdict in verdicts)
        self.calls += sum(len(verdict.calls) for verdict in verdicts)
        self.usage += sum((verdict.usage for verdict in verdicts), start=NO_USAGE)

    @property
    def tokens(self) -> int:
        return self.usage.input_tokens + self.usage.output_tokens

    def tokens_for(self, items: int) -> float | None:
        """What it takes for so many items; None where nothing was paid for, or nothing counted."""
        return self._for(items, self.tokens or None)

    def usd_for(self, items: int) -> float | None:
        """None where the price is not known, or nothing was paid for."""
        return self._for(items, self.usage.cost_usd)

    def _for(self, items: int, paid: float | None) -> float | None:
        if paid is None or not self.paid:
            return None
        return paid / self.paid * self.verdicts / self.items * items


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """`items` did not reach the last model, and so `calls` were not made, for which it would have
    taken some `tokens`. `usd` is what it alone would have cost for all, less what all models cost;
    replies that were there already count in full.

    None is what cannot be known: `why` then says so, by `tokens` and `usd`.
    """

    items: int
    calls: int
    tokens: int | None
    usd: float | None
    why: Mapping[str, Reason] = field(default_factory=dict)


def saved(spent: Mapping[str, Spent], items: int) -> Saved:
    """Of a cascade over so many items; the last model's figures are those of the items it had."""
    model = list(spent)[-1]
    first, last = next(iter(spent.values())), spent[model]
    left = items - last.items
    # All models are asked the same; one that was never asked would have had as many questions.
    asked = last if last.items else first
    tokens = 0.0 if not left else last.tokens_for(left)
    alone = last.usd_for(items)
    costs = [model.usd_for(model.items) for model in spent.values() if model.items]
    whole = sum_of_known(costs)
    why = {}
    if tokens is None:
        why["tokens"] = _unpaid(model, last) or Reason("saved.no_tokens", model=model)
    if alone is None or whole is None:
        why["usd"] = _unpaid(model, last) or _unpriced(spent)
    return Saved(
        items=left,
        calls=round(asked.calls / asked.items * left) if asked.items else 0,
        tokens=None if tokens is None else round(tokens),
        usd=None if alone is None or whole is None else alone - whole,
        why=why,
    )


def _unpaid(model: str, spent: Spent) -> Reason | None:
    if not spent.items:
        return Reason("saved.never_asked", model=model)
    return None if spent.paid else Reason("saved.all_kept", model=model)


def _unpriced(spent: Mapping[str, Spent]) -> Reason:
    names = [name for name, model in spent.items() if model.items and model.usd_for(1) is None]
    reasons = (_unpaid(name, spent[name]) or Reason("saved.no_price", model=name) for name in names)
    return Reason("several", reasons=tuple(reasons))
