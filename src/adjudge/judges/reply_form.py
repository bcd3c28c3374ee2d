"""The form that a reply is asked for in: as a JSON Schema, and in words for the prompt.

Both come from the same tree of fields. With one criterion in the call its score stands under the
criterion's name, next to its explanation; with several each has an object of its own. The questions
of a checklist are answered by their numbers, claims and errors are lists: code makes the score of
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from adjudge.core.judge import Feedback, Judge
from adjudge.core.prompt import PLAIN, Profile
from adjudge.core.rubric import CLAIM_VERDICTS, Criterion, Evidence, Rule
from adjudge.core.scale import Binary

from .sentences import pattern

EXPLANATION, SCORE, QUOTES, ANSWERS = "explanation", "score", "quotes", "answers"
CLAIMS, ERRORS = "claims", "errors"
N_A = "n/a"


@dataclass(frozen=True, slots=True)
class _Leaf:
    schema: dict[str, object]
    words: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class _Entries:
    """A list of objects, at least so many."""

    entry: Mapping[str, _Leaf]
    least: int = 0


_Tree = Mapping[str, "_Leaf | _Entries | _Tree"]
_Node = _Leaf | _Entries | _Tree


def schema(
    judge: Judge, criteria: tuple[str, ...], profile: Profile = PLAIN
) -> dict[str, object] | None:
    """The JSON Schema of the reply to a call for these criteria; None where text is asked for."""
    if judge.reply != "json" or judge.verbatim:
        return None
    return _schema(_tree(judge, criteria, profile))


def binds_language(judge: Judge, profile: Profile) -> bool:
    """Whether every free text of a reply in JSON is bound to the judge's language."""
    return (
        judge.reply == "json"
        and not judge.verbatim
        and profile.bind_language
        and pattern(judge.explain_in, 1) is not None
    )


def words(judge: Judge, criteria: tuple[str, ...], profile: Profile = PLAIN) -> str:
    """The form in the language of the prompt, with a sample in which <…> is to be filled in."""
    asked = _asked(judge, criteria)
    if judge.reply == "json":
        tree = _tree(judge, criteria, profile)
        return f"{asked}{judge.wording.phrases['json_intro']}\n{_sample(tree)}"
    return f"{asked}{judge.wording.phrases['text_intro']}\n{_text_sample(judge, criteria)}"


def scale_words(judge: Judge, criterion: Criterion) -> str:
    """What the criterion takes, in the language of the prompt."""
    rich = judge.wording.rich
    if criterion.in_parts:
        return rich[_listed(criterion) if criterion.lists else "checklist"]
    return _or_not(judge, criterion, criterion.scale.words(judge.wording.phrases))


def _or_not(judge: Judge, criterion: Criterion, values: str) -> str:
    return judge.wording.rich["or_not"].format(values=values) if criterion.may_not_apply else values


def _asked(judge: Judge, criteria: tuple[str, ...]) -> str:
    """The questions of checklists, and what to do about claims: a paragraph each."""
    rich, paragraphs = judge.wording.rich, []
    for name in criteria:
        criterion = judge.rubric.criteria[name]
        if criterion.checklist is not None:
            texts = [question.text for question in criterion.checklist.questions]
            rows = [f"{number}. {text}" for number, text in enumerate(texts, 1)]
            paragraphs.append("\n".join([rich["questions"].format(title=criterion.title), *rows]))
        if criterion.claims is not None:
            inputs = _titles(judge, criterion.claims.against)
            paragraphs.append(rich["claims_intro"].format(title=criterion.title, inputs=inputs))
        if criterion.errors is not None:
            inputs = _titles(judge, criterion.errors.inputs)
            paragraphs.append(rich["errors_intro"].format(title=criterion.title, inputs=inputs))
    return "".join(f"{paragraph}\n\n" for paragraph in paragraphs)


def _titles(judge: Judge, inputs: tuple[str, ...]) -> str:
    return ", ".join(judge.inputs[name].title for name in inputs)


def _tree(judge: Judge, criteria: tuple[str, ...], profile: Profile) -> _Tree:
    rubric = judge.rubric
    sections = {name: _section(judge, spec, profile) for name, spec in judge.feedback.items()}
    if len(criteria) == 1:
        criterion = rubric.criteria[criteria[0]]
        group = _group(judge, criterion, rubric.flags_of(criteria), profile)
        if not criterion.lists:  # a list says by its own name what it holds
            score = _score_key(criterion)
            group = {criterion.name if key == score else key: node for key, node in group.items()}
        return {**group, **sections} if judge.score_first else {**sections, **group}
    groups = {
        name: _group(judge, rubric.criteria[name], rubric.flags_of((name,)), profile)
        for name in criteria
    }
    return {**groups, **sections}


def _group(
    judge: Judge, criterion: Criterion, rules: tuple[Rule, ...], profile: Profile
) -> dict[str, _Node]:
    """Reasons, then flags, then the score: what is written first informs what follows.

    With `score_first` the score comes first: no reason has settled it yet. Lists are the reasons
    themselves: a model that explains first has settled all of them. A small model reports a flag
    more truly right after the facts than after reasons of its own, so there flags come first.
    """
    phrases = judge.wording.phrases
    reasons: dict[str, _Node] = {}
    if criterion.evidence is not None:
        reasons[QUOTES] = _quotes(judge, criterion.evidence)
    if criterion.explain is True:
        text = _text(judge, profile, _IN_EXPLANATION)
        reasons[EXPLANATION] = _Leaf(text, _in_language(judge, "explanation"), True)
    flags = {rule.flag: _Leaf({"type": "boolean"}, phrases["true_or_false"]) for rule in rules}
    score: dict[str, _Node] = {_score_key(criterion): _score(judge, criterion)}
    if judge.score_first or criterion.lists:
        return {**score, **reasons, **flags}
    if profile.flags_first:
        return {**flags, **reasons, **score}
    return {**reasons, **flags, **score}


def _score_key(criterion: Criterion) -> str:
    """What stands beside an explanation: a score, or what code makes it of."""
    if criterion.lists:
        return _listed(criterion)
    return ANSWERS if criterion.checklist is not None else SCORE


def _listed(criterion: Criterion) -> str:
    return CLAIMS if criterion.claims is not None else ERRORS


def _score(judge: Judge, criterion: Criterion) -> _Node:
    phrases, scale = judge.wording.phrases, criterion.scale
    if criterion.lists:
        return _entries(judge, criterion)
    if criterion.checklist is not None:
        answer = _answer(judge, criterion, {"type": "boolean"}, phrases["true_or_false"])
        numbers = range(1, len(criterion.checklist.questions) + 1)
        return {str(number): answer for number in numbers}
    values = phrases["true_or_false"] if isinstance(scale, Binary) else scale.words(phrases)
    return _answer(judge, criterion, scale.schema(), values)


def _answer(judge: Judge, criterion: Criterion, shape: dict[str, object], values: str) -> _Leaf:
    quoted = shape["type"] == "string"
    if criterion.may_not_apply:
        shape = {"anyOf": [shape, {"type": "string", "enum": [N_A]}]}
    return _Leaf(shape, _or_not(judge, criterion, values), quoted)


def _quotes(judge: Judge, evidence: Evidence) -> _Leaf:
    shape = {"type": "array", "items": {"type": "string"}, "minItems": evidence.least}
    inputs = _titles(judge, evidence.inputs)
    return _Leaf(shape, judge.wording.rich["quotes"].format(least=evidence.least, inputs=inputs))


def _entries(judge: Judge, criterion: Criterion) -> _Entries:
    rich, text = judge.wording.rich, cast(dict[str, object], {"type": "string"})
    if criterion.errors is not None:
        severities, categories = [*criterion.errors.severities], [*criterion.errors.categories]
        kind = text | {"enum": categories} if categories else text
        words = ", ".join(categories) or rich["error_category"]
        return _Entries(
            {
                "span": _Leaf(text, rich["error_span"], True),
                "category": _Leaf(kind, words, True),
                "severity": _Leaf(text | {"enum": severities}, ", ".join(severities), True),
            }
        )
    return _Entries(
        {
            "claim": _Leaf(text, rich["claim"], True),
            "verdict": _Leaf(text | {"enum": [*CLAIM_VERDICTS]}, ", ".join(CLAIM_VERDICTS), True),
            "quote": _Leaf(text, rich["claim_quote"], True),
            "source": _Leaf({"type": "integer"}, rich["claim_source"]),
        },
        least=0 if criterion.may_not_apply else 1,
    )


# Sentences at the most, where a model is bound to whole ones.
_IN_EXPLANATION, _IN_SECTION, _IN_ENTRY = 2, 3, 1


def _text(judge: Judge, profile: Profile, sentences: int) -> dict[str, object]:
    """A free text; bound to its language where the model and the language allow it."""
    bound = pattern(judge.explain_in, sentences) if profile.bind_language else None
    return {"type": "string", "pattern": bound} if bound else {"type": "string"}


def _section(judge: Judge, spec: Feedback, profile: Profile) -> _Leaf | _Tree:
    if not spec.list:
        return _Leaf(_text(judge, profile, _IN_SECTION), _in_language(judge, "section"), True)
    items = _text(judge, profile, _IN_ENTRY)
    shape: dict[str, object] = {"type": "array", "items": items}
    # Who must write sentences, and enough of them, invents what is missing.
    if spec.least is not None and "pattern" not in items:
        shape["minItems"] = spec.least
    if spec.most is not None:
        shape["maxItems"] = spec.most
    return _Leaf(shape, _in_language(judge, "entries", count=_count(judge, spec)))


def _count(judge: Judge, spec: Feedback) -> str:
    phrases = judge.wording.phrases
    if spec.least is None and spec.most is None:
        return phrases["count_open"]
    if spec.least is None or spec.most is None or spec.least == spec.most:
        return phrases["count_exact"].format(least=spec.least or spec.most)
    return phrases["count"].format(least=spec.least, most=spec.most)


def _in_language(judge: Judge, phrase: str, **more: str) -> str:
    if judge.explain_in in ("any", "data"):
        return judge.wording.phrases[f"{phrase}_any"].format(**more)
    language = judge.wording.name_of(judge.explain_in)
    return judge.wording.phrases[phrase].format(language=language, **more)


def _schema(tree: _Tree) -> dict[str, object]:
    parts: dict[str, object] = {}
    for key, node in tree.items():
        if isinstance(node, _Entries):
            parts[key] = {"type": "array", "items": _schema(node.entry), "minItems": node.least}
        else:
            parts[key] = node.schema if isinstance(node, _Leaf) else _schema(node)
    return object_schema(parts)


def object_schema(parts: Mapping[str, object]) -> dict[str, object]:
    """An object with all of these parts, and no other."""
    fixed = {"required": list(parts), "additionalProperties": False}
    return {"type": "object", "properties": dict(parts), **fixed}


def _sample(tree: _Tree, indent: str = "") -> str:
    rows = []
    for key, node in tree.items():
        if isinstance(node, _Entries):
            rows.append(f'{indent}  "{key}": [{_sample(node.entry, indent + "  ")}]')
        elif not isinstance(node, _Leaf):
            rows.append(f'{indent}  "{key}": {_sample(node, indent + "  ")}')
        elif node.schema.get("type") == "array":
            rows.append(f'{indent}  "{key}": ["<{node.words}>"]')
        else:
            mark = '"' if node.quoted else ""
            rows.append(f'{indent}  "{key}": {mark}<{node.words}>{mark}')
    return "{\n" + ",\n".join(rows) + f"\n{indent}}}"


def _text_sample(judge: Judge, criteria: tuple[str, ...]) -> str:
    """Labelled lines; below a heading each when there is more than one criterion."""
    rows: list[str] = []
    for name in criteria:
        criterion = judge.rubric.criteria[name]
        if len(criteria) > 1:
            rows.append(f"### {criterion.title}")
        rows += _rows(judge, criterion)
    sections: list[str] = []
    for section in judge.feedback.values():
        leaf = _section(judge, section, PLAIN)
        assert isinstance(leaf, _Leaf)  # noqa: S101 - a section is never a group
        sections += [f"### {section.title}", f"{'- ' if section.list else ''}<{leaf.words}>"]
    # The score stands last of all where there is one: its place is then beyond doubt.
    last = len(criteria) == 1 and not judge.score_first
    return "\n".join([*sections, *rows] if last else [*rows, *sections])


def _rows(judge: Judge, criterion: Criterion) -> list[str]:
    phrases, rich = judge.wording.phrases, judge.wording.rich
    reasons: list[str] = []
    if criterion.evidence is not None:
        words = _quotes(judge, criterion.evidence).words
        reasons += [f"{rich['quotes_label']}:", f"- <{words}>"]
    if criterion.explain is True:
        reasons.append(f"{phrases['explanation_label']}: <{_in_language(judge, 'explanation')}>")
    flags = judge.rubric.flags_of((criterion.name,))
    reasons += [f"{rule.flag}: <{phrases['yes_or_no']}>" for rule in flags]
    score = [*score_lines(judge, criterion)]
    first = judge.score_first or criterion.lists
    return [*score, *reasons] if first else [*reasons, *score]


def score_lines(judge: Judge, criterion: Criterion) -> Iterator[str]:
    """The lines of a text reply that hold the score, or what code makes it of."""
    phrases, rich = judge.wording.phrases, judge.wording.rich
    if criterion.lists:
        cells = " | ".join(f"<{leaf.words}>" for leaf in _entries(judge, criterion).entry.values())
        label = "claim_label" if criterion.claims is not None else "error_label"
        yield f"{rich[label]}: {cells}"
        if criterion.errors is not None:
            yield f"{rich[label]}: {rich['error_none']}"
    elif criterion.checklist is not None:
        for number in range(1, len(criterion.checklist.questions) + 1):
            yield f"Q{number}: <{_or_not(judge, criterion, phrases['yes_or_no'])}>"
    else:
        yield f"{phrases['score_label']}: <{scale_words(judge, criterion)}>"


_SENTENCE = re.compile(r"[.!?。！？…][\"'”’)\]]{0,3}(?:\s|$)|\n")
_MOST_SENTENCES = 6  # for which a claim is due; a small model repeats itself after that


def claim_per_sentence(
    schema: Mapping[str, object] | None, text: str
) -> Mapping[str, object] | None:
    """The schema with at least as many claims as the text has sentences: a small model stops after
    the first one otherwise."""
    due = min(max(1, len(_SENTENCE.findall(text.strip()))), _MOST_SENTENCES)
    parts = schema.get("properties") if schema else None
    if schema is None or not isinstance(parts, Mapping):
        return schema
    raised: dict[str, object] = {}
    for name, part in parts.items():
        if name == CLAIMS and part.get("minItems"):
            raised[name] = {**part, "minItems": due}
        else:
            raised[name] = claim_per_sentence(part, text) if "properties" in part else part
    return {**schema, "properties": raised}
