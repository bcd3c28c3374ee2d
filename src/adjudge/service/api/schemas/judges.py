"""One item to be judged, and the judges on offer."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from .asking import ITEM, Asking, Definition

_ONE: dict[str, Any] = {"judge": "helpfulness", "item": ITEM}


class JudgeRequest(Asking):
    """One item, judged at once."""

    model_config = ConfigDict(json_schema_extra={"examples": [_ONE]})

    judge: str | Definition = Field(description="The name of an offered judge, or a definition.")
    item: dict[str, Any] = Field(
        description="The judge's inputs, or columns that feed them.",
        examples=[{"question": "How tall is it?", "answer": "330 m."}],
    )
    model: str | None = Field(None, description="An offered model; the first where none is named.")


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
