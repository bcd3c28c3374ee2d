"""Runs beside people's labels, worked out once for each state of both."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from adjudge.analysis.calibrate import CalibrateOptions, calibrate_run
from adjudge.analysis.calibration import Calibration
from adjudge.core.label import Label
from adjudge.core.scale import Scale
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

from .worked_out import WorkedOut

_MOST = 16  # calibrations; one of 100,000 items takes about 10 MB


@dataclass(frozen=True, slots=True)
class Grading:
    """One judge and model of a run; `group` is the column whose items belong together."""

    judge: str
    model: str
    group: str | None = None


class CalibratedRuns:
    """The calibrations looked at last. Nothing is kept for gates by looking."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.kept: WorkedOut[Calibration] = WorkedOut(_MOST)

    def of(self, record: RunRecord, asked: Grading) -> tuple[str, Future[Calibration]]:
        """The state that it is of; and what holds the calibration as soon as it is there, or the
        DataError that says why not."""
        labels = self._store.labels.of(record.manifest.data_hash, asked.judge)
        mark, given = self._store.mark(record.id), hash(tuple(labels))

        def calibrate() -> Calibration:
            return self._calibrate(record, asked, labels, keep=False)

        return f"{mark}-{given:x}", self.kept.of((record.id, mark, given, asked), calibrate)

    def keep(self, record: RunRecord, asked: Grading) -> Calibration:
        """What `adjudge calibrate` does: gates on later runs rest on it."""
        labels = self._store.labels.of(record.manifest.data_hash, asked.judge)
        return self._calibrate(record, asked, labels, keep=True)

    def _calibrate(
        self, record: RunRecord, asked: Grading, labels: list[Label], *, keep: bool
    ) -> Calibration:
        def given(_judge: str, _scales: Mapping[str, Scale]) -> list[Label]:
            return labels

        options = CalibrateOptions(judge=asked.judge, model=asked.model, group=asked.group)
        return calibrate_run(record, self._store, given, options, keep=keep)
