"""What people's labels teach about judges: which judge and model to use, and how to word it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from adjudge.core.item import Item
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.datasets import Data, DataLike, DatasetPlan, opened_data, read_labels, scan
from adjudge.errors import DataError, UsageError
from adjudge.extras import require
from adjudge.judges import JudgeLike
from adjudge.reports.files.whole_file import write_text
from adjudge.running import (
    DataKeywords,
    JudgeKeywords,
    LoadedJudge,
    ModelLike,
    ReplyKeywords,
    RunKeywords,
    RunOptions,
    Watcher,
    load_judge,
    load_judges,
    opened_models,
    recording_of,
)
from adjudge.stores import existing_store, open_store

from .api import arun, rows_of, run_options, several
from .blocking import blocking, spelled_out, wait_for
from .run_handle import Run, listed, using
from .trust import labels_of_run

if TYPE_CHECKING:
    from adjudge.analysis.disagreement import Disagreements
    from adjudge.analysis.drift import Drift
    from adjudge.analysis.improvement import (
        Asking,
        Improvement,
        ImprovementForecast,
        ImproveOptions,
        Task,
    )
    from adjudge.analysis.improvement.search import Hear
    from adjudge.analysis.variants import Variants


@spelled_out(RunKeywords, RunOptions)
async def avariants(
    data: DataLike,
    *,
    judge: JudgeLike | Sequence[JudgeLike],
    labels: DataLike,
    model: ModelLike | Sequence[ModelLike] = "embedded",
    measure: str | None = None,
    watcher: Watcher | None = None,
    **options: Unpack[RunKeywords],
) -> Variants:
    """Which judge and model agrees best with people, and what that is worth.

    Every judge is asked with every model about the labelled rows, in one run. What the best shows
    is corrected for its having been chosen.

    data, judge, model, watcher: as in `arun`.
    labels: people's, as in `calibrate`; only rows with a label are judged.
    measure: `exact`, `spearman`, `pearson`, `kendall` or `kappa`; None is exact for names and
        for yes or no, else spearman.
    """
    require("trust", "adjudge.variants()")
    from adjudge.analysis.variants import VariantOptions, variants_of  # noqa: PLC0415 - loads numpy

    wanted = VariantOptions(measure=measure)
    if len(several(judge)) * len(several(model)) < 2:
        raise UsageError(Reason("variants.alone"))
    chosen = run_options(options)
    rows = _labelled_rows(data, labels, load_judges(several(judge), chosen), chosen, measure)
    of_run: RunKeywords = {**options, "map": {}}
    result = await arun(rows, judge=judge, model=model, watcher=watcher, **of_run)
    try:
        source = labels_of_run(result, labels)
        return variants_of(result.record, result._store, source, wanted)
    finally:
        result.close()


variants = blocking(avariants)


class QuestionKeywords(ReplyKeywords, total=False):
    """How a model is asked about a rubric."""

    budget: str | None
    """The most that it may spend: `1usd`, `200ktok`."""


@spelled_out(QuestionKeywords, RunOptions)
def disagreements(  # noqa: PLR0913 - each is a thing that a user may say
    run: str | Run = "latest",
    *,
    labels: DataLike | None = None,
    judge: str | None = None,
    model: str | None = None,
    criteria: str | Sequence[str] = (),
    writer: ModelLike | None = None,
    store: str | None = None,
    **options: Unpack[QuestionKeywords],
) -> Disagreements:
    """The items where judge and people differ, worst first, and what they have in common.

    run: an open run, or what `open_run` takes.
    labels: as in `calibrate`; None takes the labels in the store.
    judge, model: which one, where the run has several; the others count as further opinions.
    criteria: names; none takes all that have labels.
    writer: a model that says which clause of the rubric is unclear, as a question to people; None
        asks nobody.
    store: where the run is kept.
    """
    require("trust", "adjudge.disagreements()")
    from adjudge.analysis.disagreement import DisagreeOptions, disagreements_of  # noqa: PLC0415 - numpy

    chosen = DisagreeOptions(judge=judge, model=model, criteria=listed(criteria))
    asked = run_options(options)
    with using(run, store) as opened:
        source = labels_of_run(opened, labels)
        finding = disagreements_of(opened.record, opened._store, source, chosen)
        if writer is None:
            return finding
        from adjudge.analysis.disagreement.clauses import ask_clauses  # noqa: PLC0415 - numpy

        return wait_for(ask_clauses(finding, opened.record, opened._store, writer, asked))


class ImproveKeywords(JudgeKeywords, DataKeywords, total=False):
    """How a judge is improved."""

    way: str | Sequence[str]
    """`variants`, `rewrite`, `examples`, `map`, or several; all where none is named."""
    variants: JudgeLike | Sequence[JudgeLike]
    """Other judge files whose guides, steps and examples are tried."""
    criteria: str | Sequence[str]
    """The criteria to improve; all that have labels where none is named."""
    group: str | None
    """The column whose equal values belong together; None: items with the same unjudged texts."""
    measure: str | None
    """`exact`, `spearman`, `pearson`, `kendall` or `kappa`; None: exact for names, else kappa."""
    held_out: float
    """The share of the labels that the search never sees, 0.2-0.8."""
    tries: int
    """How many guides are written at most."""
    shots: int
    """How many examples a candidate shows at most."""
    split_seed: int
    """Deals the labels into the two parts, and drives the search."""
    confidence: float
    """Confidence of the intervals."""


_IMPROVE_KEYWORDS = ImproveKeywords.__annotations__.keys() - RunKeywords.__annotations__.keys()


@spelled_out(ImproveKeywords, RunOptions)
async def aimprove(  # noqa: PLR0913 - each is a thing that a user may say
    judge: JudgeLike,
    data: DataLike,
    *,
    labels: DataLike,
    model: ModelLike = "embedded",
    writer: ModelLike | None = None,
    out: str | Path | None = None,
    heard: Hear | None = None,
    stopping: Callable[[], None] | None = None,
    **options: Unpack[ImproveKeywords],
) -> Improvement:
    """A better judge, searched for on one part of the labels and proved on the other.

    Only guides, steps, examples and the map of scores may change. Where the best candidate is not
    shown to be better on labels that the search never saw, the old judge stays.

    judge: the one to improve.
    data, labels: as in `calibrate` and `run`; only rows with a label are judged.
    model: who judges; writer: who writes guides, None is the same.
    out: the file of the new judge, written only where it is shown to be better.
    heard: is called with each candidate when it has judged its items.
    stopping: is called at the first Ctrl-C; after that, only requests under way are waited for.
    """
    from adjudge.analysis.improvement import improve, keep_maps  # noqa: PLC0415 - loads numpy

    async with _improving(judge, data, labels, (model, writer), dict(options)) as (task, asking):
        with closing(open_store(asking.options.store)) as store:
            result = await improve(task, asking, store, heard, stopping)
            if result.better:
                keep_maps(store, result)
    if out is not None and result.better:
        write_text(Path(out), result.text)
    return result


improve = blocking(aimprove)


@spelled_out(ImproveKeywords, RunOptions)
async def aforecast_improve(
    judge: JudgeLike,
    data: DataLike,
    *,
    labels: DataLike,
    model: ModelLike = "embedded",
    writer: ModelLike | None = None,
    **options: Unpack[ImproveKeywords],
) -> ImprovementForecast:
    """What `aimprove` would ask and cost at most; nothing is sent and nothing written.

    judge, data, labels, model, writer: as in `aimprove`.
    """
    from adjudge.analysis.improvement import forecast  # noqa: PLC0415 - loads numpy

    async with _improving(judge, data, labels, (model, writer), dict(options)) as (task, asking):
        store = existing_store(asking.options.store)
        with nullcontext() if store is None else closing(store):
            return forecast(task, asking, store)


forecast_improve = blocking(aforecast_improve)


@asynccontextmanager
async def _improving(
    judge: JudgeLike,
    data: DataLike,
    labels: DataLike,
    models: tuple[ModelLike, ModelLike | None],
    options: dict[str, Any],
) -> AsyncIterator[tuple[Task, Asking]]:
    """Everything that improving needs, checked before anything is spent."""
    require("improve", "adjudge.improve()")
    from adjudge.analysis.improvement import Asking, Task  # noqa: PLC0415 - loads numpy

    own = {name: options.pop(name) for name in _IMPROVE_KEYWORDS if name in options}
    run = run_options(options)
    others = several(own.pop("variants", None) or [])
    chosen = _improve_options(own, variants=bool(others))
    (loaded,) = load_judges([judge], run)
    rows = opened_data(rows_of(data, run))
    plan = scan(rows, [loaded.judge.inputs], run.map, run.limit, run.skip_bad_rows)
    scales = {name: one.scale for name, one in loaded.judge.rubric.criteria.items()}
    items, people = _labelled(plan, read_labels(labels, scales))
    task = Task(
        loaded=loaded,
        items=items,
        labels=people,
        variants={str(other): load_judge(other, run) for other in others},
        options=chosen,
    )
    first, second = models
    asked = [first] if second is None or second == first else [first, second]
    recording = recording_of(run)
    async with opened_models(asked, run, recording) as opened:
        yield task, Asking(opened[0], opened[-1], run, recording)


def _improve_options(own: dict[str, Any], *, variants: bool) -> ImproveOptions:
    from adjudge.analysis.improvement import WAYS, ImproveOptions  # noqa: PLC0415 - loads numpy

    ways = tuple(several(own.pop("way", None) or list(WAYS)))
    if "variants" in ways and not variants:
        if len(ways) < len(WAYS):
            raise UsageError(Reason("improve.no_variants"))
        ways = tuple(way for way in ways if way != "variants")
    return ImproveOptions(
        ways=ways,
        criteria=tuple(several(own.pop("criteria", ()) or [])),
        seed=own.pop("split_seed", 0),
        **own,
    )


def _labelled_rows(
    data: DataLike,
    labels: DataLike,
    judges: Sequence[LoadedJudge],
    options: RunOptions,
    measure: str | None,
) -> Data:
    """The rows that people labelled, for any of the judges; DataError where there are none, and
    where no agreement with the labels can be measured."""
    from adjudge.analysis.variants import all_alike  # noqa: PLC0415 - loads numpy

    inputs = [loaded.judge.inputs for loaded in judges]
    plan = scan(opened_data(data), inputs, options.map, options.limit, options.skip_bad_rows)
    criteria = {
        name: criterion.scale
        for loaded in judges
        for name, criterion in loaded.judge.rubric.criteria.items()
    }
    items, people = _labelled(plan, read_labels(labels, criteria))
    alike = all_alike(people, criteria, measure, "spearman")
    if len(alike) == len({label.criterion for label in people}):
        measures = tuple(dict.fromkeys(alike.values()))
        raise DataError(Reason("variants.alike", names=tuple(alike), measure=measures))
    chosen = opened_data([{**item.extra, **item.fields, "id": item.id} for item in items])
    chosen.name = plan.name  # as users know it
    return chosen


def _labelled(plan: DatasetPlan, labels: list[Label]) -> tuple[list[Item], list[Label]]:
    """The items of the data that have labels, with these; DataError where there are none."""
    labelled = {label.item for label in labels}
    items = [item for item in plan.items() if item.id in labelled]
    if not items:
        elsewhere = Reason("variants.elsewhere", theirs=labels[0].item)
        raise DataError(elsewhere.in_file(plan.name))
    ids = {item.id for item in items}
    return items, [label for label in labels if label.item in ids]


@spelled_out(RunKeywords, RunOptions)
async def adrift(
    judge: JudgeLike,
    *,
    model: ModelLike = "embedded",
    anchors: DataLike | None = None,
    alpha: float = 0.05,
    watcher: Watcher | None = None,
    **options: Unpack[RunKeywords],
) -> Drift:
    """Whether the judge still grades as it did: asks it about the same items once more.

    Each call is a check, and is kept as a run of its own; replies are never taken from the cache.
    All checks that ask the same are held against the first of them.

    judge, model, watcher: as in `arun`, one of each.
    anchors: the items, as `data` in `arun`; None takes the built-in ones.
    alpha: the chance of any false alarm, over all checks there will ever be.
    """
    require("trust", "adjudge.drift()")
    from adjudge.analysis.drift import (  # noqa: PLC0415 - loads numpy
        BUILT_IN,
        DRIFT_TAG,
        DriftOptions,
        anchor_rows,
        drift_of,
        drift_series,
    )

    wanted, chosen = DriftOptions(alpha=alpha), run_options(options)
    named = BUILT_IN
    rows: DataLike
    if anchors is None:
        rows = anchor_rows(load_judges([judge], chosen)[0].judge)
    else:
        rows = anchors
        named = str(anchors) if isinstance(anchors, str | Path) else opened_data(anchors).name
    tags = {**chosen.tags, DRIFT_TAG: named}
    of_run: RunKeywords = {**options, "tags": tags, "fresh": True, "no_cache": True}
    result = await arun(rows, judge=judge, model=model, watcher=watcher, **of_run)
    try:
        (checks,) = drift_series(result._store, result.record) or [[]]
        if not checks:
            raise DataError(Reason("drift.unfinished", run=result.id))
        return drift_of(checks, result._store, wanted)
    finally:
        result.close()


drift = blocking(adrift)
