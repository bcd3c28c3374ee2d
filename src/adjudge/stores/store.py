"""A store: where it is, the groups of its tables, and what holds for all of them."""

from __future__ import annotations

from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.core.reason import Reason
from adjudge.errors import StoreError, UsageError
from adjudge.settings.secrets import without_secrets

if TYPE_CHECKING:  # SQLAlchemy takes 0.2 s to import
    from .database import Database
    from .findings import Calibrations, Cascades, Probes
    from .items import Items
    from .jobs import Jobs, Tokens
    from .labels import Labels
    from .owners import Owner
    from .replies import Replies
    from .runs import Runs
    from .spending import Batches, Reservations
    from .verdicts import Verdicts

DEFAULT = ".adjudge/adjudge.db"


def path_of(url: str) -> Path:
    """The file of a store: `url` is a path, `sqlite:///path`, or `sqlite` for the default place."""
    scheme, separator, rest = url.partition("://")
    shown = without_secrets(url)  # an address may hold a password
    if separator and scheme != "sqlite":
        raise UsageError(Reason("store.only_sqlite").at_option("store", shown))
    path = Path(rest.removeprefix("/") if separator else DEFAULT if url == "sqlite" else url)
    if path.is_dir():
        raise UsageError(Reason("store.is_folder", path=str(path)).at_option("store", shown))
    return path


@dataclass(frozen=True, kw_only=True)
class Store:
    """Methods block; call them from a thread where a loop must go on. All raise StoreError.

    `secret` makes the marks around judged texts unknowable to their authors.
    """

    where: str  # as it may be shown
    secret: bytes
    runs: Runs
    items: Items
    verdicts: Verdicts
    replies: Replies
    reservations: Reservations
    batches: Batches
    labels: Labels
    calibrations: Calibrations
    probes: Probes
    cascades: Cascades
    tokens: Tokens
    jobs: Jobs
    database: Database
    owner: Owner

    def transaction(self) -> AbstractContextManager[object]:
        """One commit for what this thread puts, spends, claims and releases inside."""
        return self.database.writing()

    def heartbeat(self) -> None:
        """Tells others that our claims hold and our runs go on; to be called every few seconds."""
        self.owner.heartbeat()

    def sync(self) -> None:
        """Waits until all that was committed is on the disk: a power cut does not lose it then."""
        self.database.sync()

    def close(self) -> None:
        with suppress(StoreError):  # others find out by themselves that we are gone
            self.owner.close()
        self.database.close()


def open_store(url: str | Path, *, must_exist: bool = False) -> Store:
    """The store at `url`, made when it is not there, unless it must exist."""
    from .opening import opened  # noqa: PLC0415 - SQLAlchemy takes 0.2 s to import

    path = path_of(str(url))
    if must_exist and not path.exists():
        raise StoreError(Reason("store.none_here").in_file(path))
    return opened(path)
