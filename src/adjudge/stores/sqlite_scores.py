"""What analysis wants of a run, without the rest: a million verdicts are read in seconds."""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from adjudge.core.score import Outcome

from .database import Database
from .records import ScoreRow
from .sqlite_facts import driver
from .sqlite_texts import walk

_EXTRA = b',"extra":'
# What stands behind the key; within a text, its quotation marks would be escaped.
_KEY = '"fingerprint":"'
# Looked for as bytes: `instr` would count characters for a text, `substr` counts bytes.
_AT = f"instr(content, CAST('{_KEY}' AS BLOB))"
_FINGERPRINT = f"judge, model, outcome, substr(content, {_AT} + {len(_KEY)}, 20)"


def scores(database: Database, run_id: str) -> Iterator[ScoreRow]:
    """Every verdict of the run as its values."""
    with driver(database) as db:
        for item, judge, model, content in walk(
            db, "verdicts", "item, judge, model, content", run_id
        ):
            verdict = orjson.loads(content)
            values = {name: score["value"] for name, score in verdict["scores"].items()}
            yield ScoreRow(item, judge, model, verdict["fingerprint"], values)


def fingerprints(database: Database, run_id: str) -> dict[tuple[str, str], set[str]]:
    """By judge and model. SQLite cuts them out: handing out whole verdicts takes far longer."""
    found: dict[tuple[str, str], set[str]] = {}
    with driver(database) as db:
        for judge, model, outcome, begin in set(walk(db, "verdicts", _FINGERPRINT, run_id)):
            if outcome == Outcome.SCORED:
                found.setdefault((judge, model), set()).add(begin.split(b'"', 1)[0].decode())
    return found


def column(database: Database, run_id: str, name: str) -> Iterator[tuple[str, object]]:
    """The items with their value in one column of the data; None where they have none.

    What stands behind the texts is read first, without those; within a text it would be escaped.
    """
    with driver(database) as db:
        for item, content in walk(db, "items", "item, content", run_id):
            try:
                extra = orjson.loads(content[content.rindex(_EXTRA) + len(_EXTRA) : -1])
            except ValueError:  # a column holds objects that have an "extra" of their own
                extra = orjson.loads(content)["extra"]
            if name in extra:
                yield item, extra[name]
            else:
                yield item, orjson.loads(content)["fields"].get(name)
