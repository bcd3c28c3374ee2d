"""What must hold between the parts of a judge file."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.core.scale import NotAValue

from . import spec, templates
from .yaml_lines import Path

Problem = tuple[Path, str]


def problems(judge: spec.JudgeFile) -> list[Problem]:
    """Places and texts, in the order of the file."""
    return [
        *_names(judge),
        *_explanations(judge),
        *_rules(judge),
        *_preparations(judge),
        *_pair(judge),
        *_templates(judge),
    ]


def _names(judge: spec.JudgeFile) -> Iterator[Problem]:
    """A reply holds criteria and feedback side by side, a prompt the inputs and our own names."""
    for name in judge.feedback:
        if name in judge.criteria:
            yield ("feedback", name), "a criterion has this name too; rename one of them."
    for name in judge.inputs:
        if name in templates.OWN_NAMES:
            yield ("inputs", name), f"`{name}` has a meaning of its own in prompts; rename it."


def _explanations(judge: spec.JudgeFile) -> Iterator[Problem]:
    for name, criterion in judge.criteria.items():
        if isinstance(criterion.explain, str) and criterion.explain not in judge.feedback:
            known = ", ".join(judge.feedback) or "none"
            yield (
                ("criteria", name, "explain"),
                f"there is no feedback section {criterion.explain!r} (sections: {known}).",
            )


def _rules(judge: spec.JudgeFile) -> Iterator[Problem]:
    seen_ids: set[str] = set()
    seen_flags: set[str] = set()
    for at, rule in enumerate(judge.rules):
        path: Path = ("rules", at)
        criterion, _, flag = rule.flag.rpartition(".")
        if rule.id in seen_ids:
            yield (*path, "id"), f"another rule is called {rule.id!r}; ids must differ."
        if flag in seen_flags or flag in judge.criteria or flag in judge.feedback:
            yield (*path, "flag"), f"the name {flag!r} is taken; call this flag something else."
        if criterion and criterion not in judge.criteria:
            yield (*path, "flag"), _no_criterion(criterion, judge)
        seen_ids.add(rule.id)
        seen_flags.add(flag)
        for kind, bounds in (("cap", rule.cap), ("floor", rule.floor)):
            for name, value in bounds.items():
                yield from _bound(judge, (*path, kind, name), name, value)


def _bound(judge: spec.JudgeFile, path: Path, name: str, value: spec.Limit) -> Iterator[Problem]:
    if name not in judge.criteria:
        yield path, _no_criterion(name, judge)
        return
    scale = judge.criteria[name].scale.scale()
    try:
        on_scale = scale.read(value)
    except NotAValue as error:
        yield path, f"not on the scale of {name}: {error}."
        return
    if scale.unit(on_scale) is None:
        yield path, f"{name} is a category, which has no order; nothing can be capped on it."


def _no_criterion(name: str, judge: spec.JudgeFile) -> str:
    return f"there is no criterion {name!r} (criteria: {', '.join(judge.criteria)})."


def _preparations(judge: spec.JudgeFile) -> Iterator[Problem]:
    for at, each in enumerate(judge.prepare):
        if each.input not in judge.inputs:
            known = ", ".join(judge.inputs)
            yield ("prepare", at, "input"), f"there is no input {each.input!r} (inputs: {known})."


def _pair(judge: spec.JudgeFile) -> Iterator[Problem]:
    if judge.pair is None:
        return
    for at, name in enumerate(judge.pair.inputs):
        if name not in judge.inputs:
            yield ("pair", "inputs", at), f"there is no input {name!r}."
    needed = {*judge.pair.values, judge.pair.tie}
    for name, criterion in judge.criteria.items():
        held = criterion.scale.scale().values() or ()
        if not needed <= set(held):
            yield (
                ("criteria", name, "scale"),
                f"a judge of pairs needs a category with the options {', '.join(sorted(needed))}.",
            )


def _templates(judge: spec.JudgeFile) -> Iterator[Problem]:
    if judge.verbatim and not judge.prompt:
        yield ("verbatim",), "there is no `prompt` to send as it stands; add one."
    for key, text in (("system", judge.system), ("prompt", judge.prompt)):
        if text is not None:
            for line, problem in templates.problems(text, list(judge.inputs)):
                yield (key,), f"line {line} of the text: {problem}"
    if judge.prompt is None:
        return
    shown = templates.names_in(judge.prompt) | templates.names_in(judge.system or "")
    for name, each in judge.inputs.items():
        if name not in shown and (each.required or each.judged):
            yield ("prompt",), f"never shows the input `{name}`; add {{{{ {name} }}}}."
    if templates.names_in(judge.system or "") & set(judge.inputs):
        yield ("system",), "is the part that stays the same; inputs belong into `prompt`."
