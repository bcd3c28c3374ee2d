"""Runs of recorded replies, ranked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge.analysis.ranking import Ranking, RankingPart
from adjudge.analysis.ranking.bouts import both_orders
from adjudge.core.judge import Pair
from adjudge.core.score import Outcome, Score
from adjudge.errors import UsageError

Row = Mapping[str, Any]
Ranks = Callable[..., Ranking]
SWAPPED = {"a": "b", "b": "a", "tie": "tie"}
PAIR = Pair(inputs=("answer_a", "answer_b"), values=("a", "b"), tie="tie")
GOOD = "The answer is correct, and it names everything that the person asked about."


def write(name: str, rows: Sequence[Row]) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def pair(question: int, a: str, b: str, **more: Any) -> dict[str, Any]:
    """A row of two answers; `ab` and `ba` are the winners that the two orders name."""
    row = {"id": f"{question}-{a}-{b}", "question": f"Question {question}?"}
    texts = {"answer_a": "An answer.", "answer_b": "Another answer."}
    return row | texts | {"model_a": a, "model_b": b, "ab": "a", "ba": "a"} | more


@pytest.fixture
def rank_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ranks:
    """Judges the rows by what they say themselves, then ranks."""
    monkeypatch.chdir(tmp_path)

    def rank(rows: Sequence[Row], **options: Any) -> Ranking:
        told = ("ab", "ba")
        write("data.jsonl", [{k: v for k, v in row.items() if k not in told} for row in rows])
        write("replies.jsonl", [reply for row in rows for reply in replies(row)])
        run = adjudge.run("data.jsonl", judge="preference", model="replay:replies.jsonl")
        try:
            return adjudge.rank(run, rounds=200, **options)
        finally:
            run.close()

    return rank


def replies(row: Row) -> Iterator[Row]:
    for order, winner in (("ab", row["ab"]), ("ba", SWAPPED.get(row["ba"]))):
        said = json.dumps({"reasons": ["It is the more complete one."], "winner": winner})
        text = said if winner else "I would rather not."
        yield {"item": row["id"], "order": order, "replies": [text]}


def best_first(count: int = 12) -> list[dict[str, Any]]:
    """x mostly beats y, y mostly z; sides change from question to question."""
    rows = []
    for question in range(count):
        for one, other in combinations("xyz", 2):
            upset = question % 6 == 0
            winner = "b" if upset else "a"
            if question % 2:
                rows.append(pair(question, one, other, ab=winner, ba=winner))
            else:
                winner = SWAPPED[winner]
                rows.append(pair(question, other, one, ab=winner, ba=winner))
    return rows


def only(ranking: Ranking) -> RankingPart:
    assert len(ranking.parts) == 1
    return ranking.parts[0]


def test_strengths_whatever_the_side(rank_pairs: Ranks) -> None:
    found = rank_pairs(best_first())
    assert [each.system for each in found.standings] == ["x", "y", "z"]
    top = found.standings[0]
    assert top.win_rate.value == pytest.approx(10 / 12)
    assert (top.n, top.unscored) == (24, 0)
    told = only(found).ranked
    assert told.wins["x", "y"] == 10
    assert told.wins["y", "x"] == 2
    assert (told.comparisons, told.questions, told.ties) == (36, 12, 0)


def test_orders_that_disagree_are_ties_with_both_values_kept(rank_pairs: Ranks) -> None:
    rows = [pair(n, "x", "y", ab="a", ba="b") for n in range(6)]
    rows += [pair(n, "x", "y", ab="b", ba="tie") for n in range(6, 8)]
    rows += [pair(n, "x", "y", ab="b", ba="b") for n in range(8, 10)]
    part = only(rank_pairs(rows))
    assert part.position is not None
    assert (part.position.n, part.position.disagreed, part.position.reversed) == (10, 8, 6)
    # First shown won: 6 of 10 in "ab"; 8 of 8 decided in "ba".
    assert part.position.first.value == pytest.approx(14 / 18)
    assert part.ranked.ties == 8
    assert part.ranked.wins["y", "x"] == 2 + 8 / 2


def test_an_unreadable_order_is_no_result(rank_pairs: Ranks) -> None:
    rows = [*best_first(), pair(99, "x", "y", ab=None)]
    found = rank_pairs(rows)
    top = next(each for each in found.standings if each.system == "x")
    assert top.unscored == 1
    assert top.bounds == pytest.approx((20 / 25, 21 / 25))
    assert only(found).ranked.unscored == 1


def test_pairs_on_one_question_are_one_cluster_unless_a_group_says_other(
    rank_pairs: Ranks,
) -> None:
    rows = [row | {"topic": str(at % 5)} for at, row in enumerate(best_first())]
    assert only(rank_pairs(rows)).ranked.questions == 12
    assert only(rank_pairs(rows, group="topic")).ranked.questions == 5


def test_without_columns_the_inputs_are_the_systems(rank_pairs: Ranks) -> None:
    rows = [pair(n, "x", "y", ab="a", ba="a" if n % 3 else "b") for n in range(9)]
    bare = [{k: v for k, v in row.items() if not k.startswith("model")} for row in rows]
    found = rank_pairs(bare)
    assert [each.system for each in found.standings] == ["answer_a", "answer_b"]
    assert "--a and --b" in str(only(found).cautions[0])


def test_columns_of_another_name(rank_pairs: Ranks) -> None:
    rows = [pair(n, "x", "y", left="l", right="r") for n in range(6)]
    found = rank_pairs(rows, a="left", b="right")
    assert {each.system for each in found.standings} == {"l", "r"}


def test_a_flag_for_scores_is_told(rank_pairs: Ranks) -> None:
    assert "--system is not used" in str(
        only(rank_pairs(best_first(), system="model_a")).cautions[0]
    )


def test_rows_that_cannot_count_are_counted(rank_pairs: Ranks) -> None:
    rows = [*best_first(), pair(50, "x", "x"), pair(51, "x", "y", model_b=None)]
    assert tuple(map(str, only(rank_pairs(rows)).cautions)) == (
        "1 rows name no system on one side and do not count.",
        "1 rows pair a system with itself and do not count.",
    )


def test_a_system_that_always_wins_is_told_and_finite(rank_pairs: Ranks) -> None:
    part = only(rank_pairs([pair(n, "x", "y") for n in range(10)]))
    assert "x never lost" in str(part.ranked.cautions[0])
    strength = part.ranked.standings[0].strength
    assert strength.value is not None
    assert 1 < strength.value < 2
    assert part.ranked.standings[0].win_rate.high == 1


def test_systems_that_never_met(rank_pairs: Ranks) -> None:
    rows = [pair(n, "x", "y", ab="ab"[n % 2], ba="ab"[n % 2]) for n in range(6)]
    rows += [pair(n, "u", "v", ab="ab"[n % 2], ba="ab"[n % 2]) for n in range(6)]
    part = only(rank_pairs(rows))
    assert "u, v · x, y" in str(part.ranked.cautions[0])
    assert {each.strength.value for each in part.ranked.standings} == {None}


def test_by_column(rank_pairs: Ranks) -> None:
    rows = [row | {"topic": "odd" if int(row["id"][0]) % 2 else "even"} for row in best_first(9)]
    slices = only(rank_pairs(rows, by=("topic",))).slices
    assert [(each.value, each.ranked.comparisons) for each in slices] == [("even", 15), ("odd", 12)]


def test_equal_length_against_the_system_in_every_pair(rank_pairs: Ranks) -> None:
    """y wins where its answer is the longer one, and by nothing else."""
    rows = []
    for n in range(60):
        short, long = "word " * 10, "word " * (11 + n)
        longer = n % 4 != 0
        winner = "b" if longer != (n % 10 == 0) else "a"
        texts = {"answer_a": short, "answer_b": long if longer else "word"}
        rows.append(pair(n, "x", "y", ab=winner, ba=winner, **texts))
    part = only(rank_pairs(rows, baseline="x"))
    assert part.baseline == "x"
    y = next(each for each in part.ranked.standings if each.system == "y")
    assert y.win_rate.value is not None
    assert y.controlled is not None
    assert y.controlled.rate.value is not None
    assert y.win_rate.value > 0.65
    assert y.controlled.rate.value < y.win_rate.value - 0.1
    x = next(each for each in part.ranked.standings if each.system == "x")
    assert x.controlled is None


def test_variants_of_the_baseline_hold_the_effect_of_length(rank_pairs: Ranks) -> None:
    """y is always longer than x and wins three of four, which may be for its length or not. That
    x itself wins when it writes longer, and loses when it writes less, says that it is."""
    rows = []
    for n in range(40):
        short, long = "word " * 10, "word " * (15 + n % 7)
        for system, text, upset in (("y", long, 4), ("long", long, 5), ("short", "word", 5)):
            wins = (system != "short") == (n % upset != 0)
            winner = "b" if wins else "a"
            texts = {"answer_a": short, "answer_b": text + " word" * (n % 3)}
            rows.append(pair(n, "x", system, ab=winner, ba=winner, **texts))
    alone = only(rank_pairs(rows, baseline="x"))
    held = only(rank_pairs(rows, baseline="x", variants=("long", "short")))
    assert (alone.variants, held.variants) == ((), ("long", "short"))
    one, other = (
        next(each.controlled for each in part.ranked.standings if each.system == "y")
        for part in (alone, held)
    )
    assert one is not None
    assert other is not None
    assert one.rate.value is not None
    assert other.rate.value is not None
    assert abs(other.rate.value - 0.5) < abs(one.rate.value - 0.5)


def test_no_baseline_without_a_common_system(rank_pairs: Ranks) -> None:
    assert only(rank_pairs(best_first())).baseline is None


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"a": "left"}, "both systems"),
        ({"a": "left", "b": "right"}, "--a left: the first item"),
        ({"by": ("nothing",)}, "--by nothing"),
        ({"group": "nothing"}, "--group nothing: the first item"),
        ({"judge": "chatbot"}, "--judge chatbot"),
        ({"model": "embedded"}, "--model embedded"),
        ({"criteria": ("tone",)}, "--criterion tone"),
        ({"baseline": "q"}, "--baseline q"),
        ({"baseline": "x", "variants": ("q",)}, "--variant q: it was not compared with x"),
        ({"baseline": "x", "variants": ("x",)}, "--variant x: it was not compared with x"),
        ({"confidence": 95}, "confidence 95"),
    ],
)
def test_wrong_options(rank_pairs: Ranks, options: dict[str, Any], why: str) -> None:
    with pytest.raises(UsageError, match=why):
        rank_pairs(best_first(6), **options)


def test_nothing_but_failures_cannot_be_ranked(rank_pairs: Ranks) -> None:
    with pytest.raises(UsageError, match="none of 3 comparisons has a result"):
        rank_pairs([pair(n, "x", "y", ab=None) for n in range(3)])


class TestBothOrders:
    def test_agreement_is_the_value_twice(self) -> None:
        assert both_orders(PAIR, Score(outcome=Outcome.SCORED, value="b")) == (-1, -1)
        assert both_orders(PAIR, Score(outcome=Outcome.SCORED, value="tie")) == (0, 0)

    def test_disagreement_is_kept_in_raw(self) -> None:
        score = Score(outcome=Outcome.SCORED, value="tie", raw="a|tie", rule="orders-disagree")
        assert both_orders(PAIR, score) == (1, 0)

    def test_no_score(self) -> None:
        assert both_orders(PAIR, Score(outcome=Outcome.REFUSED)) is None


class TestScores:
    @pytest.fixture
    def rank_scores(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ranks:
        """Ratings by question and system, judged one by one."""
        monkeypatch.chdir(tmp_path)

        def rank(ratings: Sequence[tuple[str, str, Any]], **options: Any) -> Ranking:
            rows = [
                {"id": f"r{at}", "question": q, "answer": "Yes.", "qid": q, "system": system}
                for at, (q, system, _) in enumerate(ratings)
            ]
            write("data.jsonl", rows)
            said = [json.dumps({"evaluation": GOOD, "rating": r}) for _, _, r in ratings]
            replies = [{"item": f"r{at}", "replies": [text]} for at, text in enumerate(said)]
            write("replies.jsonl", replies)
            run = adjudge.run("data.jsonl", judge="helpfulness", model="replay:replies.jsonl")
            try:
                return adjudge.rank(run, rounds=200, **options)
            finally:
                run.close()

        return rank

    def test_the_higher_score_on_a_question_wins(self, rank_scores: Ranks) -> None:
        ratings = [("q1", "x", 4), ("q1", "y", 2), ("q2", "x", 3), ("q2", "y", 3)]
        ratings += [("q3", "x", 1), ("q3", "y", 4), ("q4", "x", 4), ("q4", "y", 9)]
        part = only(rank_scores(ratings, system="system", group="qid"))
        assert part.ranked.wins == {("x", "y"): 1.5, ("y", "x"): 1.5}
        assert (part.ranked.ties, part.ranked.unscored) == (1, 1)
        means = {each.system: each.mean for each in part.ranked.standings}
        assert means["x"] is not None
        assert means["y"] is not None
        assert means["x"].value == 3
        assert means["y"].value == 3
        assert part.position is None

    def test_flags_for_pairs_are_told(self, rank_scores: Ranks) -> None:
        ratings = [("q1", "x", 4), ("q1", "y", 2)]
        flags = {"baseline": "x", "variants": ("y",)}
        part = only(rank_scores(ratings, system="system", group="qid", **flags))
        assert tuple(map(str, part.cautions)) == (
            "helpfulness scores answers one by one: --baseline is not used.",
            "helpfulness scores answers one by one: --variant is not used.",
        )

    def test_columns_must_be_named(self, rank_scores: Ranks) -> None:
        with pytest.raises(UsageError, match="--system COLUMN --group COLUMN"):
            rank_scores([("q1", "x", 4)])
        with pytest.raises(UsageError, match="--system model: no item has this column"):
            rank_scores([("q1", "x", 4)], system="model", group="qid")

    def test_systems_must_meet(self, rank_scores: Ranks) -> None:
        with pytest.raises(UsageError, match="no two systems meet"):
            rank_scores([("q1", "x", 4), ("q2", "y", 4)], system="system", group="qid")
