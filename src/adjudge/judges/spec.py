"""The format of a judge file, checked strictly; `adjudge judges schema` publishes it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from adjudge.core.judge import COUNTRIES
from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, Category, Integer, Level, Number, Ordinal, Scale, folded

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
TemplateName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z]+)?$")]


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError(Reason("judge.blank"))
    return text


Text = Annotated[str, Field(min_length=1), AfterValidator(_not_blank)]
# Written in a reply and read back from there, so without edges that reading would lose.
Label = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, pattern=r"^[^\n]*$")]
Limit = bool | int | float | str


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _number_in(label: str) -> float | None:
    try:
        return float(label)
    except ValueError:
        return None


class LevelSpec(_Part):
    label: Label
    meaning: str = Field("", description="what this level means, in the language of the prompt")


class OrdinalSpec(_Part):
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


class _Range(_Part):
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


class BinarySpec(_Part):
    type: Literal["binary"]

    def scale(self) -> Scale:
        return Binary()


class CategorySpec(_Part):
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


ScaleSpec = Annotated[
    OrdinalSpec | IntegerSpec | NumberSpec | BinarySpec | CategorySpec, Field(discriminator="type")
]


class InputSpec(_Part):
    required: bool = True
    judged: bool = Field(False, description="text from outside, fenced and never to be obeyed")
    title: Text | None = Field(None, description="its name in the prompt")
    columns: list[Text] = Field([], description="further column names that feed it")
    steers: bool | None = Field(
        None, description="tells the judge how to judge: fed by a column only where it is mapped"
    )
    type: Literal["text", "list"] = Field(
        "text", description="what it is made of; each entry of a list is numbered and fenced"
    )


class CriterionSpec(_Part):
    title: Text | None = None
    guide: str = Field("", description="what the judge should look at")
    scale: ScaleSpec
    steps: list[Text] = Field([], description="how to proceed, one step per entry")
    explain: bool | Name = Field(
        True, description="whether the score is explained, or the feedback section that explains it"
    )


class FeedbackSpec(_Part):
    title: Text | None = None
    guide: str = ""
    list: bool = False
    least: int | None = Field(None, ge=0, description="fewest entries of a list")
    most: int | None = Field(None, ge=1, description="most entries of a list")

    @model_validator(mode="after")
    def _bounds_of_a_list(self) -> Self:
        if not self.list and (self.least is not None or self.most is not None):
            raise ValueError(Reason("judge.bounds_no_list"))
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(Reason("judge.least_most", least=self.least, most=self.most))
        return self


class RuleSpec(_Part):
    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]
    flag: Annotated[str, Field(pattern=r"^([a-z][a-z0-9_]*\.)?[a-z][a-z0-9_]*$")] = Field(
        description="what the model reports, true or false; the part before the dot is a criterion"
    )
    when: Text = Field(description="when the flag is true, in the language of the prompt")
    cap: dict[Name, Limit] = {}
    floor: dict[Name, Limit] = {}

    @model_validator(mode="after")
    def _bounds_something(self) -> Self:
        if not self.cap and not self.floor:
            raise ValueError(Reason("judge.no_bound"))
        return self


class PrepareSpec(_Part):
    input: Name
    do: Literal["agent_trace"] = Field(
        description="agent_trace: drop **Observation** parts, start at `Final Answer:`"
    )


class PairSpec(_Part):
    inputs: list[Name] = Field(min_length=2, max_length=2)
    values: list[Label] = Field(min_length=2, max_length=2)
    tie: Label


class ExampleSpec(_Part):
    item: dict[Name, Any] = Field(description="the texts of the item, by input")
    scores: dict[Name, Limit] = Field(min_length=1, description="its right scores, by criterion")
    explanations: dict[Name, Text] = Field({}, description="why, by criterion")


class JudgeFile(_Part):
    """A judge."""

    judge: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]
    version: int | Text
    title: Text
    language: Language = Field(description="language of the prompt")
    explain_in: Language | Literal["any"] = Field(
        description="language of the explanations, checked; `any` switches the check off"
    )
    inputs: dict[Name, InputSpec] = Field(min_length=1)
    criteria: dict[Name, CriterionSpec] = Field(min_length=1)
    feedback: dict[Name, FeedbackSpec] = {}
    rules: list[RuleSpec] = []
    prepare: list[PrepareSpec] = []
    pair: PairSpec | None = Field(None, description="two inputs, asked about in both orders")
    ask: Literal["together", "each"] = "together"
    reply: Literal["json", "text"] = "json"
    score_first: bool = Field(
        False, description="ask for the score before the explanation, which widens its distribution"
    )
    first: Literal["answer", "checklist"] | None = Field(
        None, description="what the judge writes of its own before it sees the judged text"
    )
    examples: list[ExampleSpec] = Field([], description="graded items that the prompt shows")
    nearest: int | None = Field(
        None, ge=1, description="show only so many examples: those most like the item"
    )
    system: Text | None = Field(None, description="static part of the prompt (Jinja2)")
    prompt: Text | None = Field(None, description="the prompt with the item (Jinja2)")

    @field_validator("language", "explain_in")
    @classmethod
    def _no_country(cls, code: str) -> str:
        if code in COUNTRIES:
            raise ValueError(Reason("judge.country", text=code, language=COUNTRIES[code]))
        return code

    likelihood: Text | None = Field(
        None, description="what the judged text follows on with --method likelihood (Jinja2)"
    )
    verbatim: bool = Field(
        False, description="send the prompt as it stands: no fences, no added sentence"
    )
    absent: list[TemplateName] = Field(
        [], description="names of the template that lie in another file and render to nothing"
    )
