"""Cheap models first: an item whose verdict is sure stops there, the others move to the next.

How sure is sure enough is chosen on labelled items, so that agreement with people is at least as
promised (stats/selective.py). Each model is tested on the labelled items that reach it. As which
those are was decided on labels too, its level is divided by the number of ways in which that could
have gone: then the promise holds for each model, and so for all of them together.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.core.judge import Judge
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Scale
from adjudge.core.verdict import Verdict
from adjudge.datasets import read_labels
from adjudge.errors import DataError, UsageError
from adjudge.extras import require
from adjudge.models import Model, ModelOptions, open_model
from adjudge.models.model_checks import load_check
from adjudge.stores import Store

from .confidence import Sure, agrees, sure
from .options import CascadeOptions

if TYPE_CHECKING:
    from adjudge.stats.people import People


@dataclass(frozen=True, slots=True)
class CascadeLabels:
    """The labels that a cascade is tested on: what people say of the items drawn at random.

    `by_item` has the items that every labelled criterion has a value for: the mean over raters,
    or the name that most gave. `left_out` counts the other labelled items: a criterion is missing,
    two names lead, or they were picked for being hard and so are no random draw.
    """

    criteria: tuple[str, ...]
    by_item: Mapping[str, Mapping[str, float | str]]
    left_out: int


def cascade_labels(labels: Sequence[Label], scales: Mapping[str, Scale]) -> CascadeLabels:
    from adjudge.stats.people import people_of  # noqa: PLC0415 - loads numpy

    items = {
        item: place for place, item in enumerate(dict.fromkeys(label.item for label in labels))
    }
    people = people_of([label for label in labels if not label.picked], items, scales)
    by_criterion = {name: _by_place(of, scales[name]) for name, of in people.people.items()}
    by_item = {
        item: {name: values[place] for name, values in by_criterion.items()}
        for item, place in items.items()
        if by_criterion and all(place in values for values in by_criterion.values())
    }
    return CascadeLabels(tuple(by_criterion), by_item, len(items) - len(by_item))


def _by_place(people: People, scale: Scale) -> dict[int, float | str]:
    names = scale.options if isinstance(scale, Category) else None
    return {
        place: names[int(value)] if names else value
        for place, value in zip(people.places.tolist(), people.values.tolist(), strict=True)
        if math.isfinite(value)
    }


@dataclass(frozen=True, slots=True)
class Cascade:
    """A cascade that can begin. `samples` is how many each model gives of an item; `by_repeats`:
    their agreement is the confidence, since the model gives none."""

    options: CascadeOptions
    judge: Judge
    models: int
    samples: int
    people: CascadeLabels

    @property
    def scales(self) -> Mapping[str, Scale]:
        """Of the criteria that people have labelled; the others have no say."""
        criteria = self.judge.rubric.criteria
        return {name: criteria[name].scale for name in criteria if name in self.people.criteria}

    @property
    def by_repeats(self) -> bool:
        return self.judge.method != "expected"

    @property
    def grid(self) -> Sequence[float]:
        """The thresholds, fixed before any label is looked at."""
        from adjudge.stats.selective import PROBABILITIES  # noqa: PLC0415 - loads scipy

        if self.by_repeats:
            return [n / self.samples for n in range(1, self.samples + 1)]
        return PROBABILITIES

    def level(self, stage: int) -> float:
        """The error that the test of a model is allowed, the first model being stage 0."""
        ways: int = (len(self.grid) + 1) ** stage
        return self.options.delta / self.models / ways

    def check(self, items: Iterable[str]) -> None:
        """DataError where too few of the items are labelled for any model to decide anything."""
        from adjudge.stats.selective import rows_needed  # noqa: PLC0415 - loads scipy

        options, labelled = self.options, self.people.by_item
        count = sum(item in labelled for item in items)
        needed = rows_needed(options.agree, self.level(0))
        if count < needed:
            raise DataError(
                Reason(
                    "cascade.few_labels", found=count, needed=needed, agree=options.agree
                ).in_file(options.labels)
            )

    def settings(self) -> dict[str, object]:
        """What makes a run with another promise, or other labels, another run."""
        labels = sorted((item, sorted(by.items())) for item, by in self.people.by_item.items())
        digest = hashlib.sha256(repr(labels).encode()).hexdigest()[:16]
        options = self.options
        return {
            "agree": options.agree,
            "delta": options.delta,
            "within": options.within,
            "labels": digest,
        }


def plan_cascade(
    options: CascadeOptions, judges: Sequence[Judge], models: int, samples: int
) -> Cascade:
    """Reads the labels; UsageError where a cascade could not work, before anything is spent."""
    if len(judges) != 1:
        raise UsageError(Reason("cascade.one_judge", count=len(judges)).at_option("cascade"))
    if models < 2:
        raise UsageError(Reason("cascade.two_models").at_option("cascade"))
    (judge,) = judges
    if judge.method == "likelihood" or (judge.method == "text" and samples < 2):
        raise UsageError(Reason("cascade.unsure").at_option("cascade"))
    scales = {name: criterion.scale for name, criterion in judge.rubric.criteria.items()}
    require("trust", "--cascade")
    people = cascade_labels(read_labels(Path(options.labels), scales), scales)
    return Cascade(options, judge, models, samples, people)


SAMPLES = 5


@dataclass(frozen=True, slots=True)
class ChosenConfidence:
    """Options of a run as the user might have given them, and why these, in a sentence."""

    options: Mapping[str, Any]
    why: str


def five_samples(why: str) -> ChosenConfidence:
    said = f"--cascade uses {SAMPLES} samples of each item (--repeat {SAMPLES}) as confidence"
    return ChosenConfidence({"repeat": SAMPLES}, f"{said}: {why}.")


async def choose_confidence(names: Sequence[str], options: ModelOptions) -> ChosenConfidence:
    """Probabilities, which need one call per item, where all models are known to return them; else
    samples, which any model gives. No request is made."""
    for name in names:
        model = open_model(name, options)
        try:
            doubt = _doubt(model)
        finally:
            await model.aclose()
        if doubt:
            return five_samples(doubt)
    return ChosenConfidence(
        {"method": "expected"},
        "--cascade uses the probability of a score (--method expected) as confidence: all models"
        " are known to give it.",
    )


def _doubt(model: Model) -> str | None:
    """Why the model cannot be relied on for probabilities; None where it can."""
    if not model.capabilities.logprobs:
        return f"{model.name} gives no token probabilities"
    check = load_check(model.identity)
    # Where nothing can be found out by asking, the model knows by itself what it can do.
    if "logprobs" not in model.ways or (check and check.logprobs):
        return None
    return (
        f"whether {model.name} gives token probabilities is not known (adjudge models check"
        " finds out)"
    )


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
    why: Reason | None = None

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Stage:
        """The stage that was kept as JSON."""
        why = kept.get("why")
        return cls(**{**kept, "why": why and Reason.of(why)})


@dataclass(slots=True)
class Stages:
    """A cascade while it runs: what is decided so far."""

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
            (judgment.confidence, self._agree(judgment, cascade.people.by_item[item]))
            for item, judgment in judged.items()
            if judgment and item in cascade.people.by_item
        ]
        selected = select(
            [confidence for confidence, _ in labelled],
            [agree for _, agree in labelled],
            cascade.grid,
            agree=options.agree,
            delta=level,
        )
        chosen = selected.chosen
        sure_ones = (
            {item for item, judgment in judged.items() if is_sure(judgment, chosen.threshold)}
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
                why=selected.why if judged else Reason("unreached"),
            )
        )
        self.decided |= sure_ones
        if len(self.stages) == cascade.models:
            self._keep()

    def _keep(self) -> None:
        cascade = self.cascade
        content = {
            "agree": cascade.options.agree,
            "delta": cascade.options.delta,
            "within": cascade.options.within,
            "criteria": list(cascade.scales),
            "labelled": self.stages[0].labelled,
            "left_out": cascade.people.left_out,
            "labelled_items": sorted(cascade.people.by_item),
            "by_repeats": cascade.by_repeats,
            "stages": [asdict(stage) for stage in self.stages],
        }
        judge = cascade.judge
        self.store.cascades.keep(self.run, judge.name, judge.fingerprint, content)

    def _judged(self, model: str) -> Iterator[tuple[str, Sure | None]]:
        """What the model made of the items that reached it. Verdicts that an earlier session got
        on items which by now stop before it do not count."""
        entries = self.store.verdicts.entries(self.run)
        for item, verdicts in verdicts_by_item(entry.verdict for entry in entries):
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


def verdicts_by_item(verdicts: Iterable[Verdict]) -> Iterator[tuple[str, list[Verdict]]]:
    """The verdicts of each item, which follow on each other."""
    for item, some in groupby(verdicts, lambda verdict: verdict.item):
        yield item, list(some)
