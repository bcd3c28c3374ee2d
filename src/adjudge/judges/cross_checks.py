"""What must hold between the parts of a judge file."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.core.scale import NotAValue

from . import spec, templates
from .reply_form import EXPLANATION, SCORE
from .yaml_lines import Path

Problem = tuple[Path, str] | tuple[Path, str, int]  # the third: the line within a text


def problems(judge: spec.JudgeFile) -> list[Problem]:
    """Places and texts, in the order of the file."""
    return [
        *_names(judge),
        *_titles(judge),
        *_columns(judge),
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
        if name in templates.OWN_NAMES | templates.RESERVED:
            yield ("inputs", name), f"`{name}` has a meaning of its own in prompts; rename it."
    for part, names in (("criteria", judge.criteria), ("feedback", judge.feedback)):
        if EXPLANATION in names:
            yield (
                (part, EXPLANATION),
                f"`{EXPLANATION}` is where a reply explains its score; rename it.",
            )


def _titles(judge: spec.JudgeFile) -> Iterator[Problem]:
    """A reply in text is read by the titles of its headings."""
    seen: set[str] = set()
    for part, entries in (("criteria", judge.criteria), ("feedback", judge.feedback)):
        for name, each in entries.items():
            title = (each.title or name.replace("_", " ")).strip().casefold()
            if title in seen:
                yield (part, name, "title"), "this title stands twice; give each part its own."
            seen.add(title)


def _columns(judge: spec.JudgeFile) -> Iterator[Problem]:
    fed_by = {name: name for name in judge.inputs}
    for name, each in judge.inputs.items():
        for at, column in enumerate(each.columns):
            other = fed_by.setdefault(column.strip().casefold(), name)
            if other != name:
                yield (
                    ("inputs", name, "columns", at),
                    f"the column {column!r} feeds {other} already; remove it in one place.",
                )


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
        if flag in {*seen_flags, *judge.criteria, *judge.feedback, EXPLANATION, SCORE}:
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
            known = ", ".join(judge.inputs)
            yield ("pair", "inputs", at), f"there is no input {name!r} (inputs: {known})."
    if len(set(judge.pair.inputs)) < 2:
        yield ("pair", "inputs"), "a pair is made of two different inputs; name both."
    if len({*judge.pair.values, judge.pair.tie}) < 3:
        yield ("pair", "values"), "the two values and the tie must differ, e.g. [a, b] and tie."
    needed = {*judge.pair.values, judge.pair.tie}
    for name, criterion in judge.criteria.items():
        held = criterion.scale.scale().values() or ()
        if not needed <= set(held):
            yield (
                ("criteria", name, "scale"),
                f"a judge of pairs needs a category with the options {', '.join(sorted(needed))}.",
            )


def _templates(judge: spec.JudgeFile) -> Iterator[Problem]:
    """What can be told without rendering; trial.py renders."""
    if judge.verbatim and not judge.prompt:
        yield ("verbatim",), "there is no `prompt` to send as it stands; add one."
    for key, text in (("system", judge.system), ("prompt", judge.prompt)):
        wrong = templates.problems(text, list(judge.inputs)) if text else []
        for line, problem in wrong:
            yield (key,), problem, line
        if key == "system" and text and not wrong:
            shown = templates.names_in(text) & {*judge.inputs, "inputs"}
            if shown:
                named = ", ".join(sorted(shown))
                yield (key,), f"shows {named}, but is the same for all items; use `prompt` for it."
