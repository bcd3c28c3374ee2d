"""Judges the examples in English, Vietnamese and Korean on the embedded model, live.

Thirteen calls and some repeats, for which two cores take several minutes. Ends with a table and
the path of an HTML report.
"""

from __future__ import annotations

import os
import sys
import time
from itertools import chain
from pathlib import Path

import adjudge
from adjudge.cli.progress import Progress
from adjudge.models import embedded, weights
from adjudge.reports.formats import write_file
from adjudge.reports.text import run_table, verdict_text

EXAMPLES = Path(__file__).parent
REPORT = Path("demo.html")
SMALL = "smollm2-135m"
JOBS = {
    "helpfulness": "helpfulness.jsonl",
    "chatbot": "chatbot.csv",
    "gptscore": "gptscore.jsonl",
}


def choose_model() -> str:
    """The recommended model, fetched if need be; where it cannot be had, the small one."""
    name = os.environ.get("ADJUDGE_EMBEDDED", weights.DEFAULT)
    try:
        embedded.locate(name)
    except adjudge.AdjudgeError as error:
        print(f"WARNING: {error}", file=sys.stderr)
        print(f"WARNING: going on with {SMALL}, whose scores mean nothing.", file=sys.stderr)
        embedded.locate(SMALL)
        return f"embedded/{SMALL}"
    return f"embedded/{name}"


def main() -> None:
    # Nothing else is asked of the machine meanwhile, so that all cores may write.
    os.environ.setdefault("ADJUDGE_EMBEDDED_THREADS", str(min(os.cpu_count() or 1, 4)))
    model = choose_model()
    began = time.monotonic()
    runs = []
    for judge, data in JOBS.items():
        print(f"\n== {judge} on examples/{data} ==", flush=True)
        progress = Progress(quiet=False)
        run = adjudge.run(
            EXAMPLES / data,
            judge=judge,
            model=model,
            limit=2,
            store=".adjudge/demo.db",
            fresh=True,
            watcher=progress,
        )
        progress.done()
        runs.append(run)
        for verdict in run.verdicts():
            print(f"\nitem {verdict.item}\n{verdict_text(verdict)}", flush=True)
    print(f"\n\n== in {time.monotonic() - began:.0f} s ==\n")
    for run in runs:
        print(run_table(run.record, run.summary) + "\n")
    write_file(REPORT, lambda: chain.from_iterable(run.rows(with_inputs=True) for run in runs))
    for run in runs:
        run.close()
    print(honest_words(model))
    print(f"\nreport: {REPORT.resolve()}")


def honest_words(model: str) -> str:
    if SMALL in model:
        return f"{model} tells right from wrong no better than a coin: this shows the way, no more."
    return (
        f"What {model} is worth: it tells plainly right from plainly wrong answers in\n"
        "English. It is generous with top scores and misses errors of detail; asked in English to\n"
        "explain in Korean it keeps to English, which the check above reports as wrong_language.\n"
        "Rehearse with it; for figures that count, name a larger judge with -m."
    )


if __name__ == "__main__":
    main()
