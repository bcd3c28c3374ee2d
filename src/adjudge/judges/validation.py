"""What must hold between the parts of a judge file, and a first rendering with sample texts.

A template that fails does so before anything is spent.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import get_args

from adjudge.core.conversation import Turn, conversation_form
from adjudge.core.item import Item
from adjudge.core.judge import Judge, Variant
from adjudge.core.prompt import Prompt
from adjudge.core.reason import Reason, reason_of
from adjudge.core.rubric import OVERALL
from adjudge.core.scale import Binary, Category, NotAValue
from adjudge.errors import UsageError

from . import spec, templates
from .examples import example_text
from .likelihood import LikelihoodRenderer
from .render import Renderer
from .reply_form import EXPLANATION, SCORE
from .templates import BadTemplate
from .yaml_lines import Path

# The third is the line within a text.
DefinitionProblem = tuple[Path, Reason] | tuple[Path, Reason, int]


def definition_problems(judge: spec.JudgeFile) -> list[DefinitionProblem]:
    """Places and reasons, in the order of the file."""
    return [
        *_names(judge),
        *_titles(judge),
        *_columns(judge),
        *_explanations(judge),
        *_forms(judge),
        *_overall(judge),
        *_rules(judge),
        *_preparations(judge),
        *_pair(judge),
        *_turns(judge),
        *_trajectories(judge),
        *_first(judge),
        *_examples(judge),
        *_templates(judge),
    ]


def _names(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    """A reply holds criteria and feedback side by side, a prompt the inputs and our own names."""
    for name in judge.feedback:
        if name in judge.criteria:
            yield ("feedback", name), Reason("judge.same_name")
    for name in judge.inputs:
        if name in templates.OWN_NAMES | templates.RESERVED:
            yield ("inputs", name), Reason("judge.own_name", name=name)
    for part, names in (("criteria", judge.criteria), ("feedback", judge.feedback)):
        if EXPLANATION in names:
            yield (part, EXPLANATION), Reason("judge.explanation", name=EXPLANATION)


def _titles(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    """A reply in text is read by the titles of its headings."""
    seen: set[str] = set()
    for part, entries in (("criteria", judge.criteria), ("feedback", judge.feedback)):
        for name, entry in entries.items():
            title = (entry.title or name.replace("_", " ")).strip().casefold()
            if title in seen:
                yield (part, name, "title"), Reason("judge.same_title")
            seen.add(title)


def _columns(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    fed_by = {name: name for name in judge.inputs}
    for name, field in judge.inputs.items():
        for at, column in enumerate(field.columns):
            other = fed_by.setdefault(column.strip().casefold(), name)
            if other != name:
                why = Reason("judge.column_taken", column=column, other=other)
                yield ("inputs", name, "columns", at), why


def _explanations(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    for name, criterion in judge.criteria.items():
        if isinstance(criterion.explain, str) and criterion.explain not in judge.feedback:
            known = tuple(judge.feedback) or Reason("judge.none")
            why = Reason("judge.no_section", name=criterion.explain, known=known)
            yield ("criteria", name, "explain"), why


def _forms(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    """What criteria say about evidence, checklists, claims and errors."""
    for name, criterion in judge.criteria.items():
        path: Path = ("criteria", name)
        listing, stated = criterion.listing(), "checklist" if criterion.checklist else "rubric"
        if not criterion.has_measure:
            yield path, Reason("judge.key_missing", name="scale")
        for place, sources in _quoted(criterion):
            for at, source in enumerate(sources):
                if source not in judge.inputs:
                    yield (*path, *place, at), _no_input(source, judge)
        if listing is None:
            continue
        if listing.questions and not any(question.points > 0 for question in listing.questions):
            yield (*path, stated), Reason("checklist.no_points")
        if listing.column and listing.score == "sum" and criterion.scale is None:
            yield (*path, stated), Reason("judge.sum_scale")


def _quoted(criterion: spec.CriterionSpec) -> Iterator[tuple[Path, list[str]]]:
    """Where a criterion names inputs to quote from."""
    if criterion.evidence is not None:
        yield ("evidence", "from"), criterion.evidence.from_
    if criterion.claims is not None:
        yield ("claims", "against"), criterion.claims.against
    if criterion.errors is not None:
        yield ("errors", "from"), criterion.errors.from_


def _overall(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    if judge.overall is None:
        needing = [name for name, criterion in judge.criteria.items() if criterion.required]
        for name in needing:
            yield ("criteria", name, "required"), Reason("judge.no_overall")
        return
    if OVERALL in judge.criteria:
        yield ("criteria", OVERALL), Reason("judge.overall_taken")
    over = judge.overall.over or list(judge.criteria)
    for at, name in enumerate(over):
        place: Path = ("overall", "over", at) if judge.overall.over else ("overall",)
        if name not in judge.criteria:
            yield place, _no_criterion(name, judge)
        elif isinstance(judge.criteria[name].measure(), Category):
            yield place, Reason("judge.no_order", name=name)
    weights = [judge.criteria[name].weight for name in over if name in judge.criteria]
    if judge.overall.from_ == "weighted_mean" and not any(weight > 0 for weight in weights):
        yield ("overall",), Reason("judge.no_weight")


def _rules(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    seen_ids: set[str] = set()
    seen_flags: set[str] = set()
    for at, rule in enumerate(judge.rules):
        path: Path = ("rules", at)
        criterion, _, flag = rule.flag.rpartition(".")
        if rule.id in seen_ids:
            yield (*path, "id"), Reason("judge.same_rule", id=rule.id)
        if flag in {*seen_flags, *judge.criteria, *judge.feedback, EXPLANATION, SCORE}:
            yield (*path, "flag"), Reason("judge.flag_taken", name=flag)
        if criterion and criterion not in judge.criteria:
            yield (*path, "flag"), _no_criterion(criterion, judge)
        seen_ids.add(rule.id)
        seen_flags.add(flag)
        for kind, bounds in (("cap", rule.cap), ("floor", rule.floor)):
            for name, value in bounds.items():
                yield from _bound(judge, (*path, kind, name), name, value)


def _bound(
    judge: spec.JudgeFile, path: Path, name: str, value: spec.Limit
) -> Iterator[DefinitionProblem]:
    if name not in judge.criteria:
        yield path, _no_criterion(name, judge)
        return
    if not judge.criteria[name].has_measure:
        return
    scale = judge.criteria[name].measure()
    try:
        on_scale = scale.read(value)
    except NotAValue as error:
        yield path, Reason("judge.off_scale", name=name, why=reason_of(error))
        return
    if scale.unit(on_scale) is None:
        yield path, Reason("judge.no_order", name=name)


def _no_criterion(name: str, judge: spec.JudgeFile) -> Reason:
    return Reason("judge.no_criterion", name=name, known=tuple(judge.criteria))


def _no_input(name: str, judge: spec.JudgeFile) -> Reason:
    return Reason("judge.no_input", name=name, known=tuple(judge.inputs))


def _preparations(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    for at, step in enumerate(judge.prepare):
        if step.input not in judge.inputs:
            yield ("prepare", at, "input"), _no_input(step.input, judge)


def _pair(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    if judge.pair is None:
        return
    for at, name in enumerate(judge.pair.inputs):
        if name not in judge.inputs:
            yield ("pair", "inputs", at), _no_input(name, judge)
    if len(set(judge.pair.inputs)) < 2:
        yield ("pair", "inputs"), Reason("judge.one_of_pair")
    if len({*judge.pair.values, judge.pair.tie}) < 3:
        yield ("pair", "values"), Reason("judge.pair_values")
    needed = {*judge.pair.values, judge.pair.tie}
    for name, criterion in judge.criteria.items():
        held = criterion.measure().values() or ()
        if not needed <= set(held):
            why = Reason("judge.pair_scale", options=tuple(sorted(needed)))
            yield ("criteria", name, "scale"), why


def _turns(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    """Scores of turns are made one, so they need an order, and one conversation."""
    turned = [name for name, field in judge.inputs.items() if field.turns != "whole"]
    for name in turned[1:]:
        yield ("inputs", name, "turns"), Reason("judge.one_turned", name=turned[0])
    if turned and judge.pair:
        yield ("inputs", turned[0], "turns"), Reason("judge.turned_pair")
    if turned and judge.inputs[turned[0]].turns == "each":
        for name, criterion in judge.criteria.items():
            if criterion.scale is not None and criterion.scale.type == "category":
                yield ("criteria", name, "scale"), Reason("judge.turned_scale")


def _trajectories(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    traces = [name for name, field in judge.inputs.items() if field.type == "trace"]
    for name, criterion in judge.criteria.items():
        asked, path = criterion.trajectory, ("criteria", name, "trajectory")
        if asked is None:
            continue
        for key in filter(None, (asked.input, asked.reference)):
            if key not in traces:
                yield path, Reason("judge.no_trace", name=key)
        if len(traces) < (2 if asked.match else 1):
            yield path, Reason("judge.few_traces") if asked.match else Reason("judge.needs_trace")
        yes_or_no = asked.match is not None or asked.most is not None
        if yes_or_no != isinstance(criterion.measure(), Binary):
            why = Reason("judge.trace_binary") if yes_or_no else Reason("judge.trace_number")
            yield ("criteria", name, "scale"), why


def _first(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    if judge.first is None:
        return
    marked = any(spec.judged for spec in judge.inputs.values())
    if not marked or all(spec.judged for spec in judge.inputs.values()):
        yield ("first",), Reason("judge.first_nothing", first=judge.first)
    if judge.verbatim:
        yield ("first",), Reason("judge.first_verbatim", first=judge.first)


def _examples(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    if judge.nearest is not None and not judge.examples:
        yield ("nearest",), Reason("judge.no_examples")
    if judge.examples and judge.verbatim and "graded_examples" not in (judge.prompt or ""):
        yield ("examples",), Reason("judge.examples_verbatim")
    for at, example in enumerate(judge.examples):
        yield from _example(judge, ("examples", at), example)


def _example(
    judge: spec.JudgeFile, path: Path, example: spec.ExampleSpec
) -> Iterator[DefinitionProblem]:
    for name in example.item:
        if name not in judge.inputs:
            yield (*path, "item", name), _no_input(name, judge)
    for name, field in judge.inputs.items():
        if field.required and not example_text(example.item.get(name, "")).strip():
            yield (*path, "item"), Reason("judge.example_lacks", name=name)
    for name, value in example.scores.items():
        if name not in judge.criteria:
            yield (*path, "scores", name), _no_criterion(name, judge)
            continue
        try:
            judge.criteria[name].measure().read(value)
        except NotAValue as error:
            why = Reason("judge.off_scale", name=name, why=reason_of(error))
            yield (*path, "scores", name), why
    for name in example.explanations:
        if name not in example.scores:
            yield (*path, "explanations", name), Reason("judge.example_unscored", name=name)


def _templates(judge: spec.JudgeFile) -> Iterator[DefinitionProblem]:
    """What can be seen without rendering; `template_problems` renders."""
    if judge.verbatim and not judge.prompt:
        yield ("verbatim",), Reason("judge.no_prompt")
    for key, text in (("system", judge.system), ("prompt", judge.prompt)):
        wrong = templates.problems(text, list(judge.inputs), judge.absent) if text else []
        for line, problem in wrong:
            yield (key,), problem, line
        if key == "system" and text and not wrong:
            shown = templates.names_in(text) & {*judge.inputs, "inputs"}
            if shown:
                yield (key,), Reason("judge.system_shows", names=tuple(sorted(shown)))


TemplateProblem = tuple[str, int, Reason]  # key, line within its text (0: the whole), what is wrong

_BEGIN, _END = "730941", "730942"  # of a sample; the input's number follows in six digits


def template_problems(judge: Judge) -> list[TemplateProblem]:
    """What goes wrong with all inputs given, and with the required ones only."""
    texts = _samples(judge)
    least = {name: text for name, text in texts.items() if judge.inputs[name].required}
    try:
        if judge.method == "likelihood":
            LikelihoodRenderer(judge).prompts(Item("", texts))
        if judge.likelihood and (problem := _likelihood_problem(judge, texts, least)):
            return [problem]
        renderer = Renderer(judge, b"trial")
        full = renderer.prompts(Item("", texts))
        renderer.prompts(Item("", least))
    except BadTemplate as bad:
        return [(bad.key, bad.line, bad.problem)]
    # In the order "ba" the samples of a pair have changed places: "ab" shows the same faults.
    by_prompt = [_shown_badly(renderer, prompt) for prompt in full if prompt.order != "ba"]
    return list(dict.fromkeys(problem for badly in by_prompt for problem in badly))


def _likelihood_problem(
    judge: Judge, full: Mapping[str, str], least: Mapping[str, str]
) -> TemplateProblem | None:
    """The template is tried for every variant: what it is given differs, `pmi` gives nothing."""
    worked = False
    for variant in get_args(Variant):
        try:
            renderer = LikelihoodRenderer(replace(judge, variant=variant))
        except UsageError:
            continue  # not with these inputs, which matters to those alone who ask for it
        try:
            for texts in (full, least):
                renderer.prompts(Item("", texts))
                worked = True
        except BadTemplate as bad:
            why = bad.problem
            if worked:
                why = Reason("judge.depends", variant=variant, problem=why)
            return bad.key, bad.line, why
    return None


def _samples(judge: Judge) -> dict[str, str]:
    """Digits, which no change of case hides, between a beginning and an end of each input's own;
    long enough for a template that shows only a part to lose the end."""
    samples = {}
    for at, (name, field) in enumerate(judge.inputs.items()):
        text = f"{_BEGIN}{at:06}{' 0123456789' * 400} {_END}{at:06}"
        if field.type == "conversation":
            text = conversation_form([Turn(field.role, text)])
        samples[name] = text
    return samples


def _shown_badly(renderer: Renderer, prompt: Prompt) -> Iterator[TemplateProblem]:
    if not prompt.messages:
        return
    judge, text, mark = renderer.judge, prompt.messages[-1].content, renderer.mark
    # All inputs at once: a search of its own for each takes minutes where there are thousands.
    shown = Counter(re.findall(rf"{_BEGIN}(\d{{6}})", text))
    whole = rf"{_BEGIN}(\d{{6}})[\d\s]+{_END}(\d{{6}})"
    # of a turn or a step, behind what it is
    block = rf"<<<\w+ {mark}\s+(?:(?:\w+\n)?[\w ]*: )?{whole}\s+\w+ {mark}>>>"
    fenced = Counter(begun for begun, ended in re.findall(block, text) if begun == ended)
    for at, (name, field) in enumerate(judge.inputs.items()):
        times = shown[f"{at:06}"]
        if field.checklist:
            continue  # its questions stand in the form of the reply
        if not times and (field.required or field.judged):
            if not templates.prints(judge.prompt, name):
                yield "prompt", 0, Reason("judge.never_shown", name=name)
        elif field.judged and not judge.verbatim and fenced[f"{at:06}"] < times:
            yield "prompt", 0, Reason("judge.breaks_fence", name=name)
