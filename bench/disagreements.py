"""Does `adjudge disagreements` find what was planted into recorded labels?

Slips: the sets of the alternative annotator test (../shared/data), real raters beside two real
models as judges. One label in twenty is changed: a grade to its opposite on the scale (those in
the middle are left), a name to another one. Of those changed, how many are listed (recall), and of
those listed, how many were changed (precision); what people really got wrong counts against it.
Beside them what the command's own trial expects of its list, and how often it warns.

Flips: Topical-Chat, graded by the recorded replies of one judge. People's labels of the items of
one system, or of those with one word in the response (a tenth to three tenths of the items), are
put at the other end of the scale. Whether the column's value or the word is among the first three
patterns.

Run: `nice .venv/bin/python bench/disagreements.py`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import adjudge

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
JUDGES = ("gpt-4o", "gemini_flash")
FLIPPED = ("system", "word")
Row = dict[str, Any]
_NUMBER = re.compile(r"\s*([123](?:\.\d)?)\b")


class Material(NamedTuple):
    """Rows to judge, what each judge gives them by id, and people's labels in long form."""

    scale: Row
    rows: list[Row]
    judges: dict[str, dict[str, Any]]
    labels: list[Row]


def rows(name: str) -> list[Row]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def annotated() -> dict[str, Material]:
    sets: dict[str, list[Row]] = defaultdict(list)
    for row in rows("alttest_annotations"):
        if all(judge in row["llm"] for judge in JUDGES):
            sets[row["dataset"]].append(row)
    made = {}
    for name, entries in sets.items():
        values = {
            value for row in entries for value in (*row["human"].values(), *row["llm"].values())
        }
        graded = all(isinstance(value, int) for value in values)
        scale = (
            {"type": "integer", "min": min(values), "max": max(values)}
            if graded
            else {"type": "category", "options": sorted(values)}
        )
        made[name] = Material(
            scale,
            [{"id": f"i{at}", "answer": f"text i{at}."} for at in range(len(entries))],
            {
                judge: {f"i{at}": row["llm"][judge] for at, row in enumerate(entries)}
                for judge in JUDGES
            },
            [
                {"item": f"i{at}", "rater": rater, "good": value}
                for at, row in enumerate(entries)
                for rater, value in row["human"].items()
            ],
        )
    return made


def disagreements(material: Material, chosen: set[str], labels: list[Row]) -> Any:
    """What the command finds on these items with these labels."""
    judge = {
        "judge": "planted", "version": 1, "title": "Good?", "language": "en",
        "explain_in": "any", "inputs": {"answer": {"judged": True}},
        "criteria": {"good": {"guide": "Is it good?", "explain": False, "scale": material.scale}},
    }  # fmt: skip

    def says(known: dict[str, Any]) -> Callable[[Sequence[dict[str, str]]], str]:
        def reply(messages: Sequence[dict[str, str]]) -> str:
            (item,) = re.findall(r"text (\w+)\.", messages[-1]["content"])
            return json.dumps({"good": known[item]})

        return reply

    models = [
        adjudge.function_model(says(known), name=name) for name, known in material.judges.items()
    ]
    data = [row for row in material.rows if row["id"] in chosen]
    with tempfile.TemporaryDirectory() as folder:
        run = adjudge.run(
            data, judge=judge, model=models, store=f"{folder}/store.db", concurrency=64
        )
        found = adjudge.disagreements(run, labels=labels, model=models[0].name)
        run.close()
    return found.graders[0].criteria["good"]


def slips(material: Material, items: int, seed: int) -> tuple[float, ...]:
    """How many were planted, listed, and both; how many slips the command's trial expects to be
    listed, and whether it warns."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    chosen = {row["id"] for row in draw.sample(material.rows, min(items, len(material.rows)))}
    planted, labels = set(), []
    for label in material.labels:
        if label["item"] not in chosen:
            continue
        value = label["good"]
        if draw.random() < 0.05:
            value = turned(material.scale, value, draw)
        if value != label["good"]:
            planted.add((label["item"], label["rater"]))
        labels.append({**label, "good": value})
    finding = disagreements(material, chosen, labels)
    listed = {(one.item, one.rater) for one in finding.suspects}
    expected = finding.slip_trial.expected
    counts = (len(planted), len(listed), len(planted & listed))
    return *counts, expected, expected < len(listed) / 2


def turned(scale: Row, value: Any, draw: random.Random) -> Any:
    if scale["type"] == "category":
        return draw.choice([option for option in scale["options"] if option != value])
    return scale["min"] + scale["max"] - value


def talks() -> Material:
    """Responses with the mean of a judge's recorded replies, which is on the scale of people."""
    said: dict[str, float] = {}
    for row in rows("geval_topicalchat_replies"):
        values = [float(one[1]) for one in map(_NUMBER.match, row["replies"]) if one]
        if (row["mode"], row["aspect"]) == ("geval", "engagingness") and values:
            said[row["item_id"]] = min(3.0, sum(values) / len(values))
    items = {row["item_id"]: row for row in rows("topicalchat_items") if row["item_id"] in said}
    return Material(
        {"type": "number", "min": 1, "max": 3},
        [
            {"id": item, "system": row["system_id"], "answer": f"text {item}. {row['response']}"}
            for item, row in items.items()
        ],
        {"geval": said},
        [
            {"item": item, "rater": "people", "good": row["human"]["engagingness"]}
            for item, row in items.items()
        ],
    )


def flipped(material: Material, kind: str, items: int, seed: int) -> bool:
    draw = random.Random(seed)  # noqa: S311 - no secret
    sample = draw.sample(material.rows, items)
    if kind == "system":
        name = draw.choice(sorted({row["system"] for row in sample}))
        inside = {row["id"] for row in sample if row["system"] == name}
    else:
        words = {row["id"]: set(re.findall(r"[a-z]{4,}", row["answer"])) for row in sample}
        counts = Counter(word for own in words.values() for word in own)
        name = draw.choice(sorted(w for w, n in counts.items() if 0.1 <= n / items <= 0.3))
        inside = {item for item, own in words.items() if name in own}
    chosen = {row["id"] for row in sample}
    labels = [
        {
            **label,
            "good": _turned_round(label["good"]) if label["item"] in inside else label["good"],
        }
        for label in material.labels
        if label["item"] in chosen
    ]
    first = disagreements(material, chosen, labels).patterns[:3]
    shown = {text for one in first for text in (one.name, one.value, *one.also)}
    return name in shown or f"system={name}" in shown


def _turned_round(grade: float) -> float:
    return 1.0 if grade >= 2 else 3.0


def main() -> None:
    flags = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    flags.add_argument("--seeds", type=int, default=20)
    flags.add_argument("--items", type=int, default=150)
    given = flags.parse_args()
    print(
        "| set | labels of | planted | listed | recall | precision | by the trial | warned |\n|"
        + " --- |" * 8
    )
    for name, material in annotated().items():
        counts = [slips(material, given.items, seed) for seed in range(given.seeds)]
        planted, listed, both, expected, warned = map(sum, zip(*counts, strict=True))
        kind = "grades" if material.scale["type"] == "integer" else "names"
        shares = f"{both / planted:.0%} | {both / listed if listed else 0:.0%}"
        trial = f"{expected / listed if listed else 0:.2f} | {warned} of {given.seeds}"
        print(f"| {name} | {kind} | {planted} | {listed} | {shares} | {trial} |", flush=True)
    material = talks()
    for kind in FLIPPED:
        for items in (80, 150):
            found = sum(flipped(material, kind, items, seed) for seed in range(given.seeds))
            print(f"flip of a {kind}, {items} labels: {found} of {given.seeds} in the top three")


if __name__ == "__main__":
    main()
