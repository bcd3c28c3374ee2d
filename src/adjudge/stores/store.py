"""A store: where it is, the groups of its tables, and what holds for all of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from adjudge.core.reason import Reason
from adjudge.errors import StoreError, StoreInterrupted, UsageError
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
    from .uploads import KeptUploads
    from .verdicts import Verdicts

DEFAULT = ".adjudge/adjudge.db"
PARQUET = "parquet:"
_ATTEMPTS = 20  # each on a connection that was whole when it began
_SERVERS = ("postgresql", "postgres")
_Result = TypeVar("_Result")


def is_parquet(url: str) -> bool:
    """Whether `url` is `parquet:DIR`, the files that a cluster writes without a database."""
    return url.startswith(PARQUET)


def path_of(url: str) -> Path | None:
    """The file of a store: `url` is a path, `sqlite:///path`, or `sqlite` for the default place.
    None for a store on a server."""
    if is_parquet(url):
        raise UsageError(Reason("store.parquet_alone", folder=url.removeprefix(PARQUET)))
    scheme, separator, rest = url.partition("://")
    shown = without_secrets(url)  # an address may hold a password
    if separator and scheme in _SERVERS:
        return None
    if separator and scheme != "sqlite":
        raise UsageError(Reason("store.unknown_kind").at_option("store", shown))
    path = Path(rest.removeprefix("/") if separator else DEFAULT if url == "sqlite" else url)
    if path.is_dir():
        raise UsageError(Reason("store.is_folder", path=str(path)).at_option("store", shown))
    return path


@dataclass(frozen=True, kw_only=True)
class Store:
    """Methods block; call them from a thread where a loop must not be blocked. All raise
    StoreError.

    `secret` makes the marks around judged texts unknowable to their authors.
    """

    where: str  # as it may be shown
    id: str
    secret: bytes = field(repr=False)
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
    uploads: KeptUploads
    database: Database
    owner: Owner

    def transaction(self) -> AbstractContextManager[object]:
        """One commit for what this thread puts, spends, claims and releases inside."""
        return self.database.writing()

    def heartbeat(self) -> None:
        """Tells others that our claims hold and our runs continue; to be called every few
        seconds."""
        self.owner.heartbeat()

    def steadily(self, action: Callable[[], _Result]) -> _Result:
        """What the action returns. It is started again where a connection was cut in the middle."""
        was_cut = False
        for _ in range(_ATTEMPTS):
            try:
                if was_cut:  # what we signed may be gone with what was cut off
                    self.owner.heartbeat()
                return action()
            except StoreInterrupted:
                was_cut = True
        return action()

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
    if must_exist and path and not path.exists():
        raise StoreError(Reason("store.none_here").in_file(path))
    return opened(path or str(url), must_exist=must_exist)


def existing_store(url: str) -> Store | None:
    """The store at `url` if there is one; none is made."""
    if is_parquet(url):
        return None
    try:
        return open_store(url, must_exist=True)
    except StoreError as error:
        if error.code == "store.none_here":
            return None
        raise
