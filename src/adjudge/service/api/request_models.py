"""The bodies and queries of requests, which are checked by these.

Limits are looked at before a body is checked field by field: every fault in it would become an
error of its own, and there may be hundreds of thousands.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field, model_validator
from pydantic_core import PydanticCustomError

from adjudge.core.score import Outcome
from adjudge.service.security.tokens import LONGEST_NAME, MOST_A_MINUTE
from adjudge.stores import Keep, TokenScope

FIELDS = 100  # of an object with fields that we name

TAGS, TAG = 50, 200  # the most; characters of a key or a value
NAME = 1_000  # characters of an item's id, a criterion, a run


def few_fields(value: Any) -> Any:
    """For an object; PydanticCustomError where it has far more fields than there are names."""
    if isinstance(value, dict) and len(value) > FIELDS:
        raise PydanticCustomError("too_many", f"it has more than {FIELDS} fields")
    return value


def all_of_few_fields(value: Any) -> Any:
    """The same for each object in a list."""
    if isinstance(value, list):
        for entry in value:
            few_fields(entry)
    return value


def _few_tags(value: Any) -> Any:
    if isinstance(value, dict) and len(value) > TAGS:
        raise PydanticCustomError("too_many", f"there are more than {TAGS} tags")
    return value


_Tag = Annotated[str, Field(max_length=TAG)]
# `max_length` is for the description: by itself it would come after every tag has been checked.
Tags = Annotated[dict[_Tag, _Tag], Field(max_length=TAGS), BeforeValidator(_few_tags)]
Map = Annotated[dict[str, str], BeforeValidator(few_fields)]
Rows = Annotated[list[dict[str, Any]], FailFast()]
Name = Annotated[str, Field(max_length=NAME)]


class StrictModel(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class RequestModel(StrictModel):
    @model_validator(mode="before")
    @classmethod
    def _few(cls, sent: Any) -> Any:
        return few_fields(sent)


Seed = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]
Language = Annotated[str, Field(pattern=r"^([a-z]{2,3}(-[A-Za-z]+)?)$", examples=["ko"])]

# In the examples of the description.
ITEM: dict[str, Any] = {
    "question": "How long can cooked rice stand?",
    "answer": "Two hours, then chill it.",
}


class Definition(RequestModel):
    """A judge of one's own, as the text of a judge file."""

    definition: str = Field(
        max_length=200_000,
        examples=["judge: politeness\nversion: 1\n…"],
        description="The text of the judge file.",
    )


class JudgingOptions(RequestModel):
    """How the model is asked; the same for one item and for a run."""

    map: Map | None = Field(None, description="Which field feeds which input.")
    method: Literal["text", "expected", "likelihood"] | None = Field(
        None, description="How a value is found."
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
        return self.model_dump(exclude_none=True, include=set(JudgingOptions.model_fields))


_ONE: dict[str, Any] = {"judge": "helpfulness", "item": ITEM}


class JudgeRequest(JudgingOptions):
    """One item, judged at once."""

    model_config = ConfigDict(json_schema_extra={"examples": [_ONE]})

    judge: str | Definition = Field(description="The name of an offered judge, or a definition.")
    item: dict[str, Any] = Field(
        description="The judge's inputs, or columns that feed them.",
        examples=[{"question": "How tall is it?", "answer": "330 m."}],
    )
    model: str | None = Field(None, description="An offered model; the first where none is named.")


Number = Annotated[int, Field(ge=1, le=1_000_000_000)]
_MANY: dict[str, Any] = {"judges": ["helpfulness"], "rows": [{"id": "a", **ITEM}], "limit": 100}


class RunRequest(JudgingOptions):
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
    repeat: int | None = Field(None, ge=1, le=100, description="Samples per item.")
    stop_when_stable: bool | None = Field(
        None, description="With repeat: take no sample that cannot change the result."
    )
    rpm: Number | None = Field(None, description="Most requests per minute to one model.")
    tpm: Number | None = Field(None, description="Most tokens per minute to one model.")
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
        description="US dollars per million tokens, where the price is not known.",
    )
    no_cache: bool | None = Field(None, description="Use no replies that other runs paid for.")
    skip_bad_rows: bool | None = Field(None, description="Go on without rows that cannot be used.")
    keep: Keep | None = Field(
        None,
        description=(
            "Which texts stay in the store: all; replies: none of the rows'; scores: none, but "
            "encrypted replies; none: no replies either."
        ),
    )
    keep_texts: bool | None = Field(
        None, deprecated=True, description='The earlier name: false is keep="scores".'
    )
    name: str | None = Field(
        None, max_length=100, description="What the run is called, in place of its id."
    )
    tags: Tags | None = Field(None, description="Notes on the run, by name.")

    def options(self) -> dict[str, Any]:
        left_out = {"judges", "models", "title", "rows", "encoding"}
        return self.model_dump(exclude_none=True, exclude=left_out)


class FileRequest(RunRequest):
    """A run whose rows are in a file that comes along."""

    encoding: str | None = Field(
        None,
        max_length=40,
        examples=["cp949"],
        description="What the file is written in, if it is not UTF-8 and cannot be recognised.",
    )


class RowsRequest(RunRequest):
    """A run whose rows come along in the request."""

    model_config = ConfigDict(json_schema_extra={"examples": [_MANY]})

    rows: Rows = Field(
        min_length=1, description="One object per item: its inputs, or columns that feed them."
    )


_LABEL: dict[str, Any] = {"item": "a", "rater": "ann", "criterion": "rating", "value": 3}
_LABELS: dict[str, Any] = {"run": "latest", "labels": [_LABEL]}


class LabelSent(StrictModel):
    item: Name = Field(min_length=1, description="The item's id.")
    rater: str = Field(
        "", max_length=200, description='Who says so; "" where nobody is named, as in files.'
    )
    criterion: Name = Field(description="A criterion of the judge.")
    value: float | bool | str = Field(description="On the criterion's scale.", examples=[4])
    comment: str = Field("", max_length=2000, description="What the rater wrote beside it.")


class LabelsRequest(RequestModel):
    """What people said about items of a run."""

    model_config = ConfigDict(json_schema_extra={"examples": [_LABELS]})

    run: Name = Field(description="A run's id or name, latest, latest~1 or tag:k=v.")
    judge: str | None = Field(None, description="May be left out where the run has one judge.")
    labels: Annotated[list[LabelSent], FailFast(), BeforeValidator(all_of_few_fields)] = Field(
        min_length=1,
        max_length=100_000,
        description="Of one rater for one criterion of one item each.",
    )


_TOKEN: dict[str, Any] = {"name": "nightly", "scope": "judge", "rate": 600}


class TokenRequest(RequestModel):
    """A token to be made."""

    model_config = ConfigDict(json_schema_extra={"examples": [_TOKEN]})

    name: str = Field(
        min_length=1, max_length=LONGEST_NAME, description="Whom or what it is for, on one line."
    )
    scope: TokenScope = Field("judge", description="read looks, judge also judges, admin does all.")
    rate: int | None = Field(
        None,
        ge=1,
        le=MOST_A_MINUTE,
        description="Requests per minute; what the service allows everybody where none is given.",
    )


class VerdictsQuery(BaseModel):
    limit: int = Field(100, ge=1, le=1000, description="Verdicts per page.")
    cursor: str | None = Field(None, description="`next` of the page before.")
    item: str | None = Field(None, description="Those of one item.")
    outcome: Outcome | None = Field(None, description="Those of one outcome.")
    with_inputs: bool = Field(False, description="With the texts that were judged.")
