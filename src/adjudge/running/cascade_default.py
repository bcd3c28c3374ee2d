"""What tells how sure the judge is, where the user of a cascade leaves it open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.models.base import Model, ModelOptions
from adjudge.models.findings import recall
from adjudge.models.registry import open_model

SAMPLES = 5


@dataclass(frozen=True, slots=True)
class Chosen:
    """Options of a run as the user might have given them, and why these, in a sentence."""

    options: Mapping[str, Any]
    why: str


def five_samples(why: str) -> Chosen:
    said = f"--cascade takes {SAMPLES} samples of each item (--repeat {SAMPLES}) to tell how sure"
    return Chosen({"repeat": SAMPLES}, f"{said} a model is: {why}.")


async def choose_confidence(names: Sequence[str], options: ModelOptions) -> Chosen:
    """Probabilities, which need one call an item, where all models are known to tell them; else
    samples, which any model gives. No request is made."""
    for name in names:
        model = open_model(name, options)
        try:
            doubt = _doubt(model)
        finally:
            await model.aclose()
        if doubt:
            return five_samples(doubt)
    return Chosen(
        {"method": "expected"},
        "--cascade takes the probability of a score (--method expected) to tell how sure a model"
        " is: every one of them is known to tell it.",
    )


def _doubt(model: Model) -> str | None:
    """Why the model cannot be relied on for probabilities; None where it can."""
    if not model.capabilities.logprobs:
        return f"{model.name} tells no token probabilities"
    found = recall(model.identity)
    # Where nothing can be found out by asking, the model knows by itself what it can do.
    if "logprobs" not in model.ways or (found and found.logprobs):
        return None
    return (
        f"whether {model.name} tells token probabilities is not known (adjudge models check"
        " finds out)"
    )
