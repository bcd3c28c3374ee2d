"""Runs by chance, with every scale, rules, repeats and models, and what can be said of them one
verdict at a time."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge.core.item import Item
from adjudge.core.reason import Reason
from adjudge.core.reply import Usage
from adjudge.core.run import Manifest
from adjudge.core.scale import Value
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Verdict
from adjudge.judges.load import load_text
from adjudge.stores import Entry, RunRecord, Store, open_store

JUDGE = {
    "judge": "mixed",
    "version": 1,
    "title": "How good?",
    "language": "en",
    "explain_in": "any",
    "inputs": {"question": {}, "answer": {"judged": True}},
    "criteria": {
        "rating": {
            "guide": "How?",
            "scale": {"type": "ordinal", "levels": {1: "bad", 2: "so so", 3: "good", 4: "superb"}},
        },
        "polite": {"guide": "Is it?", "scale": {"type": "binary"}},
        "winner": {"guide": "Who?", "scale": {"type": "category", "options": ["a", "b", "tie"]}},
        "depth": {"guide": "How deep?", "scale": {"type": "number", "min": 0.0, "max": 10.0}},
    },
    "rules": [
        {"id": "thin", "flag": "depth.thin", "when": "It is thin.", "cap": {"depth": 5.0}},
        {"id": "rude", "flag": "rating.rude", "when": "It is rude.", "cap": {"rating": 2}},
    ],
}
MODELS = ("m1", "m2")
_FAILED = (Outcome.UNREADABLE, Outcome.REFUSED, Outcome.PROVIDER_ERROR)


def written(judge: Mapping[str, Any]) -> str:
    """The judge as YAML, which unlike JSON has numbers as keys."""
    return re.sub(r'"(\d)":', r"\1:", json.dumps(judge))


_SCALES = load_text(written(JUDGE), "mixed.yaml").rubric.criteria


def store_with(
    folder: Path, entries: Sequence[Entry], judge: Mapping[str, Any] = JUDGE, method: str = "text"
) -> tuple[Store, RunRecord]:
    """A store whose one run has these verdicts; they are put in a few at a time."""
    store = open_store(folder / "store.db")
    name = str(judge["judge"])
    manifest = Manifest(data="d", data_hash="0f", judges={name: "f" * 16}, models=MODELS)
    source = {"text": written(judge), "ask": "together", "explain_in": "any", "method": method}
    record = RunRecord(id=manifest.id, manifest=manifest, sources={name: source}, rows=0)
    store.runs.start(record)
    for start in range(0, len(entries), 7):
        store.verdicts.put(record.id, entries[start : start + 7])
    return store, store.runs.find(record.id)


def by_chance(seed: int, items: int = 40, repeats: int = 3) -> list[Entry]:
    """Shuffled, as they come in; some are missing, some failed, some came twice."""
    chance = random.Random(seed)  # noqa: S311 - a test
    found = []
    for n in range(items):
        item = Item(f"i{n}", {"question": f"Q{n}?", "answer": f"answer  {n}\n!"}, _extra(n))
        found += [
            Entry(n, item, verdict(item.id, chance, model, repeat))
            for model in MODELS
            for repeat in range(repeats)
            if chance.random() < 0.9
        ]
    chance.shuffle(found)
    return found


def verdict(item: str, chance: random.Random, model: str = "m1", repeat: int = 0) -> Verdict:
    scores = {name: _score(name, chance) for name in _SCALES}
    if chance.random() < 0.1:
        scores = dict(reversed(scores.items()))  # their order means nothing
    failed = [score.outcome for score in scores.values() if score.value is None]
    return Verdict(
        item=item,
        judge="mixed",
        fingerprint="f" * 16,
        model=model,
        repeat=repeat,
        outcome=failed[0] if failed else Outcome.SCORED,
        scores=scores,
        usage=Usage(
            input_tokens=chance.randint(1, 99), output_tokens=3, cost_usd=chance.randint(0, 9) / 100
        ),
        latency_ms=chance.randint(1, 500),
    )


def _extra(n: int) -> dict[str, object]:
    return {"topic": ["x", "y", None][n % 3], "number": n, "level": n % 4}


def _score(name: str, chance: random.Random) -> Score:
    if chance.random() < 0.15:
        return Score(outcome=chance.choice(_FAILED), reason=Reason.of("…"))
    raw: Value = {
        "rating": chance.randint(1, 4),
        "polite": chance.random() < 0.5,
        "winner": chance.choice(("a", "b", "tie")),
        "depth": chance.randint(0, 20) / 2,
    }[name]
    value, rule = raw, None
    if name == "depth" and float(raw) > 5 and chance.random() < 0.3:
        value, rule = 5.0, "thin"
    if name == "rating" and float(raw) > 2 and chance.random() < 0.3:
        value, rule = 2, "rude"
    return Score(
        outcome=Outcome.SCORED,
        value=value,
        raw=raw,
        rule=rule,
        unit=_SCALES[name].scale.unit(value),
        confidence=chance.randint(0, 4) / 4 if chance.random() < 0.5 else None,
        explanation_outcome=Outcome.WRONG_LANGUAGE if chance.random() < 0.1 else None,
        explanation="…",
    )
