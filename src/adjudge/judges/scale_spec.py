"""Scales in a judge file: their keys, and what must hold between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, Category, Integer, Level, Number, Ordinal, Scale, folded
from adjudge.errors import UsageError


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError(Reason("judge.blank"))
    return text


Text = Annotated[str, Field(min_length=1), AfterValidator(_not_blank)]
# Written in a reply and read back from there, so without edges that reading would lose.
Label = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, pattern=r"^[^\n]*$")]


class SpecPart(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _number_in(label: str) -> float | None:
    try:
        return float(label)
    except ValueError:
        return None


class LevelSpec(SpecPart):
    label: Label
    meaning: str = Field("", description="what this level means, in the language of the prompt")


class OrdinalSpec(SpecPart):
    type: Literal["ordinal"]
    levels: dict[int, Label | LevelSpec] = Field(description="whole numbers and their labels")

    @field_validator("levels")
    @classmethod
    def _two_distinct(cls, levels: dict[int, str | LevelSpec]) -> dict[int, str | LevelSpec]:
        if len(levels) < 2:
            raise ValueError(Reason("judge.few_levels"))
        named = {at: v if isinstance(v, str) else v.label for at, v in levels.items()}
        labels = [label.casefold() for label in named.values()]
        if twice := sorted({label for label in labels if labels.count(label) > 1}):
            raise ValueError(Reason("judge.same_label", label=twice[0]))
        for value, label in named.items():
            if _number_in(label) not in {None, value}:
                raise ValueError(Reason("judge.number_label", value=value, label=label))
        return levels

    def scale(self) -> Scale:
        return Ordinal(
            {
                value: Level(spec) if isinstance(spec, str) else Level(spec.label, spec.meaning)
                for value, spec in self.levels.items()
            }
        )


class _Range(SpecPart):
    @model_validator(mode="after")
    def _min_below_max(self) -> Self:
        low, high = getattr(self, "min"), getattr(self, "max")  # noqa: B009 - declared below
        if not low < high:
            raise ValueError(Reason("judge.min_max", low=low, high=high))
        return self


class IntegerSpec(_Range):
    type: Literal["integer"]
    min: int
    max: int

    def scale(self) -> Scale:
        return Integer(self.min, self.max)


class NumberSpec(_Range):
    type: Literal["number"]
    min: Annotated[float, Field(allow_inf_nan=False)]
    max: Annotated[float, Field(allow_inf_nan=False)]

    def scale(self) -> Scale:
        return Number(float(self.min), float(self.max))


class BinarySpec(SpecPart):
    type: Literal["binary"]

    def scale(self) -> Scale:
        return Binary()


class CategorySpec(SpecPart):
    type: Literal["category"]
    options: list[Label] = Field(min_length=2)

    @field_validator("options")
    @classmethod
    def _distinct(cls, options: list[str]) -> list[str]:
        if len({folded(option) for option in options}) < len(options):
            raise ValueError(Reason("judge.same_option"))
        return options

    def scale(self) -> Scale:
        return Category(tuple(self.options))


def scale_from(written: Mapping[str, Any]) -> Scale:
    """The scale that a judge file would write so; UsageError where it would be none."""
    try:
        made: Scale = _ANY_SCALE.validate_python(dict(written)).scale()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        why = f"{place}: {first['msg']}" if place else first["msg"]
        raise UsageError(Reason("check.scale", why=why)) from None
    return made


ScaleSpec = Annotated[
    OrdinalSpec | IntegerSpec | NumberSpec | BinarySpec | CategorySpec, Field(discriminator="type")
]
_ANY_SCALE: TypeAdapter[Any] = TypeAdapter(ScaleSpec)
