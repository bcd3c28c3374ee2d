"""Judges one item: ask, read, apply rules, check language, verdict.

This is the page to read first: batches, the command line and the Python front come through here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from adjudge.core.judge import Feedback, Judge
from adjudge.core.prompt import Prompt
from adjudge.core.reason import Reason
from adjudge.core.reply import NO_USAGE
from adjudge.core.score import SETTLED, UNANSWERED, Outcome, OverallScore, Score, TurnScore
from adjudge.core.verdict import Verdict
from adjudge.judges.first import committed
from adjudge.reading import (
    CriterionReading,
    apply_rules,
    combine_orders,
    combine_parts,
    likelihood_score,
    overall_score,
    score_of_turns,
    unswapped,
)

from .call import Answer, Caller, failed_like


async def judge_item(
    caller: Caller, prompts: Sequence[Prompt], keys: Sequence[str] = ()
) -> Verdict:
    """The verdict of one judge and model on one item; a failure is an outcome in it, not an error.

    `prompts` are all calls about the item, as `Renderer.prompts` makes them; `keys` is what the
    replies to their `requests` are kept under, where any are kept. Only a fatal ProviderError
    (wrong key, unknown model) is raised: every other row would meet it.
    """
    judge, keys = caller.judge, keys or [""] * len(prompts)
    own = await caller.commit(prompts[0], keys[0]) if prompts[0].first else None
    if own is None:
        answers = await _answers(caller, prompts, keys)
    elif own.failure is not None:
        answers = [own, *(failed_like(own, prompt) for prompt in prompts[1:])]
    else:
        prompts = [committed(prompt, own.asked[0].reply.text) for prompt in prompts]
        answers = await _answers(caller, prompts, [caller.client.key(p) for p in prompts])
        answers[0].begin_with(own)

    came_to = conclude(judge, answers)
    usage = sum((answer.usage for answer in answers), start=NO_USAGE)
    return Verdict(
        item=prompts[0].item,
        judge=judge.name,
        fingerprint=judge.fingerprint,
        model=caller.client.model.name,
        repeat=prompts[0].sample,
        outcome=came_to.outcome,
        scores=came_to.scores,
        feedback=came_to.feedback,
        flags=came_to.flags,
        notes=(*came_to.notes, *usage.doubts),
        usage=usage,
        attempts=sum(answer.attempts for answer in answers),
        latency_ms=round(sum(answer.latency_ms for answer in answers), 1),
        calls=tuple(answer.record() for answer in answers),
        cuts=prompts[0].cuts,
        overall=came_to.overall,
    )


async def _answers(caller: Caller, prompts: Sequence[Prompt], keys: Sequence[str]) -> list[Answer]:
    # The first call fills the provider's prefix cache, which the others of the item then share.
    answers = [await caller.call(prompts[0], keys[0])]
    if len(prompts) > 1:
        answers += await gather(map(caller.call, prompts[1:], keys[1:]))
    return answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What the readings of all calls on one item come to; the fields are those of the Verdict."""

    outcome: Outcome
    scores: Mapping[str, Score]
    feedback: Mapping[str, str | tuple[str, ...]]
    flags: Mapping[str, bool]
    notes: tuple[Reason, ...]
    overall: OverallScore | None = None


def conclude(judge: Judge, answers: Sequence[Answer]) -> Conclusion:
    """Makes the orders of a pair one, applies the rules and marks wrong languages; asks nobody."""
    if judge.method == "likelihood":
        return _of_likelihoods(judge, answers)
    if judge.turned is not None and judge.calls():
        return _of_turns(judge, answers)
    return _concluded(judge, answers)


def _of_turns(judge: Judge, answers: Sequence[Answer]) -> Conclusion:
    """Each turn by itself, and of each criterion one score of all: the mean, or for yes and no
    whether all are yes. It has no value where a turn has none."""
    turns = sorted({answer.prompt.turn or 0 for answer in answers})
    by_turn = {
        turn: _concluded(judge, [a for a in answers if (a.prompt.turn or 0) == turn])
        for turn in turns
    }
    role, first = answers[0].prompt.role, by_turn[turns[0]]
    scores: dict[str, Score] = {}
    for name in first.scores:
        if judge.rubric.criteria[name].trajectory is not None:
            scores[name] = first.scores[name]
            continue
        parts = tuple(
            TurnScore(turn=turn, role=role, score=by_turn[turn].scores[name]) for turn in turns
        )
        scores[name] = score_of_turns(judge.rubric.criteria[name].scale, parts)
    flags = {n: truth for turn in turns for n, truth in by_turn[turn].flags.items() if truth}
    return Conclusion(
        outcome=outcome_of(scores),
        scores=scores,
        feedback=by_turn[turns[-1]].feedback,
        flags={**first.flags, **flags},
        notes=tuple(note for turn in turns for note in by_turn[turn].notes),
        overall=overall_score(judge.rubric, scores),
    )


def _concluded(judge: Judge, answers: Sequence[Answer]) -> Conclusion:
    readings, marks = _readings(judge, answers)
    flags = {name: truth for answer in answers for name, truth in answer.reading.flags.items()}
    scores = apply_rules(judge.rubric, readings, flags)
    if computed := answers[0].prompt.computed:
        scores = {name: computed.get(name) or scores[name] for name in judge.rubric.criteria}
    for name, mark in marks.items():
        scores[name] = replace(scores[name], rule=mark, raw=readings[name].raw)
    feedback = _feedback(judge, answers)
    # The texts of the order "ba" are shown only where the orders disagree.
    shown = [answer for answer in answers if marks or answer.prompt.order != "ba"]
    wrong = {where: seen for answer in shown for where, seen in answer.wrong.items()}
    scores = _with_language(judge, scores, wrong)
    return Conclusion(
        outcome=outcome_of(scores),
        scores=scores,
        feedback=feedback,
        flags=flags,
        notes=(
            *notes_on(judge.explaining(answers[0].prompt.explain_in), scores, feedback, wrong),
            *(note for answer in answers for note in answer.notes),
        ),
        overall=overall_score(judge.rubric, scores),
    )


def _of_likelihoods(judge: Judge, answers: Sequence[Answer]) -> Conclusion:
    """From all parts of the variant; there is nothing else in such answers."""
    parts: dict[str, dict[str, CriterionReading]] = {}
    for answer in answers:
        for name, part in answer.reading.scores.items():
            parts.setdefault(name, {})[str(answer.prompt.order)] = part
    scores = {
        name: likelihood_score(combine_parts(judge.variant, of), judge.variant)
        for name, of in parts.items()
    }
    return Conclusion(outcome=outcome_of(scores), scores=scores, feedback={}, flags={}, notes=())


def _readings(
    judge: Judge, answers: Sequence[Answer]
) -> tuple[dict[str, CriterionReading], dict[str, str]]:
    """What all calls found, by criterion; for a pair the two orders made one, with its mark."""
    if judge.pair is None:
        return {n: f for answer in answers for n, f in answer.reading.scores.items()}, {}
    by_order: dict[str, dict[str, CriterionReading]] = {"ab": {}, "ba": {}}
    for answer in answers:
        by_order[str(answer.prompt.order)] |= answer.reading.scores
    readings, marks = {}, {}
    for name, ab in by_order["ab"].items():
        ba = unswapped(judge.pair, by_order["ba"][name])
        readings[name], mark = combine_orders(judge.pair, ab, ba)
        if mark:
            marks[name] = mark
    return readings, marks


def _feedback(judge: Judge, answers: Sequence[Answer]) -> dict[str, str | tuple[str, ...]]:
    """The sections of all calls. Of a pair, those of the order "ab": the others name the answers
    by the places that they had there."""
    shown = [answer for answer in answers if answer.prompt.order != "ba"]
    texts = {name: text for answer in shown for name, text in answer.reading.feedback.items()}
    return {name: texts[name] for name in judge.feedback if name in texts}


def _with_language(
    judge: Judge, scores: Mapping[str, Score], wrong: Mapping[str, str]
) -> dict[str, Score]:
    """Marks explanations in the wrong language; the score itself stands."""
    out = dict(scores)
    for name, score in scores.items():
        section = judge.rubric.criteria[name].explain
        where = f"feedback.{section}" if isinstance(section, str) else f"scores.{name}"
        if where in wrong and score.explanation_outcome is None:
            out[name] = replace(score, explanation_outcome=Outcome.WRONG_LANGUAGE)
    return out


def notes_on(
    judge: Judge,
    scores: Mapping[str, Score],
    feedback: Mapping[str, str | tuple[str, ...]],
    wrong: Mapping[str, str],
) -> Iterator[Reason]:
    """What is unusual about a verdict without touching its scores; nothing where it is as the judge
    asked for it."""
    for where, seen in wrong.items():
        yield Reason("note.wrong_language", where=where, wanted=judge.explain_in, seen=seen)
    if all(score.outcome not in SETTLED for score in scores.values()):
        return
    for name, score in scores.items():
        scored = score.outcome is Outcome.SCORED
        if scored and judge.rubric.criteria[name].explain is True and not score.explanation:
            yield Reason("note.no_explanation", criterion=name)
    for section in judge.feedback.values():
        text = feedback.get(section.name)
        if not text:
            yield Reason("note.no_section", section=section.name)
        elif isinstance(text, tuple) and not section.takes(len(text)):
            yield Reason("note.entries", n=len(text), section=section.name, wanted=_wanted(section))


def _wanted(section: Feedback) -> Reason:
    if section.least is None:
        return Reason("range.at_most", n=section.most)
    if section.most is None:
        return Reason("range.at_least", n=section.least)
    return Reason("range.numbers", low=section.least, high=section.most)


def outcome_of(scores: Mapping[str, Score]) -> Outcome:
    """`scored` when every criterion is, or does not apply; otherwise how the first one failed.

    A criterion that got no answer at all goes before the others: the verdict is then asked for
    again when the run continues.
    """
    outcomes = [score.outcome for score in scores.values()]
    failed = [outcome for outcome in outcomes if outcome not in SETTLED]
    if failed:
        return next((outcome for outcome in failed if outcome in UNANSWERED), failed[0])
    return Outcome.SCORED if Outcome.SCORED in outcomes else Outcome.NOT_APPLICABLE


T = TypeVar("T")


async def gather(works: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All results in their order; the first failure stops the others and is raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return await asyncio.gather(*tasks)
    finally:
        # gather alone lets the others continue: they would ask, and spend, unseen.
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
