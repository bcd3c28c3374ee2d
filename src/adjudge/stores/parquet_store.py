"""Verdict files as a store, as far as a run needs one: to judge, and to show what came of it.

Everything else (pages, labels, calibrations) wants a database: `adjudge store add` brings the run
there.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import orjson

from adjudge.core.reason import Reason
from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict
from adjudge.errors import UnknownName, UsageError

from .codec import now
from .facts import facts_of
from .folders import Folder
from .records import Entry, Facts, RunProgress, RunRecord, State
from .store import PARQUET, Store
from .verdict_files import VerdictFiles, is_answered

_PER_BLOCK = 1000  # rows, at most
_SHARES = 8  # blocks per worker, at least, where there are rows enough: they end at about one time


def rows_per_block(rows: int, workers: int) -> int:
    """So many that workers are not kept waiting, and so few that all have some."""
    return max(1, min(_PER_BLOCK, rows // (workers * _SHARES)))


class NotInFiles:
    """Stands for the parts of a store that verdict files do not have."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UsageError(Reason("store.parquet_alone", folder=self._folder))


class _NoDatabase:
    """What a store does with its database, where there is none."""

    def writing(self) -> AbstractContextManager[None]:
        return nullcontext()

    def sync(self) -> None: ...
    def close(self) -> None: ...
    def heartbeat(self) -> None: ...
    def wait_for(self, *_: object) -> None: ...


class FileRuns:
    """The runs of a folder, for the one process that drives them."""

    def __init__(self, folder: Folder, workers: int = 1) -> None:
        self._folder, self._workers = folder, workers

    def start(self, run: RunRecord) -> bool:
        """As `Runs.start`; blocks stay as they were cut when the run began."""
        files = VerdictFiles(self._folder, run.id)
        noted = files.record()
        if noted is None:
            rows = rows_per_block(run.rows, self._workers)
            files.note(replace(run, started=now()), rows)
            return False
        before, rows = noted
        is_done = before.state == "finished" and not files.unanswered()
        state: State = "finished" if is_done else "running"
        ended = before.ended if is_done else None
        run = replace(run, manifest=run.manifest.after(before.manifest))
        files.note(replace(run, state=state, started=before.started, ended=ended), rows)
        return True

    def end(self, run_id: str, state: State, _: int | None = None) -> None:
        files = VerdictFiles(self._folder, run_id)
        record, rows = self._noted(files)
        files.note(replace(record, state=state, ended=now()), rows)

    def find(self, run_id: str) -> RunRecord:
        return self._noted(VerdictFiles(self._folder, run_id))[0]

    def all(self) -> list[RunRecord]:
        names = (name.split("/") for name in self._folder.names())
        ids = sorted({name[0] for name in names if name[1:] == ["run.json"]})
        return [self.find(run_id) for run_id in ids]

    def rows_per_block(self, run_id: str) -> int:
        return self._noted(VerdictFiles(self._folder, run_id))[1]

    def count_answered(self, run_id: str) -> int:
        return sum(map(is_answered, VerdictFiles(self._folder, run_id).entries()))

    def progress(self, run_id: str) -> RunProgress:
        entries = VerdictFiles(self._folder, run_id).entries()
        outcomes = Counter(entry.verdict.outcome.value for entry in entries)
        return RunProgress(outcomes.total(), outcomes)

    def _noted(self, files: VerdictFiles) -> tuple[RunRecord, int]:
        noted = files.record()
        if noted is None:
            raise UnknownName(Reason("run.unknown", run=files.run))
        return noted


class FileVerdicts:
    """What is read of the verdicts of a run once it is judged."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def entries(self, run_id: str, item: str | None = None) -> Iterator[Entry]:
        entries = VerdictFiles(self._folder, run_id).entries()
        return (entry for entry in entries if item in {None, entry.item.id})

    def all(self, run_id: str) -> Iterator[Verdict]:
        return (entry.verdict for entry in self.entries(run_id))

    def facts(self, run_id: str) -> Iterator[Facts]:
        files = VerdictFiles(self._folder, run_id)
        for number in files.blocks():
            yield from facts_of(files.block(number).entries)

    def fingerprints(self, run_id: str) -> dict[tuple[str, str], set[str]]:
        by_grader: dict[tuple[str, str], set[str]] = {}
        for verdict in self.all(run_id):
            if verdict.outcome is Outcome.SCORED:
                grader = by_grader.setdefault((verdict.judge, verdict.model), set())
                grader.add(verdict.fingerprint)
        return by_grader


class _NoCalibrations:
    """A gate on corrected scores says that nobody has calibrated."""

    def latest(self, *_: object) -> None:
        return None

    def of(self, *_: object) -> list[Any]:
        return []


def open_parquet(url: str, workers: int = 1) -> Store:
    """The store `parquet:DIR` for the driver of a run; the folder is made when it is not there."""
    place = url.removeprefix(PARQUET)
    if not place:
        raise UsageError(Reason("store.no_runs").at_option("store", url))
    folder = Folder(place)
    content = folder.read("store.json")
    if content is None:
        content = orjson.dumps({"id": secrets.token_hex(8), "secret": secrets.token_hex(32)})
        folder.write("store.json", content)
    parts = {"runs": FileRuns(folder, workers), "verdicts": FileVerdicts(folder)}
    return store_of(place, orjson.loads(content), parts | {"calibrations": _NoCalibrations()})


def store_of(place: str, numbers: Mapping[str, str], parts: Mapping[str, Any]) -> Store:
    absent: Any = NotInFiles(place)
    named = {"where": place, "id": numbers["id"], "secret": bytes.fromhex(numbers["secret"])}
    nothing = {"database": _NoDatabase(), "owner": _NoDatabase()}
    everything: Any = dict.fromkeys(Store.__dataclass_fields__, absent)
    return Store(**everything | nothing | dict(parts) | named)
