"""What is sent to a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from .checklist import ChecklistQuestion
from .score import Score
from .verdict import Cut


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ReferenceCheck:
    """A question of one word that a small model is asked before the prompt it stands with.

    `yes` and `no` are what the prompt is told then, by what the model holds more likely; "" is
    nothing.
    """

    messages: tuple[Message, ...]
    yes: str
    no: str


@dataclass(frozen=True, slots=True)
class FirstQuestion:
    """What a judge is asked before it sees the judged text; see `judges.first`.

    `prompt` asks for it. `intro` stands above what the model wrote when that is shown to it with
    the question proper, and `mark` fences it.
    """

    prompt: Prompt
    intro: str
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """The exact messages of one call.

    `schema` is the JSON Schema that the reply must obey, None for a text reply; `language_bound`
    says that it leaves no other language than the one asked for. The rest says what
    the call belongs to: the item, the criteria asked for, `criterion` when it is asked alone,
    `order` ("ab", "ba") for a pair, the `sample` number, the `judge` that asks, and the `mark` of
    its fences, which is the store's own. `texts` are the item's own as the model sees them: what a
    reply repeats of them is not read as the judge's word. `cuts` says, by input, what of the item's
    texts it does not show.

    With a `target` nothing is to be written: the question is how likely that text is as it follows
    on the one message. `order` then says which way round ("forward", "alone", "back", …).

    A question that comes `first` is asked in a call of its own; what comes of it belongs into this
    prompt before that is asked.

    `turn` is the one of a conversation that is asked about, by its number, and `role` who speaks.
    `computed` are the scores that code has worked out; a prompt without messages asks for no other.
    `explain_in` is the language of the explanations where the item decides it.

    A `check` is for models whose profile asks for one: they answer it first. `questions` are the
    checklists that came with the item, by criterion; `quotable` the item's own texts, by input,
    that quotations are looked for in.
    """

    messages: tuple[Message, ...]
    criteria: tuple[str, ...]
    schema: Mapping[str, object] | None = None
    item: str = ""
    criterion: str | None = None
    order: str | None = None
    sample: int = 0
    target: str | None = None
    texts: tuple[str, ...] = ()
    cuts: Mapping[str, Cut] = field(default_factory=dict)
    language_bound: bool = False
    judge: str = ""
    mark: str = ""
    check: ReferenceCheck | None = None
    first: FirstQuestion | None = None
    questions: Mapping[str, tuple[ChecklistQuestion, ...]] = field(default_factory=dict)
    quotable: Mapping[str, str] = field(default_factory=dict)
    explain_in: str | None = None
    turn: int | None = None
    role: str = ""
    computed: Mapping[str, Score] = field(default_factory=dict)

    def followed_by(self, reply: str, question: str) -> Prompt:
        """The same conversation with the reply so far and a further question."""
        more = (Message("assistant", reply), Message("user", question))
        return replace(self, messages=self.messages + more)

    def with_more(self, text: str) -> Prompt:
        """The same question with a further paragraph at its end; with "" as it is."""
        if not text:
            return self
        *before, last = self.messages
        longer = Message(last.role, f"{last.content}\n\n{text}")
        return replace(self, messages=(*before, longer))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a model should answer.

    `temperature` None leaves it to the model. `top_logprobs` above 0 asks for the probabilities of
    the reply's tokens and of that many alternatives at each.
    """

    temperature: float | None = 0.0
    max_tokens: int = 1024
    seed: int | None = None
    top_logprobs: int = 0

    def of_sample(self, sample: int) -> Sampling:
        """Samples of one item take different seeds, or they would all be the same."""
        return self if self.seed is None else replace(self, seed=self.seed + sample)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a prompt may rely on, and what it should bring along.

    `bind_language`: the reply's texts are bound to the language that was asked for, and to whole
    sentences, by a `pattern` in the reply's schema. `flags_first`: what a rule asks about is
    settled before the reasons and the score are written. `facts`: numbers and names that differ
    between the texts are found by code and shown. `check`: whether the judged text says what its
    reference says is asked first, by itself, and the answer shown. All else stays as the judge's
    file has it.
    """

    bind_language: bool = False
    flags_first: bool = False
    facts: bool = False
    check: bool = False


PLAIN = Profile()
