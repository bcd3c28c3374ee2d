"""What analysis wants of a run, without the rest: a million verdicts are read in seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import orjson

from .database import Database
from .records import ScoreRow
from .sqlite_facts import driver
from .sqlite_texts import walk

_EXTRA = b',"extra":'


def scores(database: Database, run_id: str) -> Iterator[ScoreRow]:
    """Every verdict of the run as its values."""
    with driver(database) as db:
        for item, judge, model, content in walk(
            db, "verdicts", "item, judge, model, content", run_id
        ):
            verdict = orjson.loads(content)
            values = {name: score["value"] for name, score in verdict["scores"].items()}
            yield ScoreRow(item, judge, model, verdict["fingerprint"], values)


def column(database: Database, run_id: str, name: str) -> Iterator[tuple[str, object]]:
    """The items with their value in one column of the data; None where they have none."""
    with driver(database) as db:
        for item, content in walk(db, "items", "item, content", run_id):
            extra = _extra(content)
            if name in extra:
                yield item, extra[name]
            else:
                yield item, orjson.loads(content)["fields"].get(name)


def _extra(content: bytes) -> Mapping[str, object]:
    """What stands behind the texts, without reading those; within a text it would be escaped."""
    try:
        found: dict[str, object] = orjson.loads(content[content.rindex(_EXTRA) + len(_EXTRA) : -1])
    except ValueError:  # a column holds objects that have an "extra" of their own
        found = orjson.loads(content)["extra"]
    return found
