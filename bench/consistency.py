"""Does `faithfulness` find what is wrong in a summary, beside `gptscore` consistency?

    python bench/consistency.py --store build/consistency.db     asks; goes on where it stopped
    python bench/consistency.py --store build/consistency.db --show    figures of what is there

Data: SummEval, from ../shared/data. Of each document with at most WORDS words, two summaries with
at most LONG words: one to which people gave at most LOW for consistency, one to which they gave 5,
both drawn at random. The documents come in random order (SEED), so that the first few are a random
sample too; both judges see the same rows. Prints what `adjudge calibrate --group doc` finds, and
the share of documents in which the judge put the better summary above the worse (a tie: one half).
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import adjudge
from adjudge.stats.mean import mean
from adjudge.stats.stat import Stat

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared" / "data"
BUILTIN = HERE.parent / "src" / "adjudge" / "judges" / "builtin"
JUDGES = {"faithfulness": "faithfulness", "gptscore_consistency": "consistency"}
SEED, WORDS, LONG, LOW = 20, 300, 60, 3.0


def main() -> None:
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--store", default=str(HERE.parent / "build" / "consistency.db"))
    flags.add_argument("--model", default="embedded")
    flags.add_argument("--documents", type=int, default=40)
    flags.add_argument("--run", default="latest", help="the run that --show is about")
    flags.add_argument("--show", action="store_true", help="ask nothing more")
    given = flags.parse_args()
    folder = Path(given.store).parent
    folder.mkdir(parents=True, exist_ok=True)
    rows = list(sampled(given.documents))
    data, people = folder / "consistency.data.jsonl", folder / "consistency.people.jsonl"
    _write(data, ({key: row[key] for key in ("id", "doc", "source", "summary")} for row in rows))
    _write(
        people,
        (
            {
                "item": row["id"],
                "faithfulness": (row["people"] - 1) / 4,
                "consistency": row["people"],
            }
            for row in rows
        ),
    )
    if not given.show:
        adjudge.run(
            str(data), judge=["faithfulness", str(_consistency(folder))], model=given.model,
            explain_in="en", max_tokens=1500, concurrency=1, store=given.store,
            map={"source": "source", "contexts": "source", "answer": "summary",
                 "response": "summary"},
        ).close()  # fmt: skip
    _show(given.store, given.run, rows, people)


def sampled(documents: int) -> Iterator[dict[str, Any]]:
    """Two summaries of each document, the lower one first."""
    sources = {row["doc_id"]: row["source"] for row in _rows("summeval_docs")}
    items: dict[str, list[dict[str, Any]]] = {}
    for row in _rows("summeval_items"):
        items.setdefault(row["doc_id"], []).append(row)
    chance = random.Random(SEED)  # noqa: S311 - a sample, not a secret
    order = sorted(doc for doc in sources if len(sources[doc].split()) <= WORDS)
    chance.shuffle(order)
    taken = 0
    for doc in order:
        given = sorted(items[doc], key=lambda row: str(row["system_id"]))
        given = [row for row in given if len(row["summary"].split()) <= LONG]
        low = [row for row in given if row["human_mean"]["consistency"] <= LOW]
        high = [row for row in given if row["human_mean"]["consistency"] == 5]
        if not low or not high or taken == documents:
            continue
        taken += 1
        for row in (chance.choice(low), chance.choice(high)):
            yield {
                "id": f"{doc} {row['system_id']}", "doc": doc, "source": sources[doc],
                "summary": row["summary"], "people": row["human_mean"]["consistency"],
            }  # fmt: skip


def _consistency(folder: Path) -> Path:
    """`gptscore` with one of its nine criteria."""
    judge = yaml.safe_load((BUILTIN / "gptscore.yaml").read_text(encoding="utf-8"))
    judge["judge"] = "gptscore_consistency"
    judge["criteria"] = {"consistency": judge["criteria"]["consistency"]}
    path = folder / "gptscore_consistency.yaml"
    path.write_text(yaml.safe_dump(judge, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return path


def _show(store: str, run_name: str, rows: list[dict[str, Any]], people: Path) -> None:
    with closing(adjudge.open_run(run_name, store=store)) as run:
        found = {
            name: adjudge.calibrate(run, labels=str(people), group="doc", judge=judge).criteria[
                name
            ]
            for judge, name in JUDGES.items()
        }
        verdicts = run.to_dicts()
    ordered: dict[str, np.ndarray] = {}
    for name, figures in found.items():
        stats = {key: getattr(figures, key) for key in ("spearman", "kendall", "pearson")}
        told = {key: _told(stat) for key, stat in stats.items()}
        mine = [row for row in verdicts if name in row["scores"]]
        seconds = np.array([row["latency_ms"] for row in mine]) / 1000
        tokens = [row["usage"]["output_tokens"] for row in mine]
        scores = {row["item"]: row["scores"][name]["value"] for row in mine}
        both = zip(rows[::2], rows[1::2], strict=True)
        pairs = [(scores.get(low["id"]), scores.get(high["id"])) for low, high in both]
        ordered[name] = np.array(
            [np.nan if None in pair else 0.5 + 0.5 * np.sign(pair[1] - pair[0]) for pair in pairs]
        )
        print(f"{name}: n {figures.n}, unscored {figures.unscored}, {told}")
        for kind, half in (("low", rows[::2]), ("high", rows[1::2])):
            values = [scores[row["id"]] for row in half if scores.get(row["id"]) is not None]
            print(f"  people {kind}: mean {np.mean(values):.3f} of {len(values)}")
        print(f"  better one above: {_stat(ordered[name])}")
        print(
            f"  seconds per verdict: median {np.median(seconds):.0f}, mean {seconds.mean():.0f};"
            f" tokens written {np.mean(tokens):.0f}"
        )
    print(f"difference in pairs: {_stat(ordered['faithfulness'] - ordered['consistency'])}")


def _told(stat: Stat) -> str:
    if stat.value is None or stat.low is None:
        return f"{stat.value} ({stat.why})"
    return f"{stat.value:.3f} [{stat.low:.3f}, {stat.high:.3f}]"


def _stat(values: np.ndarray) -> str:
    there = values[~np.isnan(values)]
    return f"{_told(mean(there))} of {len(there)} documents"


def _write(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _rows(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


if __name__ == "__main__":
    main()
