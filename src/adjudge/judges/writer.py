"""The question to a model that writes a better guide, and what may come of its answer.

It sees items, and what was said of them, between fences: nothing of that is an instruction to it.
What it writes may quote none of them, and may only be a guide and steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adjudge.core.judge import Judge
from adjudge.core.prompt import Message, Prompt

from .examples import terms
from .fence import fence, make_mark, neutralise
from .reply_form import object_schema, scale_words
from .rewrite import LONGEST, JudgeTexts

_LONGEST_TEXT = 3000  # characters of a text that the writer is shown
_MOST_STEPS = 12
_QUOTED = 12  # words in a row that are a quotation
_PURPOSE = "writer"
_TEXT = {"type": "string"}
_SCHEMA = object_schema(
    {"diagnosis": _TEXT, "guide": _TEXT, "steps": {"type": "array", "items": _TEXT}}
)


@dataclass(frozen=True, slots=True)
class JudgedExample:
    """An item as the writer sees it: its texts, what the judge said and what people said."""

    fields: Mapping[str, str]
    judge: str
    people: str
    explanation: str = ""
    comments: Sequence[str] = field(default_factory=tuple)


def guide_prompt(
    judge: Judge,
    criterion: str,
    texts: JudgeTexts,
    examples: Sequence[JudgedExample],
    secret: bytes,
) -> Prompt:
    """Asks for a guide and steps after which the judge would say what people say."""
    phrases = judge.wording.further["improve"]
    mark = make_mark(secret, _PURPOSE)
    own = judge.rubric.criteria[criterion]
    named = {"title": own.title, "scale": scale_words(judge, own)}
    notice = judge.wording.phrases["fence_notice"].format(mark=mark)
    # An earlier answer of the writer may have some words of an item: it is fenced as well.
    guide = texts.guides.get(criterion, own.guide).strip()
    steps = texts.steps.get(criterion, own.steps)
    now = fence("guide", guide, mark) if guide else phrases["none"]
    shown = [f"{phrases['guide_now']}\n{now}"]
    if steps:
        rows = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
        shown.append(f"{phrases['steps_now']}\n{fence('steps', rows, mark)}")
    shown += [_example(at, one, phrases, mark) for at, one in enumerate(examples, 1)]
    system = f"{phrases['guide'].format(**named)}\n\n{notice}"
    messages = (Message("system", system), Message("user", "\n\n".join(shown)))
    return Prompt(
        messages=messages,
        criteria=(),
        schema=_SCHEMA,
        judge=judge.name,
        criterion=criterion,
        mark=mark,
    )


def _example(number: int, one: JudgedExample, phrases: Mapping[str, str], mark: str) -> str:
    rows = [phrases["item"].format(number=number)]
    rows += [fence(name, _cut(text), mark) for name, text in one.fields.items() if text.strip()]
    rows.append(phrases["judge_said"].format(value=neutralise(one.judge, mark)))
    if one.explanation.strip():
        rows.append(fence("explanation", _cut(one.explanation), mark))
    rows.append(phrases["people_said"].format(value=neutralise(one.people, mark)))
    rows += [fence("comment", _cut(comment), mark) for comment in one.comments]
    return "\n".join(rows)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[:_LONGEST_TEXT] + " […]"


def proposal(
    raw: Mapping[str, Any] | None, shown: Sequence[JudgedExample], secret: bytes
) -> tuple[str, tuple[str, ...]] | None:
    """The guide and steps that a writer proposed; None where they cannot be used.

    A guide that repeats what an item says is none: it would hold for that item alone, or it is what
    the item told the writer to write.
    """
    if raw is None or not isinstance(raw.get("guide"), str):
        return None
    mark = make_mark(secret, _PURPOSE)
    guide = _clean(raw["guide"], mark)
    proposed = raw.get("steps")
    listed = proposed if isinstance(proposed, list) else []
    steps = tuple(
        " ".join(_clean(step, mark).split())
        for step in listed[:_MOST_STEPS]
        if isinstance(step, str) and step.strip()
    )
    whole = "\n".join((guide, *steps))
    if not guide or len(whole) > LONGEST or quotes(whole, shown):
        return None
    return guide, steps


def _clean(text: str, mark: str) -> str:
    rows = (" ".join(row.split()) for row in neutralise(text, mark).split("\n"))
    return "\n".join(row for row in rows if row)


def quotes(text: str, shown: Sequence[JudgedExample]) -> bool:
    """Whether a text has as many words in a row in common with an item as nobody has by chance."""
    known = _rows_of_words(text)
    sources = (source for one in shown for source in (*one.fields.values(), one.explanation))
    return any(not known.isdisjoint(_rows_of_words(source)) for source in sources)


def _rows_of_words(text: str) -> set[tuple[str, ...]]:
    words = terms(text)
    return {tuple(words[at : at + _QUOTED]) for at in range(len(words) - _QUOTED + 1)}
