"""What the item page shows of each verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.rubric import Rule
from adjudge.core.score import Score
from adjudge.core.verdict import Call, Cut, Verdict
from adjudge.errors import UsageError
from adjudge.judges.prepare import cut_texts
from adjudge.kept_run import Run
from adjudge.stores.records import Entry

from .texts import Shown, Span, Texts

_PARTS = 30  # of one text, shown each by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreView:
    """A criterion's score; `rule` is the one that changed it, where the judge names it."""

    name: str
    title: str
    score: Score
    rule: Rule | None
    explanation: Shown | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A reply, and the question that asked for it again where it is not the first."""

    question: Shown | None
    reply: Shown
    counted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    call: Call
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptView:
    """One call's messages by role; `target` is the text whose likelihood was asked for."""

    criterion: str | None
    order: str | None
    messages: tuple[tuple[str, Shown], ...]
    target: Shown | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CutView:
    """What was cut out of an input before it was judged; `texts` are the parts, by kind, where they
    are at hand."""

    input: str
    cut: Cut
    texts: tuple[tuple[str, Shown], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictView:
    """`problem` says why the prompts cannot be shown, None where they are."""

    judge: Judge
    verdict: Verdict
    scores: tuple[ScoreView, ...]
    feedback: tuple[tuple[str, tuple[Shown, ...]], ...]
    calls: tuple[CallView, ...]
    prompts: tuple[PromptView, ...]
    cuts: tuple[CutView, ...]
    problem: str | None


def verdict_views(
    run: Run, judges: Mapping[str, Judge], entries: Sequence[Entry], texts: Texts
) -> list[VerdictView]:
    """One for each entry, in their order."""
    views = []
    for number, entry in enumerate(entries):
        prompts: Sequence[Prompt] = ()
        problem = None
        try:
            prompts = run.prompts(entry)
        except UsageError as error:
            problem = str(error)
        judge = judges[entry.verdict.judge]
        view = verdict_view(judge, entry.verdict, prompts, texts, number)
        cuts = cut_views(judge, entry.verdict, entry.item.fields, texts, number)
        views.append(replace(view, problem=problem, cuts=cuts))
    return views


def cut_views(
    judge: Judge, verdict: Verdict, fields: Mapping[str, str], texts: Texts, number: int = 0
) -> tuple[CutView, ...]:
    """`fields` are the item's texts as they were given."""
    cut_out = cut_texts(judge, fields)
    return tuple(
        CutView(
            input=name,
            cut=cut,
            texts=tuple(
                (kind, texts.show(f"cut/{number}/{name}/{place}", text))
                for place, (kind, text) in enumerate(_a_few(cut_out.get(name, ())))
            ),
        )
        for name, cut in verdict.cuts.items()
    )


def _a_few(parts: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The parts; of more than a page can show, the last ones are made one."""
    rest = parts[_PARTS:]
    return [*parts[:_PARTS], *([("text", "\n\n".join(text for _, text in rest))] if rest else [])]


def verdict_view(
    judge: Judge, verdict: Verdict, prompts: Sequence[Prompt], texts: Texts, number: int = 0
) -> VerdictView:
    """`number` tells its texts from those of other verdicts on the page."""
    return VerdictView(
        judge=judge,
        verdict=verdict,
        scores=tuple(
            _score(judge, name, score, f"explanation/{number}/{name}", texts)
            for name, score in verdict.scores.items()
        ),
        feedback=_feedback(judge, verdict, f"feedback/{number}", texts),
        calls=tuple(
            _call(judge, verdict, call, f"reply/{number}/{place}", texts)
            for place, call in enumerate(verdict.calls)
        ),
        prompts=prompt_views(prompts, f"prompt/{number}", texts),
        cuts=(),
        problem=None,
    )


def _score(judge: Judge, name: str, score: Score, where: str, texts: Texts) -> ScoreView:
    return ScoreView(
        name=name,
        title=judge.rubric.title(name),
        score=score,
        rule=next((rule for rule in judge.rubric.rules if rule.id == score.rule), None),
        explanation=texts.show(where, score.explanation) if score.explanation else None,
    )


def _feedback(
    judge: Judge, verdict: Verdict, where: str, texts: Texts
) -> tuple[tuple[str, tuple[Shown, ...]], ...]:
    """The sections by title; one that serves as an explanation already is not shown twice."""
    said = {score.explanation for score in verdict.scores.values()}
    return tuple(
        (
            judge.feedback[name].title if name in judge.feedback else name,
            tuple(
                texts.show(f"{where}/{name}/{number}", text)
                for number, text in enumerate([given] if isinstance(given, str) else given)
            ),
        )
        for name, given in verdict.feedback.items()
        if given not in said
    )


def _call(judge: Judge, verdict: Verdict, call: Call, where: str, texts: Texts) -> CallView:
    turns = []
    for number, reply in enumerate(call.replies):
        asked = call.questions[number - 1] if number else None
        counted = number == call.counted
        marks = _marks(judge, verdict, call) if counted else {}
        turns.append(
            Turn(
                question=texts.show(f"{where}/{number}/question", asked) if asked else None,
                reply=texts.show(f"{where}/{number}", reply, marks),
                counted=counted,
            )
        )
    return CallView(call=call, turns=tuple(turns))


def _marks(judge: Judge, verdict: Verdict, call: Call) -> dict[str, Span]:
    """Where the scores of this call were read in its reply, by the criterion's title."""
    return {
        judge.rubric.title(name): score.span
        for name, score in verdict.scores.items()
        if score.span and call.criterion in {None, name} and call.order in {None, _order(score)}
    }


def _order(score: Score) -> str:
    """Of a pair, the order that the place belongs to: the first, unless the second failed."""
    return "ba" if (score.why or "").startswith("order ba:") else "ab"


def prompt_views(prompts: Sequence[Prompt], where: str, texts: Texts) -> tuple[PromptView, ...]:
    return tuple(
        PromptView(
            criterion=prompt.criterion,
            order=prompt.order,
            messages=tuple(
                (message.role, texts.show(f"{where}/{number}/{place}", message.content))
                for place, message in enumerate(prompt.messages)
            ),
            target=texts.show(f"{where}/{number}/target", prompt.target) if prompt.target else None,
        )
        for number, prompt in enumerate(prompts)
    )
