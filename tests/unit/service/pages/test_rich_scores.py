"""Quotations, checklists, claims and the overall score on pages and over HTTP."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.service import Running, running_service
from tests.unit.service.security.client import Client

import adjudge
from adjudge.service.options import ServeOptions

from .seen import Seen

JUDGE = """\
judge: rich
version: 1
title: Is it grounded?
language: en
explain_in: any
inputs:
  context: {required: true}
  answer: {required: true, judged: true}
criteria:
  grounded:
    scale: {type: integer, min: 1, max: 5}
    evidence: {from: [context]}
    may_not_apply: true
  covers:
    checklist: [Names the fee, {text: Is <b>rude</b>, points: -2}]
  claims:
    claims: {against: [context]}
  marked:
    errors: {from: [answer], severities: {slight: 1, grave: 7}}
overall: {from: weighted_mean, over: [grounded], pass: ">= 3"}
"""
CONTEXT = "<i>The fee</i> is 5 euros & due in May."


def reply(quotes: list[str], score: object) -> str:
    claim = {"claim": "It costs 5", "verdict": "supported", "quote": "in May", "source": 1}
    groups: dict[str, Any] = {
        "grounded": {"quotes": quotes, "explanation": "since", "score": score},
        "covers": {"explanation": "c", "answers": {"1": True, "2": False}},
        "claims": {"explanation": "d", "claims": [claim]},
        "marked": {"errors": [{"span": "item", "category": "a <u>word</u>!", "severity": "grave"}]},
    }
    return json.dumps(groups)


@pytest.fixture(scope="module")
def rich(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, adjudge.Run]]:
    folder: Path = tmp_path_factory.mktemp("rich")
    (folder / "rich.yaml").write_text(JUDGE, "utf-8")

    def model(messages: Sequence[dict[str, str]]) -> str:
        text = str(messages)
        if "none item" in text:
            return reply(["due in May"], "n/a")
        return reply(["invented words"] if "bad item" in text else ["fee</i> is 5 euros & due"], 4)

    rows = [
        {"id": name, "context": CONTEXT, "answer": name}
        for name in ("good item", "bad item", "none item")
    ]
    store = str(folder / "store.db")
    run = adjudge.run(rows, judge=str(folder / "rich.yaml"), model=model, store=store)
    options = ServeOptions(store=store, judges=(str(folder / "rich.yaml"),))
    with running_service(options) as running:
        yield running, run


def test_the_item_page_marks_what_was_quoted(rich: tuple[Running, adjudge.Run]) -> None:
    running, run = rich
    html = Client(running.url).get(f"/runs/{run.id}/item?id=good+item").text
    assert '<mark title="Grounded 1">fee&lt;/i&gt; is 5 euros &amp; due</mark>' in html
    assert "<i>The fee</i>" not in html
    assert "<b>rude</b>" not in html
    text = " ".join(Seen(html).text.split())
    for words in ("Names the fee", "supported", "It costs 5", "Overall", "passes"):
        assert words in text
    assert '<mark title="Marked 1">item</mark>' in html
    assert re.search(r"a <u>word</u>! grave (-|−)7", text)
    assert "<u>word</u>" not in html


def test_a_quotation_that_is_not_there_says_so(rich: tuple[Running, adjudge.Run]) -> None:
    running, run = rich
    text = Seen(Client(running.url).get(f"/runs/{run.id}/item?id=bad+item").text).text
    assert "not in the text" in text
    assert "unsupported" in text


def test_the_run_page_counts_what_does_not_apply_apart(rich: tuple[Running, adjudge.Run]) -> None:
    running, run = rich
    text = " ".join(Seen(Client(running.url).get(f"/runs/{run.id}?tab=scores").text).text.split())
    assert "1 not applicable" in text
    assert "Overall" in text


def test_rows_over_http_have_parts_and_the_overall_score(
    rich: tuple[Running, adjudge.Run],
) -> None:
    running, run = rich
    details = Client(running.url).get(f"/api/v1/runs/{run.id}").json
    by_name = {criterion["criterion"]: criterion for criterion in details["criteria"]}
    assert (details["unscored"], by_name["grounded"]["not_applicable"]) == (0, 1)
    assert by_name["grounded"]["unsupported"] == 1
    assert by_name["overall"]["mean"] == 4
    rows = Client(running.url).get(f"/api/v1/runs/{run.id}/verdicts").json["verdicts"]
    row = next(row for row in rows if row["item"] == "good item")
    assert row["overall"]["pass"] is True
    assert row["scores"]["covers"]["parts"][0]["met"] is True
    (evidence,) = row["scores"]["grounded"]["evidence"]
    assert CONTEXT[evidence["start"] : evidence["end"]] == evidence["quote"]
    assert evidence["found"] is True
    (error,) = row["scores"]["marked"]["parts"]
    assert (error["severity"], error["points"], error["start"]) == ("grave", -7, 5)
