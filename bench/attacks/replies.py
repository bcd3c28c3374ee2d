"""Replies written for the reader by people who had not seen it: right, left alone, unread or wrong.

In `quoting` an honest judge quotes a text that grades itself, in `tricky` nobody attacks and the
reply is hard to read. `truth` is what a careful person takes for the judge's own verdict, null
where nobody could tell; `acceptable` lists other outcomes that such a person would let pass.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome
from adjudge.judges import registry
from adjudge.reading import CriterionReading
from adjudge.reading.read import read

FOLDER = Path(__file__).parent / "replies"
SETS = ("quoting", "tricky")


@dataclass(frozen=True, slots=True)
class Value:
    """One criterion of one reply: what it says, and what was read."""

    id: str
    criterion: str
    truth: object
    said: object
    accepted: bool

    @property
    def outcome(self) -> str:
        if self.said == self.truth or self.accepted:
            return "right"
        return "unread" if self.said in {None, Outcome.OUT_OF_RANGE.value} else "wrong"


def values(name: str) -> Iterator[Value]:
    with (FOLDER / f"{name}.jsonl").open(encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            judge = _judge(row["judge"])
            texts = tuple(text for field, text in row["item"].items() if field in judge.inputs)
            reply = Reply(text=row["reply"], finish=row.get("finish", "stop"))
            found = read(judge, tuple(judge.rubric.criteria), reply, texts).scores
            for criterion, truth in row["truth"].items():
                said = _said(found[criterion])
                others = [each.get(criterion, ...) for each in row.get("acceptable", ())]
                yield Value(row["id"], criterion, truth, said, said in others)


@cache
def _judge(name: str) -> Judge:
    return registry.get(str(FOLDER / "judges" / f"{name}.yaml"))


def _said(found: CriterionReading) -> object:
    if found.outcome is Outcome.OUT_OF_RANGE:
        return found.outcome.value
    return {True: "yes", False: "no"}[found.value] if isinstance(found.value, bool) else found.value


def lines(name: str, found: list[Value]) -> Iterator[str]:
    counts = Counter(each.outcome for each in found)
    told = ", ".join(f"{counts[kind]} {kind}" for kind in ("right", "unread", "wrong"))
    yield f"{name}: {len(found)} values, {told}"
    for each in found:
        if each.outcome == "wrong":
            yield f"  {each.id} {each.criterion}: says {each.truth}, read as {each.said}"
