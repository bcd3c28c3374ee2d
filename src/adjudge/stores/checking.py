"""A look at a store on a server that changes nothing, and whether what a store counts is there."""

from __future__ import annotations

import sqlalchemy as sa

from adjudge.core.reason import Reason
from adjudge.errors import StoreError

from . import tables
from .migrate import revision_of
from .opening import database_of
from .store import Store

_items, _verdicts, _tallies = tables.items.c, tables.verdicts.c, tables.tallies.c


def examine_server(url: str) -> str:
    """What the database at `url` is as a store; StoreError when no run could use it."""
    database = database_of(url)
    try:
        with database.reading() as db:
            revision = revision_of(db, database.where)
            if revision is None:
                return "no tables of adjudge in it yet; the first run makes them"
            if revision > tables.REVISION:
                newer = Reason("store.newer", revision=revision, newest=tables.REVISION)
                raise StoreError(newer.in_file(database.where))
            if revision == tables.REVISION:
                _check_tables(db, database.where)
            runs = db.execute(sa.select(sa.func.count()).select_from(tables.runs)).scalar_one()
        text = f"{database.size():,} bytes, {'1 run' if runs == 1 else f'{runs:,} runs'}"
        older = ", of an older version; the next use takes it along"
        return text if revision == tables.REVISION else text + older
    finally:
        database.close()


def _check_tables(db: sa.Connection, where: str) -> None:
    looked = sa.inspect(db)
    known = set(looked.get_table_names())
    remedy = Reason("store.restore")
    for table in tables.metadata.sorted_tables:
        if table.name not in known:
            missing = Reason("store.no_table", table=table.name, remedy=remedy)
            raise StoreError(missing.in_file(where))
        columns = {column["name"] for column in looked.get_columns(table.name)}
        for name in {column.name for column in table.c} - columns:
            reason = Reason("store.no_column", table=table.name, column=name, remedy=remedy)
            raise StoreError(reason.in_file(where))


def differences(store: Store) -> list[Reason]:
    """Run by run, what is counted otherwise than it is there; none in a sound store."""
    return [reason for record in store.runs.all() for reason in _of_run(store, record.id)]


def _of_run(store: Store, run: str) -> list[Reason]:
    same = (_items.run == _verdicts.run) & (_items.item == _verdicts.item)
    by_outcome = sa.select(_verdicts.outcome, sa.func.count()).where(_verdicts.run == run)
    tallied = sa.select(_tallies.outcome, _tallies.verdicts)
    tallied = tallied.where(_tallies.run == run, _tallies.verdicts != 0)
    without_item = (
        sa.select(sa.func.count())
        .select_from(tables.verdicts.outerjoin(tables.items, same))
        .where(_verdicts.run == run, _items.item.is_(None))
    )
    with store.database.reading() as db:
        there: dict[str, int] = dict(db.execute(by_outcome.group_by(_verdicts.outcome)).all())
        counted: dict[str, int] = dict(db.execute(tallied).all())
        alone = db.execute(without_item).scalar_one()
    figures = _count_figures(store, run)
    total, tally = sum(there.values()), sum(counted.values())
    differ = []
    if there != counted:
        differ.append(Reason("store.check_tally", run=run, verdicts=total, counted=tally))
    if alone:
        differ.append(Reason("store.check_items", run=run, verdicts=alone))
    if figures != total:
        differ.append(Reason("store.check_facts", run=run, verdicts=total, counted=figures))
    return differ


def _count_figures(store: Store, run: str) -> int:
    """Of how many verdicts; some are there twice."""
    hashes: set[int] = set()
    for group in store.verdicts.facts(run):
        key = (group.judge, group.model, group.repeat)
        hashes.update(hash((key, item)) for item in group.items)
    return len(hashes)
