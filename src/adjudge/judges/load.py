"""A judge file → Judge, or an error that names file, line, key and remedy."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from adjudge.core.judge import Feedback, Input, Judge, Pair, Preparation
from adjudge.core.rubric import Criterion, Rubric, Rule
from adjudge.errors import DefinitionError

from . import cross_checks, spec, yaml_lines
from .templates import DEFAULT_PROMPT, DEFAULT_SYSTEM
from .wording import wording_for


def read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise DefinitionError(f"{path}: there is no such file.") from None
    except UnicodeDecodeError as error:
        raise DefinitionError(
            f"{path}: not UTF-8 (byte {error.start}). Save the file as UTF-8."
        ) from None
    except OSError as error:
        raise DefinitionError(f"{path}: cannot be read: {error.strerror}.") from None


def load_text(text: str, file: str) -> Judge:
    """Checks everything that can be checked without a dataset."""
    document = yaml_lines.parse(text, file)
    if not isinstance(document.values, dict):
        raise DefinitionError(
            f"{file}, line 1: a judge file is a mapping, e.g. `judge: politeness`."
        )
    try:
        parsed = spec.JudgeFile.model_validate(document.values)
    except ValidationError as error:
        told = [_tell(document, dict(problem)) for problem in error.errors(include_url=False)]
        raise DefinitionError("\n".join(dict.fromkeys(told))) from None
    problems = cross_checks.problems(parsed)
    if problems:
        raise DefinitionError("\n".join(_place(document, path, text) for path, text in problems))
    return _build(parsed)


def _place(document: yaml_lines.Document, path: yaml_lines.Path, text: str) -> str:
    line, _ = document.locate(path)
    key = ".".join(map(str, path))
    return f"{document.file}, line {line}, {key}: {text}"


def _tell(document: yaml_lines.Document, problem: dict[str, Any]) -> str:
    """One line for one of pydantic's findings, with the remedy."""
    kind, given = problem["type"], problem.get("input")
    _, found = document.locate(problem["loc"])
    if kind == "missing":
        key = problem["loc"][-1]
        return _place(document, found, f"the key `{key}` is missing. Add `{key}: …`.").replace(
            ", : ", ": "
        )
    if kind == "extra_forbidden":
        return _place(document, found, _unknown_key(str(found[-1]), found))
    message = problem["msg"].removeprefix("Value error, ")
    if kind in {"union_tag_invalid", "union_tag_not_found"}:
        message = "a scale has a `type`: ordinal, integer, number, binary or category"
    elif kind == "string_type":
        message = f"must be a text, not {given!r}; put it into quotes"
    elif kind == "string_pattern_mismatch":
        message = _pattern_help(str(problem["ctx"]["pattern"]), given)
    elif kind not in {"value_error", "too_short", "literal_error"}:
        message = f"{message}, not {given!r}"
    return _place(document, found, message + ".")


def _pattern_help(pattern: str, given: object) -> str:
    if "{2,3}" in pattern:
        return f"{given!r} is no language code; write e.g. en, ko, vi"
    return f"{given!r} is no name here; use small letters, digits and _, a letter first"


def _unknown_key(key: str, path: yaml_lines.Path) -> str:
    known = _known_keys(path[:-1])
    near = difflib.get_close_matches(key, known, 1)
    meant = f" Did you mean `{near[0]}`?" if near else ""
    return f"unknown key.{meant} Known here: {', '.join(known)}."


def _known_keys(path: yaml_lines.Path) -> list[str]:
    """The keys that the format knows at a place."""
    models: dict[str, type[BaseModel]] = {
        "inputs": spec.InputSpec,
        "feedback": spec.FeedbackSpec,
        "rules": spec.RuleSpec,
        "prepare": spec.PrepareSpec,
        "pair": spec.PairSpec,
    }
    model = models.get(str(path[0]) if path else "", spec.JudgeFile)
    if path[:1] == ("criteria",):
        if len(path) > 2:
            return ["type", "levels", "min", "max", "options", "label", "meaning"]
        model = spec.CriterionSpec
    return list(model.model_fields)


def _title(name: str, given: str | None) -> str:
    return given or name.replace("_", " ").capitalize()


def _build(parsed: spec.JudgeFile) -> Judge:
    """From the checked file to the frozen noun."""
    # Where nothing is marked, nothing can be trusted: every input is then fenced.
    none_judged = not any(each.judged for each in parsed.inputs.values())
    return Judge(
        name=parsed.judge,
        version=parsed.version,
        title=parsed.title,
        language=parsed.language,
        explain_in=parsed.explain_in,
        inputs={
            name: Input(
                name=name,
                title=_title(name, each.title),
                required=each.required,
                judged=each.judged or none_judged,
                columns=tuple(each.columns),
            )
            for name, each in parsed.inputs.items()
        },
        rubric=_rubric(parsed),
        wording=wording_for(parsed.language),
        feedback={
            name: Feedback(
                name=name,
                title=_title(name, each.title),
                guide=each.guide,
                list=each.list,
                least=each.least,
                most=each.most,
            )
            for name, each in parsed.feedback.items()
        },
        prepare=tuple(Preparation(input=each.input, do=each.do) for each in parsed.prepare),
        pair=_pair(parsed.pair),
        ask=parsed.ask,
        reply=parsed.reply,
        system=parsed.system or ("" if parsed.prompt else DEFAULT_SYSTEM),
        prompt=parsed.prompt or DEFAULT_PROMPT,
        verbatim=parsed.verbatim,
    )


def _rubric(parsed: spec.JudgeFile) -> Rubric:
    criteria = {
        name: Criterion(
            name=name,
            title=_title(name, each.title),
            guide=each.guide.strip(),
            scale=each.scale.scale(),
            steps=tuple(each.steps),
            explain=each.explain,
        )
        for name, each in parsed.criteria.items()
    }
    rules = []
    for each in parsed.rules:
        first = next(iter([*each.cap, *each.floor]))
        criterion, dot, flag = each.flag.rpartition(".")
        rules.append(
            Rule(
                id=each.id,
                criterion=criterion if dot else first,
                flag=flag,
                when=each.when.strip(),
                cap={name: criteria[name].scale.read(value) for name, value in each.cap.items()},
                floor={name: criteria[name].scale.read(v) for name, v in each.floor.items()},
            )
        )
    return Rubric(criteria=criteria, rules=tuple(rules))


def _pair(pair: spec.PairSpec | None) -> Pair | None:
    if pair is None:
        return None
    (first, second), (one, other) = pair.inputs, pair.values
    return Pair(inputs=(first, second), values=(one, other), tie=pair.tie)
