"""Which judge and model of one run is compared with which of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.errors import UsageError

from .sides import Side


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user picked of a run that holds several judges or models; None takes all."""

    judge: str | None = None
    model: str | None = None

    def of(self, sides: Sequence[Side], letter: str) -> list[Side]:
        """The sides that fit; UsageError that lists what there is when none does."""
        fitting = [
            side
            for side in sides
            if self.judge in {None, side.judge.name} and self.model in {None, side.model}
        ]
        if fitting or not sides:
            return fitting
        flags = {f"--judge-{letter}": self.judge, f"--model-{letter}": self.model}
        said = " ".join(f"{flag} {name}" for flag, name in flags.items() if name is not None)
        run = sides[0].source.record.id
        raise UsageError(f"{said}: run {run} has only {_named(sides)}.")


def matched(first: Sequence[Side], second: Sequence[Side]) -> list[tuple[Side, Side]]:
    """Each judge and model with its namesake of the other run.

    Where both runs have one judge alone, its name need not be the same, and likewise the model's.
    UsageError when nothing can be paired, or a run would be compared with itself.
    """
    by_judge = _several({side.judge.name for side in first}, {side.judge.name for side in second})
    by_model = _several({side.model for side in first}, {side.model for side in second})

    def key(side: Side) -> tuple[str, str]:
        return (side.judge.name if by_judge else "", side.model if by_model else "")

    others = {key(side): side for side in second}
    found = [(side, others[key(side)]) for side in first if key(side) in others]
    if not found:
        raise UsageError(
            f"The runs share no judge and model: A has {_named(first)}; B has {_named(second)}."
            " Choose one of each with --judge-a, --model-a, --judge-b, --model-b."
        )
    if any(_same(*pair) for pair in found):
        raise UsageError(
            f"Both sides are the same verdicts. Run {found[0][0].source.record.id} has"
            f" {_named(first)}; choose two with --judge-a, --model-a, --judge-b, --model-b,"
            " or name another run."
        )
    return found


def _several(*names: set[str]) -> bool:
    return any(len(each) > 1 for each in names)


def _same(one: Side, other: Side) -> bool:
    return one.source.record.id == other.source.record.id and (one.judge.name, one.model) == (
        other.judge.name,
        other.model,
    )


def _named(sides: Sequence[Side]) -> str:
    return ", ".join(f"{side.judge.name} by {side.model}" for side in sides) or "no verdicts"
