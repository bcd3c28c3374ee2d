"""Runs whose scores a test decides, put into a store without asking anybody."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from adjudge.core.item import Item
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.core.reply import NO_USAGE
from adjudge.core.run import Manifest
from adjudge.core.scale import Scale, Value
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Verdict
from adjudge.stores import Entry, RunRecord, open_store

FINGERPRINT = "f" * 16
SCALES: Mapping[str, Mapping[str, Any]] = {
    "rating": {"type": "integer", "min": 1, "max": 5},
    "polite": {"type": "binary"},
    "winner": {"type": "category", "options": ["a", "b", "tie"]},
}
Given = Sequence[Value | None]


class Graded:
    """A store with one run; `add` puts verdicts into it, item `i0`, `i1` and so on."""

    def __init__(
        self,
        folder: Path,
        name: str = "graded",
        method: str = "text",
        data: str = "0f",
        **scales: Mapping[str, Any],
    ) -> None:
        self.store = open_store(folder / "store.db")
        self.name = name
        chosen = scales or {"rating": SCALES["rating"]}
        text = json.dumps(_judge(name, chosen))
        source = {"text": text, "ask": "together", "explain_in": "any", "method": method}
        manifest = Manifest(
            data="answers.csv", data_hash=data, judges={name: FINGERPRINT}, models=("m",)
        )
        self.record = RunRecord(
            id=manifest.id, manifest=manifest, sources={name: source}, rows=0, state="finished"
        )
        self.store.runs.start(self.record)

    def add(
        self,
        *,
        model: str = "m",
        repeat: int = 0,
        fingerprint: str = FINGERPRINT,
        topics: Sequence[object] | None = None,
        texts: Sequence[str] | None = None,
        order: Sequence[int] | None = None,
        cost: float | None = 0.0,
        **values: Given,
    ) -> Graded:
        """A verdict per item with these values of the criteria, None for unscored; kept in this
        order of the items, one by one."""
        entries = []
        for n, row in enumerate(zip(*values.values(), strict=True)):
            scores = {name: _score(value) for name, value in zip(values, row, strict=True)}
            verdict = Verdict(
                item=f"i{n}",
                judge=self.name,
                fingerprint=fingerprint,
                model=model,
                outcome=Outcome.UNREADABLE if None in row else Outcome.SCORED,
                scores=scores,
                repeat=repeat,
                usage=replace(NO_USAGE, cost_usd=cost),
            )
            extra = {} if topics is None else {"topic": topics[n]}
            text = "…" if texts is None else texts[n]
            entries.append(Entry(n, Item(f"i{n}", {"answer": text}, extra), verdict))
        for some in [entries] if order is None else [[entries[n]] for n in order]:
            self.store.verdicts.put(self.record.id, some)
        return self

    def close(self) -> None:
        self.store.close()


def labels(
    values: Sequence[float | str | None],
    *,
    rater: str = "",
    criterion: str = "rating",
    draw: Any = "",
) -> list[Label]:
    """Labels of `i0`, `i1` and so on; None leaves one out."""
    return [
        Label(f"i{n}", rater, criterion, value, draw)
        for n, value in enumerate(values)
        if value is not None
    ]


def source(given: Sequence[Label]) -> Any:
    """The labels as calibrate_run takes them."""

    def of(judge: str, scales: Mapping[str, Scale]) -> Sequence[Label]:
        return given

    return of


def _score(value: Value | None) -> Score:
    if value is None:
        return Score(outcome=Outcome.UNREADABLE, reason=Reason.of("no value"))
    return Score(outcome=Outcome.SCORED, value=value, raw=value)


def _judge(name: str, scales: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "judge": name,
        "version": 1,
        "title": "How good?",
        "language": "en",
        "explain_in": "any",
        "inputs": {"answer": {"judged": True}},
        "criteria": {name: {"guide": "How?", "scale": scale} for name, scale in scales.items()},
    }
