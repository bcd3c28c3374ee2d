"""The clauses of a rubric, and the question to a model which of them people and judge read
differently.

Code cuts the rubric into numbered clauses; the model answers with numbers and a question to people.
What it is shown of items stands between fences, as for the writer of guides: nothing of that is an
instruction to it. A number that no clause has, or a question that repeats an item, does not count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

from adjudge.core.judge import Judge
from adjudge.core.prompt import Message, Prompt
from adjudge.core.scale import Ordinal

from .fence import fence, make_mark, neutralise
from .reply_form import scale_words
from .writer import JudgedExample, example_block, quotes

ClausePart = Literal["guide", "step", "question", "rule", "level", "prompt"]
_PURPOSE = "clauses"
_MOST = 60  # clauses that are shown
_NAMED = 3  # clauses that may be named
_LONGEST = 400  # characters of a question to people
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")
_TEMPLATE = re.compile(r"\{\{|\{%|\{#")


@dataclass(frozen=True, slots=True)
class Clause:
    part: ClausePart
    text: str


@dataclass(frozen=True, slots=True)
class NamedClause:
    """A clause that the model named, the question to people, and which of the shown items made it
    ask, from 0."""

    clause: Clause
    question: str
    shown: tuple[int, ...]


def clauses_of(judge: Judge, criterion: str) -> tuple[Clause, ...]:
    """What the rubric says about a criterion, sentence by sentence: guide, steps, questions of its
    checklist, rules and named levels; of a judge with none of these, the lines of its prompt."""
    own = judge.rubric.criteria[criterion]
    clauses = [Clause("guide", text) for text in _sentences(own.guide)]
    clauses += [Clause("step", text) for step in own.steps if (text := " ".join(step.split()))]
    if own.checklist is not None:
        clauses += [Clause("question", one.text) for one in own.checklist.questions]
    for rule in judge.rubric.rules:
        if criterion in {rule.criterion, *rule.cap, *rule.floor}:
            clauses.append(Clause("rule", " ".join(rule.when.split())))
    if isinstance(own.scale, Ordinal):
        levels = sorted(own.scale.levels.items())
        clauses += [Clause("level", f"{value}: {level.label}") for value, level in levels]
    if not any(one.part != "level" for one in clauses):
        lines = [*_sentences(judge.system), *_sentences(judge.prompt)]
        clauses += [Clause("prompt", line) for line in lines if not _TEMPLATE.search(line)]
    return tuple(clauses[:_MOST])


def _sentences(text: str) -> list[str]:
    rows = (" ".join(row.split()) for row in _SENTENCE.split(text))
    return [row for row in rows if any(map(str.isalpha, row))]


def clause_prompt(
    judge: Judge,
    criterion: str,
    clauses: Sequence[Clause],
    examples: Sequence[JudgedExample],
    secret: bytes,
) -> Prompt:
    """Asks which clauses people and judge read differently."""
    phrases = {**judge.wording.further["improve"], **judge.wording.further["clauses"]}
    mark = make_mark(secret, _PURPOSE)
    own = judge.rubric.criteria[criterion]
    named = {"title": own.title, "scale": scale_words(judge, own), "most": _NAMED}
    notice = judge.wording.phrases["fence_notice"].format(mark=mark)
    rows = "\n".join(f"{number}. {one.text}" for number, one in enumerate(clauses, 1))
    shown = [f"{phrases['clauses_now']}\n{fence('clauses', rows, mark)}"]
    shown += [example_block(at, one, phrases, mark) for at, one in enumerate(examples, 1)]
    system = phrases["which"].format(**named)
    messages = (Message("system", f"{system}\n\n{notice}"), Message("user", "\n\n".join(shown)))
    return Prompt(
        messages=messages,
        criteria=(),
        schema=_schema(len(clauses), len(examples)),
        judge=judge.name,
        criterion=criterion,
        mark=mark,
    )


def _schema(clauses: int, examples: int) -> dict[str, Any]:
    """Numbers that exist, where a provider binds replies to a schema."""
    one = {
        "items": {"type": "array", "items": _number(examples), "maxItems": examples},
        "clause": _number(clauses),
        "question": {"type": "string", "maxLength": _LONGEST},
    }
    entry = {
        "type": "object",
        "properties": one,
        "required": list(one),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"unclear": {"type": "array", "items": entry, "maxItems": _NAMED}},
        "required": ["unclear"],
        "additionalProperties": False,
    }


def _number(most: int) -> dict[str, Any]:
    return {"type": "integer", "enum": list(range(1, most + 1))}


def named_clauses(
    raw: Mapping[str, Any] | None,
    clauses: Sequence[Clause],
    examples: Sequence[JudgedExample],
    secret: bytes,
) -> tuple[NamedClause, ...] | None:
    """The clauses that the model named, each once; None where its reply cannot be read."""
    if raw is None or not isinstance(raw.get("unclear"), list):
        return None
    mark = make_mark(secret, _PURPOSE)
    named: dict[int, NamedClause] = {}
    for entry in raw["unclear"][:_NAMED]:
        if not isinstance(entry, dict):
            continue
        number, question = entry.get("clause"), entry.get("question")
        if not _known(number, clauses) or not isinstance(question, str) or number in named:
            continue
        text = " ".join(neutralise(question, mark).split())
        if text and len(text) <= _LONGEST and not quotes(text, examples):
            listed = entry.get("items")
            rows = listed if isinstance(listed, list) else []
            shown = tuple(dict.fromkeys(at - 1 for at in rows if _known(at, examples)))
            named[number] = NamedClause(clauses[number - 1], text, shown)
    return tuple(named.values())


def _known(number: object, listed: Sequence[object]) -> TypeGuard[int]:
    return type(number) is int and 1 <= number <= len(listed)
