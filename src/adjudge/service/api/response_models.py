"""The bodies of answers, as the description of the API tells them.

An answer is made from the store's own values and not checked again: a row of a verdict is the same
here as in every export.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from adjudge.core.score import Outcome
from adjudge.service.api.problems import ProblemKind
from adjudge.stores import TokenScope


class CriterionInfo(BaseModel):
    name: str = Field(description="Its key in scores.")
    title: str = Field(description="What people call it.")
    guide: str = Field(description="What the model is told about it.")
    scale: dict[str, Any] = Field(
        examples=[{"type": "integer", "min": 1, "max": 5}], description="As in a judge file."
    )


class InputInfo(BaseModel):
    name: str = Field(description="Its key in an item.")
    title: str = Field(description="What people call it.")
    required: bool = Field(description="Whether an item must have it.")
    judged: bool = Field(description="Whether it is what the judge grades.")
    columns: list[str] = Field(description="Columns that feed it where none has its name.")


class JudgeInfo(BaseModel):
    name: str = Field(description="What requests call it.")
    title: str = Field(description="What people call it.")
    version: int | str = Field(description="As its file has it.")
    language: str = Field(description="Of its instructions.")
    explain_in: str = Field(description="Language of the explanations, or any.")
    fingerprint: str = Field(description="Sixteen hex digits over all that shapes a score.")
    ask: str = Field(description="All criteria together, or each in a call.")
    reply: str = Field(description="The form of the model's reply.")
    inputs: list[InputInfo] = Field(description="What an item is made of.")
    criteria: list[CriterionInfo] = Field(description="What it grades.")
    wordings: dict[str, str] = Field(
        description="The languages that it asks in, its own first, with the judge's name in each."
    )


class JudgeList(BaseModel):
    judges: list[JudgeInfo] = Field(description="The judges that requests may name.")
    models: list[str] = Field(description="The models that requests may name.")


class JudgeDetails(JudgeInfo):
    definition: str = Field(description="The text of its judge file.")


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


class RunInfo(BaseModel):
    """`tokens` and `cost_usd` are all that the run has spent, failed requests included."""

    run: str = Field(description="The run's id.")
    name: str = Field(description="What people call it; empty where it has no name.")
    state: State = Field(description="What becomes of it just now.")
    data: str = Field(description="What the data are called.")
    judges: dict[str, str] = Field(description="Name → fingerprint.")
    models: list[str] = Field(description="The models that are asked.")
    rows: int = Field(description="Items.")
    bad_rows: int = Field(description="Rows that cannot be used.")
    started: str = Field(description="ISO 8601, UTC.")
    ended: str | None = Field(description="ISO 8601, UTC; null while it goes on.")
    tokens: int = Field(description="Tokens spent.")
    cost_usd: float | None = Field(description="US dollars spent; null where a price is not known.")
    usd: float | None = Field(description="The same as `cost_usd`, its earlier name.")
    tags: dict[str, str] = Field(description="Notes on the run, by name.")


class RunList(BaseModel):
    runs: list[RunInfo] = Field(description="The latest first.")
    total: int = Field(description="Runs in the store.")
    next: str | None = Field(description="The cursor of the next page, null on the last.")


class CriterionMean(BaseModel):
    """`unscored` counts by outcome what the mean does not know of; `low` and `high` are the ends of
    its 95 % interval. Repeats of an item are averaged first."""

    judge: str = Field(description="The judge's name.")
    model: str = Field(description="The model's name.")
    criterion: str = Field(description="The criterion's name.")
    scored: int = Field(description="Items with a value.")
    unscored: dict[str, int] = Field(description="Verdicts without a value, by outcome.")
    not_applicable: int = Field(description="Verdicts that say that the criterion does not apply.")
    unsupported: int = Field(description="Explanations whose quotations are not in the texts.")
    mean: float | None = Field(description="Of the values; null where there is none.")
    low: float | None = Field(description="Lower end of its 95 % interval.")
    high: float | None = Field(description="Upper end of its 95 % interval.")
    sd: float | None = Field(description="Standard deviation of the values.")
    shares: dict[str, int] = Field(description="How often each name was given, for categories.")
    changed_by_rule: int = Field(description="Values that a rule changed.")
    capped: int = Field(description="The same as `changed_by_rule`, its earlier name.")


class RunDetails(RunInfo):
    settings: dict[str, Any] = Field(description="How the models are asked.")
    total: int = Field(description="Verdicts that the whole run makes, at most.")
    verdicts: int = Field(description="Verdicts so far.")
    outcomes: dict[str, int] = Field(description="Verdicts by outcome.")
    unscored: int = Field(description="Verdicts without a value.")
    cut: int = Field(description="Verdicts on texts of which a part was cut before judging.")
    criteria: list[CriterionMean] = Field(description="A row for each judge, model and criterion.")
    problem: str | None = Field(description="Why it failed, where it was started over HTTP.")
    notes: list[str] = Field(description="What was said about the data when it was started.")


class ScoreInfo(BaseModel):
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
        description="wrong_language, or unsupported where its quotations are not in the texts."
    )
    why: str | None = Field(description="Why there is no value.")
    reason: str | None = Field(description="The code behind `why`.")
    span: list[int] | None = Field(
        description="First and last character of the value in the reply."
    )
    evidence: list[dict[str, Any]] | None = Field(
        None, description="Quotations with their places, where the criterion asks for them."
    )
    parts: list[dict[str, Any]] | None = Field(
        None,
        description="Questions with their answers, claims or errors that the score is made of.",
    )


class UsageInfo(BaseModel):
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
    scores: dict[str, ScoreInfo] = Field(description="By criterion.")
    overall: dict[str, Any] | None = Field(
        None, description="The score over all criteria, with `pass`, `low` and `high`, if any."
    )
    feedback: dict[str, str | list[str]] = Field(description="The judge's sections.")
    flags: dict[str, bool] = Field(description="What the model reported for the rules.")
    notes: list[str] = Field(description="What is odd without touching a score.")
    cuts: dict[str, Any] = Field(description="Inputs that were not shown in full.")
    usage: UsageInfo = Field(description="What it took.")
    attempts: int = Field(description="Requests made, retries included.")
    latency_ms: int = Field(description="Milliseconds that they took.")
    reply: str | None = Field(description="The raw text of the model.")
    data: dict[str, Any] | None = Field(
        None, description="The item's texts, where they were asked for."
    )


class VerdictList(BaseModel):
    verdicts: list[VerdictRow] = Field(description="In the order of the data.")
    next: str | None = Field(description="The cursor of the next page, null on the last.")


class LabelsKept(BaseModel):
    labels: int = Field(description="Labels that are kept now.")
    replaced: int = Field(description="Of these, how many replaced earlier ones.")
    elsewhere: int = Field(description="Left out: the run does not have their items.")


class LabelInfo(BaseModel):
    item: str = Field(description="The item's id.")
    rater: str = Field(description='Who said so; "" where nobody is named.')
    criterion: str = Field(description="The criterion's name.")
    value: Any = Field(description="On the criterion's scale.")
    draw: str = Field(
        description="How the item came to be labelled: random, uncertain, abstained, or not known."
    )
    created: str = Field(description="ISO 8601, UTC.")
    comment: str = Field(description="What the rater wrote beside it.")


class LabelList(BaseModel):
    run: str = Field(description="The run's id.")
    judge: str = Field(description="The judge's name.")
    labels: list[LabelInfo] = Field(description="Of all raters.")


class TokenInfo(BaseModel):
    id: str = Field(description="Names the token; the part between adj_ and the next _.")
    name: str = Field(description="Whom or what it is for.")
    scope: TokenScope = Field(description="What it may do.")
    rate: int | None = Field(description="Requests per minute; null for what everybody may.")
    created: str = Field(description="ISO 8601, UTC.")
    revoked: str | None = Field(description="ISO 8601, UTC; null while it is valid.")


class NewToken(TokenInfo):
    token: str = Field(
        description="The token itself. It is shown only this once; the store keeps its hash."
    )


class TokenList(BaseModel):
    tokens: list[TokenInfo] = Field(description="Revoked ones too, the oldest first.")


class Health(BaseModel):
    status: Literal["ok"] = Field(description="ok where the store can be read.")
    version: str = Field(description="Of adjudge.")


class ProblemError(BaseModel):
    detail: str = Field(description="What is wrong there.")
    pointer: str | None = Field(None, description="Place in the body (RFC 6901).")
    line: int | None = Field(None, description="Line of the data or of the judge.")
    where: str | None = Field(None, description="The part of the request: body, query or path.")


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = Field(
        description="Names the kind of problem.",
        json_schema_extra={"enum": [kind.urn for kind in ProblemKind]},
    )
    title: str = Field(description="The status in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What went wrong, and what to do about it.")
    instance: str = Field(description="The path that was asked for.")
    request_id: str = Field(description="Stands in the log too.")
    code: str = Field("", description="The error's code; it stays where the words change.")
    errors: list[ProblemError] = Field(
        [], description="The places, where there are several or one is known; the first 20."
    )
    errors_left_out: int = Field(0, description="How many more there are, where that is known.")
