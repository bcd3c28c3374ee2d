"""What `variants` and `improve` report as the chosen one's agreement, beside the truth.

Recorded sets (../shared/data): LLMBar, where the prompts of a judge are the variants, and
Topical-Chat, where seven ways of asking one model are, read by adjudge from the recorded replies.
Many times N labels are drawn at random; the best variant on them is chosen, and what is said of it
is held against its agreement on all other labels. `improve` halves the labels: one half chooses,
the other reports. Intervals are of 90%; the truth is measured on few hundred items itself, which is
counted. `--simulated` does the same with `variants` in made-up worlds whose truth is known: this is
what the estimator was chosen by.

Run: `nice .venv/bin/python bench/selection.py`, and with `--simulated`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy

import adjudge
from adjudge.analysis.improvement.sample import Sample
from adjudge.analysis.variants import effects_of, statistic_of
from adjudge.core.item import Item
from adjudge.core.scale import Binary, Number, Scale
from adjudge.stats.arrays import Floats
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.selection import choose

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LLMBAR = ("GPT-4", "ChatGPT", "ChatGPT-0301", "PaLM2", "LLaMA2", "Falcon")
GRADES = (1, 3)
ASPECTS = {
    "naturalness": GRADES,
    "coherence": GRADES,
    "engagingness": GRADES,
    "groundedness": (0, 1),
}
CONFIDENCE = 0.9
REACH = float(scipy.stats.norm.ppf((1 + CONFIDENCE) / 2))


class Recorded(NamedTuple):
    """A column of `judges` per variant; `human` is all ones where `judges` says who was right."""

    set: str
    name: str
    measure: str
    scale: Scale
    human: Floats
    judges: Floats


def rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def llmbar() -> Iterator[Recorded]:
    right: dict[str, dict[str, dict[str, float]]] = {}
    for row in rows("llmbar_verdicts"):
        prompt = right.setdefault(row["judge"], {}).setdefault(row["mode"], {})
        prompt[row["item_id"]] = float(row["winner_ab"] == str(row["label"]))
    for name in LLMBAR:
        table = np.array([list(map(one.get, sorted(one))) for one in right[name].values()]).T
        yield Recorded("LLMBar", name, "exact", Binary(), np.ones(len(table)), table)


def topical_chat(replies: int) -> Iterator[Recorded]:
    """The modes judged by `adjudge.run` from their recorded replies; a mean per item."""
    modes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    human: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows("geval_topicalchat_replies"):
        modes[row["mode"]].append(row)
        human[row["aspect"]][row["item_id"]] = row["human"]
    scores = {mode: _read(listed, replies) for mode, listed in modes.items()}
    for aspect, (low, high) in ASPECTS.items():
        items = [i for i in human[aspect] if all((aspect, i) in one for one in scores.values())]
        table = np.array([[one[aspect, item] for one in scores.values()] for item in items])
        people = np.array([human[aspect][item] for item in items])
        yield Recorded("Topical-Chat", aspect, "spearman", Number(low, high), people, table)


def _read(listed: list[dict[str, Any]], replies: int) -> dict[tuple[str, str], float]:
    judge = {
        "judge": "geval",
        "version": 1,
        "title": "What do the replies say?",
        "language": "en",
        "explain_in": "any",
        "reply": "text",
        "ask": "each",
        "inputs": {"answer": {"judged": True}},
        "criteria": {
            name: {
                "guide": "How good is it?",
                "explain": False,
                "scale": {"type": "number", "min": low, "max": high},
            }
            for name, (low, high) in ASPECTS.items()
        },
    }
    recorded = [
        {"item": row["item_id"], "criterion": row["aspect"], "replies": row["replies"][:replies]}
        for row in listed
    ]
    data = [{"id": item, "answer": "…"} for item in sorted({row["item_id"] for row in listed})]
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "replies.jsonl")
        file.write_text("".join(json.dumps(row) + "\n" for row in recorded), "utf-8")
        run = adjudge.run(
            data, judge=judge, model=f"replay:{file}", repeat=replies, concurrency=256,
            store=str(Path(folder, "store.db")),
        )  # fmt: skip
        for row in run.rows():
            for name, score in row["scores"].items():
                if score["value"] is not None:
                    found[name, row["item"]].append(score["value"])
        run.close()
    return {key: float(np.mean(values)) for key, values in found.items()}


class Said(NamedTuple):
    """`shown` is what the chosen one has on the labels that chose it, the rest is what is said."""

    chosen: int
    shown: float
    value: float
    low: float
    high: float


def by_variants(world: Recorded, seen: np.ndarray) -> Said | None:
    statistic = statistic_of(world.measure, world.scale)
    shown = [statistic(one, world.human[seen]) for one in world.judges[seen].T]
    if any(one is None for one in shown):
        return None
    effects = [
        effects_of(world.measure, world.scale, one, world.human[seen])
        for one in world.judges[seen].T
    ]
    if not np.isfinite(effects).all():
        return None
    found = choose(np.column_stack(effects), np.array(shown, dtype=np.float64), CONFIDENCE)
    stat = found.corrected
    return Said(found.best, found.shown, stat.value, stat.low, stat.high)


def by_improve(world: Recorded, seen: np.ndarray) -> Said | None:
    """The search sees one half; the other one, compared with the first variant, is reported."""
    statistic = statistic_of(world.measure, world.scale)
    search, proof = seen[: len(seen) // 2], seen[len(seen) // 2 :]
    shown = [statistic(one, world.human[search]) for one in world.judges[search].T]
    if any(one is None for one in shown):
        return None
    best = int(np.argmax(shown))
    sample = Sample(
        items=tuple(Item(id=str(at), fields={}) for at in proof),
        human={"it": world.human[proof]},
        groups=np.arange(len(proof)),
        scales={"it": world.scale},
        measures={"it": world.measure},
        comments={},
    )
    before, after = ({"it": world.judges[proof, at]} for at in (0, best))
    # The rounds are for the difference, which is not looked at here.
    stat = sample.compare(before, after, Resampling(confidence=CONFIDENCE, rounds=100)).after
    if stat.value is None or stat.low is None or stat.high is None:
        return None
    return Said(best, float(shown[best]), stat.value, stat.low, stat.high)


Way = Callable[[Recorded, np.ndarray], Said | None]


def study(world: Recorded, labels: int, splits: int, way: Way) -> Floats:
    """A row per split: luck, error, whether the interval held."""
    draw, done = np.random.default_rng([labels, len(world.name)]), []
    for _ in range(splits):
        order = draw.permutation(len(world.human))
        said = way(world, order[:labels])
        others = order[labels:]
        if said is None:
            continue
        judge, human = world.judges[others, said.chosen], world.human[others]
        truth = statistic_of(world.measure, world.scale)(judge, human)
        effects = effects_of(world.measure, world.scale, judge, human)
        own = REACH * float(effects.std(ddof=1)) / np.sqrt(len(others))
        error = said.value - truth
        ends = (said.high - said.value, said.value - said.low)
        held = -np.hypot(ends[0], own) <= error <= np.hypot(ends[1], own)
        done.append((said.shown - truth, error, held))
    return np.array(done, dtype=np.float64)


def on_recorded(splits: int, replies: int) -> None:
    worlds = [*llmbar(), *topical_chat(replies)]
    print(
        "| set | labels | reported by | shown − truth | said − truth | each judge or aspect"
        " | holds |"
    )
    print("| --- " * 7 + "|")
    for way, name in ((by_variants, "variants"), (by_improve, "improve")):
        for group in ("LLMBar", "Topical-Chat"):
            for labels in (30, 60, 120):
                own = [study(one, labels, splits, way) for one in worlds if one.set == group]
                luck, error, held = np.mean([one.mean(axis=0) for one in own], axis=0)
                each = ", ".join(f"{100 * one[:, 1].mean():+.1f}" for one in own)
                print(
                    f"| {group} | {labels} | {name} | {100 * luck:+.1f} | {100 * error:+.2f} |"
                    f" {each} | {held:.1%} |",
                    flush=True,
                )


def patterns(count: int, draw: np.random.Generator) -> dict[str, Floats]:
    """How far candidates truly are from their middle."""
    half = count // 2
    return {
        "all equal": np.zeros(count),
        "spread 3 points": draw.normal(0, 0.03, count),
        "spread 8 points": draw.normal(0, 0.08, count),
        "one worse by 20": np.r_[-0.2, np.zeros(count - 1)],
        "half worse by 15": np.r_[np.full(half, -0.15), np.zeros(count - half)],
        "one better by 10": np.r_[np.zeros(count - 1), 0.1],
        "evenly over 20": np.linspace(-0.1, 0.1, count),
    }


def made_up(kind: str, pattern: str, count: int, draw: np.random.Generator) -> Recorded:
    """40,000 items: right or wrong about them, or graded; judges err alike to a degree."""
    items = 40_000
    true = (0.6 if kind == "exact" else 0.5) + patterns(count, draw)[pattern]
    errors = np.sqrt(0.4) * draw.normal(size=(items, 1)) + np.sqrt(0.6) * draw.normal(
        size=(items, count)
    )
    if kind == "exact":
        judges = (errors < scipy.stats.norm.ppf(true)).astype(np.float64)
        return Recorded("", pattern, "exact", Binary(), np.ones(items), judges)
    quality = draw.normal(size=items)
    said = true * quality[:, None] + np.sqrt(1 - true**2) * errors
    judges = np.round(np.clip(said / 2 + 2.2, 1, 3), 1)
    human = np.round(np.clip(quality * 0.7 + 2, 1, 3) * 3) / 3
    return Recorded("", pattern, "spearman", Number(1, 3), human, judges)


def on_simulated(rounds: int) -> None:
    print(
        "| measure | variants | labels | shown − truth | said − truth | furthest | root of mean"
        " square | holds | least |"
    )
    print("| --- " * 9 + "|")
    for kind, count in (("exact", 3), ("exact", 8), ("exact", 14), ("spearman", 7)):
        for labels in (30, 60, 120):
            per = []
            for at, pattern in enumerate(patterns(count, np.random.default_rng(0))):
                done = []
                for world_at in range(max(1, rounds // 20)):
                    draw = np.random.default_rng([labels, count, at, world_at])
                    world = made_up(kind, pattern, count, draw)
                    statistic = statistic_of(world.measure, world.scale)
                    truth = [statistic(one, world.human) for one in world.judges.T]
                    for _ in range(min(rounds, 20)):
                        said = by_variants(world, draw.integers(len(world.human), size=labels))
                        if said is not None:
                            true = truth[said.chosen]
                            done.append(
                                (
                                    said.shown - true,
                                    said.value - true,
                                    said.low <= true <= said.high,
                                )
                            )
                table = np.array(done, dtype=np.float64)
                per.append((*table.mean(axis=0), float(np.sqrt((table[:, 1] ** 2).mean()))))
            luck, error, held, root = np.mean(per, axis=0)
            print(
                f"| {kind} | {count} | {labels} | {100 * luck:+.1f} | {100 * error:+.2f} |"
                f" {100 * max((one[1] for one in per), key=abs):+.1f} | {100 * root:.1f} |"
                f" {held:.1%} | {min(one[2] for one in per):.1%} |",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=500)
    parser.add_argument(
        "--replies", type=int, default=10, help="of Topical-Chat, per item and mode"
    )
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("--rounds", type=int, default=400, help="of each made-up world")
    given = parser.parse_args()
    if given.simulated:
        on_simulated(given.rounds)
    else:
        on_recorded(given.splits, given.replies)


if __name__ == "__main__":
    main()
