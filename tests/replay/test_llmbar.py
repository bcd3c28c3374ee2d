"""LLMBar: 27,235 pairs judged in both orders, beside the statistics that its authors recorded.

In 97 of them an order names nobody. The authors count that as wrong, two such orders as equal, and
for kappa as the second answer; we leave such pairs out, so the test says for itself what they did.
"""

from __future__ import annotations

import json
from collections import defaultdict

import pytest
from tests.replay.recorded import ABSENT, DATA, Row, present, recorded

from adjudge.analysis.ranking.bouts import Orders, both_orders
from adjudge.core.judge import Pair
from adjudge.core.score import ORDERS_DISAGREE, Outcome, Score
from adjudge.reading import CriterionReading, combine_orders, unswapped
from adjudge.stats.bootstrap import Resampling
from adjudge.stats.position_bias import PositionBias, position_bias

pytestmark = [
    pytest.mark.skipif(not present("llmbar_verdicts"), reason=ABSENT),
    pytest.mark.slow,  # 325 sets, each resampled
]

PAIR = Pair(inputs=("output_1", "output_2"), values=("1", "2"), tie="tie")
SIGN = {"1": 1, "2": -1, None: 0}
QUICK = Resampling(rounds=100)


def through_the_pair_logic(row: Row) -> Orders:
    """The two orders as the reader sees them, made one score, and told apart again."""
    if row["winner_ab"] is None or row["winner_ba"] is None:
        return SIGN[row["winner_ab"]], SIGN[row["winner_ba"]]
    shown = {"1": "2", "2": "1"}[row["winner_ba"]]  # a reply names places as shown
    ab = CriterionReading(outcome=Outcome.SCORED, value=row["winner_ab"], raw=row["winner_ab"])
    ba = unswapped(PAIR, CriterionReading(outcome=Outcome.SCORED, value=shown, raw=shown))
    found, mark = combine_orders(PAIR, ab, ba)
    assert (mark == ORDERS_DISAGREE) == (row["winner_ab"] != row["winner_ba"])
    score = Score(outcome=found.outcome, value=found.value, raw=found.raw, rule=mark)
    both = both_orders(PAIR, score)
    assert both is not None
    return both


def counted(text: str) -> tuple[int, int]:
    hits, total = text.partition("=")[0].split("/")
    return int(hits), int(total)


@pytest.fixture(scope="module")
def sets() -> dict[str, list[Row]]:
    found = defaultdict(list)
    for row in recorded("llmbar_verdicts"):
        subset = row["item_id"].rpartition("/")[0]
        found[f"{subset}|{row['judge']}|{row['mode']}"].append(row)
    return found


def test_all_recorded_statistics(sets: dict[str, list[Row]]) -> None:
    path = DATA / "llmbar_recorded_statistics.json"
    published = json.loads(path.read_text("utf-8"))
    right = [name for name, row in published.items() if agrees(sets[name], row)]
    assert len(right) == len(published) == len(sets) == 325


def agrees(rows: list[Row], published: Row) -> bool:
    orders = [through_the_pair_logic(row) for row in rows]
    labels = [SIGN[str(row["label"])] for row in rows]
    told: PositionBias = position_bias(*zip(*orders, strict=True), None, QUICK)
    two_valued = [[won or -1 for won in both] for both in orders]
    kappa = position_bias(*zip(*two_valued, strict=True), None, QUICK).kappa.value
    total = len(rows)
    correct = [sum(both[at] == label for both, label in zip(orders, labels, strict=True))
               for at in (0, 1)]  # fmt: skip
    return (
        counted(published["correct_False"]) == (correct[0], total)
        and counted(published["correct_True"]) == (correct[1], total)
        and counted(published["equal"]) == (total - told.disagreed, total)
        and told.agreement.value == pytest.approx((total - told.disagreed) / total)
        and kappa == pytest.approx(published["kappa_agreement"], abs=1e-9)
    )
