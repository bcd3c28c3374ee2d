"""A judge with other guides, steps and examples, as a Judge and as the text of its file.

Nothing else may change: scales, rules, inputs, fences and the form of the reply stay what they are,
and any other change is refused. Comments and layout of the file stay as well.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

import yaml

from adjudge.core.judge import GradedExample, Judge
from adjudge.core.reason import Reason
from adjudge.errors import DefinitionError

from .load import load_text
from .yaml_lines import composed

LONGEST = 6000  # characters of a guide
_WIDTH = 96


@dataclass(frozen=True, slots=True)
class JudgeTexts:
    """What may differ: guides and steps by criterion, and examples besides the judge's own."""

    guides: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    examples: tuple[GradedExample, ...] = ()

    def with_criterion(self, name: str, guide: str, steps: tuple[str, ...]) -> JudgeTexts:
        guides, all_steps = {**self.guides, name: guide}, {**self.steps, name: steps}
        return replace(self, guides=guides, steps=all_steps)


def texts_of(judge: Judge, criteria: tuple[str, ...]) -> JudgeTexts:
    """The guides and steps that these criteria of a judge have."""
    known = judge.rubric.criteria
    guides = {name: known[name].guide.strip() for name in criteria}
    return JudgeTexts(guides, {name: tuple(known[name].steps) for name in criteria})


def rewritten(judge: Judge, texts: JudgeTexts) -> Judge:
    """The judge with these texts."""
    criteria = dict(judge.rubric.criteria)
    for name, guide in texts.guides.items():
        criteria[name] = replace(criteria[name], guide=guide)
    for name, steps in texts.steps.items():
        criteria[name] = replace(criteria[name], steps=steps)
    rubric = replace(judge.rubric, criteria=criteria)
    return replace(judge, rubric=rubric, examples=(*judge.examples, *texts.examples))


def check_frame(base: Judge, other: Judge) -> None:
    """DefinitionError where the other differs in more than guides, steps and examples."""
    if list(base.rubric.criteria) != list(other.rubric.criteria):
        raise DefinitionError(Reason("improve.frame", judge=base.name, what="criteria"))
    criteria = {
        name: replace(own, guide=base.rubric.criteria[name].guide, steps=_steps(base, name))
        for name, own in other.rubric.criteria.items()
    }
    framed = replace(
        other,
        rubric=replace(other.rubric, criteria=criteria),
        examples=base.examples,
        title=base.title,
        version=base.version,
        name=base.name,
        drafted=base.drafted,
    )
    if framed != replace(base):
        keys = vars(replace(base))
        what = next(key for key in keys if getattr(framed, key) != getattr(base, key))
        raise DefinitionError(Reason("improve.frame", judge=base.name, what=what))


def _steps(judge: Judge, name: str) -> tuple[str, ...]:
    return judge.rubric.criteria[name].steps


def rewritten_file(text: str, file: str, texts: JudgeTexts) -> str:
    """The text of a judge's file with these texts in it. DefinitionError where the file is written
    in a way that does not allow it, e.g. with anchors that several criteria share."""
    base = load_text(text, file)
    root = composed(text, file)
    edits: list[tuple[int, int, str]] = []
    criteria = _value(root, "criteria")
    for name in texts.guides:
        own = _value(criteria, name)
        guide, steps = texts.guides[name], texts.steps.get(name, _steps(base, name))
        if guide != base.rubric.criteria[name].guide.strip():
            edits.append(_edit(text, own, "guide", guide))
        if steps != _steps(base, name):
            edits.append(_edit(text, own, "steps", list(steps)))
    if texts.examples:
        shown = [_plain(example) for example in (*base.examples, *texts.examples)]
        edits.append(_edit(text, root, "examples", shown))
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    try:
        made = load_text(text, file)
    except DefinitionError:
        raise DefinitionError(Reason("improve.file_form").in_file(file)) from None
    check_frame(base, made)
    if _content(made) != _content(rewritten(base, texts)):
        raise DefinitionError(Reason("improve.file_form").in_file(file))
    return text


def _content(judge: Judge) -> object:
    own = judge.rubric.criteria
    return [(c.guide.strip(), tuple(c.steps)) for c in own.values()], judge.examples


def _plain(example: GradedExample) -> dict[str, object]:
    shown = {"item": dict(example.item), "scores": dict(example.scores)}
    why = {"explanations": dict(example.explanations)} if example.explanations else {}
    return {**shown, **why}


def _value(mapping: yaml.Node | None, key: str) -> yaml.Node | None:
    if isinstance(mapping, yaml.MappingNode):
        for name, value in mapping.value:
            if name.value == key:
                return cast(yaml.Node, value)
    return None


def _edit(text: str, mapping: yaml.Node | None, key: str, new: object) -> tuple[int, int, str]:
    """Where to put the value of a key of this mapping, from and to, and what to put there."""
    assert isinstance(mapping, yaml.MappingNode)  # noqa: S101 - the file was loaded
    old = _value(mapping, key)
    if mapping.flow_style:
        shown = json.dumps(new, ensure_ascii=False)
        if old is not None:
            return old.start_mark.index, _end(text, old), shown
        end = _end(text, mapping.value[-1][1])
        return end, end, f", {key}: {shown}"
    indent = " " * mapping.value[0][0].start_mark.column
    written = f"{key}:{_written(new, indent + '  ')}"
    if old is not None:
        at = next(name for name, _ in mapping.value if name.value == key)
        return at.start_mark.index, _end(text, old), written
    # Beside its kind: below the first key of a criterion, at the end of a file.
    after = mapping.value[-1 if key == "examples" else 0][1]
    end = _end(text, after)
    return end, end, f"\n{indent}{written}"


def _end(text: str, node: yaml.Node) -> int:
    """Where a value ends: that of a block would reach to the next key, comments included."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(last, tuple) else last)
    start, end = node.start_mark.index, node.end_mark.index
    return start + len(text[start:end].rstrip())


def _written(value: object, indent: str) -> str:
    if isinstance(value, str):
        return _folded(value, indent)
    if all(isinstance(entry, str) for entry in value):  # type: ignore[attr-defined]
        rows = [f"\n{indent}- {json.dumps(row, ensure_ascii=False)}" for row in value]  # type: ignore[attr-defined]
        return "".join(rows) or " []"
    dumped = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=_WIDTH)
    return "\n" + textwrap.indent(dumped.rstrip("\n"), indent)


def _folded(text: str, indent: str) -> str:
    """A text as a > block, or in quotes where a block would not hold it."""
    lines = [line.strip() for line in text.split("\n")]
    if (
        not text
        or text != "\n".join(lines)
        or not all(lines)
        or not text.replace("\n", "").isprintable()
    ):
        return " " + json.dumps(text, ensure_ascii=False)
    room = max(40, _WIDTH - len(indent))
    rows = [
        textwrap.wrap(line, room, break_long_words=False, break_on_hyphens=False) for line in lines
    ]
    whole = "\n\n".join("\n".join(f"{indent}{row}" for row in block) for block in rows)
    return f" >-\n{whole}"
