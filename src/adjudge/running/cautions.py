"""What a run will have to do without, said before anything is spent."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.datasets import CheckedData
from adjudge.judges.sentences import known
from adjudge.models import Capabilities, FunctionModel, Model

from .options import RunOptions
from .plan import Batch
from .weighing import SAMPLES


def cautions(batch: Batch, options: RunOptions) -> list[str]:
    """One line each, about what a model is known to lack and this run asks for, and about rubrics
    that nobody has read."""
    drafts = [
        str(Reason("draft.told", judge=judge.name, model=judge.drafted))
        for judge in batch.judges
        if judge.drafted
    ]
    return drafts + [
        f"{model.name} {line}" for model in batch.models for line in _about(model, batch, options)
    ]


def about_data(data: CheckedData, judges: Sequence[Judge]) -> list[str]:
    """One line for each file that is not UTF-8: what it is read in; and for each input that steers
    a judge: what feeds it, or what was not let."""
    coded = [
        f"{file} is read as {encoding}; if that is wrong, name another with --encoding"
        for file, encoding in data.encodings.items()
    ]
    names = {name for judge in judges for name, spec in judge.inputs.items() if spec.steers}
    said = [
        f"{name} is taken from the column {str(data.columns.fields[name])!r}, as mapped: it steers"
        " the judge"
        for name in sorted(names & data.columns.fields.keys())
    ]
    for name, rows in data.set_aside.items():
        column = data.columns.set_aside[name]
        said.append(
            f"the column {column!r} ({rows} rows with a text) is not used as {name}, which would"
            f" steer the judge; to use it: --map {shlex.quote(f'{name}={column}')}"
        )
    return [*coded, *said]


def reservations(batch: Batch) -> list[str]:
    """Why a forecast may be too high or too low, a line each; none where it is as it says."""
    said = []
    if batch.cascade:
        said.append("at most: --cascade asks later models only what earlier ones are not sure of")
    if batch.stop_when_stable:
        said.append("at most: --stop-when-stable takes no sample that cannot change the majority")
    if batch.samples and not all(always_sampled(model, batch) for model in batch.models):
        said.append(
            f"not counted: the {SAMPLES} extra calls of --logprobs prefer for each score without"
            " probabilities"
        )
    return said


def always_sampled(model: Model, batch: Batch) -> bool:
    """Whether it is known in advance that samples stand in for every probability."""
    asked_for = batch.sampling.top_logprobs > 0
    return batch.samples and not (asked_for and model.capabilities.logprobs)


def _about(model: Model, batch: Batch, options: RunOptions) -> Iterator[str]:
    can = model.capabilities
    if isinstance(model, FunctionModel):
        yield "is a Python function: this run goes on from Python only, not by a command"
        if not model.named:
            yield (
                "has no name of its own: each run asks it anew; to keep its replies, use"
                " adjudge.function_model(function, name=…)"
            )
    if not can.json_schema and can.converses:
        names = _named(batch.judges)
        if names:
            yield f"does not support JSON schemas: {names} is asked in words only"
    if can.profile.bind_language:
        for judge in batch.judges:
            if judge.reply == "json" and not judge.verbatim and not known(judge.explain_in):
                yield (
                    f"cannot be held to the language {judge.explain_in!r}, because no pattern is"
                    f" known for it: {judge.name} only asks for the language, and checks it"
                )
    if batch.samples and options.wants_logprobs and not can.logprobs:
        yield (
            f"gives no token probabilities: all scores will come from {SAMPLES} samples,"
            f" with {SAMPLES + 1} calls instead of one"
        )
    if options.seed is not None and not can.seed:
        yield "does not support a seed: --seed has no effect there"


def _named(judges: Sequence[Judge]) -> str:
    return ", ".join(judge.name for judge in judges if judge.reply == "json")


def lost(before: Capabilities, now: Capabilities) -> str | None:
    """What the server turned out to refuse, in words; None when it is nothing that counts."""
    if before.json_schema and not now.json_schema:
        return "does not accept a JSON schema: from now on replies are asked for in words only"
    if before.logprobs and not now.logprobs:
        return "gives no token probabilities"
    return None
