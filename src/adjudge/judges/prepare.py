"""What a judge may do to an input before the prompt is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from adjudge.core.judge import Judge

from . import agent_trace

_DO: dict[str, Callable[[str], str]] = {"agent_trace": agent_trace.cut}


def prepared(judge: Judge, fields: Mapping[str, str]) -> dict[str, str]:
    """The item's texts by input, prepared; an optional input that is absent or blank is ""."""
    texts = {name: fields.get(name, "") for name in judge.inputs}
    for name, spec in judge.inputs.items():
        if not spec.required and not texts[name].strip():
            texts[name] = ""
    for each in judge.prepare:
        texts[each.input] = _DO[each.do](texts[each.input])
    return texts
