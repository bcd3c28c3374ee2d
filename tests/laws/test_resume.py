"""Whatever is answered already, running again asks exactly the rest and comes to the same."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge
from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome
from adjudge.models.replay import ReplayModel
from adjudge.stores import Entry, Store, open_store

ROWS, REPEAT = 5, 2
JUDGES = ("helpfulness", "preference")
Key = tuple[str, str, int]


def write_files(folder: Path) -> dict[str, Any]:
    """Data, replies for every judge, order and repeat, and the options that use them."""
    with (folder / "data.jsonl").open("w") as data, (folder / "replies.jsonl").open("w") as out:
        for n in range(ROWS):
            row = {
                "id": f"r{n}",
                "question": f"Q{n}",
                "answer": "A",
                "answer_a": "B",
                "answer_b": "C",
            }
            data.write(json.dumps(row) + "\n")
            plain = [
                json.dumps({"rating": (n + k) % 6}) for k in range(REPEAT)
            ]  # 0 and 5: off scale
            out.write(json.dumps({"item": f"r{n}", "replies": plain}) + "\n")
            for order, winner in (("ab", "a"), ("ba", "ab"[n % 2])):
                pair = [json.dumps({"winner": winner})] * REPEAT
                out.write(json.dumps({"item": f"r{n}", "order": order, "replies": pair}) + "\n")
    return {
        "judge": JUDGES,
        "model": f"replay:{folder / 'replies.jsonl'}",
        "repeat": REPEAT,
    }


@contextmanager
def listening() -> Iterator[set[Key]]:
    """What is asked of recorded models meanwhile: item, judge and repeat."""
    asked: set[Key] = set()
    ask = ReplayModel.ask

    async def listen(self: ReplayModel, prompt: Prompt, sampling: Sampling) -> Reply:
        key = (prompt.item, "preference" if prompt.order else "helpfulness", prompt.sample)
        assert prompt.order == "ba" or key not in asked  # nothing is asked twice
        asked.add(key)
        return await ask(self, prompt, sampling)

    ReplayModel.ask = listen  # type: ignore[method-assign]
    try:
        yield asked
    finally:
        ReplayModel.ask = ask  # type: ignore[method-assign]


def key_of(entry: Entry) -> Key:
    return (entry.item.id, entry.verdict.judge, entry.verdict.repeat)


def keep_only(store: Store, whole: adjudge.Run, kept: set[int], failed: set[int]) -> set[Key]:
    """Puts a part of a run into the store, some of it as failed; returns what is answered then."""
    store.runs.start(whole.record)
    answered = set()
    for at, entry in enumerate(whole.entries()):
        if at in failed:
            broken = replace(entry.verdict, outcome=Outcome.PROVIDER_ERROR)
            store.verdicts.put(whole.id, [entry._replace(verdict=broken)])
        elif at in kept:
            store.verdicts.put(whole.id, [entry])
            answered.add(key_of(entry))
    return answered


VERDICTS = ROWS * REPEAT * len(JUDGES)
subsets = st.sets(st.integers(0, VERDICTS - 1))


class Whole:
    """A run that nothing interrupted, with what it came to."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.data = folder, folder / "data.jsonl"
        self.options = write_files(folder)
        self.run = adjudge.run(self.data, **self.options, store=str(folder / "whole.db"))
        self.exported = self.run.export(folder / "whole.jsonl").read_bytes()
        self.everything = {key_of(entry) for entry in self.run.entries()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    made = Whole(tmp_path_factory.mktemp("resume"))
    assert len(made.everything) == VERDICTS
    yield made
    made.run.close()


@settings(max_examples=25, deadline=None)
@given(kept=subsets, failed=subsets)
def test_resume(whole: Whole, kept: set[int], failed: set[int]) -> None:
    with tempfile.TemporaryDirectory(dir=whole.folder) as name:
        place = f"{name}/part.db"
        store = open_store(place)
        answered = keep_only(store, whole.run, kept, failed)
        store.close()
        with listening() as asked:
            again = adjudge.run(whole.data, **whole.options, store=place)
        assert asked == whole.everything - answered
        assert again.export(Path(name) / "again.jsonl").read_bytes() == whole.exported
        again.close()
