"""A better judge is found where there is one, and shown on labels that nobody searched in."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.analysis.improvement.sample import held_out, sample_of
from adjudge.core.item import Item
from adjudge.core.label import Label
from adjudge.errors import DataError, UsageError
from adjudge.judges import registry

sys.path.insert(0, str(Path(__file__).parents[4] / "bench"))
import improve as bench

sys.path.pop(0)


def test_a_planted_policy_is_found_and_shown(tmp_path: Path) -> None:
    rows, people = bench.bank(80, 0)
    new, prompts, heard = tmp_path / "new.yaml", [], []
    write = bench.writer_model(0)

    def writer(messages: bench.Messages) -> adjudge.Reply:
        prompts.append("\n".join(message["content"] for message in messages))
        return write(messages)

    found = adjudge.improve(
        bench.JUDGE,
        rows,
        labels=people,
        model=bench.judge_model(0, planted=True),
        writer=writer,
        out=new,
        heard=heard.append,
        store=str(tmp_path / "s.db"),
        tries=16,
    )
    assert found.better
    assert found.compared is not None
    assert found.compared.paired.p is not None
    assert found.compared.paired.p < 0.05
    assert found.compared.before.value < found.compared.after.value
    assert bench.POLICY in new.read_text("utf-8")
    assert "+" in found.diff
    assert bench.POLICY in found.diff
    # The search never saw what is held out, and every candidate is kept with its parent.
    assert not set(found.search) & set(found.held_out)
    cases = {
        re.search(r"case (\d+)", str(row["question"]))[1]
        for row in rows
        if row["id"] in found.held_out
    }
    shown = set(re.findall(r"case (\d+)\?", "\n".join(prompts)))
    assert shown
    assert not shown & cases
    assert [one.number for one in found.candidates] == list(range(len(found.candidates)))
    assert all(one.parent is not None and one.parent < one.number for one in found.candidates[1:])
    assert heard


def test_what_no_wording_helps_is_refused(tmp_path: Path) -> None:
    rows, people = bench.bank(80, 3)
    found = adjudge.improve(
        bench.JUDGE,
        rows,
        labels=people,
        model=bench.judge_model(3, planted=False),
        writer=bench.writer_model(3),
        out=tmp_path / "new.yaml",
        store=str(tmp_path / "s.db"),
        tries=6,
    )
    assert not found.better
    assert found.why is not None
    assert not (tmp_path / "new.yaml").exists()


def test_the_budget_ends_the_search_and_leaves_enough_for_the_proof(tmp_path: Path) -> None:
    rows, people = bench.bank(60, 0)
    asked = {"labels": people, "writer": bench.writer_model(1), "tries": 40, "max_tokens": 200}
    asked |= {"store": str(tmp_path / "s.db"), "model": bench.judge_model(0, planted=True)}
    found = adjudge.improve(bench.JUDGE, rows, budget="60ktok", **asked)
    assert found.budget_used_up
    assert found.tokens <= 60_000
    assert found.compared is None or found.compared.lost == 0
    with pytest.raises(UsageError, match="does not pay"):
        adjudge.improve(bench.JUDGE, rows, budget="5ktok", **asked)


def test_the_same_again_asks_nothing(tmp_path: Path) -> None:
    rows, people = bench.bank(40, 0)
    models = {
        "model": adjudge.function_model(bench.judge_model(0, planted=True), name="judge"),
        "writer": adjudge.function_model(
            lambda m: bench.reply(m, {"guide": bench.POLICY, "steps": []}), name="w"
        ),
    }
    asked = {"labels": people, "store": str(tmp_path / "s.db"), "tries": 3, **models}
    first = adjudge.improve(bench.JUDGE, rows, **asked)
    again = adjudge.improve(bench.JUDGE, rows, **asked)
    assert first.calls > 0
    assert again.calls == 0
    assert [one.agreement for one in again.candidates] == [
        one.agreement for one in first.candidates
    ]


def test_a_map_alone_moves_scores_and_is_kept(tmp_path: Path) -> None:
    """The judge is a level too kind; the map takes that back, and gates of later runs use it."""
    rows = [{"id": f"{n}", "question": f"q{n}", "answer": f"level {n % 4 + 1}"} for n in range(80)]
    people = [{"item": f"{n}", "rating": n % 4 + 1} for n in range(80)]

    def kind(messages: bench.Messages) -> str:
        level = int(re.findall(r"level (\d)", messages[-1]["content"])[-1])
        said = {"evaluation": "Fine.", "strengths": ["a", "b"], "weaknesses": ["c", "d"]}
        more = {"analysis": "So.", "recommendations": ["e"]}
        return json.dumps({**said, **more, "rating": min(4, level + 1)})

    model = adjudge.function_model(kind, name="kind")
    store = str(tmp_path / "s.db")
    found = adjudge.improve(
        "helpfulness", rows, labels=people, model=model, way="map", measure="exact", store=store
    )
    assert found.better
    assert found.best.way == "map"
    assert list(found.maps) == ["rating"]
    run = adjudge.run(
        rows, judge="helpfulness", model=model, store=store, gate="rating.corrected<=2.7"
    )
    assert run.mean("rating") > 3.2
    assert [result.passed for result in run.gates] == [True]


def test_texts_of_other_files_are_tried_and_frames_stay(tmp_path: Path) -> None:
    rows, people = bench.bank(60, 1)
    told = {"good": {**bench.JUDGE["criteria"]["good"], "guide": f"Good? {bench.POLICY}"}}
    other = {**bench.JUDGE, "title": "Another", "criteria": told}
    asked = {"labels": people, "model": bench.judge_model(1, planted=True), "way": "variants"}
    found = adjudge.improve(
        bench.JUDGE, rows, variants=[other], store=str(tmp_path / "s.db"), **asked
    )
    assert found.best.way == "variants"
    assert found.better
    with pytest.raises(UsageError, match="--try-judge"):
        adjudge.improve(bench.JUDGE, rows, store=str(tmp_path / "s.db"), **asked)


def test_groups_stay_on_one_side() -> None:
    judge = registry.get(bench.JUDGE)
    items = [Item(f"{n}", {"question": f"q{n // 3}", "answer": f"a{n}"}) for n in range(90)]
    labels = [Label(f"{n}", "", "good", float(n % 2)) for n in range(90)]
    sample = sample_of(items, labels, judge, {"good": "exact"}, None)
    for seed in range(20):
        hidden = held_out(sample, 0.5, seed)
        assert not set(sample.groups[hidden]) & set(sample.groups[~hidden])
        assert 36 <= hidden.sum() <= 54
        shares = [np.mean(sample.human["good"][part]) for part in (hidden, ~hidden)]
        assert abs(shares[0] - shares[1]) < 0.15
    with pytest.raises(DataError, match="too few"):
        sample_of(items[:15], labels[:15], judge, {"good": "exact"}, None)
