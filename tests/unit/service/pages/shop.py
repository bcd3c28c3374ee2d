"""A store with runs as a shop might have them: numbers with a cap, yes and no, names, failures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import adjudge
from adjudge.core.label import Label
from adjudge.stores import open_store

JUDGE = """\
judge: shop
version: 3
title: Was the customer served well?
language: en
explain_in: any
inputs:
  question: {required: true}
  answer: {required: true, judged: true}
criteria:
  quality:
    title: How good
    guide: How good is the answer?
    scale: {type: number, min: 0.0, max: 10.0}
  polite:
    title: Politeness
    guide: Is the answer polite?
    scale: {type: binary}
  kind:
    title: Kind of answer
    guide: What kind of answer is it?
    scale: {type: category, options: [fact, advice, other]}
rules:
  - id: rude-caps
    flag: quality.rude
    when: The answer insults the customer.
    cap: {quality: 4.0}
reply: json
"""
HOSTILE = "<script>alert(1)</script> \u202eabc\u202c 👩‍👩‍👧 가각 &amp; \"'"
ODD_ID = 'odd "id" <b>&?#/+ 한글'
LONG = "long " * 200_000
ITEMS = 12


@dataclass(frozen=True)
class Shop:
    """The folder, its store, and the runs: by two models, by one of them on half of the data."""

    folder: Path
    store: str
    both: str
    half: str

    @property
    def models(self) -> tuple[str, str]:
        return f"replay:{self.folder}/a.jsonl", f"replay:{self.folder}/b.jsonl"


def quality(number: int, model: str) -> float:
    """What a model says before the rule."""
    return 9.0 if number == 3 else number % 7 + (0.5 if model == "b" else 1.0)


def _reply(number: int, model: str) -> str:
    if number == 5:
        return "I will not say."
    said = {
        "quality": {
            "explanation": f"Because of {number}, says {model}.",
            "rude": number == 3,
            "score": quality(number, model),
        },
        "polite": {"explanation": "It greets.", "score": number % 2 == 0},
        "kind": {"explanation": "It tells.", "score": ("fact", "advice")[number % 2]},
    }
    return json.dumps(said)


def rows() -> list[dict[str, str]]:
    made = [
        {
            "id": f"item-{number}",
            "question": f"Question {number}?",
            "answer": f"Answer {number}.",
            "channel": "web" if number % 3 else "phone",
        }
        for number in range(ITEMS)
    ]
    made[1]["id"] = ODD_ID
    made[2]["answer"] = HOSTILE
    made[4]["answer"] = LONG
    return made


def _lines(path: Path, objects: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects))
    return path


def make_shop(folder: Path) -> Shop:
    (folder / "shop.yaml").write_text(JUDGE)
    data = _lines(folder / "data.jsonl", [dict(row) for row in rows()])
    for model in "ab":
        _lines(
            folder / f"{model}.jsonl",
            [
                {"item": row["id"], "criterion": None, "replies": [_reply(number, model)] * 3}
                for number, row in enumerate(rows())
            ],
        )
    store, judge = str(folder / "store.db"), str(folder / "shop.yaml")
    a, b = f"replay:{folder}/a.jsonl", f"replay:{folder}/b.jsonl"
    half = adjudge.run(data, judge=judge, model=a, store=store, limit=6)
    both = adjudge.run(data, judge=judge, model=[a, b], store=store)
    opened = open_store(store)
    said = [Label(ODD_ID, "Kim", "quality", 7.0), Label("item-0", "Lan", "quality", 2.0)]
    opened.labels.put(both.record.manifest.data_hash, "shop", said)
    opened.close()
    ids = half.id, both.id
    half.close()
    both.close()
    return Shop(folder, store, ids[1], ids[0])
