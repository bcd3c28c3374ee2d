"""A judge file → Judge, or an error that names file, line, key and remedy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from adjudge.core.judge import Feedback, Input, Judge, Pair, Preparation
from adjudge.core.rubric import Criterion, Rubric, Rule
from adjudge.errors import DefinitionError

from . import cross_checks, spec, trial, yaml_lines
from .complaints import complaint, placed
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
        told = [complaint(document, dict(each)) for each in error.errors(include_url=False)]
        raise DefinitionError("\n".join(dict.fromkeys(told))) from None
    _refuse(document, cross_checks.problems(parsed))
    judge = _build(parsed)
    _refuse(document, [((key,), text, line) for key, line, text in trial.problems(judge)])
    return judge


def _refuse(document: yaml_lines.Document, problems: Sequence[cross_checks.Problem]) -> None:
    if problems:
        raise DefinitionError("\n".join(placed(document, *problem) for problem in problems))


def _title(name: str, given: str | None) -> str:
    return given or name.replace("_", " ").capitalize()


_FOCUS = "focus"  # steers wherever it is met, unless the file says otherwise


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
                steers=name == _FOCUS if each.steers is None else each.steers,
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
        likelihood=parsed.likelihood or "",
        score_first=parsed.score_first,
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
