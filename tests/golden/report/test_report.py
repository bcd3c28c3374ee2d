"""A report on a fixed run, word for word; ADJUDGE_UPDATE_GOLDEN=1 writes it anew.

Times, ids and fingerprints are left out, and a plot is what it says in words: how it looks is
matplotlib's.
"""

from __future__ import annotations

import os
import re
from contextlib import closing
from pathlib import Path

import pytest
from tests.commands import Command
from tests.unit.cli.conftest import reply
from tests.unit.reports.kept_probes import probed

from adjudge.analysis.probing.findings import keep
from adjudge.stores import DEFAULT, open_store

HERE = Path(__file__).parent
UPDATE = bool(os.environ.get("ADJUDGE_UPDATE_GOLDEN"))
RATINGS = [4, 1, 3, 3, 2, 2, 4, 4, 3, None, 3, 4, 2, 1, 3, 4, 4, 2, 3, 3]
PEOPLE = [3, 1, 3, 2, 2, 1, 4, 4, 3, 2, 3, 3, 2, 1, 3, 4, 3, 2, 2, 3]
_PLOT = re.compile(r"<svg [^>]*>(<title>.*?</title><desc>.*?</desc>).*?</svg>", re.DOTALL)
_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC")
_DAY = re.compile(r"(?<=data\.jsonl, )(\d+ [A-Z][a-z]{2}|\d+월 \d+일|\d+/\d+) \d\d:\d\d")
_ID = re.compile(r"\b[0-9a-f]{16}\b|\b[0-9a-f]{12}\b")


def steady(text: str) -> str:
    """Without what differs from one time to the next."""
    text = _STYLE.sub("<style>…</style>", _PLOT.sub(r"<svg>\1</svg>", text))
    return _ID.sub("ID", _DAY.sub("DAY", _TIME.sub("TIME", text)))


@pytest.fixture
def reported(adjudge: Command) -> Command:
    """Twenty rows judged twice, the second time a little better, and labels for all; the first
    judge has been probed."""
    ids = [f"r{n}" for n in range(len(RATINGS))]
    rows = [
        {
            "id": item,
            "question": f"{item}, 왜?",
            "answer": f"Vì {n} < 3.",
            "topic": ["even", "odd"][n % 2],
        }
        for n, item in enumerate(ids)
    ]
    adjudge.write("data.jsonl", rows)
    people = zip(ids, PEOPLE, strict=True)
    adjudge.write("people.jsonl", [{"item": item, "rating": said} for item, said in people])
    for name, better in (("a", 0), ("b", 1)):
        said = [None if each is None else min(4, each + better) for each in RATINGS]
        texts = ["I would rather not." if each is None else reply(each) for each in said]
        replies = [{"item": i, "replies": [text]} for i, text in zip(ids, texts, strict=True)]
        adjudge.write(f"{name}.jsonl", replies)
        run = ["run", "data.jsonl", "--judge", "helpfulness", "-m", f"replay:{name}.jsonl"]
        called = ["--name", "later"] if better else []
        assert adjudge(*run, *called, "--quiet", "--tag", f"name={name}").code == 0
    with closing(open_store(DEFAULT)) as store:
        (fingerprint,) = store.runs.find(ids_of(adjudge)[0]).manifest.judges.values()
        keep(store, probed("helpfulness", fingerprint, "replay:a.jsonl"))
    return adjudge


def ids_of(adjudge: Command) -> list[str]:
    """The first run, then the second."""
    runs = {run["models"][0]: run["run"] for run in adjudge("runs", "--json").json}
    return [runs["replay:a.jsonl"], runs["replay:b.jsonl"]]


@pytest.mark.parametrize("name", ["one.html", "one.md", "two.ko.html", "two.vi.md"])
def test_report(reported: Command, name: str) -> None:
    runs = ids_of(reported)[: 1 if name.startswith("one") else 2]
    language = name.split(".")[1] if runs[1:] else "en"
    ending = Path(name).suffix
    flags = ["--labels", "people.jsonl", "--slice", "topic", "--worst", "2", "--lang", language]
    ended = reported("report", *runs, *flags, "-o", f"out{ending}")
    assert (ended.code, ended.err) == (0, "")
    shown = steady((reported.folder / f"out{ending}").read_text("utf-8"))
    if UPDATE:
        (HERE / name).write_text(shown, "utf-8")
    assert shown == (HERE / name).read_text("utf-8")
