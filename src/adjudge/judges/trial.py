"""Renders a judge once with sample texts, so that a template fails before anything is spent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import get_args

from adjudge.core.item import Item
from adjudge.core.judge import Judge, Variant
from adjudge.core.prompt import Prompt
from adjudge.errors import UsageError

from . import templates
from .likelihood import LikelihoodRenderer
from .render import BadTemplate, Renderer

Problem = tuple[str, int, str]  # key, line within its text (0: the whole), what is wrong

_BEGIN, _END = "730941", "730942"  # of a sample; the input's number follows in six digits
_BREAKS_THE_FENCE = (
    "changes `{name}` on the way (by a filter, or by showing a part of it), which breaks the fence"
    " around it; write just {{{{ {name} }}}}."
)
_DEPENDS = (
    "with --variant {variant}: {problem} `given` holds the texts that are there, several, one or"
    " none: write {{% for each in given %}}{{{{ each.text }}}}{{% endfor %}}."
)


def problems(judge: Judge) -> list[Problem]:
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
    found = [_shown_badly(renderer, prompt) for prompt in full if prompt.order != "ba"]
    return list(dict.fromkeys(each for badly in found for each in badly))


def _likelihood_problem(
    judge: Judge, full: Mapping[str, str], least: Mapping[str, str]
) -> Problem | None:
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
            told = _DEPENDS.format(problem=bad.problem, variant=variant) if worked else bad.problem
            return bad.key, bad.line, told
    return None


def _samples(judge: Judge) -> dict[str, str]:
    """Digits, which no change of case hides, between a beginning and an end of each input's own;
    long enough for a template that shows only a part to lose the end."""
    inputs = enumerate(judge.inputs)
    return {name: f"{_begins(at)}{' 0123456789' * 400} {_ends(at)}" for at, name in inputs}


def _begins(at: int) -> str:
    return f"{_BEGIN}{at:06}"


def _ends(at: int) -> str:
    return f"{_END}{at:06}"


def _shown_badly(renderer: Renderer, prompt: Prompt) -> Iterator[Problem]:
    judge, text, mark = renderer.judge, prompt.messages[-1].content, renderer.mark
    # All inputs at once: a search of its own for each takes minutes where there are thousands.
    shown = Counter(re.findall(rf"{_BEGIN}(\d{{6}})", text))
    block = rf"<<<\w+ {mark}\s+{_BEGIN}(\d{{6}})[\d\s]+{_END}(\d{{6}})\s+\w+ {mark}>>>"
    fenced = Counter(begun for begun, ended in re.findall(block, text) if begun == ended)
    for at, (name, spec) in enumerate(judge.inputs.items()):
        times = shown[f"{at:06}"]
        if not times and (spec.required or spec.judged):
            if not templates.prints(judge.prompt, name):
                yield "prompt", 0, f"never shows the input `{name}`; add {{{{ {name} }}}}."
        elif spec.judged and not judge.verbatim and fenced[f"{at:06}"] < times:
            yield "prompt", 0, _BREAKS_THE_FENCE.format(name=name)
