"""The default store: one SQLite file, in write-ahead mode."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.exc import DBAPIError

from adjudge.core.item import Item
from adjudge.errors import StoreError, UsageError

from . import tables
from .base import UNANSWERED, Entry, RunRecord, State
from .codec import decode_manifest, decode_verdict, encode

_PAGE = 500  # verdicts held in memory at once while streaming
PATIENCE = 30.0  # seconds that a writer waits for another one


class SqliteStore:
    """Readers and one writer at a time; a second writer waits for `PATIENCE` seconds."""

    def __init__(self, path: Path) -> None:
        self.where = str(path)
        _make_folder(path.parent)
        # As parts, not as one text: a path may hold "?" and "%", which mean something in a URL.
        url = sa.URL.create("sqlite", database=str(path.absolute()))
        self._engine = sa.create_engine(url, connect_args={"timeout": PATIENCE})
        sa.event.listen(self._engine, "connect", _set_pragmas)
        known = self._meta()
        if known["version"] != tables.VERSION:
            raise StoreError(
                f"{path}: written by another version of adjudge (store version {known['version']},"
                f" this one reads {tables.VERSION}). Use that version, or another --store."
            )
        self.secret = bytes.fromhex(known["secret"])

    def _meta(self) -> dict[str, str]:
        """The store's own notes; made, with the tables, where there are none yet."""
        every = sa.select(tables.meta)
        with self._reading() as db:  # so that a reader need not wait for whoever writes
            if sa.inspect(db).has_table(tables.meta.name):
                found = {row.key: row.value for row in db.execute(every)}
                if found:
                    return found
        with self._transaction() as db:
            tables.metadata.create_all(db)
            notes = {"version": tables.VERSION, "secret": secrets.token_hex(32)}
            db.execute(
                insert(tables.meta).on_conflict_do_nothing(),
                [{"key": key, "value": value} for key, value in notes.items()],
            )
            return {row.key: row.value for row in db.execute(every)}

    def start(self, run: RunRecord) -> bool:
        with self._transaction() as db:
            there = db.execute(
                sa.select(tables.runs.c.id).where(tables.runs.c.id == run.id)
            ).first()
            values = {
                "state": "running",
                "rows": run.rows,
                "bad_rows": run.bad_rows,
                "manifest": encode(asdict(run.manifest)),
                "sources": encode(run.sources),
                "ended": None,
            }
            new = insert(tables.runs).values(id=run.id, started=_now(), **values)
            db.execute(new.on_conflict_do_update(index_elements=["id"], set_=values))
        return there is not None

    def end(self, run_id: str, state: State) -> None:
        with self._transaction() as db:
            where = tables.runs.c.id == run_id
            db.execute(sa.update(tables.runs).where(where).values(state=state, ended=_now()))

    def put(self, run_id: str, entries: Sequence[Entry]) -> None:
        if not entries:
            return
        item_rows = [
            {
                "run": run_id,
                "item": entry.item.id,
                "position": entry.position,
                "content": encode({"fields": entry.item.fields, "extra": entry.item.extra}),
            }
            for entry in entries
        ]
        verdict_rows = [
            {
                "run": run_id,
                "item": entry.verdict.item,
                "judge": entry.verdict.judge,
                "model": entry.verdict.model,
                "repeat": entry.verdict.repeat,
                "outcome": entry.verdict.outcome,
                "content": encode(entry.verdict),
            }
            for entry in entries
        ]
        with self._transaction() as db:
            db.execute(insert(tables.items).on_conflict_do_nothing(), item_rows)
            db.execute(_VERDICT_UPSERT, verdict_rows)

    def answered(self, run_id: str, key: tuple[str, str, int], items: Sequence[str]) -> set[str]:
        table = tables.verdicts.c
        judge, model, repeat = key
        query = sa.select(table.item).where(
            table.run == run_id,
            table.judge == judge,
            table.model == model,
            table.repeat == repeat,
            table.item.in_(items),
            table.outcome.not_in(UNANSWERED),
        )
        with self._reading() as db:
            return set(db.execute(query).scalars())

    def count_answered(self, run_id: str) -> int:
        table = tables.verdicts.c
        query = sa.select(sa.func.count()).where(
            table.run == run_id, table.outcome.not_in(UNANSWERED)
        )
        with self._reading() as db:
            return int(db.execute(query).scalar_one())

    def runs(self) -> list[RunRecord]:
        with self._reading() as db:
            # A run that went on later than another one started is the later of the two.
            lately = sa.func.coalesce(tables.runs.c.ended, tables.runs.c.started)
            query = sa.select(tables.runs).order_by(lately.desc())
            return [_record(row) for row in db.execute(query)]

    def find(self, run: str) -> RunRecord:
        known = self.runs()
        if not known:
            raise UsageError(f"{self.where} holds no run yet. `adjudge run` makes one.")
        if run == "latest":
            return known[0]
        found = [record for record in known if record.id.startswith(run)]
        if len(found) == 1:
            return found[0]
        ids = ", ".join(record.id for record in (found or known)[:8])
        what = f"{len(found)} runs begin with" if found else "there is no run"
        raise UsageError(f"{what} {run!r}. In {self.where}: {ids}. `latest` names the latest.")

    def entries(self, run_id: str, item: str | None = None) -> Iterator[Entry]:
        item_table, verdict_table = tables.items.c, tables.verdicts.c
        query = (
            sa.select(item_table.position, item_table.content, verdict_table.content)
            .join_from(
                tables.items,
                tables.verdicts,
                (item_table.run == verdict_table.run) & (item_table.item == verdict_table.item),
            )
            .where(item_table.run == run_id)
            .order_by(
                item_table.position, verdict_table.judge, verdict_table.model, verdict_table.repeat
            )
        )
        if item is not None:
            query = query.where(item_table.item == item)
        with self._reading() as db:
            for position, content, verdict in db.execute(query).yield_per(_PAGE):
                decoded = decode_verdict(verdict)
                yield Entry(position, Item(decoded.item, **orjson.loads(content)), decoded)

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _transaction(self) -> Iterator[sa.Connection]:
        with self._telling(), self._engine.begin() as db:
            yield db

    @contextmanager
    def _reading(self) -> Iterator[sa.Connection]:
        with self._telling(), self._engine.connect() as db:
            yield db

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Database errors in the words of a user."""
        try:
            yield
        except DBAPIError as error:
            reason = str(error.orig)
            if "not a database" in reason:
                remedy = "The file is no adjudge store; name another with --store."
            elif "locked" in reason:
                remedy = "Another process is writing to it; wait for that, or use another --store."
            else:
                remedy = "Check the disk and the permissions, or name another with --store."
            raise StoreError(f"{self.where}: {reason}. {remedy}") from error


_new_verdict = insert(tables.verdicts)
_VERDICT_UPSERT = _new_verdict.on_conflict_do_update(
    index_elements=["run", "item", "judge", "model", "repeat"],
    set_={
        "outcome": _new_verdict.excluded.outcome,
        "content": _new_verdict.excluded.content,
    },
)


def _make_folder(folder: Path) -> None:
    try:
        if not folder.exists():
            folder.mkdir(parents=True)
            if folder.name == ".adjudge":
                # Texts and verdicts should not end up in version control by accident.
                (folder / ".gitignore").write_text("*\n")
    except OSError as error:
        raise StoreError(
            f"{folder}: cannot be made: {error.strerror}. Name another place with --store."
        ) from None


def _set_pragmas(connection: Any, _: object) -> None:
    # WAL lets readers go on while a run writes; FULL makes a commit outlive a power cut.
    for pragma in ("journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")


def _record(row: sa.Row[Any]) -> RunRecord:
    values = row._asdict()
    values["manifest"] = decode_manifest(values["manifest"])
    values["sources"] = orjson.loads(values["sources"])
    return RunRecord(**values)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
