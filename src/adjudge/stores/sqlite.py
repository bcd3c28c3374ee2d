"""The default store: one SQLite file, in write-ahead mode."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from adjudge.core.item import Item
from adjudge.core.verdict import Verdict
from adjudge.errors import StoreError, UnknownName

from . import (
    many,
    sqlite_deletion,
    sqlite_entries,
    sqlite_facts,
    sqlite_scores,
    sqlite_texts,
    tables,
)
from .codec import decode_manifest, decode_verdict, encode
from .database import Database, driver_of
from .migrate import up_to_date
from .records import (
    UNANSWERED,
    Cost,
    DeletedRun,
    Entry,
    Facts,
    Place,
    Progress,
    RunRecord,
    ScoreRow,
    State,
    Texts,
    Wanted,
)
from .sqlite_batches import SqliteBatches
from .sqlite_calibrations import SqliteCalibrations
from .sqlite_jobs import SqliteJobs
from .sqlite_labels import SqliteLabels
from .sqlite_owner import Owner, worked_on
from .sqlite_probes import SqliteProbes
from .sqlite_replies import SqliteReplies
from .sqlite_reservations import SqliteReservations
from .sqlite_tokens import SqliteTokens
from .times import now

_RECENT = 200
_IN_TIME: sa.ColumnElement[int] = sa.literal_column("rowid", sa.Integer)


class SqliteStore:
    """Readers and one writer at a time; a second writer waits (see database.py)."""

    def __init__(self, path: Path) -> None:
        self.where = str(path)
        self._database = Database(path)
        up_to_date(self._database)
        self.secret = bytes.fromhex(self._secret())
        self._owner = Owner(self._database)
        self.replies = SqliteReplies(self._database, self._owner)
        self.reservations = SqliteReservations(self._database, self._owner)
        self.batches = SqliteBatches(self._database)
        self.labels = SqliteLabels(self._database)
        self.calibrations = SqliteCalibrations(self._database)
        self.probes = SqliteProbes(self._database)
        self.tokens = SqliteTokens(self._database)
        self.jobs = SqliteJobs(self._database, self._owner, self.replies)

    def _secret(self) -> str:
        """Made once a store; it makes the marks around judged texts unknowable to their authors."""
        query = sa.select(tables.meta.c.value).where(tables.meta.c.key == "secret")
        with self._database.reading() as db:
            found = db.execute(query).scalar_one_or_none()
        if found:
            return str(found)
        with self._database.writing() as db:
            new = insert(tables.meta).values(key="secret", value=secrets.token_hex(32))
            db.execute(new.on_conflict_do_nothing())
            return str(db.execute(query).scalar_one())

    def together(self) -> AbstractContextManager[object]:
        return self._database.driver()

    def start(self, run: RunRecord) -> bool:
        going_on = {"state": "running", "ended": None}
        with self._database.writing() as db:
            where = tables.runs.c.id == run.id
            state = db.execute(sa.select(tables.runs.c.state).where(where)).scalar_one_or_none()
            values = {
                "rows": run.rows,
                "bad_rows": run.bad_rows,
                "manifest": encode(asdict(run.manifest)),
                "sources": encode(run.sources),
            }
            if state == "finished" and not self._has_unanswered(run.id):
                again = insert(tables.meta).values(key=f"{tables.ASKED_AGAIN}{run.id}", value=now())
                latest = {"value": again.excluded.value}
                db.execute(again.on_conflict_do_update(index_elements=["key"], set_=latest))
            else:
                values |= going_on
                self._owner.work_on(driver_of(db), run.id)
            new = insert(tables.runs).values(id=run.id, started=now(), **values | going_on)
            db.execute(new.on_conflict_do_update(index_elements=["id"], set_=values))
            sqlite_deletion.begin_anew(driver_of(db), run.id)
        return state is not None

    def _has_unanswered(self, run_id: str) -> bool:
        outcomes = self.progress(run_id).outcomes
        return any(count for name, count in outcomes.items() if name in UNANSWERED)

    def end(self, run_id: str, state: State) -> None:
        with self._database.writing() as db:
            where = tables.runs.c.id == run_id
            db.execute(sa.update(tables.runs).where(where).values(state=state, ended=now()))
            self._owner.leave(driver_of(db), run_id)

    def stay_alive(self) -> None:
        self._owner.stay_alive()

    def put(self, run_id: str, entries: Sequence[Entry]) -> None:
        if not entries:
            return
        items = [
            (run_id, each.item.id, each.position, encode(_texts(each.item))) for each in entries
        ]
        verdicts = [
            (
                run_id,
                each.item,
                each.judge,
                each.model,
                each.repeat,
                each.outcome.value,
                encode(each),
            )
            for each in (entry.verdict for entry in entries)
        ]
        with self._database.driver() as db:
            sqlite_deletion.check(db, run_id)
            many.insert(db, "INSERT OR IGNORE INTO items (run, item, position, content)", items, "")
            many.insert(db, _PUT_VERDICTS, verdicts, _NEWER_VERDICTS)
            sqlite_facts.put(db, run_id, entries)

    def sync(self) -> None:
        self._database.sync()

    def spend(self, run_id: str, cost: Cost) -> None:
        with self._database.driver() as db:
            sqlite_deletion.check(db, run_id)
            db.execute(_SPEND, (*cost, run_id))

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
        with self._database.reading() as db:
            return set(db.execute(query).scalars())

    def count_answered(self, run_id: str) -> int:
        outcomes = self.progress(run_id).outcomes
        return sum(count for name, count in outcomes.items() if name not in UNANSWERED)

    def runs(self) -> list[RunRecord]:
        return self._records()

    def _records(self, *which: sa.ColumnElement[bool]) -> list[RunRecord]:
        """The latest first."""
        with self._database.reading() as db:
            # A run that went on later than another one started is the later of the two.
            lately = sa.func.coalesce(tables.runs.c.ended, tables.runs.c.started)
            again = sa.func.coalesce(tables.meta.c.value, "")
            query = (
                sa.select(tables.runs)
                .outerjoin(tables.meta, tables.meta.c.key == tables.ASKED_AGAIN + tables.runs.c.id)
                .where(*which)
                .order_by(sa.func.max(lately, again).desc())
            )
            begun = worked_on(db)
            return [_record(row, begun) for row in db.execute(query)]

    def find(self, run: str) -> RunRecord:
        # Pages ask for one of them all the time: all others, with their judges, need not be read.
        for record in self._records(tables.runs.c.id == run):
            return record
        known = self.runs()
        if not known:
            raise UnknownName(f"{self.where} holds no run yet. `adjudge run` makes one.")
        if run == "latest":
            return known[0]
        found = [record for record in known if record.id.startswith(run)]
        if len(found) == 1:
            return found[0]
        ids = ", ".join(record.id for record in (found or known)[:8])
        what = f"{len(found)} runs begin with" if found else "there is no run"
        raise UnknownName(f"{what} {run!r}. In {self.where}: {ids}. `latest` names the latest.")

    def delete(self, run_id: str) -> DeletedRun:
        with self._database.driver() as db:
            self._owner.bury(db)
            deleted = sqlite_deletion.delete(db, run_id)
        self._database.empty_log()
        return deleted

    def item_ids(self, run_id: str) -> list[str]:
        return sqlite_facts.item_ids(self._database, run_id)

    def entries(self, run_id: str, item: str | None = None) -> Iterator[Entry]:
        return sqlite_entries.entries(self._database, run_id, item)

    def some_entries(self, run_id: str, wanted: Wanted) -> list[Entry]:
        return sqlite_entries.some_entries(self._database, run_id, wanted)

    def verdicts(self, run_id: str) -> Iterator[Verdict]:
        with sqlite_facts.driver(self._database) as db:
            for (content,) in sqlite_texts.walk(db, "verdicts", "content", run_id):
                yield decode_verdict(content)

    def scores(self, run_id: str) -> Iterator[ScoreRow]:
        return sqlite_scores.scores(self._database, run_id)

    def fingerprints(self, run_id: str) -> dict[tuple[str, str], set[str]]:
        return sqlite_scores.fingerprints(self._database, run_id)

    def column(self, run_id: str, name: str) -> Iterator[tuple[str, object]]:
        return sqlite_scores.column(self._database, run_id, name)

    def mark(self, run_id: str) -> int:
        return sqlite_facts.mark(self._database, run_id)

    def progress(self, run_id: str) -> Progress:
        return sqlite_facts.progress(self._database, run_id)

    def facts(self, run_id: str) -> Iterator[Facts]:
        return sqlite_facts.facts(self._database, run_id)

    def contents(self, run_id: str, items: Sequence[str]) -> dict[str, Item]:
        return sqlite_facts.contents(self._database, run_id, items)

    def holding(self, run_id: str, item: str) -> list[str]:
        return sqlite_facts.holding(self._database, run_id, item)

    def texts(self, run_id: str, after: Place) -> Iterator[Texts]:
        return sqlite_texts.texts(self._database, run_id, after)

    def recent(self, judge: str, model: str) -> list[Verdict]:
        table = tables.verdicts.c
        query = sa.select(table.content).where(
            table.judge == judge, table.model == model, table.outcome.not_in(UNANSWERED)
        )
        with self._database.reading() as db:
            rows = db.execute(query.order_by(_IN_TIME.desc()).limit(_RECENT))
            return [decode_verdict(content) for content in rows.scalars()]

    def close(self) -> None:
        with suppress(StoreError):  # others find out by themselves that we are gone
            self._owner.close()
        self._database.close()


# In the driver's own form: these run once for every verdict, thousands in a second.
_SPEND = "UPDATE runs SET tokens = tokens + ?, usd = usd + ? WHERE id = ?"
_PUT_VERDICTS = "INSERT INTO verdicts (run, item, judge, model, repeat, outcome, content)"
_NEWER_VERDICTS = (
    "ON CONFLICT (run, item, judge, model, repeat)"
    " DO UPDATE SET outcome = excluded.outcome, content = excluded.content"
)


def _texts(item: Item) -> Mapping[str, object]:
    return {"fields": item.fields, "extra": item.extra}


def _record(row: sa.Row[Any], begun: Mapping[str, str | None]) -> RunRecord:
    """With its state as it is: that of a process that was killed could not be noted by it."""
    values = row._asdict()
    if values["state"] != "finished" and begun.get(row.id, "") is None:
        values |= {"state": "running", "ended": None}
    elif values["state"] == "running":
        heard = max(row.ended or "", begun.get(row.id) or "")
        values |= {"state": "interrupted", "ended": heard or None}
    values["manifest"] = decode_manifest(values["manifest"])
    values["sources"] = orjson.loads(values["sources"])
    return RunRecord(**values)
