"""How a run opens: its name, its verdict in a sentence, and what changed since the last one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

import adjudge
from adjudge.analysis.comparison import StoredRun
from adjudge.reports.blocks import Lines, Table
from adjudge.reports.findings import opening as module
from adjudge.reports.findings.gathering import Findings, ReportOptions, gather
from adjudge.reports.findings.opening import opening, run_content, run_name
from adjudge.reports.report import as_html
from adjudge.reports.words import Words
from adjudge.stores import open_store
from adjudge.strings import strings_for


def _judged(folder: Path, name: str, ratings: Sequence[int]) -> str:
    rows = [{"id": f"r{n}", "question": "왜?", "answer": f"{n}"} for n in range(len(ratings))]
    (folder / "data.jsonl").write_text("\n".join(map(json.dumps, rows)))
    said = [
        {"item": f"r{n}", "replies": [json.dumps({"evaluation": "It is short.", "rating": value})]}
        for n, value in enumerate(ratings)
    ]
    (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, said)))
    model, store = f"replay:{folder}/{name}.jsonl", folder / "s.db"
    data = folder / "data.jsonl"
    with closing(adjudge.run(data, judge="helpfulness", model=model, store=store)) as run:
        return run.id


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Findings, Findings]:
    folder = tmp_path_factory.mktemp("opening")
    ids = [
        _judged(folder, "a", [3, 4, 3, 4, 3, 4, 3, 4] * 3),
        _judged(folder, "b", [1, 2, 1, 2, 1, 2, 1, 4] * 3),
    ]
    with closing(open_store(str(folder / "s.db"))) as store:
        found = [
            gather(StoredRun(store.runs.find(run), store), ReportOptions(worst=0)) for run in ids
        ]
    return found[0], found[1]


def test_a_panel_on_one_criterion_names_its_models(tmp_path: Path) -> None:
    _judged(tmp_path, "a", [3, 4])
    _judged(tmp_path, "b", [1, 2])
    models, store = [f"replay:{tmp_path}/{name}.jsonl" for name in "ab"], tmp_path / "s.db"
    data = tmp_path / "data.jsonl"
    with (
        closing(adjudge.run(data, judge="helpfulness", model=models, store=store)) as run,
        closing(open_store(str(store))) as opened,
    ):
        found = gather(StoredRun(opened.runs.find(run.id), opened), ReportOptions(worst=0))
    a, b = models
    assert f"Overall rating: {b} gives the lowest mean (1.50 / 4), {a} the highest" in _text(found)


def _text(findings: Findings, language: str = "en") -> str:
    (run,) = findings.runs
    blocks = opening(run.opening, Words(strings_for(language)).about(run.judges))
    lines = [str(line) for block in blocks if isinstance(block, Lines) for line in block.lines]
    cells = [
        str(cell)
        for block in blocks
        if isinstance(block, Table)
        for row in block.rows
        for cell in row
    ]
    return "\n".join(lines + cells)


def test_the_first_run_says_so(two: tuple[Findings, Findings]) -> None:
    text = _text(two[0])
    assert "Overall rating: 3.50 / 4 on average." in text
    assert "0 of 24 items (0%) are at the bottom: 1 terrible." in text
    assert "24 items; 0% of the verdicts have no score; cost: $0." in text
    assert "This is the first run of this judge on these data." in text


def test_a_later_one_says_what_changed(two: tuple[Findings, Findings]) -> None:
    text = _text(two[1])
    assert "Since helpfulness v1 on data.jsonl, " in text
    assert "What differs: the model" in text
    assert "Overall rating fell by 1.75 (58% of its scale)." in text
    assert "-1.75 [" in text
    assert "평균 1.75 / 4" in _text(two[1], "ko")


def test_a_name_that_was_given_comes_first(two: tuple[Findings, Findings]) -> None:
    (run,) = two[0].runs
    dated = replace(run.record, started=datetime(2026, 11, 17, 14, 5).astimezone().isoformat())
    words = {language: Words(strings_for(language)) for language in ("en", "ko", "vi")}
    assert run_name(dated, run.judges, words["en"]) == "helpfulness v1 on data.jsonl, 17 Nov 14:05"
    assert run_name(dated, run.judges, words["ko"]) == "helpfulness v1, data.jsonl, 11월 17일 14:05"
    assert run_name(dated, run.judges, words["vi"]) == "helpfulness v1 trên data.jsonl, 17/11 14:05"
    named = replace(dated, manifest=replace(dated.manifest, name="week 46"))
    assert run_name(named, run.judges, words["en"]) == "week 46"
    assert run_content(named, {}, words["en"]) == "helpfulness on data.jsonl, 17 Nov 14:05"


def test_rows_that_are_left_out_are_told(
    two: tuple[Findings, Findings], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "The table has" not in _text(two[0])
    monkeypatch.setattr(module, "_MOST", 0)
    assert "The table has the first 0 of 1 rows." in _text(two[0])


def test_the_report_opens_the_same_way(two: tuple[Findings, Findings]) -> None:
    html = as_html(two[1], strings_for("en"))
    assert html.index("on average") < html.index("Overall rating fell by") < html.index("Outcomes")
    assert '<svg class="scale"' in html
