"""What people's labels teach about judges: which judge and model to use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from adjudge.core.reason import Reason
from adjudge.datasets import Data, DataLike, opened_data, read_labels, scan
from adjudge.errors import DataError, UsageError
from adjudge.extras import require
from adjudge.judges import JudgeLike
from adjudge.running import LoadedJudge, ModelLike, RunKeywords, RunOptions, Watcher, load_judges

from .api import arun, run_options, several
from .blocking import blocking, spelled_out
from .trust import labels_of_run

if TYPE_CHECKING:
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
    rows = _labelled_rows(data, labels, load_judges(several(judge), chosen), chosen)
    of_run: RunKeywords = {**options, "map": {}}
    result = await arun(rows, judge=judge, model=model, watcher=watcher, **of_run)
    try:
        source = labels_of_run(result, labels)
        return variants_of(result.record, result._store, source, wanted)
    finally:
        result.close()


variants = blocking(avariants)


def _labelled_rows(
    data: DataLike, labels: DataLike, judges: Sequence[LoadedJudge], options: RunOptions
) -> Data:
    """The rows that people labelled, for any of the judges; DataError where there are none."""
    inputs = [loaded.judge.inputs for loaded in judges]
    plan = scan(opened_data(data), inputs, options.map, options.limit, options.skip_bad_rows)
    criteria = {
        name: criterion.scale
        for loaded in judges
        for name, criterion in loaded.judge.rubric.criteria.items()
    }
    labelled = {label.item for label in read_labels(labels, criteria)}
    rows = [
        {**item.extra, **item.fields, "id": item.id} for item in plan.items() if item.id in labelled
    ]
    if not rows:
        elsewhere = Reason("variants.elsewhere", theirs=next(iter(labelled)))
        raise DataError(elsewhere.in_file(plan.name))
    chosen = opened_data(rows)
    chosen.name = plan.name  # as users know it
    return chosen
