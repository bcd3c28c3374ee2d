"""Expected scores over the wire: what a server tells of its tokens comes out in the row, exactly.

The doubles tell all that could have stood in a token's place, so that the true distribution is
known. The same reply is then told by every provider, each in its way of showing a character that
its tokenizer splits; and where too little is told, samples stand in, or nothing does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.conformance.case import Case, Opened, found, on_the_wire
from tests.doubles.http import Answers, Double, Says, Weighed, bytes_of, weighed
from tests.doubles.vllm import VllmDouble
from tests.unit.reading.probabilities.shown_tokens import SHOWN

import adjudge

EXACT = 1e-9
CASES = {name: case for name in on_the_wire() if (case := found(name))}
OPENAI, VLLM = CASES["openai"], CASES["vllm"]


def run_at(opened: Opened, scale: str, path: Path, **more: Any) -> adjudge.Run:
    """A run of one item; `path` keeps what was asked before."""
    data, judge = path / "data.jsonl", path / "asked.yaml"
    data.write_text('{"id": "1", "answer": "Paris."}\n')
    judge.write_text(
        "judge: asked\nversion: 1\ntitle: How is it?\nlanguage: en\nexplain_in: any\n"
        "inputs:\n  answer: {judged: true}\ncriteria:\n"
        f"  score: {{guide: How helpful it is, scale: {scale}, explain: false}}\n"
    )
    return adjudge.run(
        data,
        judge=str(judge),
        model=opened.case.model,
        base_url=opened.options.base_url,
        method="expected",
        store=str(path / "runs.db"),
        **more,
    )


def run_of(case: Case, scale: str, answers: Answers, path: Path, **more: Any) -> adjudge.Run:
    with case.opened(answers) as opened:
        return run_at(opened, scale, path, **more)


def score_of(run: adjudge.Run) -> dict[str, Any]:
    """The score in the row of the one item."""
    [row] = run.rows()
    run.close()
    scores: Any = row["scores"]
    score: dict[str, Any] = scores["score"]
    return score


def judged(case: Case, scale: str, reply: Weighed, path: Path) -> dict[str, Any]:
    return score_of(run_of(case, scale, lambda body: reply, path))


KNOWN: list[tuple[str, tuple[Mapping[bytes, float], ...], Mapping[str, float], float]] = [
    (  # by their numbers and by their names, and a part that is no level
        "{type: ordinal, levels: {1: terrible, 2: poor, 3: helpful, 4: excellent}}",
        ({b" 3": 0.4, b" 4": 0.25, b" 2": 0.15, b' "helpful': 0.1, b" 7": 0.06, b" null": 0.04},),
        {"2": 0.15, "3": 0.5, "4": 0.25},
        3.0 + (0.25 - 0.15) / 0.9,
    ),
    (  # ten of two tokens
        "{type: integer, min: 1, max: 10}",
        ({b" 1": 0.5, b" 8": 0.3, b" 9": 0.2}, {b"0": 0.7, b"}": 0.3}),
        {"1": 0.15, "8": 0.3, "9": 0.2, "10": 0.35},
        0.15 + 2.4 + 1.8 + 3.5,
    ),
    (
        "{type: binary}",
        ({b" true": 0.45, b" false": 0.5, b" null": 0.05},),
        {"no": 0.5, "yes": 0.45},
        False,
    ),
    (  # a name of two tokens; another counts by its beginning
        "{type: category, options: [helpful, useless, tie]}",
        ({b' "help': 0.6, b' "use': 0.3, b' "tie': 0.1}, {b'ful"': 1.0}),
        {"helpful": 0.6, "useless": 0.3, "tie": 0.1},
        "helpful",
    ),
    (
        "{type: number, min: 0, max: 10}",
        ({b" 8.5": 0.5, b" 7.0": 0.3, b" 9.25": 0.1, b" 10.0": 0.1},),
        {"7.0": 0.3, "8.5": 0.5, "9.25": 0.1, "10.0": 0.1},
        4.25 + 2.1 + 0.925 + 1.0,
    ),
]


@pytest.mark.parametrize(("scale", "ways", "truth", "value"), KNOWN)
def test_a_known_distribution_is_exact_in_the_row(
    scale: str,
    ways: tuple[Mapping[bytes, float], ...],
    truth: Mapping[str, float],
    value: object,
    tmp_path: Path,
) -> None:
    reply = weighed({b'{"score":': 1.0}, *ways, {b"}": 1.0})
    score = judged(OPENAI, scale, reply, tmp_path)
    mass = sum(truth.values())
    shares = {name: share / mass for name, share in truth.items()}
    assert score["outcome"] == "scored", score["why"]
    assert score["value"] == pytest.approx(value, abs=EXACT)
    assert score["distribution"] == pytest.approx(shares, abs=EXACT)
    assert score["confidence"] == pytest.approx(max(shares.values()), abs=EXACT)
    assert score["mass"] == pytest.approx(mass, abs=EXACT)
    if "yes" in shares:
        assert score["unit"] == pytest.approx(shares["yes"], abs=EXACT)


THUMB = "👍".encode()
FIVE = "{type: integer, min: 1, max: 5}"
SPLIT = weighed(
    {'{"why": "좋은'.encode(): 1.0},
    {b" " + THUMB[:3]: 0.9, b"!": 0.1},
    {THUMB[3:]: 1.0},
    {b'", "score":': 1.0},
    {b" 4": 0.75, b" 2": 0.25},
    {b"}": 1.0},
)


def check_split(case: Case, path: Path) -> None:
    score = judged(case, FIVE, SPLIT, path)
    assert score["outcome"] == "scored", score["why"]
    assert score["value"] == pytest.approx(3.5, abs=EXACT)
    assert score["mass"] == pytest.approx(1.0, abs=EXACT)


@pytest.mark.parametrize("provider", sorted(CASES.keys() - {"anthropic"}))  # which tells none
def test_a_split_character_costs_no_score(provider: str, tmp_path: Path) -> None:
    check_split(CASES[provider], tmp_path)


@pytest.mark.parametrize("how", sorted(SHOWN))
def test_nor_does_it_however_a_server_shows_it(how: str, tmp_path: Path) -> None:
    """Bytes that vLLM tells are those of the text that it shows."""

    def double(answers: Answers) -> Double:
        made = VllmDouble(answers)
        made.show = lambda token: SHOWN[how](bytes_of(token))
        return made

    check_split(replace(VLLM, double=double), tmp_path)


def test_a_kept_reply_has_all_that_was_told(tmp_path: Path) -> None:
    """Also the bytes of the pieces that its digit consists of."""
    digit = "４".encode()
    begun: Mapping[bytes, float] = {digit[:2]: 0.5, b"2": 0.5}
    reply = weighed({b'{"score": "': 1.0}, begun, {digit[2:]: 1.0}, {b'"}': 1.0})
    with OPENAI.opened(lambda body: reply) as opened:
        first, second = (
            score_of(run_at(opened, FIVE, tmp_path, tags={"run": name})) for name in "12"
        )
        assert len(opened.asked) == 1
    assert first == second
    assert first["distribution"] == pytest.approx({"2": 0.5, "4": 0.5}, abs=EXACT)


LITTLE = weighed({b'{"score":': 1.0}, {b" 4": 0.3, b" null": 0.7}, {b"}": 1.0})


def test_a_little_covered_is_unreadable_where_probabilities_are_required(tmp_path: Path) -> None:
    run = run_of(OPENAI, FIVE, lambda body: LITTLE, tmp_path)
    [criterion] = run.summary.criteria.values()
    assert (criterion.tally.scored, criterion.tally.sampled) == (0, 0)
    score = score_of(run)
    assert (score["outcome"], score["value"], score["raw"]) == ("unreadable", None, 4)
    assert "cover only 30%" in score["why"]
    assert score["mass"] == pytest.approx(0.3, abs=EXACT)


def test_a_little_covered_falls_to_samples_where_they_are_preferred(tmp_path: Path) -> None:
    asked: list[Any] = []

    def answers(body: Mapping[str, Any]) -> Says:
        asked.append(body)
        return LITTLE if body.get("logprobs") else Says('{"score": 5}')

    run = run_of(OPENAI, FIVE, answers, tmp_path, logprobs="prefer")
    [criterion] = run.summary.criteria.values()
    assert (criterion.tally.scored, criterion.tally.sampled) == (1, 1)
    [row] = run.rows()
    notes: Any = row["notes"]
    assert notes[0].startswith("score rests on 10 samples, since the probabilities")
    assert "cover only 30%" in notes[0]
    score = score_of(run)
    assert (score["value"], score["distribution"], score["mass"]) == (5.0, {"5": 1.0}, None)
    assert len(asked) == 11


def test_none_are_missed_that_were_not_asked_for(tmp_path: Path) -> None:
    run = run_of(OPENAI, FIVE, lambda body: '{"score": 4}', tmp_path, logprobs="off")
    [row] = run.rows()
    assert row["notes"] == ["score rests on 10 samples, since no probabilities were asked for"]
    assert score_of(run)["value"] == 4.0
