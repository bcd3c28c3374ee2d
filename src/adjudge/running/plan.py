"""Everything that must be right before the first token is paid for."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from adjudge.core.judge import Ask, Judge
from adjudge.core.run import Manifest
from adjudge.datasets.rows import DatasetPlan, scan
from adjudge.errors import UsageError
from adjudge.judges import registry as judges
from adjudge.models import registry as models
from adjudge.models.base import Model
from adjudge.stores.base import RunRecord

from .batch import Batch
from .options import RunOptions


@dataclass(frozen=True, slots=True)
class Planned:
    batch: Batch
    data: DatasetPlan


def load_judge(name_or_file: str, options: RunOptions) -> Judge:
    """The judge with what the options change about it."""
    judge = judges.get(name_or_file)
    return overridden(judge, ask=options.ask, explain_in=options.explain_in)


def overridden(judge: Judge, *, ask: Ask | None, explain_in: str | None) -> Judge:
    if ask:
        judge = replace(judge, ask=ask)
    if explain_in:
        judge = replace(judge, explain_in=explain_in)
    return judge


def plan_run(
    data: str, judge_names: Sequence[str], model_names: Sequence[str], options: RunOptions
) -> Planned:
    """Reads judges, data and models; raises before anything is spent when one of them is wrong."""
    loaded = [load_judge(name, options) for name in judge_names]
    names = [judge.name for judge in loaded]
    if len(set(names)) < len(names):
        raise UsageError(f"Two judges of one run share a name ({', '.join(names)}); rename one.")
    if len(set(model_names)) < len(model_names):
        raise UsageError(f"A model is named twice: {', '.join(model_names)}.")
    opened = [models.open_model(name, options.model_options) for name in model_names]
    dataset = scan(
        Path(data),
        [judge.inputs for judge in loaded],
        options.map,
        options.limit,
        options.skip_bad_rows,
    )
    manifest = _manifest(data, dataset, loaded, opened, options)
    record = RunRecord(
        id=manifest.id,
        manifest=manifest,
        sources={
            judge.name: {
                "text": judges.source(name)[1],
                "ask": options.ask or "",
                "explain_in": options.explain_in or "",
            }
            for name, judge in zip(judge_names, loaded, strict=True)
        },
        rows=dataset.rows,
        bad_rows=dataset.bad_rows,
    )
    batch = Batch(
        run=record,
        items=dataset.items,
        judges=tuple(loaded),
        models=tuple(opened),
        sampling=options.sampling,
        repeat=options.repeat,
        concurrency=options.concurrency,
    )
    return Planned(batch, dataset)


def _manifest(
    data: str,
    dataset: DatasetPlan,
    loaded: Sequence[Judge],
    opened: Sequence[Model],
    options: RunOptions,
) -> Manifest:
    sampling = options.sampling
    return Manifest(
        data=data,
        data_hash=dataset.hash,
        judges={judge.name: judge.fingerprint for judge in loaded},
        models=tuple(model.name for model in opened),
        settings={
            "answered_by": [model.identity for model in opened],
            "repeat": options.repeat,
            "temperature": sampling.temperature,
            "max_tokens": sampling.max_tokens,
            "seed": sampling.seed,
        },
        tags=options.tags,
        salt=secrets.token_hex(4) if options.fresh else "",
    )
