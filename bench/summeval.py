"""Likelihood, expected and read scores on SummEval, beside what people said of the same summaries.

    python bench/summeval.py --method likelihood --model embedded/smollm2-135m
    python bench/summeval.py --method likelihood --variant reference
    python bench/summeval.py --method expected --model embedded/qwen2.5-coder-1.5b --documents 10

Takes 40 documents with 16 summaries each from ../shared/data. Every second one served to choose the
wording and the variant; the figures are of the others alone. Prints, for each criterion, the mean
over documents of Spearman's correlation with people, with its interval, as `adjudge calibrate
--group doc` tells it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import adjudge

HERE = Path(__file__).resolve().parent
DATA = HERE.parents[1] / "shared" / "data"
DOCUMENTS = 40


def main() -> None:
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("--method", default="likelihood")
    flags.add_argument("--variant")
    flags.add_argument("--model", default="embedded/smollm2-135m")
    flags.add_argument("--documents", type=int, default=DOCUMENTS // 2)
    flags.add_argument("--half", choices=["chosen-on", "reported"], default="reported")
    flags.add_argument("--judge", default=str(HERE / "summary.yaml"))
    flags.add_argument("--store", help="keeps the replies, to go on after a stop")
    given = flags.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data, people = _written(Path(folder), given)
        began = time.perf_counter()
        run = adjudge.run(
            data,
            judge=given.judge,
            model=given.model,
            method=given.method,
            variant=given.variant,
            max_tokens=200,
            store=given.store or str(Path(folder) / "runs.db"),
        )
        seconds = time.perf_counter() - began
        found = adjudge.calibrate(run, labels=str(people), group="doc")
        _print(run, found, seconds)
        run.close()


def _written(folder: Path, given: argparse.Namespace) -> tuple[Path, Path]:
    """The rows to judge, those of one document together, and what people said of them."""
    documents = {row["doc_id"]: row for row in _rows("summeval_docs")}
    chosen = sorted(documents)[:DOCUMENTS][given.half == "reported" :: 2][: given.documents]
    data, people = folder / "data.jsonl", folder / "people.jsonl"
    items = sorted(_rows("summeval_items"), key=lambda row: row["doc_id"])
    with data.open("w") as rows, people.open("w") as labels:
        for item in items:
            if item["doc_id"] not in chosen:
                continue
            name, source = f"{item['doc_id']} {item['system_id']}", documents[item["doc_id"]]
            row = {
                "id": name,
                "doc": item["doc_id"],
                "source": source["source"],
                "summary": item["summary"],
            }
            if given.method == "likelihood":  # a grader is not shown it
                row["reference"] = source["reference"]
            rows.write(json.dumps(row) + "\n")
            labels.write(json.dumps({"item": name, **item["human_mean"]}) + "\n")
    return data, people


def _rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _print(run: adjudge.Run, found: Any, seconds: float) -> None:
    usage = run.summary.usage
    calls = run.summary.verdicts
    evaluated = (usage.input_tokens - usage.cached_tokens + usage.output_tokens) / calls
    whole = (usage.input_tokens + usage.output_tokens) / calls
    print(f"{calls} verdicts in {seconds:.0f} s, {evaluated:.0f} of {whole:.0f} tokens each")
    for name, criterion in found.criteria.items():
        told = criterion.by_group.spearman
        ends = f"[{told.low:.3f}, {told.high:.3f}]" if told.low is not None else told.why
        print(f"{name:12} {told.value:.3f} {ends}")


if __name__ == "__main__":
    main()
