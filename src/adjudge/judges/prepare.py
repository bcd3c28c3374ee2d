"""What a judge does to an input before the prompt is made; texts that are too long."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from adjudge.core.judge import Judge
from adjudge.core.language import detect_language
from adjudge.core.verdict import Cut, CutPart

from . import agent_trace
from .numbered import NumberedText, numbered

_DO: dict[str, Callable[[str], agent_trace.Trace]] = {"agent_trace": agent_trace.cut_trace}
_BEGINS = 80  # characters of a part that are shown with its length


def prepared_texts(judge: Judge, fields: Mapping[str, str]) -> dict[str, str]:
    """The item's texts by input, prepared; an optional input that is absent or blank is ""."""
    texts = _given(judge, fields)
    for name, trace in _traces(judge, texts).items():
        texts[name] = trace.answer
    return texts


def shown_texts(
    judge: Judge, fields: Mapping[str, str], shortened: Mapping[str, Cut]
) -> tuple[dict[str, str], dict[str, Cut]]:
    """The texts as a prompt shows them, and all that was cut out of those that are not whole.

    `shortened` says what to leave out of prepared texts that are too long, in characters.
    """
    texts, cuts = _given(judge, fields), {}
    for name, trace in _traces(judge, texts).items():
        if trace.parts:
            cuts[name] = Cut(len(trace.answer), 0, 0, tuple(_summed(texts[name], trace.parts)))
        texts[name] = trace.answer
    for name, cut in shortened.items():
        if cut.left_out:
            whole = texts[name]
            texts[name] = shortened_text(whole, cut, judge.language)
            if isinstance(whole, NumberedText):
                texts[name] = NumberedText.cut(texts[name])
            cuts[name] = replace(cut, parts=cuts[name].parts if name in cuts else ())
    return texts, cuts


def explanation_language(judge: Judge, texts: Mapping[str, str]) -> str | None:
    """The language to explain in, where the item decides it: that of its first text which is long
    enough to tell, else the judge's own. None where the judge says it."""
    if judge.explain_in != "data":
        return None
    seen = (detect_language(texts[name]) for name in judge.inputs if texts[name].strip())
    known = (language for language in seen if language in judge.wording.languages)
    return next(known, judge.language.partition("-")[0])


def cut_texts(judge: Judge, fields: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
    """By input, each part that is cut out of it: its kind and its text, in their order."""
    texts = _given(judge, fields)
    return {
        name: [(part.kind, texts[name][part.start : part.end]) for part in trace.parts]
        for name, trace in _traces(judge, texts).items()
        if trace.parts
    }


def _given(judge: Judge, fields: Mapping[str, str]) -> dict[str, str]:
    texts = {name: fields.get(name, "") for name in judge.inputs}
    for name, spec in judge.inputs.items():
        if not spec.required and not texts[name].strip():
            texts[name] = ""
        if not judge.verbatim and (entries := numbered(spec, texts[name])) is not None:
            texts[name] = entries
    return texts


def _traces(judge: Judge, texts: Mapping[str, str]) -> dict[str, agent_trace.Trace]:
    return {step.input: _DO[step.do](texts[step.input]) for step in judge.prepare}


def _summed(text: str, parts: tuple[agent_trace.TracePart, ...]) -> list[CutPart]:
    """The parts by kind: a hostile text may have thousands."""
    by_kind: dict[str, CutPart] = {}
    for part in parts:
        begins = text[part.start : min(part.end, part.start + _BEGINS)]
        so_far = by_kind.setdefault(part.kind, CutPart(part.kind, 0, 0, begins))
        by_kind[part.kind] = replace(
            so_far, count=so_far.count + 1, length=so_far.length + part.end - part.start
        )
    return list(by_kind.values())


# What stands where something was left out, so that no model takes the gap for the author's.
_SIGNS = {
    "en": "[… {count} characters left out …]",
    "ko": "[… 중간 {count}자 생략 …]",
    "vi": "[… lược bỏ {count} ký tự …]",
}
_NEAR = 60  # characters within which an edge of the gap moves to the end of a word


def cut_for(text: str, keep: int) -> Cut:
    """Where to cut so that `keep` characters are left, half of them at each end.

    An edge of the gap moves to white space where some is near, which leaves out a little more.
    """
    head = _back(text, (keep + 1) // 2)
    tail = len(text) - _on(text, len(text) - keep // 2)
    return Cut(head, len(text) - head - tail, tail)


def shortened_text(text: str, cut: Cut, language: str) -> str:
    """The head and the tail, with a sign between them that says how much is missing."""
    sign = _SIGNS.get(language.partition("-")[0], _SIGNS["en"]).format(count=f"{cut.left_out:,}")
    return f"{text[: cut.head]}\n{sign}\n{text[len(text) - cut.tail :]}"


def _back(text: str, place: int) -> int:
    spaces = (at for at in range(place, max(place - _NEAR, 0), -1) if text[at - 1].isspace())
    return next(spaces, place)


def _on(text: str, place: int) -> int:
    spaces = (at for at in range(place, min(place + _NEAR, len(text))) if text[at].isspace())
    return next(spaces, place)
