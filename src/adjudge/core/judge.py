"""The judge: a frozen specification that a file describes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal

from .checklist import ChecklistQuestion
from .rubric import Criterion, Rubric
from .scale import Value

# Part of every fingerprint: raise it when the reader reads some reply to another value than before.
READER_VERSION = 10

Ask = Literal["together", "each"]
# text: the score is read from the reply · expected: weighted by the probabilities of its tokens ·
# likelihood: how likely the judged text is to the model
Method = Literal["text", "expected", "likelihood"]
# of likelihood: given its source · that against no source · the source given the text · given the
# reference · the mean of that and of the reference given the text · the same with the source
Variant = Literal["forward", "pmi", "back", "reference", "f", "source-f"]
ReplyForm = Literal["json", "text"]
# what the judge writes of its own before it sees the judged text
Commitment = Literal["answer", "checklist"]
# text: as it is · list, conversation, trace: entries, turns or steps, each numbered and fenced
InputType = Literal["text", "list", "conversation", "trace"]
# of a conversation: judged as a whole, at the last turn of a role, or at each of them
Turns = Literal["whole", "last", "each"]


# Countries that are often written where their language is meant.
COUNTRIES = {"vn": "vi", "kr": "ko", "jp": "ja", "cn": "zh", "tw": "zh", "cz": "cs", "dk": "da"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A text that the judge is given.

    `judged` marks text from outside that must never be obeyed: it is fenced in the prompt.
    `columns` are the column names understood for it besides its own. `steers` marks what tells the
    judge how to judge: a column of the data feeds it only where the user says so. `parted` marks
    what the prompt shows parts of: lists and objects of the data then stay what they are. `type`
    says what the text is made of. Of a conversation, `turns` says what is judged, and `role` whose
    turns. `checklist` marks what brings the questions of a criterion.
    """

    name: str
    title: str
    required: bool = True
    judged: bool = False
    columns: tuple[str, ...] = ()
    steers: bool = False
    parted: bool = False
    type: InputType = "text"
    checklist: bool = False
    turns: Turns = "whole"
    role: str = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """A section of free text that the judge returns: one text, or a list of `least` to `most`."""

    name: str
    title: str
    guide: str = ""
    list: bool = False
    least: int | None = None
    most: int | None = None

    def takes(self, entries: int) -> bool:
        return (self.least or 0) <= entries and (self.most is None or entries <= self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two inputs that are shown in both orders, and what the values then stand for."""

    inputs: tuple[str, str]
    values: tuple[str, str]
    tie: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """A change made to an input before the prompt is made, e.g. `agent_trace` cuts a trace."""

    input: str
    do: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedExample:
    """A graded item that a prompt shows: texts by input, scores and explanations by criterion."""

    item: Mapping[str, str]
    scores: Mapping[str, Value]
    explanations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The built-in phrases of one language, for everything that adjudge itself says to a model.

    `further` are those that only some judges need, by what needs them.
    """

    language: str
    phrases: Mapping[str, str]
    languages: Mapping[str, str]
    further: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def rich(self) -> Mapping[str, str]:
        """What judges with evidence, checklists and claims say."""
        return self.further["rich"]

    def name_of(self, language: str) -> str:
        """The name of a language in this language, e.g. "ko" → "Korean"."""
        return self.languages.get(language, language)


def _shape_input(spec: dict[str, Any]) -> None:
    del spec["steers"]  # where a text comes from, not what is made of it
    del spec["parted"]  # the prompt tells it
    del spec["checklist"]  # the rubric tells it
    if spec["type"] == "text":
        del spec["type"]
    if spec["turns"] == "whole":
        del spec["turns"], spec["role"]


# Keys of a judge that came after the first fingerprints.
_LATER = ("absent", "score_first", "first", "examples", "nearest")


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Rubric, inputs, languages, template and reader in one; equal fingerprints score alike.

    `explain_in` is a language, `any`, or `data`: the language of the item.

    `absent` are names of the template that lie in another file and render to nothing.
    `score_first` asks for each score before its explanation and its flags. `likelihood` is the
    template of what a judged text follows on where `method` is likelihood,
    empty for the built-in one. `first` is what the judge commits to before it sees the judged text.
    `examples` are shown in their order, or with `nearest` the so many that are most like the item.
    `drafted` names the model that proposed the rubric, where no person has read it yet.
    """

    name: str
    version: int | str
    title: str
    language: str
    explain_in: str
    inputs: Mapping[str, Input]
    rubric: Rubric
    wording: Wording
    feedback: Mapping[str, Feedback] = field(default_factory=dict)
    prepare: tuple[Preparation, ...] = ()
    pair: Pair | None = None
    ask: Ask = "together"
    reply: ReplyForm = "json"
    system: str = ""
    prompt: str = ""
    verbatim: bool = False
    absent: tuple[str, ...] = ()
    method: Method = "text"
    variant: Variant = "forward"
    likelihood: str = ""
    score_first: bool = False
    first: Commitment | None = None
    examples: tuple[GradedExample, ...] = ()
    nearest: int = 0
    drafted: str = ""

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hex digits over everything that shapes a score; a title that no prompt shows does
        not, nor does the file's name."""
        # Key order counts: the order of the criteria is the order in which they are asked.
        text = json.dumps(self._shape(), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _shape(self) -> dict[str, Any]:
        """What the fingerprint is over. What came later is left out where a judge does not use it:
        its fingerprint stays what it was before."""
        shape = asdict(self) | {"reader": READER_VERSION}
        del shape["drafted"]  # who wrote it, not what is asked
        if "judge_title" not in self.system + self.prompt:
            del shape["title"]
        if self.method == "text":
            del shape["method"]
        if self.method != "likelihood":
            del shape["variant"], shape["likelihood"]
        for name in _LATER:
            if not shape[name]:
                del shape[name]
        for spec in shape["inputs"].values():
            _shape_input(spec)
        further = shape["wording"].pop("further")
        if said := {name: further[name] for name in self.further_phrases()}:
            shape["wording"]["further"] = said
        self._shape_rubric(shape["rubric"])
        return shape

    def _shape_rubric(self, shape: dict[str, Any]) -> None:
        if self.rubric.overall is None:
            del shape["overall"]
        for criterion in self.rubric.criteria.values():
            kept = shape["criteria"][criterion.name]
            # asdict drops the class, which is what tells two scales apart
            kept["scale"]["type"] = criterion.scale.kind
            for name, default in _RICH_KEYS.items():
                if getattr(criterion, name) == default:
                    del kept[name]

    def explaining(self, language: str | None) -> Judge:
        """The judge as it is about an item whose explanations are in this language."""
        if language is None or language == self.explain_in:
            return self
        known: dict[str, Judge] = self.__dict__.setdefault("_explaining", {})
        if language not in known:
            known[language] = replace(self, explain_in=language)
        return known[language]

    def further_phrases(self) -> tuple[str, ...]:
        """The groups of `Wording.further` that this judge's prompts take words from."""
        groups: dict[str, object] = {"first": self.first, "examples": self.examples}
        groups |= {"rich": self.is_rich, "turns": self.turned}
        return tuple(name for name, used in groups.items() if used)

    @cached_property
    def turned(self) -> Input | None:
        """The conversation of which a turn is judged; None where none is."""
        return next((spec for spec in self.inputs.values() if spec.turns != "whole"), None)

    @property
    def judged(self) -> tuple[str, ...]:
        """The names of the inputs whose text is judged."""
        return tuple(name for name, spec in self.inputs.items() if spec.judged)

    @property
    def is_rich(self) -> bool:
        """Whether a criterion asks for more than a score and an explanation."""
        asked = self.rubric.criteria.values()
        return any(one.quotes or one.in_parts or one.may_not_apply for one in asked)

    @property
    def quoted(self) -> tuple[str, ...]:
        """The inputs that a criterion wants quotations from."""
        asked = self.rubric.criteria.values()
        return tuple(dict.fromkeys(name for criterion in asked for name in criterion.quotes))

    @property
    def listed(self) -> dict[str, str]:
        """By criterion whose checklist comes with the item, the input that brings it."""
        criteria = self.rubric.criteria.items()
        return {n: c.checklist.column for n, c in criteria if c.checklist and c.checklist.column}

    def with_questions(self, lists: Mapping[str, tuple[ChecklistQuestion, ...]]) -> Judge:
        """The judge as it asks about one item, whose checklists these are."""
        if not lists:
            return self
        criteria = dict(self.rubric.criteria)
        for name, questions in lists.items():
            checklist = criteria[name].checklist
            if checklist is not None:
                one = replace(checklist, questions=questions)
                criteria[name] = replace(criteria[name], checklist=one)
        return replace(self, rubric=replace(self.rubric, criteria=criteria))

    def calls(self) -> tuple[tuple[str, ...], ...]:
        """The criteria of each call, one call or one per criterion; none that code decides."""
        names = self.rubric.asked
        if not names:
            return ()
        return (names,) if self.ask == "together" else tuple((name,) for name in names)


# Left out of fingerprints where they have their defaults, as before there were such keys.
_RICH_NAMES = "weight required may_not_apply evidence checklist claims errors trajectory check"
_RICH_KEYS: dict[str, Any] = {
    part.name: part.default for part in fields(Criterion) if part.name in _RICH_NAMES.split()
}
