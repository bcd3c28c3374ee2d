"""Runs, and what became of them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

State = Literal["waiting", "running", "finished", "interrupted", "failed", "stopped"]


class RunStarted(BaseModel):
    run: str = Field(description="The run's id.")
    job: str = Field(description="The id of what carries it out.")
    state: State = Field(description="What becomes of it just now.")
    notes: list[str] = Field(
        description="What is to be known about the data, e.g. that a column was left aside."
    )


class RunDeleted(BaseModel):
    run: str = Field(description="The run's id.")
    items: int = Field(description="Items whose texts are gone.")
    verdicts: int = Field(description="Verdicts that are gone.")
    replies: int = Field(
        description="Replies that the run had paid for, and that are gone from the cache."
    )


class RunHead(BaseModel):
    """`tokens` and `usd` are all that the run has spent, failed requests included."""

    run: str = Field(description="The run's id.")
    state: State = Field(description="What becomes of it just now.")
    data: str = Field(description="What the data are called.")
    judges: dict[str, str] = Field(description="Name → fingerprint.")
    models: list[str] = Field(description="The models that are asked.")
    rows: int = Field(description="Items.")
    bad_rows: int = Field(description="Rows that cannot be used.")
    started: str = Field(description="ISO 8601, UTC.")
    ended: str | None = Field(description="ISO 8601, UTC; null while it goes on.")
    tokens: int = Field(description="Tokens spent.")
    usd: float = Field(description="US dollars spent.")
    tags: dict[str, str] = Field(description="Notes on the run, by name.")


class RunsTold(BaseModel):
    runs: list[RunHead] = Field(description="The latest first.")
    total: int = Field(description="Runs in the store.")
    next: str | None = Field(description="The cursor of the next page, null on the last.")


class MeanTold(BaseModel):
    """`unscored` counts by outcome what the mean does not know of; `low` and `high` are the ends of
    its 95 % interval. Repeats of an item are averaged first."""

    judge: str = Field(description="The judge's name.")
    model: str = Field(description="The model's name.")
    criterion: str = Field(description="The criterion's name.")
    scored: int = Field(description="Items with a value.")
    unscored: dict[str, int] = Field(description="Verdicts without a value, by outcome.")
    mean: float | None = Field(description="Of the values; null where there is none.")
    low: float | None = Field(description="Lower end of its 95 % interval.")
    high: float | None = Field(description="Upper end of its 95 % interval.")
    sd: float | None = Field(description="Standard deviation of the values.")
    shares: dict[str, int] = Field(description="How often each name was given, for categories.")
    capped: int = Field(description="Values that a rule changed.")


class RunTold(RunHead):
    settings: dict[str, Any] = Field(description="How the models are asked.")
    total: int = Field(description="Verdicts that the whole run makes, at most.")
    verdicts: int = Field(description="Verdicts so far.")
    outcomes: dict[str, int] = Field(description="Verdicts by outcome.")
    unscored: int = Field(description="Verdicts without a value.")
    cut: int = Field(description="Verdicts on texts of which a part was cut before judging.")
    criteria: list[MeanTold] = Field(description="A row for each judge, model and criterion.")
    problem: str | None = Field(description="Why it failed, where it was started over HTTP.")
    notes: list[str] = Field(description="What was said about the data when it was started.")
