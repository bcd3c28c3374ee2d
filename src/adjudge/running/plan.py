"""Everything that must be right before the first token is paid for."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Sampling
from adjudge.core.run import Manifest
from adjudge.datasets.rows import DatasetPlan, scan
from adjudge.errors import DefinitionError, UsageError
from adjudge.judges import registry, trial
from adjudge.models.base import Model
from adjudge.stores.records import RunRecord

from .asking.budget import Budget
from .cascade import Cascade, plan_cascade
from .options import RunOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What a run asks of whom. `items` gives the rows anew each time it is called.

    `shares_replies`: replies of earlier runs serve this one too. `by_batch`: through the provider's
    batch endpoint. `shorten`: texts that do not fit a model are cut. `samples`: they stand in for
    probabilities that do not come. `stop_when_stable`: no sample is taken that cannot change what
    most say. `cascade`: a model judges what those before it leave.
    """

    run: RunRecord
    items: Callable[[], Iterator[Item]]
    judges: tuple[Judge, ...]
    models: tuple[Model, ...]
    sampling: Sampling
    repeat: int = 1
    concurrency: int = 8
    requests_a_minute: int | None = None
    tokens_a_minute: int | None = None
    budget: Budget | None = None
    shares_replies: bool = True
    by_batch: bool = False
    shorten: bool = False
    samples: bool = False
    stop_when_stable: bool = False
    cascade: Cascade | None = None

    @property
    def verdicts(self) -> int:
        """How many the whole run makes; at most, where it decides on the way what it asks."""
        return self.run.rows * len(self.judges) * len(self.models) * self.repeat

    @property
    def scope(self) -> str:
        """What sets this run's requests apart from those of others."""
        return "" if self.shares_replies else self.run.id


@dataclass(frozen=True, slots=True)
class Planned:
    batch: Batch
    data: DatasetPlan


def load_judge(name_or_file: str, options: RunOptions) -> Judge:
    """The judge with what the options change about it, tried once more in that form."""
    judge = registry.get(name_or_file)
    changed = overridden(judge, options.changes)
    found = trial.problems(changed) if changed != judge else []
    if found:
        key, line, problem = found[0]
        raise DefinitionError(f"{name_or_file}, {key}, line {line} of the text: {problem}")
    return changed


def overridden(judge: Judge, changes: Mapping[str, str]) -> Judge:
    """The judge with what the user wants otherwise; nothing and "" leave it as it is."""
    wished: dict[str, Any] = {name: value for name, value in changes.items() if value}
    return replace(judge, **wished)


def load_judges(names_or_files: Sequence[str], options: RunOptions) -> dict[str, Judge]:
    """The judges by the name or file that they were asked for by."""
    loaded = [load_judge(name, options) for name in names_or_files]
    _check_distinct("judges", [judge.name for judge in loaded])
    return dict(zip(names_or_files, loaded, strict=True))


def _check_distinct(what: str, names: Sequence[str]) -> None:
    """A verdict is told apart by the names of its judge and its model."""
    if not names:
        raise UsageError(f"No {what} are named; name at least one.")
    if len(set(names)) < len(names):
        raise UsageError(f"Two {what} of one run share a name: {', '.join(names)}.")


def plan_run(
    data: str, judges: Mapping[str, Judge], models: Sequence[Model], options: RunOptions
) -> Planned:
    """Reads the data; raises before anything is spent when something is wrong."""
    _check_distinct("models", [model.name for model in models])
    for model in models:
        if options.batch and model.batches is None:
            raise UsageError(f"--batch: {model.name} takes no batches; leave --batch out.")
    check_method(models, options)
    loaded = tuple(judges.values())
    dataset = scan(
        data,
        [judge.inputs for judge in loaded],
        options.map,
        options.limit,
        options.skip_bad_rows,
    )
    cascade = None
    if options.cascade:
        cascade = plan_cascade(options.cascade, loaded, len(models), options.repeat)
        cascade.check(item.id for item in dataset.items())
    manifest = _manifest(data, dataset, loaded, models, options, cascade)
    record = RunRecord(
        id=manifest.id,
        manifest=manifest,
        sources={
            judge.name: {
                "text": registry.source(name)[1],
                **options.changes,
            }
            for name, judge in judges.items()
        },
        rows=dataset.rows,
        bad_rows=dataset.bad_rows,
    )
    batch = Batch(
        run=record,
        items=dataset.items,
        judges=loaded,
        models=tuple(models),
        sampling=options.sampling,
        repeat=options.repeat,
        concurrency=options.concurrency,
        requests_a_minute=options.rpm,
        tokens_a_minute=options.tpm,
        budget=_budget(options, models),
        shares_replies=not (options.no_cache or options.fresh),
        by_batch=options.batch,
        shorten=options.shorten is not None,
        samples=options.logprobs in ("prefer", "off"),
        stop_when_stable=options.stop_when_stable,
        cascade=cascade,
    )
    return Planned(batch, dataset)


def check_method(models: Sequence[Model], options: RunOptions) -> None:
    """UsageError where a model is known not to tell what the method needs."""
    for model in models:
        if options.method == "likelihood" and model.likelihoods is None:
            raise UsageError(
                f"--method likelihood: {model.name} does not tell how likely a given text is;"
                " embedded models, vllm and together do."
            )
        required = options.logprobs in (None, "require")
        if options.wants_logprobs and required and not model.capabilities.logprobs:
            raise UsageError(
                f"--method expected: {model.name} tells no token probabilities;"
                " --logprobs prefer takes samples in their place, and says so."
            )


def _budget(options: RunOptions, models: Sequence[Model]) -> Budget | None:
    budget = Budget.parse(options.budget) if options.budget else None
    if budget and budget.usd is not None:
        for model in models:
            if model.price is None:
                raise UsageError(
                    f"--budget {options.budget}: the price of {model.name} is not known. Give it"
                    " with --price in=…,out=… (USD for a million tokens), or a budget in tokens."
                )
    return budget


def _manifest(
    data: str,
    dataset: DatasetPlan,
    loaded: Sequence[Judge],
    opened: Sequence[Model],
    options: RunOptions,
    cascade: Cascade | None,
) -> Manifest:
    sampling = options.sampling
    # Left out where it is not asked for: a run keeps the id that it had before the flag existed.
    asked_for = {
        "shorten": options.shorten,
        "logprobs": options.logprobs,
        "stop": "stable" if options.stop_when_stable else None,
        "cascade": cascade.settings() if cascade else None,
        "keep_texts": None if options.keep_texts else "no",
    }
    return Manifest(
        data=options.data_title or data,
        data_hash=dataset.hash,
        judges={judge.name: judge.fingerprint for judge in loaded},
        models=tuple(model.name for model in opened),
        settings={
            "answered_by": [model.identity for model in opened],
            "repeat": options.repeat,
            "temperature": sampling.temperature,
            "max_tokens": sampling.max_tokens,
            "seed": sampling.seed,
            **{name: value for name, value in asked_for.items() if value},
        },
        tags=options.tags,
        salt=secrets.token_hex(4) if options.fresh else "",
    )
