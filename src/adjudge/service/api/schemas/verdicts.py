"""What the model said, as a row."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from adjudge.core.score import Outcome


class VerdictsQuery(BaseModel):
    limit: int = Field(100, ge=1, le=1000, description="Verdicts a page.")
    cursor: str | None = Field(None, description="`next` of the page before.")
    item: str | None = Field(None, description="Those of one item.")
    outcome: Outcome | None = Field(None, description="Those of one outcome.")
    with_inputs: bool = Field(False, description="With the texts that were judged.")


class ScoreTold(BaseModel):
    """`value` is None for every outcome but `scored`."""

    outcome: Outcome = Field(description="scored, or how it failed.")
    value: float | bool | str | None = Field(
        description="On the judge's own scale; null unless scored."
    )
    raw: float | bool | str | None = Field(description="What the model said before rules.")
    rule: str | None = Field(description="The rule that changed the value.")
    label: str | None = Field(description="The name of the level, on an ordinal scale.")
    unit: float | None = Field(description="The value on 0 to 1; null for categories.")
    distribution: dict[str, float] | None = Field(
        description="Probabilities of the scale's values, with method expected."
    )
    confidence: float | None = Field(description="That of the likeliest value.")
    mass: float | None = Field(description="The share of all probability that they rest on.")
    explanation: str | None = Field(description="The judge's reason.")
    explanation_outcome: str | None = Field(
        description="wrong_language where the reason is in another language than asked for."
    )
    why: str | None = Field(description="Why there is no value.")
    span: list[int] | None = Field(
        description="First and last character of the value in the reply."
    )


class UsageTold(BaseModel):
    input_tokens: int = Field(description="Tokens sent.")
    output_tokens: int = Field(description="Tokens that came back.")
    cached_tokens: int = Field(description="Of those sent, tokens that the provider had at hand.")
    cost_usd: float | None = Field(description="US dollars; null where the price is not known.")


class VerdictRow(BaseModel):
    """One item by one judge and model; the same row as in every export."""

    run: str = Field(description='The run; "" for an item that was judged at once.')
    item: str = Field(description="The item's id.")
    judge: str = Field(description="The judge's name.")
    fingerprint: str = Field(description="The judge's fingerprint.")
    model: str = Field(description="The model's name.")
    repeat: int = Field(description="Which sample of the item, from 0.")
    outcome: Outcome = Field(
        description="scored when every criterion is; else how the first one failed."
    )
    scores: dict[str, ScoreTold] = Field(description="By criterion.")
    feedback: dict[str, str | list[str]] = Field(description="The judge's sections.")
    flags: dict[str, bool] = Field(description="What the model reported for the rules.")
    notes: list[str] = Field(description="What is odd without touching a score.")
    cuts: dict[str, Any] = Field(description="Inputs that were not shown in full.")
    usage: UsageTold = Field(description="What it took.")
    attempts: int = Field(description="Requests made, retries included.")
    latency_ms: int = Field(description="Milliseconds that they took.")
    reply: str | None = Field(description="The raw text of the model.")
    data: dict[str, Any] | None = Field(
        None, description="The item's texts, where they were asked for."
    )


class VerdictsTold(BaseModel):
    verdicts: list[VerdictRow] = Field(description="In the order of the data.")
    next: str | None = Field(description="The cursor of the next page, null on the last.")
