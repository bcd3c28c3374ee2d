"""What the pages show of a judge: its rubric in words, and the prompts for an example."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, cast

from adjudge.analysis.browsing import Query
from adjudge.analysis.probing.subject import of_built_in
from adjudge.core.item import Item
from adjudge.core.judge import Feedback, Judge
from adjudge.core.reason import Reason
from adjudge.core.scale import Ordinal, Scale
from adjudge.errors import AdjudgeError, DefinitionError, place_of, without_place
from adjudge.judges import registry
from adjudge.judges.fence import make_mark
from adjudge.judges.load import wording_for
from adjudge.judges.render import renderer_for
from adjudge.service.state import Service
from adjudge.stores import is_probe
from adjudge.strings import Strings

from .item_view import LONGEST_TEXT, PageTexts, PromptView, prompt_views

# The mark around judged texts is the store's secret; a page shows another one.
_EXAMPLE = b"example"
LONGEST_PASTED = 4_000_000  # bytes of one text
Origin = Literal["typed", "run", "built_in", "blanks"]


@dataclass(frozen=True, slots=True)
class JudgeWords:
    """How a judge is described to a reader of one language."""

    language: str

    def scale(self, scale: Scale) -> str:
        return scale.words(wording_for(self.language).phrases)

    def scales(self, judge: Judge) -> dict[str, list[str]]:
        """The titles of the criteria by their scale in words."""
        titles: dict[str, list[str]] = {}
        for criterion in judge.rubric.criteria.values():
            titles.setdefault(self.scale(criterion.scale), []).append(criterion.title)
        return titles

    def levels(self, scale: Scale) -> list[tuple[int, str, str]]:
        """The levels of a scale with labels, highest first: value, label, meaning."""
        if not isinstance(scale, Ordinal):
            return []
        levels = [(value, scale.levels[value]) for value in reversed(scale.values())]
        return [(value, level.label, level.meaning) for value, level in levels]

    def named(self, language: str) -> str:
        """The name of a language code."""
        return wording_for(self.language).name_of(language)

    def explained(self, judge: Judge, say: Strings) -> str:
        """The language of its explanations."""
        key = {"any": "judges.any_language", "data": "judges.data_language"}.get(judge.explain_in)
        return say(key) if key else self.named(judge.explain_in)

    def entries(self, section: Feedback) -> str:
        """How many entries a list has: 2–3, "" where it does not say."""
        ends = ["" if end is None else str(end) for end in (section.least, section.most)]
        return ends[0] if ends[0] == ends[1] else "–".join(ends)


@dataclass(frozen=True, slots=True)
class Example:
    """Texts by input to fill a prompt in with; `run` and `item` are where they are from, "" if from
    no run."""

    fields: Mapping[str, str]
    origin: Origin
    run: str = ""
    item: str = ""


def example_for(judge: Judge, service: Service) -> Example:
    """An item of the latest run of the judge; else a built-in text; else blanks to fill in."""
    for record in service.store.runs.all():
        if judge.name not in record.manifest.judges or is_probe(record):
            continue
        item = first_item(service, record.id)
        if item is not None and _fits(judge, item):
            return Example(inputs_of(judge, item), "run", record.id, item.id)
    return made_up_example(judge)


def typed_example(
    judge: Judge, service: Service, fields: Mapping[str, str], run: str, item: str
) -> Example:
    """What stood in the form: the item of the run, where nothing about it was changed."""
    kept = service.store.items.get(run, [item]).get(item) if run and item else None
    if kept is not None:
        known = inputs_of(judge, kept)
        if {name: unix_newlines(text) for name, text in known.items() if text.strip()} == fields:
            return Example(known, "run", run, item)
    return Example(fields, "typed")


def unix_newlines(text: str) -> str:
    """The text as a form brings it back: browsers make every line break CR LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def inputs_of(judge: Judge, item: Item) -> dict[str, str]:
    """The texts that the judge is given."""
    return {name: text for name, text in item.fields.items() if name in judge.inputs}


def made_up_example(judge: Judge) -> Example:
    """A built-in text where the judge takes such; else {blanks}."""
    try:
        return Example(of_built_in(judge, None, 1).items[0].fields, "built_in")
    except AdjudgeError:
        return Example({name: f"{{{name}}}" for name in judge.inputs}, "blanks")


def _fits(judge: Judge, item: Item) -> bool:
    """Whether it has what the judge needs, short enough for a form."""
    needed = {name for name, spec in judge.inputs.items() if spec.required}
    short = all(len(text) <= LONGEST_TEXT for text in item.fields.values())
    return short and needed <= set(item.fields)


def prompts_for(judge: Judge, fields: Mapping[str, str]) -> tuple[PromptView, ...]:
    """The prompts of every call about the item."""
    prompts = renderer_for(judge, _EXAMPLE).prompts(Item("example", dict(fields)))
    return prompt_views(prompts, "prompt", PageTexts())


def prompt_text_of(judge: Judge, item: Item | None) -> str:
    """All that is asked about the item, or about an example, as one text. The mark around judged
    texts is the same for every judge, so that it is no difference between two."""
    fields = inputs_of(judge, item) if item else made_up_example(judge).fields
    prompts = renderer_for(judge, _EXAMPLE).prompts(Item("example", dict(fields)))
    mark = make_mark(_EXAMPLE, judge.name)
    text = "\n\n".join(message.content for prompt in prompts for message in prompt.messages)
    return text.replace(mark, "0" * len(mark))


class DifferentLine(NamedTuple):
    """A line of two texts; `side` is "a" or "b" where only one has it, "" where both do."""

    side: Literal["a", "b", ""]
    text: str


_AROUND = 3  # lines
_LEFT_OUT = DifferentLine("", "⋯")


def line_differences(a: str, b: str) -> list[DifferentLine]:
    """The lines where they differ, in their order, with those around them; ⋯ for the others."""
    sides: dict[str, Literal["a", "b", ""]] = {"- ": "a", "+ ": "b", "  ": ""}
    lines = difflib.ndiff(a.splitlines(), b.splitlines())
    every = [DifferentLine(sides[line[:2]], line[2:]) for line in lines if line[:2] in sides]
    changes = [at for at, line in enumerate(every) if line.side]
    near = {at + step for at in changes for step in range(-_AROUND, _AROUND + 1)}
    shown: list[DifferentLine] = []
    for at, line in enumerate(every):
        if at in near:
            shown.append(line)
        elif not shown or shown[-1] != _LEFT_OUT:
            shown.append(_LEFT_OUT)
    return shown


def source_of(service: Service, name: str) -> str:
    """The text of the judge's file; "" where it is gone by now."""
    try:
        return registry.source(service.judges.source(name))[1]
    except AdjudgeError:
        return ""


def is_built_in(service: Service, name: str) -> bool:
    return service.judges.source(name) == name


def first_item(service: Service, run_id: str) -> Item | None:
    """The first one of the data that has a verdict; quick for a run of any size."""
    first = service.indexes.of(run_id).page(Query(size=1, sort="position"))
    ids = [row.item for row in first.rows]
    return service.store.items.get(run_id, ids).get(ids[0]) if ids else None


@dataclass(frozen=True, slots=True)
class FileProblem:
    """One thing that is wrong with a judge file; `written` is what stands on its line."""

    line: int | None
    key: str
    text: str
    written: str


def file_problems(say: Strings, error: DefinitionError, text: str) -> list[FileProblem]:
    """By their lines."""
    lines = text.split("\n")
    problems = []
    for problem in error.problems:
        place = place_of(problem)
        line: int | None = place.get("line")
        written = lines[line - 1] if line and line <= len(lines) else ""
        why = cast(Reason, without_place(problem))
        if "text_line" in place:
            why = Reason("place.text_line", text_line=place["text_line"], why=why)
        problems.append(FileProblem(line, place.get("key", ""), say.reason(why), written[:200]))
    return sorted(problems, key=lambda problem: problem.line or 0)
