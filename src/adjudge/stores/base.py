"""What every store offers to the rest of the program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from adjudge.core.item import Item
from adjudge.core.run import Manifest
from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict

State = Literal["running", "finished", "interrupted", "failed"]

# Not answered by the model: running the same command again asks for these once more.
UNANSWERED = frozenset({Outcome.PROVIDER_ERROR, Outcome.BUDGET_STOPPED})


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run as it is kept. `sources` maps judge names to their files' text and the overrides made
    on the command line, so that prompts can be shown later; times are ISO 8601 in UTC."""

    id: str
    manifest: Manifest
    sources: Mapping[str, Mapping[str, str]]
    rows: int
    state: State = "running"
    started: str = ""
    ended: str | None = None
    bad_rows: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """A verdict with the item it is about and the item's position in the data."""

    position: int
    item: Item
    verdict: Verdict


class Store(Protocol):
    """Methods block; call them from a thread where a loop must go on. All raise StoreError."""

    secret: bytes
    where: str

    def start(self, run: RunRecord) -> bool:
        """Notes that the run goes on; True when it was there already."""
        ...

    def end(self, run_id: str, state: State) -> None: ...

    def put(self, run_id: str, entries: Sequence[Entry]) -> None:
        """Keeps the verdicts for good: after this returns, a crash does not lose them."""
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

    def entries(self, run_id: str, item: str | None = None) -> Iterator[Entry]:
        """The verdicts in the order of the data, streamed; of one item when it is named."""
        ...

    def close(self) -> None: ...
