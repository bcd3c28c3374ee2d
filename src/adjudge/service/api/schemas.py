"""The bodies of the API. Those of requests are checked by these; those of answers are described.

An answer is made from the store's own values and not checked again: a row of a verdict is the same
here as in every export.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from adjudge.core.score import Outcome

Number = Annotated[int, Field(ge=1, le=1_000_000_000)]
Seed = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
Language = Annotated[str, Field(pattern=r"^([a-z]{2,3}(-[A-Za-z]+)?)$", examples=["ko"])]


class _Sent(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class Definition(_Sent):
    """A judge of one's own, as the text of a judge file."""

    definition: str = Field(max_length=200_000, examples=["judge: politeness\nversion: 1\n…"])


class Asking(_Sent):
    """How the model is asked; the same for one item and for a run."""

    map: dict[str, str] | None = Field(None, description="Which field feeds which input.")
    method: Literal["text", "expected", "likelihood"] | None = None
    variant: Literal["forward", "pmi", "back", "reference", "f"] | None = None
    logprobs: Literal["require", "prefer", "off"] | None = None
    ask: Literal["together", "each"] | None = None
    explain_in: Language | None = Field(None, description="Language of the explanations, or any.")
    temperature: float | None = Field(None, ge=0, le=10)
    max_tokens: int | None = Field(None, ge=1, le=1_000_000)
    shorten: Literal["head-tail"] | None = None
    seed: Seed | None = None

    def options(self) -> dict[str, Any]:
        """Those that were given, by their names in RunOptions."""
        return self.model_dump(exclude_none=True, include=set(Asking.model_fields))


class JudgeRequest(Asking):
    """One item, judged at once."""

    judge: str | Definition = Field(description="The name of an offered judge, or a definition.")
    item: dict[str, Any] = Field(
        description="The judge's inputs, or columns that feed them.",
        examples=[{"question": "How tall is it?", "answer": "330 m."}],
    )
    model: str | None = Field(None, description="An offered model; the first where none is named.")


class RunRequest(Asking):
    """Many items, judged one after the other; the answer comes before the first of them."""

    judges: list[str | Definition] = Field(min_length=1, max_length=20)
    models: list[str] | None = Field(None, min_length=1, max_length=20)
    title: str | None = Field(None, max_length=200, description="What the data are called.")
    limit: Number | None = Field(None, description="The first rows only.")
    repeat: int | None = Field(None, ge=1, le=100, description="Samples an item.")
    stop_when_stable: bool | None = None
    rpm: Number | None = Field(None, description="Most requests a minute to one model.")
    tpm: Number | None = Field(None, description="Most tokens a minute to one model.")
    budget: str | None = Field(None, max_length=40, examples=["5usd", "2Mtok"])
    price: str | None = Field(None, max_length=80, examples=["in=0.15,out=0.6"])
    no_cache: bool | None = Field(None, description="Use no replies that other runs paid for.")
    skip_bad_rows: bool | None = None
    tags: dict[str, str] | None = None

    def options(self) -> dict[str, Any]:
        left_out = {"judges", "models", "title", "rows"}
        return self.model_dump(exclude_none=True, exclude=left_out)


class RowsRequest(RunRequest):
    """A run whose rows come along in the request."""

    rows: list[dict[str, Any]] = Field(min_length=1)


class LabelSent(_Sent):
    item: str = Field(min_length=1)
    rater: str = Field("", max_length=200)
    criterion: str
    value: float | bool | str = Field(description="On the criterion's scale.", examples=[4])


class LabelsRequest(_Sent):
    """What people said about items of a run."""

    run: str = Field(description="A run's id, a unique beginning of it, or latest.")
    judge: str | None = Field(None, description="May be left out where the run has one judge.")
    labels: list[LabelSent] = Field(min_length=1, max_length=100_000)


class VerdictsQuery(BaseModel):
    limit: int = Field(100, ge=1, le=1000)
    cursor: str | None = Field(None, description="`next` of the page before.")
    item: str | None = Field(None, description="Those of one item.")
    outcome: Outcome | None = None
    with_inputs: bool = Field(False, description="With the texts that were judged.")


class ProblemError(BaseModel):
    detail: str
    pointer: str | None = Field(None, description="Place in the body (RFC 6901).")
    line: int | None = Field(None, description="Line of the data or of the judge.")
    where: str | None = None


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = Field(examples=["urn:adjudge:problem:bad-data"])
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: list[ProblemError] = []


class CriterionTold(BaseModel):
    name: str
    title: str
    guide: str
    scale: dict[str, Any] = Field(
        examples=[{"type": "integer", "min": 1, "max": 5}], description="As in a judge file."
    )


class InputTold(BaseModel):
    name: str
    title: str
    required: bool
    judged: bool
    columns: list[str]


class JudgeTold(BaseModel):
    name: str
    title: str
    version: int | str
    language: str
    explain_in: str
    fingerprint: str
    ask: str
    reply: str
    inputs: list[InputTold]
    criteria: list[CriterionTold]


class JudgesTold(BaseModel):
    judges: list[JudgeTold]
    models: list[str] = Field(description="The models that requests may name.")


class JudgeInFull(JudgeTold):
    definition: str = Field(description="The text of its judge file.")


class ScoreTold(BaseModel):
    """`value` is None for every outcome but `scored`."""

    outcome: Outcome
    value: float | bool | str | None
    raw: float | bool | str | None
    rule: str | None
    label: str | None
    unit: float | None
    distribution: dict[str, float] | None
    confidence: float | None
    mass: float | None
    explanation: str | None
    explanation_outcome: str | None
    why: str | None
    span: list[int] | None


class UsageTold(BaseModel):
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None


class VerdictRow(BaseModel):
    """One item by one judge and model; the same row as in every export."""

    run: str
    item: str
    judge: str
    fingerprint: str
    model: str
    repeat: int
    outcome: Outcome
    scores: dict[str, ScoreTold]
    feedback: dict[str, str | list[str]]
    flags: dict[str, bool]
    notes: list[str]
    cuts: dict[str, Any]
    usage: UsageTold
    attempts: int
    latency_ms: int
    reply: str | None
    data: dict[str, Any] | None = None


class VerdictsTold(BaseModel):
    verdicts: list[VerdictRow]
    next: str | None = Field(description="The cursor of the next page, null on the last.")


State = Literal["waiting", "running", "finished", "interrupted", "failed", "stopped"]


class RunStarted(BaseModel):
    run: str
    job: str
    state: State


class RunHead(BaseModel):
    """`tokens` and `usd` are all that the run has spent, failed requests included."""

    run: str
    state: State
    data: str
    judges: dict[str, str] = Field(description="Name → fingerprint.")
    models: list[str]
    rows: int
    bad_rows: int
    started: str
    ended: str | None
    tokens: int
    usd: float
    tags: dict[str, str]


class RunsTold(BaseModel):
    runs: list[RunHead]
    total: int
    next: str | None


class MeanTold(BaseModel):
    """`unscored` counts by outcome what the mean does not know of; `low` and `high` are the ends of
    its 95 % interval. Repeats of an item are averaged first."""

    judge: str
    model: str
    criterion: str
    scored: int
    unscored: dict[str, int]
    mean: float | None
    low: float | None
    high: float | None
    sd: float | None
    shares: dict[str, int] = Field(description="How often each name was given, for categories.")
    capped: int


class RunTold(RunHead):
    settings: dict[str, Any]
    total: int = Field(description="Verdicts that the whole run makes, at most.")
    verdicts: int
    outcomes: dict[str, int]
    unscored: int
    criteria: list[MeanTold]
    problem: str | None = Field(description="Why it failed, where it was started over HTTP.")


class LabelsKept(BaseModel):
    labels: int
    replaced: int
    elsewhere: int = Field(description="Left out: the run does not have their items.")


class LabelTold(BaseModel):
    item: str
    rater: str
    criterion: str
    value: Any
    draw: str
    created: str


class LabelsTold(BaseModel):
    run: str
    judge: str
    labels: list[LabelTold]


class Health(BaseModel):
    status: Literal["ok"]
    version: str
