"""The verdicts of runs: kept many at once, and read back whole, as values, or as figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, Literal

import orjson
import sqlalchemy as sa

from adjudge.core.item import Item
from adjudge.core.score import UNANSWERED, Outcome
from adjudge.core.verdict import Verdict

from . import tables
from .codec import COLUMNS, decode_verdict, encode, encode_verdict
from .database import Database, Statement, Upsert, Values, asked_keys, parameter, portions
from .facts import block, figures_by_key, groups_of, merged
from .packing import pack, pack_figures, unpack, unpack_figures
from .records import Entry, EntryFilter, Facts, TextCursor, Texts
from .runs import refuse_deleted

_PAGE = 500  # verdicts held in memory at once while streaming
_RECENT = 200
_ROWS = 32  # at once: so few that they are in the processor's cache when they are looked at
_FOLD = 128  # blocks that are made one, so that single verdicts do not stay a row each
_LARGE = 1024  # verdicts of a block that is large enough to stay as it is

_items, _verdicts, _facts = tables.items.c, tables.verdicts.c, tables.facts.c
_RUN = parameter("run_id")
_ORDER = (_items.position, _verdicts.judge, _verdicts.model, _verdicts.repeat)
_NEXT: dict[str, Literal["verdicts", "end"]] = {"items": "verdicts", "verdicts": "end"}

# The fields of a verdict that are columns, then the rest of it.
WHOLE = (*(_verdicts[name] for name in COLUMNS), _verdicts.content)

_PUT_ITEMS = Upsert(tables.items, ["run", "item"])
_PUT_VERDICTS = Upsert(
    tables.verdicts,
    ["run", "item", "judge", "model", "repeat"],
    update=["fingerprint", "outcome", "content"],
)
_NEXT_CHANGE = sa.select(sa.func.coalesce(sa.func.max(_facts.change), 0) + 1).where(
    _facts.run == _RUN
)
_PUT_FACTS = Statement(
    sa.insert(tables.facts)
    .values(
        run=_RUN,
        change=_NEXT_CHANGE.scalar_subquery(),
        verdicts=parameter("count"),
        content=parameter("figures"),
    )
    .returning(_facts.change)
)
_LATELY = Statement(
    sa.select(_facts.change, _facts.verdicts, _facts.content)
    .where(_facts.run == _RUN, _facts.change > parameter("after"))
    .order_by(_facts.change)
)
_VERSION = Statement(
    sa.select(sa.func.coalesce(sa.func.max(_facts.change), 0)).where(_facts.run == _RUN)
)
# An item at a time: a server that has not counted the rows of a new run yet would else go through
# all of them for every few items.
_ASKED = asked_keys(sa.String)
_OUTCOMES = Statement(
    sa.select(
        _ASKED.c.key,
        sa.select(_verdicts.outcome)
        .where(
            _verdicts.run == _RUN,
            _verdicts.item == _ASKED.c.key,
            _verdicts.judge == parameter("judge_name"),
            _verdicts.model == parameter("model_name"),
            _verdicts.repeat == parameter("sample"),
        )
        .scalar_subquery(),
    )
)
_FACTS = Statement(sa.select(_facts.content).where(_facts.run == _RUN).order_by(_facts.change))


class Walk:
    """All rows of a run in the order in which they were first put, without their texts being
    sorted: texts are hundreds of megabytes. By an index, SQLite would jump about in the file; so a
    walk goes by the rows' own numbers, of which it looks up the first and the last."""

    def __init__(self, table: sa.Table, *columns: sa.ColumnElement[Any]) -> None:
        number, run = table.c.number, table.c.run
        self._ends = Statement(
            sa.select(sa.func.min(number) - 1, sa.func.max(number)).where(run == _RUN)
        )
        self._rows = Statement(
            sa.select(*columns)
            .where(
                number > parameter("after"),
                number <= parameter("last"),
                # `coalesce` keeps a database from going by an index.
                sa.func.coalesce(run, "") == _RUN,
            )
            .order_by(number)
        )

    def ends(self, db: sa.Connection, run_id: str) -> tuple[int, int]:
        """The numbers before the first row of the run and of the last one."""
        ((before, last),) = self._ends.run(db, run_id=run_id).fetchall()
        return (0, 0) if last is None else (before, last)

    def portions(
        self, db: sa.Connection, run_id: str, ends: tuple[int, int]
    ) -> Iterator[list[Values]]:
        rows = iter(self._rows.stream(db, run_id=run_id, after=ends[0], last=ends[1]))
        while some := list(islice(rows, _ROWS)):
            yield some

    def rows(self, db: sa.Connection, run_id: str) -> Iterator[Any]:
        return chain.from_iterable(self.portions(db, run_id, self.ends(db, run_id)))


_CONTENTS = Walk(tables.verdicts, *WHOLE)
_GRADERS = Walk(
    tables.verdicts, _verdicts.judge, _verdicts.model, _verdicts.outcome, _verdicts.fingerprint
)
_TEXTS = {
    "items": Walk(tables.items, _items.number, _items.item, _items.fields, _items.extra),
    "verdicts": Walk(tables.verdicts, _verdicts.number, _verdicts.item, _verdicts.content),
}


class Verdicts:
    """The verdicts of runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, run_id: str, entries: Sequence[Entry]) -> None:
        """Keeps the verdicts: after this returns, a killed process does not lose them."""
        if not entries:
            return
        items = [
            (run_id, item.id, position, pack(encode(item.extra)), pack(encode(item.fields)))
            for position, item, _ in entries
        ]
        verdicts = [
            (
                run_id,
                verdict.item,
                verdict.judge,
                verdict.model,
                verdict.repeat,
                verdict.fingerprint,
                verdict.outcome.value,
                pack(encode_verdict(verdict, beside_columns=True)),
            )
            for _, _, verdict in entries
        ]
        with self._database.writing() as db:
            refuse_deleted(db, run_id)
            self._database.put(db, _PUT_ITEMS, items)
            self._database.put(db, _PUT_VERDICTS, verdicts)
            put_facts(db, run_id, entries)

    def answered(self, run_id: str, key: tuple[str, str, int], items: Sequence[str]) -> set[str]:
        """Those of the items that judge, model and repeat (`key`) have an answered verdict on."""
        judge, model, repeat = key
        named = {"run_id": run_id, "judge_name": judge, "model_name": model, "sample": repeat}
        with self._database.reading() as db:
            return {
                item
                for some in portions(items)
                for item, outcome in _OUTCOMES.run(db, some, **named)
                if outcome is not None and outcome not in UNANSWERED
            }

    def count_part(self, run_id: str, part: int, parts: int) -> int:
        """How many verdicts on every `parts`-th item, from `part` on, need not be asked for."""
        same = (_items.run == _verdicts.run) & (_items.item == _verdicts.item)
        query = (
            sa.select(sa.func.count())
            .select_from(tables.verdicts.join(tables.items, same))
            .where(
                _verdicts.run == run_id,
                _items.position % parts == part,
                _verdicts.outcome.not_in(UNANSWERED),
            )
        )
        with self._database.reading() as db:
            return db.execute(query).scalar_one()

    def entries(self, run_id: str, item: str | None = None) -> Iterator[Entry]:
        """With their items, in the order of the data, streamed; of one item when it is named."""
        query = _of_run(run_id)
        if item is not None:
            query = query.where(_items.item == item)
        with self._database.reading() as db:
            for row in db.execute(query).yield_per(_PAGE):
                yield entry_of(tuple(row))

    def page(self, run_id: str, wanted: EntryFilter) -> list[Entry]:
        """The next ones in the order of the data, at the cost of those alone."""
        query = _of_run(run_id).limit(wanted.limit)
        if wanted.after is not None:
            # The first condition alone can use the index of the positions.
            query = query.where(_items.position >= wanted.after.position)
            query = query.where(sa.tuple_(*_ORDER) > sa.tuple_(*wanted.after))
        if wanted.item is not None:
            query = query.where(_items.item == wanted.item)
        if wanted.outcome is not None:
            query = query.where(_verdicts.outcome == wanted.outcome)
        with self._database.reading() as db:
            return [entry_of(tuple(row)) for row in db.execute(query)]

    def all(self, run_id: str) -> Iterator[Verdict]:
        """The verdicts alone, streamed, in the order in which they were first kept."""
        with self._database.reading() as db:
            for row in _CONTENTS.rows(db, run_id):
                yield _verdict_of(row)

    def recent(self, judge: str, model: str) -> list[Verdict]:
        """Some of the verdicts by this judge and model that were kept last, whatever the run."""
        query = sa.select(*WHOLE).where(
            _verdicts.judge == judge,
            _verdicts.model == model,
            _verdicts.outcome.not_in(UNANSWERED),
        )
        with self._database.reading() as db:
            rows = db.execute(query.order_by(_verdicts.number.desc()).limit(_RECENT))
            return [_verdict_of(tuple(row)) for row in rows]

    def fingerprints(self, run_id: str) -> dict[tuple[str, str], set[str]]:
        """By judge and model, those of the judges whose verdicts are scored."""
        by_grader: dict[tuple[str, str], set[str]] = {}
        with self._database.reading() as db:
            for judge, model, outcome, fingerprint in set(_GRADERS.rows(db, run_id)):
                if outcome == Outcome.SCORED:
                    by_grader.setdefault((judge, model), set()).add(fingerprint)
        return by_grader

    def version(self, run_id: str) -> int:
        """A number that grows whenever verdicts of the run are kept or replaced; 0 without any."""
        with self._database.reading() as db:
            ((change,),) = _VERSION.run(db, run_id=run_id)
        return int(change)

    def facts(self, run_id: str) -> Iterator[Facts]:
        """The figures of all verdicts; of one that comes twice the later ones hold."""
        with self._database.reading() as db:
            for (content,) in _FACTS.stream(db, run_id=run_id):
                for group, _ in groups_of(unpack_figures(content)):
                    yield group

    def texts(self, run_id: str, after: TextCursor) -> Iterator[Texts]:
        """What people may search, as it is kept: the texts of items, then of verdicts, some rows at
        a time, from there to the end; the last one says so."""
        table, row, last = after
        with self._database.reading() as db:
            while table != "end":
                walk = _TEXTS[table]
                if last is None:
                    row, last = walk.ends(db, run_id)
                for rows in walk.portions(db, run_id, (row, last)):
                    upto = TextCursor(table, rows[-1][0], last)  # type: ignore[arg-type]
                    yield Texts(upto, _TEXTS_OF[table](rows))
                table, last = _NEXT[table], None
                yield Texts(TextCursor(table), [])


def _item_texts(rows: Sequence[Any]) -> list[tuple[int, str, bytes]]:
    return [
        (number, item, b'{"fields":%b,"extra":%b}' % (unpack(fields), unpack(extra)))
        for number, item, fields, extra in rows
    ]


def _verdict_texts(rows: Sequence[Any]) -> list[tuple[int, str, bytes]]:
    return [(number, item, unpack(content)) for number, item, content in rows]


_TEXTS_OF = {"items": _item_texts, "verdicts": _verdict_texts}


def put_facts(db: sa.Connection, run_id: str, entries: Sequence[Entry]) -> None:
    """Inside the transaction that keeps the verdicts themselves."""
    figures = figures_by_key(entries)
    put = _PUT_FACTS.run(
        db, run_id=run_id, count=len(figures), figures=pack_figures(block(figures))
    )
    ((change,),) = put.fetchall()
    if change % _FOLD == 0:
        _fold(db, run_id, change - _FOLD)


def _fold(db: sa.Connection, run_id: str, after: int) -> None:
    """Makes neighbouring small blocks one; the order of time stays."""
    small: list[tuple[int, bytes]] = []
    held = 0
    for change, verdicts, content in _LATELY.run(db, run_id=run_id, after=after).fetchall():
        if verdicts >= _LARGE or held + verdicts > 4 * _LARGE:
            _make_one(db, run_id, small)
            small, held = [], 0
        if verdicts < _LARGE:
            small.append((change, content))
            held += verdicts
    _make_one(db, run_id, small)


def _make_one(db: sa.Connection, run_id: str, blocks: Sequence[tuple[int, bytes]]) -> None:
    if len(blocks) < 2:
        return
    first, last = blocks[0][0], blocks[-1][0]
    figures = merged(unpack_figures(content) for _, content in blocks)
    ours = _facts.run == run_id
    whole = sa.update(tables.facts).where(ours, _facts.change == last)
    db.execute(whole.values(verdicts=len(figures), content=pack_figures(block(figures))))
    earlier = (_facts.change >= first) & (_facts.change < last)
    db.execute(sa.delete(tables.facts).where(ours, earlier))


def _of_run(run_id: str) -> sa.Select[Any]:
    same = (_items.run == _verdicts.run) & (_items.item == _verdicts.item)
    return (
        sa.select(_items.position, _items.fields, _items.extra, *WHOLE)
        .join_from(tables.items, tables.verdicts, same)
        # Every position is; by this SQLite goes along their index, and need not sort the texts.
        .where(_items.run == run_id, _items.position >= 0)
        .order_by(*_ORDER)
    )


def _verdict_of(row: Sequence[Any]) -> Verdict:
    *columns, content = row
    return decode_verdict(unpack(content), **dict(zip(COLUMNS, columns, strict=True)))


def entry_of(row: Sequence[Any]) -> Entry:
    """From the position, the fields and the extra columns of an item, and the `WHOLE` verdict."""
    position, fields, extra, *verdict = row
    kept = _verdict_of(verdict)
    texts, columns = orjson.loads(unpack(fields)), orjson.loads(unpack(extra))
    return Entry(position, Item(kept.item, texts, columns), kept)
