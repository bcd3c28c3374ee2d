from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from adjudge.core.item import Item
from adjudge.core.reason import Reason
from adjudge.core.reply import Usage
from adjudge.core.run import Manifest
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Call, Exchange, Verdict
from adjudge.stores import Entry, RunRecord, Store, open_store


def record(salt: str = "") -> RunRecord:
    manifest = Manifest(
        data="answers.csv",
        data_hash="0f",
        judges={"chatbot": "f" * 16},
        models=("replay:x",),
        settings={"seed": None, "answered_by": ["replay 00"]},
        tags={"who": "김"},
        salt=salt,
    )
    return RunRecord(id=manifest.id, manifest=manifest, sources={"chatbot": {"text": "…"}}, rows=3)


def entry(item: str = "1", position: int = 0, **more: object) -> Entry:
    """A verdict with every field filled."""
    parts: dict[str, object] = {
        "item": item,
        "judge": "chatbot",
        "fingerprint": "f" * 16,
        "model": "replay:x",
        "outcome": Outcome.OUT_OF_RANGE,
        "scores": {
            "accuracy": Score(
                outcome=Outcome.SCORED,
                value=5.0,
                raw=7.5,
                rule="serious-error",
                label="so so",
                unit=0.5,
                distribution={"5": 0.75},
                confidence=0.5,
                explanation="Sai số liệu. 👍",
                explanation_outcome=Outcome.WRONG_LANGUAGE,
            ),
            "tone": Score(outcome=Outcome.OUT_OF_RANGE, raw=12, reason=Reason.of("too much")),
            "polite": Score(outcome=Outcome.SCORED, value=True),
            "winner": Score(outcome=Outcome.SCORED, value="tie"),
        },
        "repeat": 0,
        "feedback": {"strengths": ("짧다", "clear"), "analysis": "Gut."},
        "flags": {"serious_error": True},
        "notes": (Reason.of("odd"),),
        "usage": Usage(input_tokens=8, output_tokens=1, cached_tokens=7, cost_usd=None),
        "attempts": 2,
        "latency_ms": 840.5,
        "calls": (
            Call(
                criterion="tone",
                order="ab",
                exchanges=(
                    Exchange(reply="a\x00b"),
                    Exchange(kind="repair", question="?", reply="c", finish="length"),
                    Exchange(kind="sample", reply="d"),
                ),
                failure=Outcome.TOO_LONG,
                error=Reason.of("broke"),
            ),
        ),
    }
    verdict = Verdict(**(parts | more))  # type: ignore[arg-type]
    return Entry(position, Item(item, {"answer": "câu"}, {"group": 3, "tags": [1, None]}), verdict)


@pytest.fixture(autouse=True)
def long_since_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server of the tests has not been there for long: nobody would be taken for dead yet."""
    monkeypatch.setattr(
        "adjudge.stores.dialects.postgresql.PostgresDatabase.server_start", lambda *_: 0.0
    )


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    opened = open_store(store_url)
    yield opened
    opened.close()


@pytest.fixture
def other(store: Store, store_url: str) -> Iterator[Store]:
    """The same store, opened by somebody else."""
    opened = open_store(store_url)
    yield opened
    opened.close()


def ticks(store: Store) -> float:
    """Of the clock by which signs of life are judged."""
    with store.database.reading() as db:
        return store.database.moment(db).ticks


def execute(store: Store, query: str, **values: object) -> list[Any]:
    """Past the groups of tables, committed at once; the rows that it gives."""
    with store.database.writing() as db:
        result = db.execute(sa.text(query), values)
        return list(result) if result.returns_rows else []
