"""Three systems' answers to the same questions, by two versions of a judge with two models; labels
by two people on twenty of them, and by two more on one each."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

from adjudge.core.label import Label
from adjudge.stores import open_store

from .made import STORE, run, write

SYSTEMS = ("today", "smaller", "with search")
QUESTIONS = 8
LABELLED = 20
JUDGE = """\
judge: care
version: {version}
title: Was the customer served well?
language: en
explain_in: any
inputs:
  question: {{required: true}}
  answer: {{required: true, judged: true}}
criteria:
  clarity:
    title: Clarity
    guide: {guide}
    scale: {{type: integer, min: 1, max: 5}}
  quality:
    title: Quality
    guide: How good is the answer?
    scale: {{type: number, min: 0.0, max: 10.0}}
  polite:
    title: Politeness
    guide: Is the answer polite?
    scale: {{type: binary}}
reply: json
"""
# From 1 to 5; what people say of the same items is near.
_SAID = (2, 4, 3, 5, 1, 4, 2, 3, 4, 5, 2, 4, 1, 3, 5, 4, 2, 3, 4, 5, 3, 2, 4, 5)
_APART = (1, 0, -1, -2, 1, 0, 1, 0, -1, -2, 0, -2, 2, 0, -1, 0, 1, 1, 0, -1)


def care() -> dict[str, str]:
    """The ids of the runs: the first is called `care baseline`, both have a tag; a probe's run."""
    items = [f"c{n:02d}" for n in range(QUESTIONS * len(SYSTEMS))]
    rows = [
        {
            "id": item,
            "question": f"How do I return order {n // 3}, which came late?",
            "answer": f"Use the form in your account within {n} days.",
            "system": SYSTEMS[n % 3],
        }
        for n, item in enumerate(items)
    ]
    write("cases.jsonl", rows)
    runs = {}
    for version, (name, title, guide) in enumerate(
        (
            ("care", "care baseline", "Is it clear what to do?"),
            ("care_later", None, "Is it clear what to do, and by when?"),
        ),
        1,
    ):
        Path("care.yaml").write_text(JUDGE.format(version=version, guide=guide), "utf-8")
        write(f"{name}.jsonl", (_reply(n, item, version) for n, item in enumerate(items)))
        options = {"name": title, "tags": {"team": "support"}}
        runs[name] = run("cases.jsonl", "care.yaml", f"{name}.jsonl", **options)
    probe = {"tags": {"probe": "repeat"}}
    runs["probe"] = run("shop.jsonl", "helpfulness", "small.jsonl", **probe)
    _label(runs["care"], items)
    return runs


def _reply(n: int, item: str, version: int) -> dict[str, object]:
    clarity = _SAID[n] if version == 1 or n % 4 else min(5, _SAID[n] + 1)
    said = {
        "clarity": {"explanation": f"Version {version} finds it plain.", "score": clarity},
        "quality": {"explanation": "It helps.", "score": 10.0 if n % 6 else 1.5},
        "polite": {"explanation": "It greets.", "score": n % 8 != 0},
    }
    return {"item": item, "replies": [json.dumps(said)]}


def _label(run_id: str, items: list[str]) -> None:
    pairs = zip(items[:LABELLED], _SAID, _APART, strict=False)
    given = [(item, min(5, max(1, said + apart))) for item, said, apart in pairs]
    labels = [Label(item, "An", "clarity", float(value)) for item, value in given]
    labels += [
        Label(item, "Bo", "clarity", float(min(5, value + (n % 4 == 1))))
        for n, (item, value) in enumerate(given)
    ]
    labels += [Label("c00", "Cy", "clarity", 1.0), Label("c03", "Dũng", "clarity", 1.0)]
    with closing(open_store(STORE)) as store:
        store.labels.put(store.runs.find(run_id).manifest.data_hash, "care", labels)
