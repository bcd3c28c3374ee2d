"""Honest replies that are hard to read, without an attack: right, unread or wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from adjudge.core.reply import Reply
from adjudge.core.scale import Value
from adjudge.judges.load import load_text
from adjudge.reading.read import read

from .forms import FIVE, judge_file

REPLIES = Path(__file__).parent / "tricky.yaml"


@dataclass(frozen=True, slots=True)
class Tricky:
    """A reply, what it says, and what was read."""

    reply: str
    says: Value | None
    value: Value | None

    @property
    def outcome(self) -> str:
        if self.value is None:
            return "unread" if self.says is not None else "left alone"
        return "right" if self.value == self.says else "wrong"


def tricky() -> Iterator[Tricky]:
    for row in yaml.safe_load(REPLIES.read_text("utf-8")):
        file = judge_file(row.get("scale", FIVE), "json" if row.get("json") else "text")
        reading = read(load_text(file, "tricky.yaml"), ("quality",), Reply(text=row["reply"]))
        yield Tricky(row["reply"], row["says"], reading.scores["quality"].value)


def lines(found: list[Tricky]) -> Iterator[str]:
    counts = Counter(each.outcome for each in found)
    told = ", ".join(
        f"{counts[kind]} {kind}" for kind in ("right", "left alone", "unread", "wrong")
    )
    yield f"{len(found)} tricky replies: {told}"
    for each in found:
        if each.outcome in {"wrong", "unread"}:
            yield f"  {each.outcome}: {each.reply!r} says {each.says}, read as {each.value}"
