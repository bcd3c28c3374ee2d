from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from adjudge.analysis.cascade import Cascaded, Decision, Spent
from adjudge.analysis.cascade.decisions import saved
from adjudge.core.reason import Reason
from adjudge.core.reply import Usage
from adjudge.core.score import Outcome
from adjudge.core.verdict import Call, Verdict
from adjudge.reports.encode import encode
from adjudge.reports.findings.cascade import SHAPES
from adjudge.reports.findings.cascade import cascade as composed
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import command_line
from adjudge.running.cascade import Stage

SMALL = Usage(input_tokens=90, output_tokens=10, cost_usd=0.001)
LARGE = Usage(input_tokens=180, output_tokens=20, cost_usd=0.01)


def spent(items: int, a_sample: Usage, *, samples: int = 5, there: int = 0) -> Spent:
    """Of `there` items the replies were there already."""
    made = Spent()
    for n in range(items):
        verdict = Verdict(
            item=str(n),
            judge="j",
            fingerprint="",
            model="m",
            outcome=Outcome.SCORED,
            scores={},
            attempts=n >= there,
            usage=a_sample if n >= there else Usage(),
            calls=(Call(),),
        )
        made.add([verdict] * samples)
    return made


def priced(usage: Usage, usd: float | None) -> Usage:
    return replace(usage, cost_usd=usd)


def test_in_calls_tokens_and_money() -> None:
    found = saved({"small": spent(100, SMALL), "large": spent(20, LARGE)}, 100)
    assert (found.items, found.calls, found.tokens) == (80, 400, 80 * 5 * 200)
    assert found.usd == pytest.approx(100 * 5 * 0.01 - 100 * 5 * 0.001 - 20 * 5 * 0.01)
    assert found.why == {}


@pytest.mark.parametrize("usd", [0.0, None])
def test_tokens_where_there_is_no_price(usd: float | None) -> None:
    small, large = spent(100, priced(SMALL, usd)), spent(20, priced(LARGE, usd))
    found = saved({"small": small, "large": large}, 100)
    assert (found.calls, found.tokens, found.usd) == (400, 80_000, usd)
    prices = {"usd": "the price of small is not known, the price of large is not known"}
    assert _said(found.why) == ({} if usd is not None else prices)


def test_a_last_model_that_was_never_asked() -> None:
    """The number of its calls is known all the same."""
    found = saved({"small": spent(100, SMALL), "large": Spent()}, 100)
    assert (found.items, found.calls, found.tokens, found.usd) == (100, 500, None, None)
    never = "large was never asked"
    assert _said(found.why) == {"tokens": never, "usd": never}


def test_replies_that_were_there_count_in_full() -> None:
    """Half of each model's replies came from another run: what was paid tells what a reply is."""
    found = saved({"small": spent(100, SMALL, there=50), "large": spent(20, LARGE, there=10)}, 100)
    plain = saved({"small": spent(100, SMALL), "large": spent(20, LARGE)}, 100)
    assert found.tokens == plain.tokens
    assert found.usd == pytest.approx(plain.usd)
    none = saved({"small": spent(100, SMALL), "large": spent(20, LARGE, there=20)}, 100)
    assert none.tokens is none.usd is None
    assert str(none.why["usd"]) == "all replies of large were there already"


def test_some_samples_of_an_item_that_were_there() -> None:
    """Three of five samples of each item were paid for by another run."""
    made = spent(20, LARGE, samples=2)
    made.verdicts += 3 * 20
    assert made.tokens_for(100) == pytest.approx(100 * 5 * 200)


def cascaded(small: Spent, large: Spent) -> Cascaded:
    return Cascaded(
        run="r",
        judge="j",
        rows=100,
        agree=0.9,
        delta=0.1,
        within=None,
        by_repeats=True,
        criteria=("rating",),
        labelled=50,
        left_out=0,
        stages=tuple(Stage(name, 0.05, 100, 0, 50) for name in ("small", "large")),
        decisions=tuple(Decision(str(n), "small", 1.0, {}) for n in range(100)),
        spent={"small": small, "large": large},
    )


def page(found: Cascaded) -> str:
    return " ".join(
        as_text([composed(found.stages, len(found.decisions), command_line(), found, 3)]).split()
    )  # lines are wrapped


def test_the_page() -> None:
    shown = page(cascaded(spent(100, SMALL), spent(20, LARGE)))
    assert "large judged 20 of 100 items; 80.0% were saved. Calls to large saved: 400." in shown
    assert "large was saved about 80,000 of the 100,000 that it would have taken" in shown
    assert "alone; small took 50,000" in shown
    assert "Cost: $1.5000; large alone would have cost about $5.0000: $3.5000 (70%) saved" in shown
    assert "in full" not in shown
    half = page(cascaded(spent(100, SMALL, there=50), spent(20, LARGE)))
    assert "alone; small took 50,000" in half


def test_the_page_where_something_is_not_known() -> None:
    free = page(cascaded(spent(100, priced(SMALL, 0.0)), spent(20, priced(LARGE, 0.0))))
    assert "saved about 80,000" in free
    assert "$" not in free
    never = page(cascaded(spent(100, SMALL), Spent()))
    assert "large judged 0 of 100 items; 100.0% were saved. Calls to large saved: 500." in never
    assert "Saved tokens are unknown: large was never asked" in never
    assert "Saved USD are unknown: large was never asked" in never
    dear = page(cascaded(spent(100, LARGE, there=1), spent(100, LARGE)))
    assert "$5.0000 (100%) more was spent. Replies that were there already count in full" in dear


def test_as_json() -> None:
    shown = encode(cascaded(spent(100, SMALL), spent(20, LARGE)), SHAPES)
    assert shown["tokens"] == {"small": 50_000, "large": 20_000}
    assert shown["tokens_of_last_alone"] == 100_000
    told = shown["saved"]
    assert isinstance(told, dict)
    assert told.pop("usd") == pytest.approx(3.5)
    assert told == {"items": 80, "calls": 400, "tokens": 80_000, "why": {}}


def _said(whys: Mapping[str, Reason]) -> dict[str, str]:
    return {what: str(why) for what, why in whys.items()}
