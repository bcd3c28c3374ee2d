"""A good and a bad answer in English, Vietnamese and Korean, judged live on the embedded model.

Then what people's labels say about a judge, on a recorded run that needs no model; that comes first
where the model has yet to be downloaded. Ends with the path of an HTML report.
"""

from __future__ import annotations

import csv
import json
import os
import re
import sys
import tempfile
import time
from itertools import chain
from pathlib import Path

import yaml

import adjudge
from adjudge.cli.progress import ProgressLine
from adjudge.core.score import Score
from adjudge.core.verdict import Verdict
from adjudge.judges import registry
from adjudge.models import embedded, weights
from adjudge.reports.files import write_file
from adjudge.reports.findings.calibration import calibration
from adjudge.reports.renderers.terminal import as_text, table
from adjudge.reports.words import command_line

EXAMPLES = Path(__file__).parent
TUTORIAL = EXAMPLES / "tutorial"
REPORT = Path("demo.html")
STORE = ".adjudge/demo.db"
SMALL = "smollm2-135m"
# Judge → its data, then the good and the bad answer.
JOBS = {
    "helpfulness": ("helpfulness.jsonl", ("tea-good", "tea-bad")),
    "chatbot": ("chatbot.csv", ("gio-lam-viec-dung", "gio-lam-viec")),
    "gptscore": ("gptscore.jsonl", ("bridge-right", "bridge")),
}
# Of the nine aspects of gptscore; each is a call per answer.
ASPECTS = ("factuality", "accuracy")
_WIDEST = 70  # characters of a sentence in the table


def main() -> None:
    # Nothing else is asked of the machine meanwhile, so that all cores may write.
    os.environ.setdefault("ADJUDGE_EMBEDDED_THREADS", str(min(os.cpu_count() or 1, 4)))
    name = os.environ.get("ADJUDGE_EMBEDDED", weights.DEFAULT)
    here = embedded.is_file(name) or weights.find(name) is not None
    if not here:
        print(download_words(name), flush=True)
        recorded()
    model = choose_model(name)
    with tempfile.TemporaryDirectory() as folder:
        judged(model, Path(folder))
    if here:
        recorded()
    print(f"\n{honest_words(model)}\n\nreport: {REPORT.resolve()}")


def download_words(name: str) -> str:
    size = weights.look_up(name).download
    return (
        f"The model {name} is not on this machine yet: {weights.megabytes(size)} are downloaded"
        f" once,\nabout {size / 10e6 / 60:.0f} minutes at 10 MB/s and {size / 1e6 / 60:.0f} at"
        " 1 MB/s. First, what needs no model:"
    )


def choose_model(name: str) -> str:
    """The recommended model, fetched if need be; where it cannot be had, the small one."""
    try:
        embedded.locate(name)
    except adjudge.AdjudgeError as error:
        print(f"WARNING: {error}", file=sys.stderr)
        print(f"WARNING: continuing with {SMALL}, whose scores mean nothing.", file=sys.stderr)
        embedded.locate(SMALL)
        return f"embedded/{SMALL}"
    return f"embedded:{name}" if embedded.is_file(name) else f"embedded/{name}"


def judged(model: str, folder: Path) -> None:
    """The three judges, each on a good and a bad answer; a table, and the report."""
    print(f"\n== {model} judges a good and a bad answer in three languages ==", flush=True)
    began = time.monotonic()
    runs, rows = [], []
    for name, (data, (good, bad)) in JOBS.items():
        print(f"{name} on examples/{data}", file=sys.stderr, flush=True)
        progress = ProgressLine(quiet=False)
        run = adjudge.run(
            selected(EXAMPLES / data, (good, bad), folder),
            judge=short_gptscore(folder) if name == "gptscore" else name,
            model=model,
            store=STORE,
            fresh=True,
            watcher=progress,
        )
        progress.done()
        runs.append(run)
        for verdict in run.verdicts():
            which = "good" if verdict.item == good else "bad"
            caps = caps_of(name, verdict)
            rows += [
                [name, f"{which} ({verdict.item})", criterion, *shown(score, caps.get(criterion))]
                for criterion, score in verdict.scores.items()
            ]
    print(
        f"\n{table(['judge', 'answer', 'criterion', 'score', 'cap', 'its first sentence'], rows)}"
    )
    print(
        f"\njudged in {time.monotonic() - began:.0f} s; gptscore with two of its nine aspects, to"
        " be quick"
    )
    write_file(REPORT, lambda: chain.from_iterable(run.rows(with_inputs=True) for run in runs))
    for run in runs:
        run.close()


def caps_of(judge: str, verdict: Verdict) -> dict[str, str]:
    """The caps whose flag the model reported, by criterion."""
    return {
        criterion: f"{rule.id}: at most {limit:g}"
        for rule in registry.get(judge).rubric.rules
        if verdict.flags.get(rule.flag)
        for criterion, limit in rule.cap.items()
    }


def shown(score: Score, cap: str | None) -> list[str]:
    """The score, the cap that holds for it, and the beginning of its explanation."""
    value = str(score.outcome) if score.value is None else f"{score.value:g}"
    if score.rule:
        cap = f"{score.rule}: {score.raw:g} → {value}"
    first = re.split(r"(?<=[.!?])\s", score.explanation or "", maxsplit=1)[0]
    return [value, cap or "", first if len(first) <= _WIDEST else f"{first[: _WIDEST - 1]}…"]


def selected(data: Path, items: tuple[str, ...], folder: Path) -> Path:
    """A file with these rows of the data, in this order."""
    with data.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines) if data.suffix == ".csv" else map(json.loads, lines)
        by_id = {row["id"]: row for row in rows}
    chosen = folder / f"{data.stem}.jsonl"
    chosen.write_text("".join(json.dumps(by_id[item]) + "\n" for item in items), "utf-8")
    return chosen


def short_gptscore(folder: Path) -> str:
    """The built-in judge with two of its nine aspects, so that the demo stays short."""
    judge = yaml.safe_load(registry.source("gptscore")[1])
    judge["criteria"] = {name: judge["criteria"][name] for name in ASPECTS}
    path = folder / "gptscore.yaml"
    path.write_text(yaml.safe_dump(judge, allow_unicode=True, sort_keys=False), "utf-8")
    return str(path)


def recorded() -> None:
    """What 60 labels say about a judge whose replies were recorded; asks no model."""
    print("\n== a recorded run beside people's labels (docs/tutorial.md) ==", flush=True)
    run = adjudge.run(
        TUTORIAL / "answers.csv",
        judge=str(TUTORIAL / "judge.yaml"),
        model=f"replay:{TUTORIAL / 'replies.jsonl'}",
        store=STORE,
    )
    found = adjudge.calibrate(run, labels=str(TUTORIAL / "labels.csv"), group="topic")
    page = as_text(calibration(found, command_line())).lstrip("\n")
    # The agreement and the means; the tutorial explains these and the rest.
    print("\n\n".join(page.split("\n\n")[:2]))
    run.close()


def honest_words(model: str) -> str:
    if SMALL in model:
        return f"{model} tells right from wrong no better than a coin: this shows the way, no more."
    return (
        f"What {model} is worth: beside a reference answer it tells\n"
        "right from wrong (AUC .88 in English, .95 in Korean, .93 in Vietnamese, 20 pairs each)\n"
        "and, helped by code, catches numbers that differ. Of the wrong answers one in six still\n"
        "passes, most often a turned-around statement; its reasons may be false, and its fine\n"
        "grades mean little (docs/embedded.md). Rehearse with it; for figures that count, name a\n"
        "larger judge with -m and calibrate it as above."
    )


if __name__ == "__main__":
    main()
