"""A run that is in the store: its verdicts, rows, labels and files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.analysis.gates import Gate, GateResult
from adjudge.analysis.labelling import (
    ImportedLabels,
    LabelOptions,
    LabelSession,
    import_labels,
    judge_of,
    open_session,
    scales_of,
)
from adjudge.analysis.scores import Repeats, Summary, read_values, repeats_of, summary_of
from adjudge.core.judge import Judge
from adjudge.core.label import Label
from adjudge.core.prompt import Prompt
from adjudge.core.reason import Reason
from adjudge.core.verdict import Verdict
from adjudge.datasets import DataLike
from adjudge.errors import UsageError
from adjudge.judges import renderer_for
from adjudge.judges.first import asked_prompts
from adjudge.models.registry import profile_of
from adjudge.reports.blocks import Block, Table
from adjudge.reports.files import check_path, junit, tables, write_file
from adjudge.reports.files.labels import check_label_path, write_labels
from adjudge.reports.files.rows import (
    COMPACT_ENDINGS,
    Row,
    compact_row,
    item_data,
    part_rows,
    verdict_row,
)
from adjudge.reports.files.whole_file import write_whole
from adjudge.reports.findings.gates import gate_cases, gates
from adjudge.reports.findings.repeats import item_rows
from adjudge.reports.findings.run import criteria_table
from adjudge.reports.renderers.markdown import as_markdown
from adjudge.reports.renderers.notebook import as_cell
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import command_line
from adjudge.running import Columns, Reread, RunOptions, Tally, judge_as_kept, reread_run, tally_of
from adjudge.stores import Entry, RunProgress, RunRecord, Store, open_store

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from adjudge.analysis.gates.baseline import Baseline


class Run:
    """A run in a store: its summary, its verdicts, its exports."""

    def __init__(self, record: RunRecord, store: Store, tally: Tally | None = None) -> None:
        self.record, self._store = record, store
        self._tally = tally
        self._summary: Summary | None = None
        self._judges: dict[str, Judge] = {}
        self.gates: tuple[GateResult, ...] = ()

    def __repr__(self) -> str:
        return as_text(self._blocks()).strip("\n")

    def _repr_html_(self) -> str:
        return as_cell(self._blocks())

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def name(self) -> str:
        """What people call the run, "" where nobody named it."""
        return self.record.manifest.name

    @property
    def title(self) -> str:
        """Its name, else its id."""
        return self.record.title

    @property
    def summary(self) -> Summary:
        if self._summary is None:
            tally = self._tally or tally_of(self.id, self._store.verdicts.all(self.id))
            self._summary = summary_of(tally, read_values(self.record, self._store))
        return self._summary

    @property
    def progress(self) -> RunProgress:
        """How many verdicts have which outcome: known at once, where a summary reads them all."""
        return self._store.runs.progress(self.id)

    def mean(
        self, criterion: str, *, judge: str | None = None, model: str | None = None
    ) -> float | None:
        """The mean over scored items, None when there are none. `summary` counts the others."""
        summaries = [
            summary
            for summary in self.summary.criteria.values()
            if summary.criterion == criterion
            and judge in {None, summary.judge}
            and model in {None, summary.model}
        ]
        if len(summaries) == 1:
            return summaries[0].mean
        known, count = tuple(map("/".join, self.summary.criteria)), len(summaries)
        if not count:
            raise UsageError(Reason("run.no_criterion", criterion=criterion, known=known))
        several = Reason("run.several_graders", count=count, criterion=criterion, known=known)
        raise UsageError(several)

    def entries(self, item: str | None = None) -> Iterator[Entry]:
        """Verdicts with their items, in the order of the data, streamed."""
        return self._store.verdicts.entries(self.id, item)

    def verdicts(self) -> Iterator[Verdict]:
        return (entry.verdict for entry in self.entries())

    def rows(self, *, with_inputs: bool = False) -> Iterator[Row]:
        """Verdict rows as plain values, streamed; on request with the item's inputs and other
        columns below `data`."""
        for entry in self.entries():
            yield verdict_row(
                self.id, entry.verdict, item_data(entry.item) if with_inputs else None
            )

    def prompts(self, entry: Entry) -> list[Prompt]:
        """The prompts that a verdict came from, made again from the judge as it was kept.

        UsageError when this version of adjudge would word them differently, or texts are not kept.
        """
        self.record.needs_texts(Reason("run.no_prompts"))
        judge = self.judge(entry.verdict.judge)
        # Not the verdict's own: one that was read again has the fingerprint of today's judge.
        asked_by = self.record.manifest.judges[judge.name]
        if judge.fingerprint != asked_by:
            raise UsageError(Reason("run.prompts_differ", now=judge.fingerprint, then=asked_by))
        renderer = renderer_for(judge, self._store.secret, profile_of(entry.verdict.model))
        prompts = renderer.prompts(entry.item, entry.verdict.repeat, entry.verdict.cuts)
        return asked_prompts(prompts, entry.verdict)

    def reread(self, *, dry_run: bool = False) -> Reread:
        """Reads the stored replies with today's reader and keeps the new verdicts; asks no model.

        `dry_run` only says what would change.
        """
        result = reread_run(self.record, self._store, dry_run=dry_run)
        if not dry_run:
            self._tally, self._summary = result.tally, None
        return result

    def summary_after(self, reread: Reread) -> Summary:
        """What the run comes to once it has been read again, or would come to after a dry run."""
        return summary_of(
            reread.tally, read_values(self.record, self._store, further=reread.not_kept)
        )

    def judge(self, name: str | None = None) -> Judge:
        """The judge as it was kept with the run; the name may be left out where there is one."""
        known = judge_of(self.record, name)
        if known not in self._judges:  # reading one takes tens of milliseconds
            self._judges[known] = judge_as_kept(self.record, known)
        return self._judges[known]

    def labels(self, judge: str | None = None) -> list[Label]:
        """What people said about this data for the judge, in the order in which they did."""
        return self._store.labels.of(self.record.manifest.data_hash, judge_of(self.record, judge))

    def label_session(self, chosen: LabelOptions, *, judge: str | None = None) -> LabelSession:
        """A rater's way through the items, one question at a time."""
        return open_session(self.record, self._store, judge_of(self.record, judge), chosen)

    def import_labels(
        self, labels: DataLike, *, judge: str | None = None, rater: str = ""
    ) -> ImportedLabels:
        """Keeps the labels of a file, or of rows in memory; those that name nobody become the
        `rater`'s."""
        name = judge_of(self.record, judge)
        return import_labels(self.record, self._store, name, labels, rater)

    def export_labels(
        self,
        path: str | Path,
        *,
        judge: str | None = None,
        rater: str | None = None,
        wide: bool = False,
    ) -> Path:
        """Writes the labels, of one rater or of all, as `calibrate` reads them."""
        check_label_path(Path(path))
        labels = [label for label in self.labels(judge) if rater in {None, label.rater}]
        if not labels:
            if rater:
                raise UsageError(Reason("run.no_labels_by", rater=rater, run=self.id))
            raise UsageError(Reason("run.no_labels", run=self.id))
        write_labels(Path(path), labels, scales_of(self.judge(judge)), wide=wide)
        return Path(path)

    def to_dicts(self) -> list[Row]:
        return list(self.rows())

    def to_pandas(self, *, tidy: bool = False, with_inputs: bool = False) -> pandas.DataFrame:
        """A data frame: a row per verdict with dotted column names, or, `tidy`, a row per verdict
        and criterion. `with_inputs` puts the item's inputs and other columns beside (`data.…`)."""
        return tables.as_pandas(self._table(tidy=tidy, with_inputs=with_inputs))

    def to_polars(self, *, tidy: bool = False, with_inputs: bool = False) -> polars.DataFrame:
        """As `to_pandas`; needs `pip install adjudge[polars]`."""
        return tables.as_polars(self._table(tidy=tidy, with_inputs=with_inputs))

    def to_arrow(self, *, tidy: bool = False, with_inputs: bool = False) -> pyarrow.Table:
        """As `to_pandas`."""
        return tables.as_arrow(self._table(tidy=tidy, with_inputs=with_inputs))

    def _table(self, *, tidy: bool, with_inputs: bool) -> list[Row]:
        return tables.table_rows(self.rows(with_inputs=with_inputs), tidy=tidy)

    def judge_gates(self, gates: Sequence[Gate]) -> tuple[GateResult, ...]:
        """What becomes of the gates; `corrected` rests on the latest calibration in the store."""
        if not gates:
            return ()
        from adjudge.analysis.gates.figures import judge_run  # noqa: PLC0415 - rarely needed

        return judge_run(gates, self.record, self._store)

    def compare_baseline(self, baseline: str | Path | Baseline) -> tuple[GateResult, ...]:
        """Compares the run with a file of scores, item by item; if it is worse, a gate fails."""
        from adjudge.analysis.gates.baseline import (  # noqa: PLC0415 - loads numpy
            compare_baseline,
            read_baseline,
        )

        is_file = isinstance(baseline, str | Path)
        known = read_baseline(Path(baseline)) if is_file else baseline  # type: ignore[arg-type]
        return compare_baseline(known, self.record, self._store)  # type: ignore[arg-type]

    def write_baseline(self, path: str | Path) -> Path:
        """Keeps the scores in a file that later runs are compared with."""
        from adjudge.analysis.gates.baseline import baseline_text  # noqa: PLC0415 - loads numpy

        text = baseline_text(self.record, self._store)
        write_whole(Path(path), lambda out: out.write(text))
        return Path(path)

    def unscored(self) -> Iterator[tuple[str, int, int]]:
        """Criteria with samples that went unscored: name, how many, and of how many."""
        for (judge, model, criterion), known in self.summary.criteria.items():
            missing = known.tally.unscored.total()
            if missing:
                yield f"{criterion} ({judge} by {model})", missing, missing + known.tally.scored

    def summary_markdown(self) -> str:
        """Gates, means and what went unscored, for a pull request."""
        return as_markdown(self._blocks())

    def _blocks(self) -> list[Block]:
        """The run in short: its gates, a table of its scores, and their plot."""
        from adjudge.analysis.browsing import RunIndex  # noqa: PLC0415 - loads numpy
        from adjudge.reports.findings.gates import in_short  # noqa: PLC0415

        overview = RunIndex(self.record, self._store).overview()
        return [in_short(self.record, overview, self.gates, command_line())]

    def repeats(self) -> Repeats | None:
        """How far samples of the same item lie apart; None where each item is judged once."""
        return repeats_of(self.record, self._store)

    def export(
        self,
        path: str | Path,
        *,
        by_item: bool = False,
        with_inputs: bool = False,
        parts: bool = False,
        columns: Columns = "full",
    ) -> Path:
        """Writes the verdicts; the ending picks the format. Markdown begins with the gates.

        `parts` writes one row per question of a checklist and per claim instead.
        `by_item` writes one row per item, judge and model instead, its samples combined.
        `with_inputs` puts the item's inputs and other columns beside each verdict; a page for
        reading has the inputs in any case. `columns="compact"` writes id, inputs, a column per
        score, its explanation and the outcome to .csv, .xlsx, .jsonl and .json.
        """
        file, before = Path(path), b""
        ending = file.suffix.casefold()
        rows: Callable[[], Iterator[Row]] = partial(self.rows, with_inputs=with_inputs)
        if parts:
            rows = self._part_rows
        elif by_item:
            rows = partial(self._item_rows, with_inputs=with_inputs)
        elif columns == "compact" and ending in COMPACT_ENDINGS:
            rows = self._compact_rows
        elif ending == ".xml" and self.gates:
            check_path(file)
            write_whole(file, lambda out: junit.write(rows, out, gate_cases(self.gates)))
            return file
        elif ending == ".html" and not with_inputs:
            rows = self._readable_rows
        elif ending == ".md" and self.gates:
            before = as_markdown(gates(self.gates, command_line())).encode()
        write_file(file, rows, before, None if parts else self._means)
        return file

    def _means(self) -> Table:
        return criteria_table(self.record, self.summary)

    def _compact_rows(self) -> Iterator[Row]:
        manifest = self.record.manifest
        grader = len(manifest.judges) * len(manifest.models) > 1
        repeat = manifest.settings.get("repeat") not in (None, 1)
        for entry in self.entries():
            yield compact_row(entry.verdict, entry.item.fields, grader=grader, repeat=repeat)

    def _part_rows(self) -> Iterator[Row]:
        for verdict in self.verdicts():
            yield from part_rows(self.id, verdict)

    def _readable_rows(self) -> Iterator[Row]:
        """People want to see what was judged."""
        for entry in self.entries():
            yield verdict_row(self.id, entry.verdict, entry.item.fields)

    def _item_rows(self, *, with_inputs: bool) -> Iterator[Row]:
        for _, some in groupby(self.entries(), lambda entry: entry.item.id):
            entries = list(some)
            data: Row = {"data": item_data(entries[0].item)} if with_inputs else {}
            for row in item_rows(self.id, (entry.verdict for entry in entries)):
                yield row | data

    def close(self) -> None:
        self._store.close()


def open_run(run_id: str = "latest", *, store: str | None = None) -> Run:
    """A run that is in the store already.

    run_id: its id, a beginning of that which no other run has, its name, "latest", "latest~1" (the
        one before it), or "tag:k=v" (the latest with that tag).
    store: where it is kept.
    """
    opened = open_store(store or RunOptions().store, must_exist=True)
    try:
        return Run(opened.runs.find(run_id), opened)
    except BaseException:
        opened.close()
        raise


def reread(run_id: str = "latest", *, store: str | None = None, dry_run: bool = False) -> Reread:
    """Reads the stored replies of a run with today's reader; asks no model.

    run_id, store: as in `open_run`.
    dry_run: only says what would change.
    """
    with using(run_id, store) as opened:
        return opened.reread(dry_run=dry_run)


@contextmanager
def using(run: str | Run, store: str | None) -> Iterator[Run]:
    """The run itself, or the one of that name, which is closed again."""
    if isinstance(run, Run):
        yield run
        return
    opened = open_run(run, store=store)
    try:
        yield opened
    finally:
        opened.close()


def listed(names: str | Sequence[str]) -> tuple[str, ...]:
    """One name or several."""
    return (names,) if isinstance(names, str) else tuple(names)
