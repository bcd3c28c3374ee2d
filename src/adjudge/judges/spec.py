"""The format of a judge file, checked strictly; `adjudge judges schema` publishes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from adjudge.core.checklist import (
    MOST_QUESTIONS,
    Checklist,
    ChecklistQuestion,
    one_line,
    points_range,
)
from adjudge.core.judge import COUNTRIES
from adjudge.core.reason import Reason
from adjudge.core.rubric import Threshold
from adjudge.core.scale import Binary, Number, Scale

from .scale_spec import Label, NumberSpec, ScaleSpec, SpecPart, Text

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
TemplateName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Za-z]+)?$")]


Limit = bool | int | float | str


class InputSpec(SpecPart):
    required: bool = True
    judged: bool = Field(False, description="text from outside, fenced and never to be obeyed")
    title: Text | None = Field(None, description="its name in the prompt")
    columns: list[Text] = Field([], description="further column names that feed it")
    steers: bool | None = Field(
        None, description="tells the judge how to judge: fed by a column only where it is mapped"
    )
    type: Literal["text", "list", "conversation", "trace"] = Field(
        "text", description="what it is made of; entries, turns and steps are numbered and fenced"
    )
    turns: Literal["whole", "last", "each"] = Field(
        "whole", description="of a conversation: judge it as a whole, at the last turn, at each"
    )
    role: Label = Field("assistant", description="whose turns are judged")

    @model_validator(mode="after")
    def _turns_of_a_conversation(self) -> Self:
        if self.turns != "whole" and not (self.type == "conversation" and self.judged):
            raise ValueError(Reason("judge.no_turns", turns=self.turns))
        return self


class TrajectorySpec(SpecPart):
    match: Literal["strict", "unordered", "subset", "superset"] | None = Field(
        None, description="how the tools called must agree with those of the reference"
    )
    reference: Name | None = Field(None, description="the input that holds the reference trace")
    arguments: bool = Field(True, description="whether arguments must agree too")
    fact: Literal["steps", "tool_calls", "errors", "repeated", "cost", "tokens"] | None = Field(
        None, description="a number that code counts in the trace"
    )
    most: Annotated[float, Field(allow_inf_nan=False)] | None = Field(
        None, description="the fact passes up to this; without it, it is the score itself"
    )
    input: Name | None = Field(None, description="the trace; may be left out where there is one")

    @model_validator(mode="after")
    def _one_question(self) -> Self:
        if (self.match is None) == (self.fact is None):
            raise ValueError(Reason("judge.match_or_fact"))
        if self.most is not None and self.fact is None:
            raise ValueError(Reason("judge.match_or_fact"))
        return self


Points = Annotated[float, Field(allow_inf_nan=False)]
_THRESHOLD = re.compile(r"(>=|<=|==|≥|≤|>|<|=)\s*(-?\d+(?:\.\d+)?)")
_SPELT = {"≥": ">=", "≤": "<=", "==": "="}


def _is_threshold(text: str) -> str:
    if not _THRESHOLD.fullmatch(text.strip()):
        raise ValueError(Reason("judge.no_threshold", text=text))
    return text


ThresholdText = Annotated[str, AfterValidator(_is_threshold)]


def threshold_of(text: str | None) -> Threshold | None:
    """`>= 3.5` as a threshold."""
    match = _THRESHOLD.fullmatch(text.strip()) if text else None
    return Threshold(_SPELT.get(match[1], match[1]), float(match[2])) if match else None


class RequirementSpec(SpecPart):
    pass_: ThresholdText | None = Field(
        None, alias="pass", description="which values pass, e.g. `>= 3`"
    )
    cap: Points | None = Field(
        None, description="highest overall score after a fail; else it is void"
    )


class EvidenceSpec(SpecPart):
    from_: list[Name] = Field(alias="from", min_length=1, description="the inputs to quote from")
    least: int = Field(1, ge=1, le=20, description="fewest quotations")
    required: bool = Field(False, description="without them there is no score")


class QuestionSpec(SpecPart):
    text: Text
    points: Points = Field(1.0, description="what a yes is worth; below 0 for a fault")
    required: bool = Field(False, description="a no makes the whole list worth nothing")

    @field_validator("points")
    @classmethod
    def _counts(cls, points: float) -> float:
        if not points:
            raise ValueError(Reason("judge.no_points"))
        return points


class ChecklistSpec(SpecPart):
    questions: list[Text | QuestionSpec] = Field([], max_length=MOST_QUESTIONS)
    from_: Text | None = Field(
        None, alias="from", description="the input or column that brings the list with each item"
    )
    score: Literal["share", "sum"] = Field(
        "share", description="share: points of all that can be had; sum: the points themselves"
    )
    clip: bool = Field(False, description="a share below 0 counts as 0")

    @model_validator(mode="after")
    def _from_one_place(self) -> Self:
        if bool(self.questions) == bool(self.from_):
            raise ValueError(Reason("judge.list_place"))
        return self


def _questions(entries: Sequence[str | QuestionSpec]) -> tuple[ChecklistQuestion, ...]:
    return tuple(
        ChecklistQuestion(text=one_line(entry))
        if isinstance(entry, str)
        else ChecklistQuestion(
            text=one_line(entry.text), points=entry.points, required=entry.required
        )
        for entry in entries
    )


class ClaimsSpec(SpecPart):
    against: list[Name] = Field(min_length=1, description="the inputs that hold the sources")
    credit: Literal["supported", "not_contradicted"] = Field(
        "supported", description="the claims whose share is the score"
    )
    required: bool = Field(False, description="without quotations there is no score")


class ErrorsSpec(SpecPart):
    from_: list[Name] = Field(
        alias="from", min_length=1, description="the inputs to mark errors in"
    )
    severities: dict[Label, Annotated[float, Field(gt=0, allow_inf_nan=False)]] = Field(
        {"minor": 1.0, "major": 5.0, "critical": 25.0},
        min_length=1,
        description="what an error of each severity costs; by default as MQM has it",
    )
    categories: list[Label] = Field([], description="the kinds of errors; open where none is named")
    required: bool = Field(False, description="a passage that is not in the texts: no score")


class OverallSpec(SpecPart):
    from_: Literal["weighted_mean", "sum", "min", "all", "any"] = Field(
        alias="from", description="how the parts make one score"
    )
    over: list[Name] = Field([], description="the criteria that count; all where none is named")
    pass_: ThresholdText | None = Field(
        None, alias="pass", description="which overall scores pass, e.g. `>= 3.5`"
    )


_MOST_POINTS = 25.0  # that errors cost where no scale says more: MQM's worst segment


class CriterionSpec(SpecPart):
    title: Text | None = None
    guide: str = Field("", description="what the judge should look at")
    scale: ScaleSpec | None = Field(
        None, description="may be left out where code makes the score: checklist, rubric, claims"
    )
    steps: list[Text] = Field([], description="how to proceed, one step per entry")
    explain: bool | Name = Field(
        True, description="whether the score is explained, or the feedback section that explains it"
    )
    trajectory: TrajectorySpec | None = Field(
        None, description="a trace is checked by code; no model is asked"
    )
    weight: Points = Field(1.0, description="what it counts in the overall score; may be negative")
    required: bool | ThresholdText | RequirementSpec = Field(
        False, description="a fail voids the overall score, or caps it"
    )
    may_not_apply: bool = Field(
        False, description="the judge may say that it does not apply: no number, and not unscored"
    )
    evidence: EvidenceSpec | None = Field(
        None, description="quotations that code must find in the texts"
    )
    checklist: list[Text | QuestionSpec] | ChecklistSpec | None = Field(
        None, description="questions answered with yes or no; code makes the score"
    )
    rubric: ChecklistSpec | None = Field(None, description="the same as `checklist: {from: …}`")
    claims: ClaimsSpec | None = Field(
        None, description="claims of the judged text, each checked; code makes the score"
    )

    errors: ErrorsSpec | None = Field(
        None, description="errors marked in the texts; code makes the score of their points"
    )

    @field_validator("scale", mode="before")
    @classmethod
    def _not_empty(cls, scale: object) -> object:
        if scale is None:
            raise ValueError(Reason("judge.scale_type"))
        return scale

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        forms = [
            name for name in ("checklist", "rubric", "claims", "errors") if getattr(self, name)
        ]
        if len(forms) > 1:
            raise ValueError(Reason("judge.two_forms", one=forms[0], other=forms[1]))
        if forms and self.scale is not None and not isinstance(self.scale, NumberSpec):
            raise ValueError(Reason("judge.form_scale", form=forms[0]))
        if self.claims and (self.scale or self.evidence):
            raise ValueError(Reason("judge.claims_alone"))
        if self.errors and self.evidence:
            raise ValueError(Reason("judge.errors_alone"))
        if self.errors and isinstance(self.scale, NumberSpec) and self.scale.max != 0:
            raise ValueError(Reason("judge.errors_scale"))
        if self.checklist is not None and not self.checklist:
            raise ValueError(Reason("checklist.empty"))
        return self

    def listing(self) -> Checklist | None:
        """The checklist that the criterion has, under either name."""
        stated = self.checklist if self.checklist is not None else self.rubric
        if stated is None:
            return None
        if isinstance(stated, list):
            return Checklist(questions=_questions(stated))
        questions, column = _questions(stated.questions), stated.from_
        return Checklist(questions=questions, column=column, score=stated.score, clip=stated.clip)

    @property
    def has_measure(self) -> bool:
        """Whether its scores have a scale, in the file or made by code."""
        listed = self.checklist or self.rubric or self.claims or self.errors
        return bool(self.scale or listed or self.trajectory)

    def measure(self) -> Scale:
        if self.scale is not None:
            return self.scale.scale()
        if self.trajectory is not None:
            return Binary()
        if self.errors is not None:
            return Number(-_MOST_POINTS, 0.0)
        listing = self.listing()
        if listing is None or listing.column:
            return Number(0.0, 1.0)
        low, high = points_range(listing.questions)
        if listing.score == "sum":
            return Number(low, high)
        return Number(0.0 if listing.clip else round(low / high, 10), 1.0)


class FeedbackSpec(SpecPart):
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


class RuleSpec(SpecPart):
    id: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]
    flag: Annotated[str, Field(pattern=r"^([a-z][a-z0-9_]*\.)?[a-z][a-z0-9_]*$")] = Field(
        description="what the model reports, true or false; the part before the dot is a criterion"
    )
    when: Text = Field(description="when the flag is true, in the language of the prompt")
    cap: dict[Name, Limit] = Field({})
    floor: dict[Name, Limit] = Field({})

    @model_validator(mode="after")
    def _bounds_something(self) -> Self:
        if not self.cap and not self.floor:
            raise ValueError(Reason("judge.no_bound"))
        return self


class PrepareSpec(SpecPart):
    input: Name
    do: Literal["agent_trace"] = Field(
        description="agent_trace: drop **Observation** parts, start at `Final Answer:`"
    )


class PairSpec(SpecPart):
    inputs: list[Name] = Field(min_length=2, max_length=2)
    values: list[Label] = Field(min_length=2, max_length=2)
    tie: Label


class ExampleSpec(SpecPart):
    item: dict[Name, Any] = Field(description="the texts of the item, by input")
    scores: dict[Name, Limit] = Field(min_length=1, description="its right scores, by criterion")
    explanations: dict[Name, Text] = Field({}, description="why, by criterion")


class JudgeFile(SpecPart):
    """A judge."""

    judge: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$")]
    version: int | Text
    title: Text
    language: Language = Field(description="language of the prompt")
    explain_in: Language | Literal["any", "data"] = Field(
        description="language of the explanations, checked; `data`: that of each item;"
        " `any` switches the check off"
    )
    inputs: dict[Name, InputSpec] = Field(min_length=1)
    criteria: dict[Name, CriterionSpec] = Field(min_length=1)
    overall: OverallSpec | None = Field(
        None, description="one score over several criteria, made in code"
    )
    feedback: dict[Name, FeedbackSpec] = Field({})
    rules: list[RuleSpec] = Field([])
    prepare: list[PrepareSpec] = Field([])
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

    drafted: bool | Text = Field(
        False, description="a model proposed the rubric (its name), and nobody has read it yet"
    )

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
