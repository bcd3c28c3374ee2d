"""Pairs judged with `--method expected`: a comparison counts by how likely each result is."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.analysis.ranking import Ranking
from adjudge.analysis.ranking.bouts import _share
from adjudge.core.judge import Pair
from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply, TokenLogprob
from adjudge.core.score import Outcome, Score
from adjudge.models import registry
from adjudge.models.base import Capabilities, Model
from adjudge.reports.encode import encode
from adjudge.reports.findings.ranking import SHAPES
from adjudge.reports.findings.ranking import ranking as composed
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import command_line
from adjudge.stats.mean import mean_share

Shares = Mapping[str, float]
Rank = Callable[..., Ranking]
SWAPPED = {"a": "b", "b": "a", "tie": "tie"}
PAIR = Pair(inputs=("answer_a", "answer_b"), values=("a", "b"), tie="tie")


class Weighing(Model):
    """Says the likelier result of an item in an order; the others come as alternatives."""

    name = identity = "test/weighing"

    def __init__(self, likely: Mapping[tuple[str, str], Shares]) -> None:
        self.capabilities = Capabilities(converses=False)
        self.likely = likely

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        shares = self.likely[prompt.item, str(prompt.order)]
        said = max(shares, key=lambda name: shares[name])
        top = {name: math.log(share) for name, share in shares.items() if share}
        before = '{"reasons": ["It is the more complete one."], "winner": "'
        tokens = [TokenLogprob(before, 0.0, {}), TokenLogprob(said, top[said], top)]
        tokens.append(TokenLogprob('"}', 0.0, {}))
        told = tuple(tokens) if sampling.top_logprobs else None
        return Reply(text=f'{before}{said}"}}', logprobs=told)


@pytest.fixture
def rank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rank:
    """Ranks pairs of systems, each with what is likely of it in the orders "ab" and "ba"."""
    monkeypatch.chdir(tmp_path)

    def rank(pairs: list[tuple[str, str, Shares, Shares]], **options: Any) -> Ranking:
        rows, likely = [], {}
        for at, (a, b, ab, ba) in enumerate(pairs):
            rows.append({"id": f"p{at}", "question": f"Question {at}?", "model_a": a, "model_b": b})
            rows[-1] |= {"answer_a": "An answer.", "answer_b": "Another answer."}
            likely[f"p{at}", "ab"] = ab
            likely[f"p{at}", "ba"] = {SWAPPED[name]: share for name, share in ba.items()}
        Path("data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        monkeypatch.setattr(registry, "open_plain", lambda *_: Weighing(likely))
        method = options.pop("method", "expected")
        run = adjudge.run("data.jsonl", judge="preference", model="test/weighing", method=method)
        try:
            return adjudge.rank(run, rounds=200, **options)
        finally:
            run.close()

    return rank


def test_strengths_of_shares(rank: Rank) -> None:
    """Where each pair's share is what the strengths foretell, the strengths come out; every result
    that is read is a win of the stronger."""
    strength = {"x": 1.0, "y": 0.2, "z": -1.2}
    pairs = []
    for n in range(8):
        for one, other in combinations(strength, 2):
            a, b = (one, other) if n % 2 else (other, one)
            share = 1 / (1 + math.exp(strength[b] - strength[a]))
            tie = 0.2 * min(share, 1 - share)
            likely = {"a": share - tie / 2, "tie": tie, "b": 1 - share - tie / 2}
            pairs.append((a, b, likely, likely))
    found = rank(pairs)
    assert [each.system for each in found.standings] == ["x", "y", "z"]
    for each in found.standings:
        assert each.strength.value == pytest.approx(strength[each.system], abs=1e-6)
    told = found.parts[0].ranked
    assert told.wins["x", "y"] == pytest.approx(8 / (1 + math.exp(-0.8)))
    assert told.wins["x", "y"] + told.wins["y", "x"] == pytest.approx(8)
    assert told.cautions == ()  # by its wins alone, x would never have lost
    assert (told.comparisons, told.weighed, told.ties) == (24, 24, 0)


def test_the_win_rate_is_the_mean_of_the_probabilities_over_both_orders(rank: Rank) -> None:
    """AlpacaEval 2's weighted win rate, of two looks at each pair."""
    looks = [(0.9, 0.7), (0.8, 0.4), (0.3, 0.1), (0.6, 0.6)]
    pairs = [("x", "y", {"a": p, "b": 1 - p}, {"a": q, "b": 1 - q}) for p, q in looks]
    found = rank(pairs)
    shares = [0.8, 0.6, 0.2, 0.6]
    rate = next(each.win_rate for each in found.standings if each.system == "x")
    assert rate.value == pytest.approx(0.55)
    expected = mean_share(shares, [str(n) for n in range(4)])
    assert (rate.low, rate.high) == pytest.approx((expected.low, expected.high))
    # Two systems: the strengths are the log-odds of that rate apart.
    first, second = (each.strength.value or 0.0 for each in found.standings)
    assert first - second == pytest.approx(math.log(0.55 / 0.45))


def test_without_probabilities_wins_are_whole(rank: Rank) -> None:
    likely = {"a": 0.6, "b": 0.4}
    found = rank([("x", "y", likely, likely)] * 6, method="text")
    assert found.standings[0].win_rate.value == 1
    assert found.parts[0].ranked.weighed == 0


def test_it_is_told(rank: Rank) -> None:
    likely = {"a": 0.6, "b": 0.4}
    found = rank([("x", "y", likely, likely)] * 6)
    shown = " ".join(as_text([composed(found, command_line())]).split())
    assert "6 comparisons on 6 questions, which count by the probabilities" in shown
    assert " ties" not in shown.partition("unscored")[0]
    assert encode(found, SHAPES)["weighed"] == 6


@pytest.mark.parametrize(
    ("score", "share"),
    [
        ({"value": "a", "distribution": {"a": 0.5, "tie": 0.3, "b": 0.2}}, 0.65),
        ({"value": "tie", "rule": "orders-disagree", "distribution": {"a": 0.55, "b": 0.45}}, 0.55),
        ({"value": "b", "rule": "cap", "distribution": {"a": 0.9, "b": 0.1}}, 0.0),
        ({"value": "a"}, 1.0),
        ({"value": "tie"}, 0.5),
    ],
)
def test_a_share(score: dict[str, Any], share: float) -> None:
    assert _share(PAIR, Score(outcome=Outcome.SCORED, **score)) == pytest.approx(share)


def test_no_share_without_a_result() -> None:
    assert _share(PAIR, Score(outcome=Outcome.UNREADABLE, distribution={"a": 1.0})) is None
