"""How the model is asked; the same for one item and for a run."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from .sent import Body
from .sizes import Map

Seed = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
Language = Annotated[str, Field(pattern=r"^([a-z]{2,3}(-[A-Za-z]+)?)$", examples=["ko"])]

# In the examples of the description.
ITEM: dict[str, Any] = {
    "question": "How long can cooked rice stand?",
    "answer": "Two hours, then chill it.",
}


class Definition(Body):
    """A judge of one's own, as the text of a judge file."""

    definition: str = Field(
        max_length=200_000,
        examples=["judge: politeness\nversion: 1\n…"],
        description="The text of the judge file.",
    )


class Asking(Body):
    """How the model is asked; the same for one item and for a run."""

    map: Map | None = Field(None, description="Which field feeds which input.")
    method: Literal["text", "expected", "likelihood"] | None = Field(
        None,
        description="How a value is found.",
    )
    variant: Literal["forward", "pmi", "back", "reference", "f", "source-f"] | None = Field(
        None, description="With likelihood: which texts are compared."
    )
    logprobs: Literal["require", "prefer", "off"] | None = Field(
        None, description="With expected: what to do where there are no probabilities."
    )
    ask: Literal["together", "each"] | None = Field(
        None, description="All criteria in one call, or one call each."
    )
    explain_in: Language | None = Field(None, description="Language of the explanations, or any.")
    temperature: float | None = Field(None, ge=0, le=10, description="Of the sampling.")
    max_tokens: int | None = Field(
        None, ge=1, le=1_000_000, description="The most tokens of a reply."
    )
    shorten: Literal["head-tail"] | None = Field(
        None, description="Cut texts that the model has no room for."
    )
    seed: Seed | None = Field(None, description="Of the sampling, where the model takes one.")

    def options(self) -> dict[str, Any]:
        """Those that were given, by their names in RunOptions."""
        return self.model_dump(exclude_none=True, include=set(Asking.model_fields))
