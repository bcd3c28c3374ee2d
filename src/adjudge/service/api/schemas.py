"""The bodies of the API. Those of requests are checked by these; those of answers are described.

An answer is made from the store's own values and not checked again: a row of a verdict is the same
here as in every export.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, model_validator

from adjudge.core.score import Outcome

from .sizes import Map, Name, Rows, Tags, all_of_few_fields, few_fields

Number = Annotated[int, Field(ge=1, le=1_000_000_000)]
Seed = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
Language = Annotated[str, Field(pattern=r"^([a-z]{2,3}(-[A-Za-z]+)?)$", examples=["ko"])]

_ITEM: dict[str, Any] = {
    "question": "How long can cooked rice stand?",
    "answer": "Two hours, then chill it.",
}
_ONE: dict[str, Any] = {"judge": "helpfulness", "item": _ITEM}
_MANY: dict[str, Any] = {"judges": ["helpfulness"], "rows": [{"id": "a", **_ITEM}], "limit": 100}
_LABEL: dict[str, Any] = {"item": "a", "rater": "ann", "criterion": "rating", "value": 3}
_LABELS: dict[str, Any] = {"run": "latest", "labels": [_LABEL]}


class _Sent(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class _Body(_Sent):
    @model_validator(mode="before")
    @classmethod
    def _few(cls, sent: Any) -> Any:
        return few_fields(sent)


class Definition(_Body):
    """A judge of one's own, as the text of a judge file."""

    definition: str = Field(
        max_length=200_000,
        examples=["judge: politeness\nversion: 1\n…"],
        description="The text of the judge file.",
    )


class Asking(_Body):
    """How the model is asked; the same for one item and for a run."""

    map: Map | None = Field(None, description="Which field feeds which input.")
    method: Literal["text", "expected", "likelihood"] | None = Field(
        None,
        description="How a value is found.",
    )
    variant: Literal["forward", "pmi", "back", "reference", "f"] | None = Field(
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


class JudgeRequest(Asking):
    """One item, judged at once."""

    model_config = ConfigDict(json_schema_extra={"examples": [_ONE]})

    judge: str | Definition = Field(description="The name of an offered judge, or a definition.")
    item: dict[str, Any] = Field(
        description="The judge's inputs, or columns that feed them.",
        examples=[{"question": "How tall is it?", "answer": "330 m."}],
    )
    model: str | None = Field(None, description="An offered model; the first where none is named.")


class RunRequest(Asking):
    """Many items, judged one after the other; the answer comes before the first of them."""

    judges: list[str | Definition] = Field(
        min_length=1, max_length=20, description="Names of offered judges, or definitions."
    )
    models: list[str] | None = Field(
        None,
        min_length=1,
        max_length=20,
        description="Offered models; the first where none is named.",
    )
    title: str | None = Field(None, max_length=200, description="What the data are called.")
    limit: Number | None = Field(None, description="The first rows only.")
    repeat: int | None = Field(None, ge=1, le=100, description="Samples an item.")
    stop_when_stable: bool | None = Field(
        None, description="With repeat: take no sample that cannot change the result."
    )
    rpm: Number | None = Field(None, description="Most requests a minute to one model.")
    tpm: Number | None = Field(None, description="Most tokens a minute to one model.")
    budget: str | None = Field(
        None,
        max_length=40,
        examples=["5usd", "2Mtok"],
        description="The most that the run may spend.",
    )
    price: str | None = Field(
        None,
        max_length=80,
        examples=["in=0.15,out=0.6"],
        description="US dollars a million tokens, where the price is not known.",
    )
    no_cache: bool | None = Field(None, description="Use no replies that other runs paid for.")
    skip_bad_rows: bool | None = Field(None, description="Go on without rows that cannot be used.")
    tags: Tags | None = Field(None, description="Notes on the run, by name.")

    def options(self) -> dict[str, Any]:
        left_out = {"judges", "models", "title", "rows"}
        return self.model_dump(exclude_none=True, exclude=left_out)


class RowsRequest(RunRequest):
    """A run whose rows come along in the request."""

    model_config = ConfigDict(json_schema_extra={"examples": [_MANY]})

    rows: Rows = Field(
        min_length=1, description="One object an item: its inputs, or columns that feed them."
    )


class LabelSent(_Sent):
    item: Name = Field(min_length=1, description="The item's id.")
    rater: str = Field(
        "", max_length=200, description='Who says so; "" where nobody is named, as in files.'
    )
    criterion: Name = Field(description="A criterion of the judge.")
    value: float | bool | str = Field(description="On the criterion's scale.", examples=[4])


class LabelsRequest(_Body):
    """What people said about items of a run."""

    model_config = ConfigDict(json_schema_extra={"examples": [_LABELS]})

    run: Name = Field(description="A run's id, a unique beginning of it, or latest.")
    judge: str | None = Field(None, description="May be left out where the run has one judge.")
    labels: Annotated[list[LabelSent], FailFast(), BeforeValidator(all_of_few_fields)] = Field(
        min_length=1,
        max_length=100_000,
        description="Of one rater for one criterion of one item each.",
    )


class VerdictsQuery(BaseModel):
    limit: int = Field(100, ge=1, le=1000, description="Verdicts a page.")
    cursor: str | None = Field(None, description="`next` of the page before.")
    item: str | None = Field(None, description="Those of one item.")
    outcome: Outcome | None = Field(None, description="Those of one outcome.")
    with_inputs: bool = Field(False, description="With the texts that were judged.")


class ProblemError(BaseModel):
    detail: str = Field(description="What is wrong there.")
    pointer: str | None = Field(None, description="Place in the body (RFC 6901).")
    line: int | None = Field(None, description="Line of the data or of the judge.")
    where: str | None = Field(None, description="The part of the request: body, query or path.")


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = Field(
        examples=["urn:adjudge:problem:bad-data"],
        description="Names the kind of problem; about:blank where the status says it all.",
    )
    title: str = Field(description="The status in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What went wrong, and what to do about it.")
    instance: str = Field(description="The path that was asked for.")
    request_id: str = Field(description="Stands in the log too.")
    errors: list[ProblemError] = Field(
        [], description="The places, where there are several or one is known; the first 20."
    )
    errors_left_out: int = Field(0, description="How many more there are, where that is known.")


class CriterionTold(BaseModel):
    name: str = Field(description="Its key in scores.")
    title: str = Field(description="What people call it.")
    guide: str = Field(description="What the model is told about it.")
    scale: dict[str, Any] = Field(
        examples=[{"type": "integer", "min": 1, "max": 5}], description="As in a judge file."
    )


class InputTold(BaseModel):
    name: str = Field(description="Its key in an item.")
    title: str = Field(description="What people call it.")
    required: bool = Field(description="Whether an item must have it.")
    judged: bool = Field(description="Whether it is what the judge grades.")
    columns: list[str] = Field(description="Columns that feed it where none has its name.")


class JudgeTold(BaseModel):
    name: str = Field(description="What requests call it.")
    title: str = Field(description="What people call it.")
    version: int | str = Field(description="As its file has it.")
    language: str = Field(description="Of its instructions.")
    explain_in: str = Field(description="Language of the explanations, or any.")
    fingerprint: str = Field(description="Sixteen hex digits over all that shapes a score.")
    ask: str = Field(description="All criteria together, or each in a call.")
    reply: str = Field(description="The form of the model's reply.")
    inputs: list[InputTold] = Field(description="What an item is made of.")
    criteria: list[CriterionTold] = Field(description="What it grades.")


class JudgesTold(BaseModel):
    judges: list[JudgeTold] = Field(description="The judges that requests may name.")
    models: list[str] = Field(description="The models that requests may name.")


class JudgeInFull(JudgeTold):
    definition: str = Field(description="The text of its judge file.")


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


State = Literal["waiting", "running", "finished", "interrupted", "failed", "stopped"]


class RunStarted(BaseModel):
    run: str = Field(description="The run's id.")
    job: str = Field(description="The id of what carries it out.")
    state: State = Field(description="What becomes of it just now.")


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
    criteria: list[MeanTold] = Field(description="A row for each judge, model and criterion.")
    problem: str | None = Field(description="Why it failed, where it was started over HTTP.")


class LabelsKept(BaseModel):
    labels: int = Field(description="Labels that are kept now.")
    replaced: int = Field(description="Of these, how many took the place of others.")
    elsewhere: int = Field(description="Left out: the run does not have their items.")


class LabelTold(BaseModel):
    item: str = Field(description="The item's id.")
    rater: str = Field(description='Who said so; "" where nobody is named.')
    criterion: str = Field(description="The criterion's name.")
    value: Any = Field(description="On the criterion's scale.")
    draw: str = Field(
        description="How the item came to be labelled: random, uncertain, abstained, or not known."
    )
    created: str = Field(description="ISO 8601, UTC.")


class LabelsTold(BaseModel):
    run: str = Field(description="The run's id.")
    judge: str = Field(description="The judge's name.")
    labels: list[LabelTold] = Field(description="Of all raters.")


class Health(BaseModel):
    status: Literal["ok"] = Field(description="ok where the store can be read.")
    version: str = Field(description="Of adjudge.")
