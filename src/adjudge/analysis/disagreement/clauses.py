"""Which clause of the rubric people and judge read differently: a model says, code checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from adjudge.analysis.improvement.asking import Asker, Asking, asker
from adjudge.analysis.scores.reader import judges_of
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.scale import Scale, Value
from adjudge.judges.clauses import clause_prompt, clauses_of, named_clauses
from adjudge.judges.writer import JudgedExample
from adjudge.running import ModelLike, RunOptions, opened_models, recording_of
from adjudge.stores import RunRecord, Store

from .findings import (
    ClauseQuestions,
    CriterionDisagreements,
    Disagreement,
    Disagreements,
    UnclearClause,
)

_SHOWN = 12  # items


async def ask_clauses(
    finding: Disagreements,
    record: RunRecord,
    store: Store,
    writer: ModelLike,
    options: RunOptions,
) -> Disagreements:
    """The finding with the writer's questions: one request per judge, model and criterion, whose
    reply is kept, so that the same is asked once."""
    judges, recording = judges_of(record), recording_of(options)
    graders = []
    async with opened_models([writer], options, recording) as (model,):
        asking = Asking(model, model, options, recording)
        async with asker(finding.graders[0].judge, asking, store) as ask:
            for grader in finding.graders:
                criteria = {
                    name: replace(one, questions=await _questions(judges[grader.judge], one, ask))
                    for name, one in grader.criteria.items()
                }
                graders.append(replace(grader, criteria=criteria))
    return replace(finding, graders=tuple(graders))


async def _questions(
    judge: Judge, criterion: CriterionDisagreements, ask: Asker
) -> ClauseQuestions:
    clauses = clauses_of(judge, criterion.name) if criterion.name in judge.rubric.criteria else ()
    worst = _of_all_kinds(criterion.worst)
    examples = [_example(judge, criterion.scale, one) for one in worst]
    model = ask.writer.name

    def found(*unclear: UnclearClause, why: Reason | None = None) -> ClauseQuestions:
        return ClauseQuestions(model, len(clauses), len(worst), unclear, why)

    if not worst:
        return found(why=Reason("disagree.agreed"))
    if not clauses:
        return found(why=Reason("disagree.no_rubric"))
    raw = await ask.write(clause_prompt(judge, criterion.name, clauses, examples, ask.secret))
    if raw is None and ask.used_up:
        return found(why=Reason("disagree.no_budget", model=model))
    named = named_clauses(raw, clauses, examples, ask.secret)
    if named is None:
        return found(why=Reason("disagree.unreadable", model=model))
    if not named:
        return found(why=Reason("disagree.no_clause", model=model))
    return found(
        *(
            UnclearClause(
                part=one.clause.part,
                clause=one.clause.text,
                question=one.question,
                items=tuple(worst[at].item for at in one.shown),
            )
            for one in named
        )
    )


def _of_all_kinds(worst: Sequence[Disagreement]) -> list[Disagreement]:
    """The worst of each pair of values in turn, so that no kind of difference hides another."""
    kinds: dict[tuple[Value, Value], list[Disagreement]] = {}
    for one in worst:
        kinds.setdefault((one.people, one.judge), []).append(one)
    turns = range(max(map(len, kinds.values()), default=0))
    ordered = [kind[turn] for turn in turns for kind in kinds.values() if turn < len(kind)]
    return ordered[:_SHOWN]


def _example(judge: Judge, scale: Scale, one: Disagreement) -> JudgedExample:
    fields: Mapping[str, str] = {n: text for n, text in one.texts.items() if n in judge.inputs}
    comments = tuple(one.comments.values())
    values = (_written(scale, one.judge), _written(scale, one.people))
    return JudgedExample(fields, *values, one.explanation, comments)


def _written(scale: Scale, value: Value) -> str:
    """As the scale writes it; the mean of several raters as a number."""
    named = isinstance(value, bool | str)
    return scale.write(value) if named else f"{value:g}"
