"""A judge file → Judge, or an error that names file, line, key and remedy."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import ValidationError

from adjudge.core.checklist import Checklist
from adjudge.core.judge import Feedback, GradedExample, Input, Judge, Pair, Preparation, Wording
from adjudge.core.reason import Reason, unread
from adjudge.core.rubric import (
    Claims,
    Criterion,
    ErrorSpans,
    Evidence,
    Overall,
    Requirement,
    Rubric,
    Rule,
    Trajectory,
)
from adjudge.errors import DefinitionError

from . import spec, templates, validation, yaml_lines
from .complaints import complaint, placed
from .examples import example_text
from .scale_spec import SpecPart
from .templates import DEFAULT_PROMPT, DEFAULT_SYSTEM
from .yaml_lines import parse


def read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        why = Reason("judge.no_file")
    except (OSError, UnicodeDecodeError) as error:
        why = unread(error)
    raise DefinitionError(why.in_file(path))


# By text, since a judge never changes: a run needs its own once more for its figures, and a page
# those of every run that it shows.
_LOADED: dict[str, Judge] = {}
_MOST = 64
_PROBLEMS = 1000  # that are looked into: each is compared with all keys that the format knows
_TEXT = "_text"  # beside the fields: what a judge was loaded from


def load_text(text: str, file: str) -> Judge:
    """Checks everything that can be checked without a dataset; errors name the file."""
    judge = _LOADED.get(text)
    if judge is None:
        judge = _checked(text, file)
        judge.__dict__[_TEXT] = text
        if len(_LOADED) >= _MOST:
            _LOADED.clear()
        _LOADED[text] = judge
    return judge


def text_of(judge: Judge) -> str | None:
    """The text that a judge was loaded from; None where it was changed in Python afterwards."""
    text: str | None = judge.__dict__.get(_TEXT)
    return text


class _Quoting(yaml.SafeDumper):
    """Texts in quotes: none is taken for a number or a word of YAML."""


_Quoting.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
)


def text_from(definition: Mapping[str, object]) -> str:
    """What a judge's file would say; DefinitionError for what no file could hold."""
    try:
        return yaml.dump(
            dict(definition), Dumper=_Quoting, sort_keys=False, allow_unicode=True, width=10**6
        )
    except yaml.YAMLError as error:
        raise DefinitionError(Reason("judge.no_yaml", why=str(error.args[-1]))) from None


def _checked(text: str, file: str) -> Judge:
    document = yaml_lines.parse(text, file)
    if not isinstance(document.values, dict):
        raise DefinitionError(placed(document, (), Reason("judge.no_mapping")))
    try:
        parsed = spec.JudgeFile.model_validate(document.values)
    except ValidationError as error:
        wrong = error.errors(include_url=False)
        complaints = [complaint(document, dict(problem)) for problem in wrong[:_PROBLEMS]]
        raise _refusal(complaints) from None
    _refuse(document, validation.definition_problems(parsed))
    judge = _build(parsed)
    problems = validation.template_problems(judge)
    _refuse(document, [((key,), why, line) for key, line, why in problems])
    return judge


def _refuse(
    document: yaml_lines.Document, problems: Sequence[validation.DefinitionProblem]
) -> None:
    if problems:
        raise _refusal([placed(document, *problem) for problem in problems])


def _refusal(problems: Sequence[Reason]) -> DefinitionError:
    first, *others = dict.fromkeys(problems)
    if not others:
        return DefinitionError(first)
    return DefinitionError(Reason("judge.several", problems=(first, *others)))


_Noun = TypeVar("_Noun")


def _noun(kind: type[_Noun], stated: SpecPart, **settled: Any) -> _Noun:
    """The noun with what the file states under the same names (its `from` are inputs), lists as
    tuples, and with what had to be `settled`."""
    named = {"inputs" if name == "from_" else name: value for name, value in stated}
    known: Any = kind
    stated_values = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in named.items()
        if name in known.__dataclass_fields__
    }
    return kind(**stated_values | settled)


def _perhaps(kind: type[_Noun], stated: SpecPart | None) -> _Noun | None:
    return None if stated is None else _noun(kind, stated)


def _title(name: str, title: str | None) -> str:
    return title or name.replace("_", " ").capitalize()


_FOCUS = "focus"  # steers in every judge, unless its file says otherwise


def _build(parsed: spec.JudgeFile) -> Judge:
    """From the checked file to the frozen noun."""
    # Where nothing is marked, nothing can be trusted: every input is then fenced.
    parted = templates.parts_in(parsed.prompt) if parsed.prompt else frozenset()
    none_judged = not any(field.judged for field in parsed.inputs.values())
    rubric = _rubric(parsed)
    lists = {c.checklist.column for c in rubric.criteria.values() if c.checklist}
    return Judge(
        name=parsed.judge,
        version=parsed.version,
        title=parsed.title,
        language=parsed.language,
        explain_in=parsed.explain_in,
        inputs={
            name: _noun(
                Input,
                field,
                name=name,
                title=_title(name, field.title),
                judged=field.judged or (none_judged and name not in lists),
                steers=name == _FOCUS if field.steers is None else field.steers,
                parted=name in parted or name in lists,
                checklist=name in lists,
            )
            for name, field in parsed.inputs.items()
        }
        | _list_inputs(parsed),
        rubric=rubric,
        wording=wording_for(parsed.language),
        feedback={
            name: _noun(Feedback, section, name=name, title=_title(name, section.title))
            for name, section in parsed.feedback.items()
        },
        prepare=tuple(_noun(Preparation, step) for step in parsed.prepare),
        pair=_perhaps(Pair, parsed.pair),
        ask=parsed.ask,
        reply=parsed.reply,
        system=parsed.system or ("" if parsed.prompt else DEFAULT_SYSTEM),
        prompt=parsed.prompt or DEFAULT_PROMPT,
        verbatim=parsed.verbatim,
        absent=tuple(parsed.absent),
        likelihood=parsed.likelihood or "",
        score_first=parsed.score_first,
        first=parsed.first,
        examples=tuple(map(partial(_example, rubric), parsed.examples)),
        nearest=parsed.nearest or 0,
        drafted=parsed.drafted if isinstance(parsed.drafted, str) else "?" * parsed.drafted,
    )


def _example(rubric: Rubric, example: spec.ExampleSpec) -> GradedExample:
    scales = {name: criterion.scale for name, criterion in rubric.criteria.items()}
    return GradedExample(
        item={name: example_text(value) for name, value in example.item.items()},
        scores={name: scales[name].read(value) for name, value in example.scores.items()},
        explanations={name: text.strip() for name, text in example.explanations.items()},
    )


def _rubric(parsed: spec.JudgeFile) -> Rubric:
    criteria = {
        name: _noun(
            Criterion,
            criterion,
            name=name,
            title=_title(name, criterion.title),
            guide=criterion.guide.strip(),
            scale=criterion.measure(),
            explain=criterion.explain if criterion.trajectory is None else False,
            required=_requirement(criterion.required),
            evidence=_perhaps(Evidence, criterion.evidence),
            checklist=_checklist(parsed, criterion),
            claims=_perhaps(Claims, criterion.claims),
            errors=_perhaps(ErrorSpans, criterion.errors),
            trajectory=_trajectory(parsed, criterion.trajectory),
        )
        for name, criterion in parsed.criteria.items()
    }
    rules = []
    for rule in parsed.rules:
        first = next(iter([*rule.cap, *rule.floor]))
        criterion, dot, flag = rule.flag.rpartition(".")
        rules.append(
            Rule(
                id=rule.id,
                criterion=criterion if dot else first,
                flag=flag,
                when=rule.when.strip(),
                cap={name: criteria[name].scale.read(value) for name, value in rule.cap.items()},
                floor={name: criteria[name].scale.read(v) for name, v in rule.floor.items()},
            )
        )
    return Rubric(criteria=criteria, rules=tuple(rules), overall=_overall(parsed))


def _overall(parsed: spec.JudgeFile) -> Overall | None:
    if parsed.overall is None:
        return None
    over = tuple(parsed.overall.over or parsed.criteria)
    return Overall(
        kind=parsed.overall.from_, over=over, threshold=spec.threshold_of(parsed.overall.pass_)
    )


def _requirement(stated: bool | str | spec.RequirementSpec) -> Requirement | None:
    if isinstance(stated, spec.RequirementSpec):
        return Requirement(threshold=spec.threshold_of(stated.pass_), cap=stated.cap)
    if isinstance(stated, str):
        return Requirement(threshold=spec.threshold_of(stated))
    return Requirement() if stated else None


def _checklist(parsed: spec.JudgeFile, criterion: spec.CriterionSpec) -> Checklist | None:
    listing = criterion.listing()
    if listing is None or listing.column is None:
        return listing
    return replace(listing, column=_list_input(parsed, listing.column))


def _list_input(parsed: spec.JudgeFile, column: str) -> str:
    """The input that a list comes from: one of that name, else one made for the column."""
    if column in parsed.inputs:
        return column
    name = re.sub(r"[^a-z0-9]+", "_", column.casefold()).strip("_")
    return name if name[:1].isalpha() else f"list_{name}"


def _list_inputs(parsed: spec.JudgeFile) -> dict[str, Input]:
    """Those that a file names as the place of a checklist, and not among its inputs."""
    listings = (criterion.listing() for criterion in parsed.criteria.values())
    columns = [listing.column for listing in listings if listing and listing.column]
    return {
        name: Input(name=name, title=column, columns=(column,), parted=True, checklist=True)
        for column in columns
        if (name := _list_input(parsed, column)) not in parsed.inputs
    }


def _trajectory(parsed: spec.JudgeFile, asked: spec.TrajectorySpec | None) -> Trajectory | None:
    if asked is None:
        return None
    traces = [name for name, field in parsed.inputs.items() if field.type == "trace"]
    own = asked.input or next((name for name in traces if name != asked.reference), "")
    others = (name for name in traces if name != own)
    reference = (asked.reference or next(others, "")) if asked.match else ""
    return _noun(Trajectory, asked, input=own, reference=reference)


_FOLDER = files(__package__).joinpath("wording")


def worded_languages() -> list[str]:
    """The languages that have phrases of their own."""
    return sorted(f.name.removesuffix(".yaml") for f in _FOLDER.iterdir() if f.name[-5:] == ".yaml")


@cache
def wording_for(language: str) -> Wording:
    """The phrases of a language; English for one that has none.

    A region is ignored: `pt-BR` is worded like `pt`.
    """
    base = language.partition("-")[0]
    name = base if base in worded_languages() else "en"
    values = parse(_FOLDER.joinpath(f"{name}.yaml").read_text("utf-8"), f"{name}.yaml").values
    assert isinstance(values, dict)  # noqa: S101 - our own file, held by a test
    names = values.pop("languages")
    further = values.pop("further", {})
    return Wording(language=name, phrases=values, languages=names, further=further)
