"""What people said."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, FailFast, Field

from .sent import Body, Sent
from .sizes import Name, all_of_few_fields

_LABEL: dict[str, Any] = {"item": "a", "rater": "ann", "criterion": "rating", "value": 3}
_LABELS: dict[str, Any] = {"run": "latest", "labels": [_LABEL]}


class LabelSent(Sent):
    item: Name = Field(min_length=1, description="The item's id.")
    rater: str = Field(
        "", max_length=200, description='Who says so; "" where nobody is named, as in files.'
    )
    criterion: Name = Field(description="A criterion of the judge.")
    value: float | bool | str = Field(description="On the criterion's scale.", examples=[4])


class LabelsRequest(Body):
    """What people said about items of a run."""

    model_config = ConfigDict(json_schema_extra={"examples": [_LABELS]})

    run: Name = Field(description="A run's id, a unique beginning of it, or latest.")
    judge: str | None = Field(None, description="May be left out where the run has one judge.")
    labels: Annotated[list[LabelSent], FailFast(), BeforeValidator(all_of_few_fields)] = Field(
        min_length=1,
        max_length=100_000,
        description="Of one rater for one criterion of one item each.",
    )


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
