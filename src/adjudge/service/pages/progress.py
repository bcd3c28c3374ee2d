"""How far a run is, for pages that are read without scripts and as a start for those with."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from adjudge.core.score import Outcome
from adjudge.stores.base import Store
from adjudge.stores.records import RunRecord

from .figures import between


@dataclass(frozen=True, slots=True)
class RunProgress:
    """In verdicts; `total` is the most that there can be."""

    done: int
    total: int
    unscored: int


def progress_of(store: Store, record: RunRecord) -> RunProgress | None:
    """None once the run has ended."""
    if record.state != "running":
        return None
    manifest, found = record.manifest, store.progress(record.id)
    repeat = int(str(manifest.settings.get("repeat", 1)))
    total = record.rows * len(manifest.judges) * len(manifest.models) * repeat
    scored = found.outcomes.get(Outcome.SCORED, 0)
    return RunProgress(found.verdicts, max(total, found.verdicts), found.verdicts - scored)


def lasted(record: RunRecord) -> float | None:
    """Seconds until it ended, or until now while it runs."""
    now = datetime.now(UTC).isoformat() if record.state == "running" else None
    return between(record.started, record.ended or now)
