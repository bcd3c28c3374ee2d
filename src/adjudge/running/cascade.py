"""Cheap models first: an item whose verdict is sure stops there, the others go on to the next.

How sure is sure enough is chosen on labelled items, so that agreement with people is at least as
promised (stats/selective.py). Each model is tested on the labelled items that reach it. As which
those are was decided on labels too, its level is divided by the number of ways in which that could
have gone: then the promise holds for each model, and so for all of them together.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.core.judge import Judge
from adjudge.core.scale import Scale
from adjudge.datasets.labels import read_labels
from adjudge.errors import DataError, UsageError

from .cascade_options import CascadeOptions
from .people import People, people_of


@dataclass(frozen=True, slots=True)
class Cascade:
    """A cascade that can begin. `samples` is how many each model gives of an item; `by_repeats`:
    their agreement is the confidence, for the model tells none."""

    options: CascadeOptions
    judge: Judge
    models: int
    samples: int
    people: People

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

        options, labelled = self.options, self.people.said
        found = sum(item in labelled for item in items)
        needed = rows_needed(options.agree, self.level(0))
        if found < needed:
            raise DataError(
                f"{options.labels}: {found} items of the data have a label that counts; at least"
                f" {needed} are needed to show that {options.agree:.0%} agree. Label more, or ask"
                " for less with --agree or --delta."
            )

    def settings(self) -> dict[str, object]:
        """What makes a run with another promise, or other labels, another run."""
        said = sorted((item, sorted(given.items())) for item, given in self.people.said.items())
        digest = hashlib.sha256(repr(said).encode()).hexdigest()[:16]
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
        raise UsageError(f"--cascade: one judge at a time, not {len(judges)}.")
    if models < 2:
        raise UsageError("--cascade: name at least two models, the cheapest first: small,large.")
    (judge,) = judges
    if judge.method == "likelihood" or (judge.method == "text" and samples < 2):
        raise UsageError(
            "--cascade: nothing tells how sure the judge is. Sample each item several times"
            " (--repeat 5), or take the probabilities of its scores (--method expected)."
        )
    scales = {name: criterion.scale for name, criterion in judge.rubric.criteria.items()}
    people = people_of(read_labels(Path(options.labels), scales), scales)
    return Cascade(options, judge, models, samples, people)
