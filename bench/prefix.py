"""Sixteen texts about one source: what is shared is read once, against each prompt from scratch.

    python bench/prefix.py [--model embedded/NAME]

Both ways in one run, in turn, on the same texts; prints seconds, tokens that were read, and the
ratios. From scratch means that each prompt begins with a number of its own. The bars are 2.5 times
as fast and a third of the tokens; exits with 1 where one is missed. Takes its texts from
../shared/data, and is left out where there is no such folder.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import sys
import time
from pathlib import Path

from adjudge.models.base import Likelihoods, ModelOptions
from adjudge.models.registry import open_plain

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
ROUNDS = 3
FASTER, FEWER = 2.5, 1 / 3  # the bars: times as fast, and the share of the tokens


async def main() -> int:
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--model", default="embedded/smollm2-135m")
    name = flags.parse_args().model
    if not DATA.exists():
        print(f"prefix: left out, there is no {DATA}")
        return 0
    model = open_plain(name, ModelOptions())
    if model.likelihoods is None:
        raise SystemExit(f"{model.name} gives no likelihoods")
    source, texts = _one_document()
    await model.likelihoods.of("Hello", " there.")  # loaded
    seconds, tokens = {"shared": 0.0, "scratch": 0.0}, {"shared": 0, "scratch": 0}
    for round_ in range(ROUNDS):
        for way in ("shared", "scratch"):
            began = time.perf_counter()
            tokens[way] += await _read(model.likelihoods, way, source, texts, round_)
            seconds[way] += time.perf_counter() - began
    await model.aclose()
    for way in ("shared", "scratch"):
        print(f"{way:8} {seconds[way] / ROUNDS:7.1f} s  {tokens[way] // ROUNDS:6} tokens read")
    faster, share = seconds["scratch"] / seconds["shared"], tokens["shared"] / tokens["scratch"]
    print(
        f"{faster:.1f} times as fast (bar {FASTER}),"
        f" {share:.0%} of the tokens (bar less than {FEWER:.0%})"
    )
    return int(faster < FASTER or share >= FEWER)


async def _read(
    likelihoods: Likelihoods, way: str, source: str, texts: list[str], round_: int
) -> int:
    """Tokens that had to be read."""
    count = 0
    for number, text in enumerate(texts):
        begin = (
            f"Round {round_}" if way == "shared" else f"{number} of round {round_}, from scratch"
        )
        reply = await likelihoods.of(f"{begin}.\n{source}\n\nTL;DR:", f" {text}")
        count += reply.usage.input_tokens - reply.usage.cached_tokens
    return count


def _one_document() -> tuple[str, list[str]]:
    with gzip.open(DATA / "summeval_items.jsonl.gz", "rt", encoding="utf-8") as lines:
        items = [json.loads(line) for line in lines]
    wanted = items[0]["doc_id"]
    with gzip.open(DATA / "summeval_docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        source = next(r["source"] for r in map(json.loads, lines) if r["doc_id"] == wanted)
    return source, [item["summary"] for item in items if item["doc_id"] == wanted]


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
