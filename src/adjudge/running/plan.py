"""Everything that must be right before the first token is paid for."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import orjson

from adjudge.core.item import Item
from adjudge.core.judge import Input, Judge
from adjudge.core.prompt import Sampling
from adjudge.core.reason import Reason
from adjudge.core.run import Manifest
from adjudge.datasets import CheckedData, Data, scan
from adjudge.errors import DefinitionError, UsageError
from adjudge.judges import JudgeLike, load_text, registry, validation
from adjudge.models import Model, model_from, open_model
from adjudge.models.python_function import AskFunction
from adjudge.stores import RunRecord

from .asking.budget import Budget
from .cascade import Cascade, plan_cascade
from .checks import PythonCheck, with_checks
from .options import RunOptions, Shard
from .recording import Recording


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What a run asks of whom. Each call of `items` gives all rows again.

    `shares_replies`: replies of earlier runs serve this one too. `by_batch`: through the provider's
    batch endpoint. `shorten`: texts that do not fit a model are cut. `samples`: they stand in for
    probabilities that do not come. `stop_when_stable`: no sample is taken that cannot change what
    most say. `cascade`: a model judges what those before it leave. `shard`: only these rows are
    judged here, of a run that has all of them. `first` is the position of the first of the items.
    `recording`: a file that replies go to, or come from. `offline`: no model is asked.
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
    shard: Shard | None = None
    first: int = 0
    recording: Recording | None = None
    offline: bool = False
    checks: Sequence[PythonCheck] = ()

    @property
    def verdicts(self) -> int:
        """How many are made here; at most, where it is decided on the way what is asked."""
        rows = self.shard.share_of(self.run.rows) if self.shard else self.run.rows
        return rows * len(self.judges) * len(self.models) * self.repeat

    @property
    def namespace(self) -> str:
        """What sets this run's requests apart from those of others."""
        return "" if self.shares_replies else self.run.id


@dataclass(frozen=True, slots=True)
class Planned:
    batch: Batch
    data: CheckedData


class Scan(Protocol):
    """Reads and checks all of the data: see `datasets.scan`."""

    def __call__(
        self,
        data: str | Data,
        judges_inputs: Sequence[Mapping[str, Input]],
        mapping: Mapping[str, str],
        limit: int | None,
        skip_bad: bool,
    ) -> CheckedData: ...


# A name, an object with the provider interface, or a function from messages to text.
ModelLike = str | Model | AskFunction


class LoadedJudge(NamedTuple):
    """A judge with what the options change about it, and the text of its file."""

    judge: Judge
    text: str


def load_judge(judge: JudgeLike, options: RunOptions) -> Judge:
    """The judge with what the options change about it, tried once more in that form."""
    return _load(judge, options).judge


def _load(judge: JudgeLike, options: RunOptions) -> LoadedJudge:
    file, text = registry.source(judge)
    loaded = load_text(text, file)
    name = str(judge) if isinstance(judge, str | Path) else loaded.name
    changed = changed_judge(name, loaded, options.changes)
    if options.checks:
        changed = with_checks(changed, [check.kept() for check in options.checks])
    return LoadedJudge(changed, text)


def changed_judge(name: str, judge: Judge, changes: Mapping[str, str]) -> Judge:
    """The judge with the changes; DefinitionError where its templates cannot do with them."""
    changed = overridden(judge, changes)
    if changed.method != "text" and any(c.in_parts for c in changed.rubric.criteria.values()):
        reason = Reason("draft.method", method=changed.method)
        raise UsageError(reason.at_option("method", changed.method))
    problems = validation.template_problems(changed) if changed != judge else []
    if problems:
        key, line, why = problems[0]
        raise DefinitionError(Reason("place.judge_text", judge=name, key=key, line=line, why=why))
    return changed


def overridden(judge: Judge, changes: Mapping[str, str]) -> Judge:
    """The judge with what the user wants otherwise; nothing and "" leave it as it is."""
    wished: dict[str, Any] = {name: value for name, value in changes.items() if value}
    return replace(judge, **wished)


def kept_changes(options: RunOptions) -> dict[str, str]:
    """What a run keeps beside the text of a judge, to make the same judge again."""
    if not options.checks:
        return options.changes
    kept = orjson.dumps([check.kept() for check in options.checks])
    return {**options.changes, "checks": kept.decode()}


def load_judges(judges: Sequence[JudgeLike], options: RunOptions) -> tuple[LoadedJudge, ...]:
    """All judges of a run, read once: the run uses exactly what is kept of a file."""
    loaded = tuple(_load(judge, options) for judge in judges)
    _check_distinct("judges", [judge.name for judge, _ in loaded])
    return loaded


@asynccontextmanager
async def opened_models(
    chosen: Sequence[ModelLike], options: RunOptions, recording: Recording | None = None
) -> AsyncIterator[list[Model]]:
    """The models of a run. Those that are opened here are closed again at the end; with a file of
    replies in their place none is opened."""
    async with AsyncExitStack() as opened:
        models = []
        for model in chosen:
            named = model if isinstance(model, str) else model_from(model).name
            if recording and recording.offline:
                models.append(recording.model(named))
            elif isinstance(model, str):
                models.append(open_model(model, options.model_options))
                opened.push_async_callback(models[-1].aclose)
            else:
                models.append(model_from(model))
            if recording and not recording.offline:
                recording.know(models[-1], named)
        yield models


def recording_of(options: RunOptions) -> Recording | None:
    """The file of replies that is written or read, if any; DataError where it cannot be read."""
    if options.record:
        return Recording(options.record, offline=False)
    if options.offline and options.offline is not True:
        return Recording(options.offline, offline=True)
    return None


def _check_distinct(what: str, names: Sequence[str]) -> None:
    """The names of judge and model identify a verdict."""
    if not names:
        raise UsageError(Reason("plan.no_judges") if what == "judges" else Reason("plan.no_models"))
    if len(set(names)) < len(names):
        raise UsageError(
            Reason("plan.same_judges", names=tuple(names))
            if what == "judges"
            else Reason("plan.same_models", names=tuple(names))
        )


def plan_run(
    data: str | Data,
    judges: Sequence[LoadedJudge],
    models: Sequence[Model],
    options: RunOptions,
    scan: Scan = scan,
    recording: Recording | None = None,
) -> Planned:
    """Reads the data; raises before anything is spent when something is wrong."""
    _check_distinct("models", [model.name for model in models])
    for model in models:
        if options.batch and model.batches is None:
            raise UsageError(Reason("plan.no_batches", model=model.name).at_option("batch"))
    check_method(models, options)
    loaded = tuple(judge for judge, _ in judges)
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
        sources={judge.name: {"text": text, **kept_changes(options)} for judge, text in judges},
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
        budget=budget_of(options, models),
        shares_replies=not (options.no_cache or options.fresh),
        by_batch=options.batch,
        shorten=options.shorten is not None,
        samples=options.logprobs in ("prefer", "off"),
        stop_when_stable=options.stop_when_stable,
        cascade=cascade,
        shard=options.part,
        recording=recording,
        offline=bool(options.offline),
        checks=tuple(options.checks),
    )
    return Planned(batch, dataset)


def check_method(models: Sequence[Model], options: RunOptions) -> None:
    """UsageError where a model is known not to tell what the method needs."""
    for model in models:
        if options.method == "likelihood" and model.likelihoods is None:
            raise UsageError(
                Reason("plan.no_likelihood", model=model.name).at_option("method", "likelihood")
            )
        required = options.logprobs in (None, "require")
        if options.wants_logprobs and required and not model.capabilities.logprobs:
            raise UsageError(
                Reason("plan.no_logprobs", model=model.name).at_option("method", "expected")
            )


def budget_of(options: RunOptions, models: Sequence[Model]) -> Budget | None:
    """UsageError for one in USD where a model has no known price."""
    budget = Budget.parse(options.budget) if options.budget else None
    if budget and budget.usd is not None:
        for model in models:
            if model.price is None:
                said = {"text": options.budget, "model": model.name}
                raise UsageError(Reason("form.price", **said))
    return budget


def _manifest(
    data: str | Data,
    dataset: CheckedData,
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
        # `scores` as it was said before there were others.
        "keep_texts": "no" if options.kept == "scores" else None,
        "keep": options.kept if options.kept in ("replies", "none") else None,
    }
    return Manifest(
        data=options.data_title or (data.name if isinstance(data, Data) else data),
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
        name=options.name or "",
        unpriced=tuple(model.name for model in opened if model.price is None),
    )
