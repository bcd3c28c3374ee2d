"""The first step: makes all tables, and takes along what stores of revisions 0001 to 0006 hold.

Those had fewer tables the older they were, no numbers of rows, the fingerprint in the verdict
alone, the two parts of an item as one, and kept in `meta` and among the calibrations what has
tables now.
"""

from __future__ import annotations

import math
from hashlib import blake2b
from struct import pack
from typing import Any

import orjson
import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = None

_BLOCK = 1024  # verdicts in a block of figures
_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
# By their places, as they are packed into figures.
_OUTCOMES = (
    *("scored", "unreadable", "out_of_range", "wrong_language", "refused"),
    *("truncated", "too_long", "provider_error", "budget_stopped"),
)
_COUNT = (
    "INSERT INTO tallies (run, outcome, verdicts) VALUES (NEW.run, NEW.outcome, 1)"
    " ON CONFLICT (run, outcome) DO UPDATE SET verdicts = verdicts + 1;"
)
_DISCOUNT = (
    "UPDATE tallies SET verdicts = verdicts - 1 WHERE run = OLD.run AND outcome = OLD.outcome;"
)
_COUNTERS = (
    f"CREATE TRIGGER tally_new AFTER INSERT ON verdicts BEGIN {_COUNT} END",
    (
        "CREATE TRIGGER tally_newer AFTER UPDATE OF outcome ON verdicts"
        f" WHEN OLD.outcome <> NEW.outcome BEGIN {_DISCOUNT} {_COUNT} END"
    ),
)


def _text(name: str, **more: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.String, **{"nullable": False} | more)


def _key(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.String, primary_key=True)


def _number(name: str, **more: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer, **{"nullable": False} | more)


def _bytes(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.LargeBinary, nullable=False)


def _float(name: str, **more: Any) -> sa.Column[Any]:
    return sa.Column(name, sa.Float, nullable=False, **more)


def _numbered() -> sa.Column[Any]:
    return sa.Column("number", _NUMBER, primary_key=True)


def _finding() -> tuple[sa.Column[Any], ...]:
    judged = (_text("judge"), _text("model"), _text("fingerprint"))
    return (
        sa.Column("id", sa.Integer, primary_key=True),
        *judged,
        _text("created"),
        _bytes("content"),
    )


_RUNS = (
    *(_key("id"), _text("state"), _text("started"), _text("ended", nullable=True)),
    *(_text("asked_again", nullable=True), _number("rows"), _number("bad_rows")),
    *(_bytes("manifest"), _bytes("sources"), _number("tokens", server_default="0")),
    _float("usd", server_default="0"),
)


def upgrade() -> None:
    db = op.get_bind()
    there = _tables(db)
    if "verdicts" in there:
        for trigger in ("tally_new", "tally_newer"):
            op.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        op.execute("DROP INDEX IF EXISTS items_in_order")
        for table in ("runs", "items", "verdicts", "labels"):
            if table in there:
                op.rename_table(table, f"{table}_before")
    else:
        op.create_table("meta", _key("key"), _text("value"))
    _make_changed_tables()
    _make_other_tables(there)
    if "verdicts" in there:
        _take_along(db, there)
    for trigger in _COUNTERS:
        op.execute(trigger)


def _tables(db: sa.Connection) -> dict[str, set[str]]:
    looked = sa.inspect(db)
    return {
        name: {column["name"] for column in looked.get_columns(name)}
        for name in looked.get_table_names()
    }


def _make_changed_tables() -> None:
    """Those that earlier stores had in another form, and those that are new."""
    op.create_table("runs", *_RUNS)
    op.create_table("deletions", _key("run"), _text("deleted"))
    op.create_table(
        "items",
        *(_numbered(), _text("run"), _text("item"), _number("position")),
        *(_bytes("extra"), _bytes("fields")),
        sa.UniqueConstraint("run", "item"),
    )
    op.create_index("items_in_order", "items", ["run", "position"])
    op.create_table(
        "verdicts",
        *(_numbered(), _text("run"), _text("item"), _text("judge"), _text("model")),
        *(_number("repeat"), _text("fingerprint"), _text("outcome"), _bytes("content")),
        sa.UniqueConstraint("run", "item", "judge", "model", "repeat"),
    )
    op.create_table(
        "labels",
        *(_numbered(), _text("data"), _text("judge"), _text("item"), _text("rater")),
        *(_text("criterion"), _bytes("value"), _text("draw"), _text("created")),
        sa.UniqueConstraint("data", "judge", "item", "rater", "criterion"),
    )
    op.create_table(
        "cascades",
        *(_key("run"), _text("judge"), _text("fingerprint"), _text("created"), _bytes("content")),
    )


def _make_other_tables(there: dict[str, set[str]]) -> None:
    """Those that are as they were, where they are missing."""
    without_rowid = {"sqlite_with_rowid": False}
    keyed = (_text("run"), _text("model"))
    wanted: dict[str, tuple[tuple[sa.Column[Any], ...], dict[str, Any]]] = {
        "tallies": ((_key("run"), _key("outcome"), _number("verdicts")), without_rowid),
        "facts": (
            (
                *(_key("run"), sa.Column("change", sa.Integer, primary_key=True)),
                *(_number("verdicts"), _bytes("content")),
            ),
            {},
        ),
        "replies": ((_key("key"), *keyed, _text("kept"), _bytes("content")), {}),
        "claims": ((_key("key"), _text("owner")), without_rowid),
        "owners": (
            (
                *(_key("id"), _text("host"), _number("pid"), _float("seen")),
                _float("ticks", server_default="0"),
            ),
            {},
        ),
        "workers": ((_key("run"), _key("owner")), {}),
        "reservations": ((_key("run"), _key("holder"), _number("tokens"), _float("usd")), {}),
        "batches": (
            (
                *(_key("label"), _text("run"), _text("model"), _text("batch", nullable=True)),
                *(_text("state"), _number("requests"), _text("made")),
            ),
            {},
        ),
        "calibrations": (_finding(), {}),
        "probes": (_finding(), {}),
        "tokens": (
            (
                *(_key("id"), _text("name"), _text("hash"), _text("scope")),
                *(_number("rate", nullable=True), _text("created")),
                _text("revoked", nullable=True),
            ),
            {},
        ),
        "jobs": (
            (
                *(_key("id"), _text("created"), _text("token"), _text("state")),
                *(_text("run", nullable=True), _text("problem", nullable=True), _bytes("spec")),
            ),
            {},
        ),
    }
    for name, (columns, more) in wanted.items():
        if name not in there:
            op.create_table(name, *columns, **more)
            if name in ("calibrations", "probes"):
                op.create_index(f"{name}_of", name, ["judge", "model"])
    if "ticks" not in there.get("owners", {"ticks"}):
        op.add_column("owners", _float("ticks", server_default="0"))


def _take_along(db: sa.Connection, there: dict[str, set[str]]) -> None:
    """In the order in which the rows were put: that of the numbers that SQLite gave them."""
    same = ("id", "state", "started", "ended", "rows", "bad_rows", "manifest", "sources")
    columns = ", ".join(
        (*same, *(name for name in ("tokens", "usd") if name in there.get("runs", ())))
    )
    op.execute(f"INSERT INTO runs ({columns}) SELECT {columns} FROM runs_before")  # noqa: S608 - ours
    _take_items(db)
    op.execute(
        "INSERT INTO verdicts SELECT rowid, run, item, judge, model, repeat,"
        " json_extract(CAST(content AS TEXT), '$.fingerprint'), outcome, content"
        " FROM verdicts_before ORDER BY rowid"
    )
    if "labels" in there:
        op.execute(
            "INSERT INTO labels SELECT rowid, data, judge, item, rater, criterion, value, draw,"
            " created FROM labels_before ORDER BY rowid"
        )
        op.execute("DROP TABLE labels_before")
    for table in ("runs", "items", "verdicts"):
        op.execute(f"DROP TABLE {table}_before")
    _take_notes()
    if "facts" not in there:
        op.execute("INSERT INTO tallies SELECT run, outcome, count(*) FROM verdicts GROUP BY 1, 2")
        _fill_facts(db)


def _take_items(db: sa.Connection) -> None:
    query = "SELECT rowid, run, item, position, content FROM items_before ORDER BY rowid"
    new = "INSERT INTO items (number, run, item, position, extra, fields) VALUES (?, ?, ?, ?, ?, ?)"
    rows = db.exec_driver_sql(query)
    while some := rows.fetchmany(_BLOCK):
        parts = [(*row[:4], orjson.loads(row[4])) for row in some]
        values = [
            (*known, orjson.dumps(content["extra"]), orjson.dumps(content["fields"]))
            for *known, content in parts
        ]
        db.exec_driver_sql(new, values)


def _take_notes() -> None:
    """What stood in `meta` by a run's id, and cascades among the calibrations."""
    op.execute(
        "UPDATE runs SET asked_again ="
        " (SELECT value FROM meta WHERE key = 'asked again ' || runs.id)"
    )
    op.execute(
        "INSERT INTO deletions SELECT substr(key, 9), value FROM meta WHERE key LIKE 'deleted %'"
    )
    op.execute("DELETE FROM meta WHERE key LIKE 'asked again %' OR key LIKE 'deleted %'")
    op.execute(
        "INSERT INTO cascades SELECT substr(model, 9), judge, fingerprint, created, content"
        " FROM calibrations WHERE id IN"
        " (SELECT max(id) FROM calibrations WHERE model LIKE 'cascade %' GROUP BY model)"
    )
    op.execute("DELETE FROM calibrations WHERE model LIKE 'cascade %'")


def _fill_facts(db: sa.Connection) -> None:
    """The figures of all verdicts, a block at a time, as they are packed since."""
    rows = db.exec_driver_sql(
        "SELECT verdicts.run, items.position, verdicts.content FROM verdicts"
        " JOIN items ON items.run = verdicts.run AND items.item = verdicts.item"
        " ORDER BY verdicts.number"
    )
    changes: dict[str, int] = {}
    while some := rows.fetchmany(_BLOCK):
        by_run: dict[str, list[tuple[dict[str, Any], bytes]]] = {}
        for run, position, content in some:
            verdict = orjson.loads(content)
            by_run.setdefault(run, []).append((verdict, _packed(position, verdict)))
        for run, figures in by_run.items():
            changes[run] = changes.get(run, 0) + 1
            values = (run, changes[run], len(figures), _block(figures))
            db.exec_driver_sql("INSERT INTO facts VALUES (?, ?, ?, ?)", values)


def _packed(position: int, verdict: dict[str, Any]) -> bytes:
    usage = verdict["usage"]
    cells = pack(
        "<IBIIdd",
        position,
        _OUTCOMES.index(verdict["outcome"]) | (128 if verdict.get("cuts") else 0),
        *(min(max(usage[name], 0), 2**32 - 1) for name in ("input_tokens", "output_tokens")),
        _or_nan(usage["cost_usd"]),
        verdict["latency_ms"],
    )
    for name, score in verdict["scores"].items():
        value = score["value"]
        wrong = 128 if score["explanation_outcome"] is not None else 0
        cells += pack(
            "<QdddQB",
            _code(name),
            _code(value) if isinstance(value, str) else _or_nan(value),
            _or_nan(score["unit"]),
            _or_nan(score["confidence"]),
            0 if score["rule"] is None else _code(score["rule"]),
            _OUTCOMES.index(score["outcome"]) | wrong,
        )
    return cells


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _code(word: str) -> int:
    return int.from_bytes(blake2b(word.encode(errors="replace"), digest_size=6).digest(), "big")


def _block(verdicts: list[tuple[dict[str, Any], bytes]]) -> bytes:
    groups: dict[tuple[str, str, int, int], tuple[list[str], list[bytes]]] = {}
    for verdict, cells in verdicts:
        by = verdict["judge"], verdict["model"], verdict["repeat"], len(cells)
        items, figures = groups.setdefault(by, ([], []))
        items.append(verdict["item"])
        figures.append(cells)
    head = orjson.dumps([(*by, items) for by, (items, _) in groups.items()])
    packed = [cells for _, figures in groups.values() for cells in figures]
    return b"".join((len(head).to_bytes(4, "little"), head, *packed))
