"""What every store offers to the rest of the program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from adjudge.core.item import Item
from adjudge.core.label import Label
from adjudge.core.verdict import Verdict

from .records import (
    CacheInfo,
    Cost,
    DeletedRun,
    Entry,
    Facts,
    Granted,
    JobState,
    KeptBatch,
    KeptCalibration,
    KeptJob,
    KeptProbe,
    KeptReply,
    KeptToken,
    Place,
    Progress,
    RunRecord,
    ScoreRow,
    State,
    Taken,
    Tally,
    Texts,
    Wanted,
)


class Replies(Protocol):
    """The reply cache, and who is asking what just now."""

    def take(self, keys: Sequence[str]) -> Taken:
        """The replies that are there; the other keys become ours unless another process asks."""
        ...

    def have(self, keys: Sequence[str]) -> set[str]:
        """Those of the keys that a reply is kept for; nothing is claimed."""
        ...

    def put(self, replies: Sequence[KeptReply]) -> None:
        """Keeps the replies and gives up the claims on their keys."""
        ...

    def give_up(self, keys: Sequence[str] | None = None) -> None:
        """Gives up our claims on these keys, or on all."""
        ...

    def info(self) -> CacheInfo: ...

    def clear(self) -> int:
        """Forgets all replies, and says how many; verdicts keep their own copies."""
        ...


class Reservations(Protocol):
    """What processes and batches may yet spend of a run's budget, beyond what the run has spent.

    It is reserved before a request is sent: a process that is killed leaves it counted.
    """

    def take(
        self, run: str, need: Cost, ahead: Cost, *, tokens: int | None, usd: float | None
    ) -> Granted:
        """Reserves what is needed, or nothing where less is left of the budget; and something ahead
        where there is plenty. The budget is in `tokens` or in `usd`; the other one is None."""
        ...

    def lessen(self, run: str, cost: Cost) -> None:
        """So much of ours was spent, or is not wanted any more."""
        ...

    def hand_over(self, run: str, batch: str, cost: Cost) -> None:
        """So much of ours is from here on that of a batch, which outlives us."""
        ...

    def held_by(self, run: str, batch: str) -> Cost: ...

    def drop(self, run: str, batch: str | None = None) -> None:
        """All that the batch holds, or that we hold, is free again."""
        ...

    def left_behind(self, run: str) -> Cost:
        """What those held who do not live any more; it stays counted."""
        ...


class BatchNotes(Protocol):
    """What was handed to providers' batch endpoints and is not settled yet."""

    def put(self, batch: KeptBatch) -> None: ...

    def open_of(self, run: str, model: str) -> list[KeptBatch]: ...


class Labels(Protocol):
    """What people said; `data` is the hash of the data, as in a run's manifest."""

    def put(self, data: str, judge: str, labels: Sequence[Label]) -> None:
        """Keeps the labels, each in place of an earlier one by that rater for that criterion.

        After this returns, a killed process does not lose them.
        """
        ...

    def of(self, data: str, judge: str) -> list[Label]:
        """All of them, in the order in which they were first given."""
        ...

    def tally(self, data: str, judge: str) -> Tally:
        """How many there are, without reading them."""
        ...

    def remove(
        self, data: str, judge: str, item: str, rater: str, criterion: str | None = None
    ) -> int:
        """Forgets what the rater said about the item, and says how many labels that were."""
        ...


class Calibrations(Protocol):
    """How judges relate to people, each time that it was found out."""

    def keep(self, judge: str, model: str, fingerprint: str, content: Mapping[str, Any]) -> None:
        """`content` is made of what JSON can hold."""
        ...

    def latest(self, judge: str, model: str) -> KeptCalibration | None: ...

    def of(self, judge: str, model: str, fingerprint: str) -> Iterator[KeptCalibration]:
        """Those of one fingerprint, the latest first."""
        ...


class Probes(Protocol):
    """What was found out about judges by probing them, each time that it was done."""

    def keep(
        self, judge: str, models: Sequence[str], fingerprint: str, content: Mapping[str, Any]
    ) -> None:
        """`content` is made of what JSON can hold, and about all the models."""
        ...

    def latest(self, judge: str, model: str) -> KeptProbe | None: ...


class Tokens(Protocol):
    """Who may use the service."""

    def put(self, token: KeptToken) -> None:
        """Conflict where a valid one has its name already."""
        ...

    def all(self) -> list[KeptToken]:
        """Revoked ones too, the oldest first."""
        ...

    def revoke(self, token_id: str, *, leave_an_admin: bool = False) -> None:
        """Conflict for the last valid one of scope admin, where that is to be left."""
        ...


class Jobs(Protocol):
    """What the service was asked to run."""

    def add(self, job: KeptJob) -> None: ...

    def update(
        self,
        job_id: str,
        state: JobState,
        *,
        run: str | None = None,
        problem: str | None = None,
    ) -> None:
        """`run` and `problem` stay as they were where None is given."""
        ...

    def find(self, job_id: str) -> KeptJob | None: ...

    def of_run(self, run_id: str) -> list[KeptJob]:
        """The latest first."""
        ...

    def open(self) -> list[KeptJob]:
        """Those that wait or run, the oldest first."""
        ...

    def begin_again(self, job: KeptJob) -> None:
        """The job waits once more, with the spec that it has now."""
        ...

    def claim(self, run: str) -> bool:
        """Makes the run ours to carry out; False while another process has it, and lives."""
        ...

    def give_up(self, run: str) -> None:
        """From here on others may have the run."""
        ...


class Store(Protocol):
    """Methods block; call them from a thread where a loop must go on. All raise StoreError."""

    secret: bytes
    where: str

    @property
    def replies(self) -> Replies: ...

    @property
    def reservations(self) -> Reservations: ...

    @property
    def batches(self) -> BatchNotes: ...

    @property
    def labels(self) -> Labels: ...

    @property
    def calibrations(self) -> Calibrations: ...

    @property
    def probes(self) -> Probes: ...

    @property
    def tokens(self) -> Tokens: ...

    @property
    def jobs(self) -> Jobs: ...

    def start(self, run: RunRecord) -> bool:
        """Notes that we work on the run from here on; True when it was there already.

        A finished run that has all its answers stays finished, and keeps the time of its end.
        """
        ...

    def end(self, run_id: str, state: State) -> None:
        """Notes that we do not any more, and how it ended."""
        ...

    def stay_alive(self) -> None:
        """Tells others that our claims hold and our runs go on; to be called every few seconds."""
        ...

    def together(self) -> AbstractContextManager[object]:
        """One commit for what this thread puts, spends, takes and gives up inside."""
        ...

    def put(self, run_id: str, entries: Sequence[Entry]) -> None:
        """Keeps the verdicts: after this returns, a killed process does not lose them."""
        ...

    def sync(self) -> None:
        """Waits until all that was committed is on the disk: a power cut does not lose it then."""
        ...

    def spend(self, run_id: str, cost: Cost) -> None:
        """Adds to what the run has spent."""
        ...

    def answered(self, run_id: str, key: tuple[str, str, int], items: Sequence[str]) -> set[str]:
        """Those of the items that judge, model and repeat (`key`) have an answered verdict on."""
        ...

    def count_answered(self, run_id: str) -> int:
        """How many verdicts of the run need not be asked for again."""
        ...

    def runs(self) -> list[RunRecord]:
        """All runs, the latest first."""
        ...

    def find(self, run: str) -> RunRecord:
        """By id, by a unique beginning of it, or "latest"."""
        ...

    def delete(self, run_id: str) -> DeletedRun:
        """Deletes the run, its texts and the replies that it paid for; Conflict while it is under
        way. Labels stay: they belong to the data. What is deleted is overwritten on the disk."""
        ...

    def item_ids(self, run_id: str) -> list[str]:
        """The items that have a verdict, in the order of the data."""
        ...

    def entries(self, run_id: str, item: str | None = None) -> Iterator[Entry]:
        """The verdicts in the order of the data, streamed; of one item when it is named."""
        ...

    def some_entries(self, run_id: str, wanted: Wanted) -> list[Entry]:
        """The next ones in the order of the data, at the cost of those alone."""
        ...

    def verdicts(self, run_id: str) -> Iterator[Verdict]:
        """The verdicts alone, streamed, in the order in which they were first kept."""
        ...

    def scores(self, run_id: str) -> Iterator[ScoreRow]:
        """The verdicts as their values alone, streamed, in the order in which they were kept."""
        ...

    def fingerprints(self, run_id: str) -> dict[tuple[str, str], set[str]]:
        """By judge and model, those of the judges whose verdicts are scored."""
        ...

    def column(self, run_id: str, name: str) -> Iterator[tuple[str, object]]:
        """The items with their value in a column of the data, None where they have none."""
        ...

    def mark(self, run_id: str) -> int:
        """A number that grows whenever verdicts of the run are kept or replaced; 0 without any."""
        ...

    def progress(self, run_id: str) -> Progress:
        """Quick enough to be asked every second."""
        ...

    def facts(self, run_id: str) -> Iterator[Facts]:
        """The figures of all verdicts; of one that comes twice the later ones hold."""
        ...

    def contents(self, run_id: str, items: Sequence[str]) -> dict[str, Item]:
        """These items with their texts; those that the run does not have are left out."""
        ...

    def holding(self, run_id: str, item: str) -> list[str]:
        """The ids of the runs that judged the item of this run: the same id and the same texts."""
        ...

    def texts(self, run_id: str, after: Place) -> Iterator[Texts]:
        """What people may search, as it is kept, some hundred rows at a time."""
        ...

    def recent(self, judge: str, model: str) -> list[Verdict]:
        """Some of the verdicts by this judge and model that were kept last, whatever the run."""
        ...

    def close(self) -> None: ...
