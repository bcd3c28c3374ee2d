"""A run that is in the store: its verdicts, rows, labels and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.analysis.gates import Gate, Judged
from adjudge.analysis.label_import import Imported, import_labels
from adjudge.analysis.labelling import Labelling, Session, judge_of, open_session, scales_of
from adjudge.analysis.repeats import Repeats, repeats_of
from adjudge.core.judge import Judge
from adjudge.core.label import Label
from adjudge.core.prompt import Prompt
from adjudge.core.verdict import Verdict
from adjudge.errors import UsageError
from adjudge.judges.prompting import prompting
from adjudge.models.registry import profile_of
from adjudge.reports.formats import write_file
from adjudge.reports.gates import gate_blocks
from adjudge.reports.label_rows import check_label_path, write_labels
from adjudge.reports.page import as_markdown
from adjudge.reports.repeats import item_rows
from adjudge.reports.rows import Row, item_data, verdict_row
from adjudge.running.options import RunOptions
from adjudge.running.reread import Reread, judge_as_kept, reread_run
from adjudge.running.summary import Summary, summarise
from adjudge.stores.base import Store
from adjudge.stores.records import Entry, RunRecord
from adjudge.stores.registry import open_store

if TYPE_CHECKING:
    import polars


class Run:
    """A run in a store: its summary, its verdicts, its exports."""

    def __init__(self, record: RunRecord, store: Store, summary: Summary | None = None) -> None:
        self.record, self._store = record, store
        self._summary = summary
        self._judges: dict[str, Judge] = {}
        self.gates: tuple[Judged, ...] = ()

    @property
    def id(self) -> str:
        return self.record.id

    @property
    def summary(self) -> Summary:
        if self._summary is None:
            self._summary = summarise(self.id, self._store.verdicts(self.id))
        return self._summary

    def mean(
        self, criterion: str, *, judge: str | None = None, model: str | None = None
    ) -> float | None:
        """The mean over scored items, None when there are none. `summary` counts the others."""
        found = [
            each
            for each in self.summary.criteria.values()
            if each.criterion == criterion
            and judge in {None, each.judge}
            and model in {None, each.model}
        ]
        if len(found) == 1:
            return found[0].mean
        known = ", ".join(
            f"{each.judge}/{each.model}/{each.criterion}" for each in self.summary.criteria.values()
        )
        what = "no criterion" if not found else f"{len(found)} judges or models with a criterion"
        raise UsageError(
            f"This run has {what} {criterion!r}; name judge= and model=. It has: {known}."
        )

    def entries(self, item: str | None = None) -> Iterator[Entry]:
        """Verdicts with their items, in the order of the data, streamed."""
        return self._store.entries(self.id, item)

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
        self.record.needs_texts("The prompts cannot be shown")
        judge = self.judge(entry.verdict.judge)
        # Not the verdict's own: one that was read again has the fingerprint of today's judge.
        asked_by = self.record.manifest.judges[judge.name]
        if judge.fingerprint != asked_by:
            raise UsageError(
                "The prompts cannot be shown: this version of adjudge would word them differently"
                f" (fingerprint {judge.fingerprint}, then {asked_by})."
            )
        renderer = prompting(judge, self._store.secret, profile_of(entry.verdict.model))
        return renderer.prompts(entry.item, entry.verdict.repeat, entry.verdict.cuts)

    def reread(self, *, dry_run: bool = False) -> Reread:
        """Reads the stored replies with today's reader and keeps the new verdicts; asks no model.

        `dry_run` only tells what would change.
        """
        result = reread_run(self.record, self._store, dry_run=dry_run)
        if not dry_run:
            self._summary = result.summary
        return result

    def judge(self, name: str | None = None) -> Judge:
        """The judge as it was kept with the run; the name may be left out where there is one."""
        known = judge_of(self.record, name)
        if known not in self._judges:  # reading one takes tens of milliseconds
            self._judges[known] = judge_as_kept(self.record, known)
        return self._judges[known]

    def labels(self, judge: str | None = None) -> list[Label]:
        """What people said about this data for the judge, in the order in which they did."""
        return self._store.labels.of(self.record.manifest.data_hash, judge_of(self.record, judge))

    def label_session(self, chosen: Labelling, *, judge: str | None = None) -> Session:
        """A rater's way through the items, one question at a time."""
        return open_session(self.record, self._store, judge_of(self.record, judge), chosen)

    def import_labels(
        self, path: str | Path, *, judge: str | None = None, rater: str = ""
    ) -> Imported:
        """Keeps the labels of a file; those that name nobody become the `rater`'s."""
        name = judge_of(self.record, judge)
        return import_labels(self.record, self._store, name, Path(path), rater)

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
        labels = [each for each in self.labels(judge) if rater in {None, each.rater}]
        if not labels:
            whose = f" by {rater}" if rater else ""
            raise UsageError(f"There are no labels{whose} for run {self.id} yet: adjudge label.")
        write_labels(Path(path), labels, scales_of(self.judge(judge)), wide=wide)
        return Path(path)

    def to_dicts(self) -> list[Row]:
        return list(self.rows())

    def to_polars(self) -> polars.DataFrame:
        """A flat table with dotted column names; needs `pip install adjudge[polars]`."""
        try:
            import polars  # noqa: PLC0415 - an optional extra
        except ImportError:
            raise UsageError("to_polars() needs polars: pip install 'adjudge[polars]'.") from None
        from adjudge.reports.rows import flat  # noqa: PLC0415

        return polars.DataFrame([flat(row) for row in self.rows()], infer_schema_length=None)

    def judge_gates(self, gates: Sequence[Gate]) -> tuple[Judged, ...]:
        """What becomes of the gates; `corrected` rests on the latest calibration in the store."""
        if not gates:
            return ()
        from adjudge.analysis.run_figures import judge_run  # noqa: PLC0415 - loads numpy

        return judge_run(gates, self.record, self._store)

    def repeats(self) -> Repeats | None:
        """How far samples of the same item lie apart; None where each item is judged once."""
        return repeats_of(self.record, self._store.scores(self.id))

    def export(self, path: str | Path, *, by_item: bool = False, with_inputs: bool = False) -> Path:
        """Writes the verdicts; the ending picks the format. Markdown begins with the gates.

        `by_item` writes one row an item, judge and model instead, its samples made one.
        `with_inputs` puts the item's inputs and other columns beside each verdict; a page for
        reading has the inputs in any case.
        """
        if by_item:
            write_file(Path(path), lambda: self._item_rows(with_inputs=with_inputs))
            return Path(path)
        ending = Path(path).suffix.casefold()
        before = as_markdown(gate_blocks(self.gates)) if ending == ".md" and self.gates else ""
        if ending == ".html" and not with_inputs:
            write_file(Path(path), self._readable_rows)
        else:
            write_file(Path(path), lambda: self.rows(with_inputs=with_inputs), before.encode())
        return Path(path)

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
    """A run that is in the store already."""
    opened = open_store(store or RunOptions().store, must_exist=True)
    try:
        return Run(opened.find(run_id), opened)
    except BaseException:
        opened.close()
        raise


def reread(run_id: str = "latest", *, store: str | None = None, dry_run: bool = False) -> Reread:
    """`Run.reread` of a run that is in the store already."""
    opened = open_run(run_id, store=store)
    try:
        return opened.reread(dry_run=dry_run)
    finally:
        opened.close()


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


def listed(names: str | Sequence[str]) -> list[str]:
    """One name or several, as a list."""
    return [names] if isinstance(names, str) else list(names)
