"""A cascade while it goes on: model after model, what is sure stops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any

from adjudge.core.verdict import Verdict
from adjudge.stores.base import Store

from .cascade import Cascade
from .confidence import Sure, agrees, sure


@dataclass(frozen=True, slots=True)
class Stage:
    """One model of a cascade. `reached` items came to it and `decided` stop there; `labelled` of
    those that reached it have a label and a score.

    `threshold` is the confidence from which it decides, None where it may decide nothing, and `why`
    says why. Of `n` labelled items at or above it `agreed` agree with people, so that all items
    there do so at a rate of at least `bound`, at the error `level`.
    """

    model: str
    level: float
    reached: int
    decided: int
    labelled: int
    threshold: float | None = None
    n: int = 0
    agreed: int = 0
    bound: float | None = None
    why: str | None = None


@dataclass(slots=True)
class Stages:
    """A cascade while it goes on: what is decided so far."""

    cascade: Cascade
    store: Store
    run: str
    stages: list[Stage] = field(default_factory=list)
    decided: set[str] = field(default_factory=set)

    def done(self, judge: str, item: str) -> bool:  # noqa: ARG002 - there is one judge
        return item in self.decided

    def end(self, model: str) -> None:
        """A model has judged what reached it: its threshold is chosen, and what is sure stops.

        After the last model the whole is kept in the store.
        """
        from adjudge.stats.selective import select  # noqa: PLC0415 - loads scipy

        cascade, options = self.cascade, self.cascade.options
        judged = dict(self._judged(model))
        level = cascade.level(len(self.stages))
        labelled = [
            (each.confidence, self._agree(each, cascade.people.said[item]))
            for item, each in judged.items()
            if each and item in cascade.people.said
        ]
        found = select(
            [confidence for confidence, _ in labelled],
            [agree for _, agree in labelled],
            cascade.grid,
            agree=options.agree,
            delta=level,
        )
        chosen = found.chosen
        sure_ones = (
            {item for item, each in judged.items() if is_sure(each, chosen.threshold)}
            if chosen
            else set()
        )
        self.stages.append(
            Stage(
                model,
                level,
                reached=len(judged),
                decided=len(sure_ones),
                labelled=len(labelled),
                threshold=chosen.threshold if chosen else None,
                n=chosen.n if chosen else 0,
                agreed=chosen.agreed if chosen else 0,
                bound=chosen.bound if chosen else None,
                why=found.why if judged else "no item reached it",
            )
        )
        self.decided |= sure_ones
        if len(self.stages) == cascade.models:
            self._keep()

    def _keep(self) -> None:
        """With the store's calibrations, since that is what it is; read by `kept_cascade`."""
        cascade = self.cascade
        content = {
            "agree": cascade.options.agree,
            "delta": cascade.options.delta,
            "within": cascade.options.within,
            "criteria": list(cascade.scales),
            "labelled": self.stages[0].labelled,
            "left_out": cascade.people.left_out,
            "labelled_items": sorted(cascade.people.said),
            "by_repeats": cascade.by_repeats,
            "stages": [asdict(stage) for stage in self.stages],
        }
        judge = cascade.judge
        self.store.calibrations.keep(judge.name, _name(self.run), judge.fingerprint, content)

    def _judged(self, model: str) -> Iterator[tuple[str, Sure | None]]:
        """What the model made of the items that reached it. Verdicts that an earlier session got
        on items which by now stop before it do not count."""
        entries = self.store.entries(self.run)
        for item, verdicts in by_item(entry.verdict for entry in entries):
            mine = [verdict for verdict in verdicts if verdict.model == model]
            if mine and item not in self.decided:
                yield item, self._sure(mine)

    def _sure(self, verdicts: Sequence[Verdict]) -> Sure | None:
        cascade = self.cascade
        return sure(verdicts, cascade.scales, cascade.options.within, by_repeats=cascade.by_repeats)

    def _agree(self, judged: Sure, people: Mapping[str, float | str]) -> bool:
        within = self.cascade.options.within
        return all(
            agrees(judged.values[name], people[name], scale, within)
            for name, scale in self.cascade.scales.items()
        )


def is_sure(judged: Sure | None, threshold: float) -> bool:
    return judged is not None and judged.confidence >= threshold - 1e-9


def by_item(verdicts: Iterable[Verdict]) -> Iterator[tuple[str, list[Verdict]]]:
    """The verdicts of each item, which follow on each other."""
    for item, some in groupby(verdicts, lambda verdict: verdict.item):
        yield item, list(some)


def kept_cascade(store: Store, judge: str, run: str) -> Mapping[str, Any] | None:
    """What a cascade came to, as `Stages` keeps it; None where the run is none, or unfinished.
    Reading the replies again may have changed scores; the thresholds stay those of the run."""
    kept = store.calibrations.latest(judge, _name(run))
    return kept.content if kept else None


def _name(run: str) -> str:
    return f"cascade {run}"
