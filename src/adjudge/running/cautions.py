"""What a run will have to do without, said before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.core.judge import Judge
from adjudge.models.base import Capabilities, Model

from .options import RunOptions
from .plan import Batch


def cautions(batch: Batch, options: RunOptions) -> list[str]:
    """One line each, about what a model is known to lack and this run asks for."""
    return [
        f"{model.name} {line}" for model in batch.models for line in _about(model, batch, options)
    ]


def at_most(batch: Batch) -> list[str]:
    """Why a forecast may be too high, in a line; none where it is as it says."""
    if batch.cascade:
        return ["at most: --cascade asks later models only what earlier ones are not sure of"]
    if batch.stop_when_stable:
        return ["at most: --stop-when-stable takes no sample that cannot change the majority"]
    return []


def _about(model: Model, batch: Batch, options: RunOptions) -> Iterator[str]:
    can = model.capabilities
    if not can.json_schema and can.converses:
        names = _named(batch.judges)
        if names:
            yield f"cannot be bound to a JSON schema: {names} is asked in words alone"
    if options.seed is not None and not can.seed:
        yield "does not repeat its replies by a seed: --seed changes nothing there"


def _named(judges: Sequence[Judge]) -> str:
    return ", ".join(judge.name for judge in judges if judge.reply == "json")


def lost(before: Capabilities, now: Capabilities) -> str | None:
    """What the server turned out to refuse, in words; None when it is nothing that counts."""
    if before.json_schema and not now.json_schema:
        return "takes no JSON schema: from here on replies are asked for in words alone"
    if before.logprobs and not now.logprobs:
        return "tells no token probabilities"
    return None
