"""What a verdict is packed into comes back out of it, and blocks keep every verdict once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from adjudge.core.reply import Usage
from adjudge.core.score import Outcome
from adjudge.stores.facts import (
    CELL,
    HEAD,
    OUTCOMES,
    WRONG_LANGUAGE,
    block,
    code_of,
    groups_of,
    merged,
    packed,
)

from .conftest import entry


def test_every_outcome_has_a_place() -> None:
    assert set(OUTCOMES) == set(Outcome)
    assert len(OUTCOMES) < WRONG_LANGUAGE


def test_a_verdict_as_numpy_sees_it() -> None:
    verdict = entry(usage=Usage(input_tokens=8, output_tokens=1, cost_usd=0.25)).verdict
    cell = np.dtype([(name, f"<{code}") for name, code in CELL])
    head = [(name, f"<{code}") for name, code in HEAD]
    (row,) = np.frombuffer(packed(7, verdict), np.dtype([*head, ("cells", cell, (4,))]))
    assert (row["position"], row["tokens_in"], row["tokens_out"]) == (7, 8, 1)
    assert (row["cost"], row["latency"]) == (0.25, 840.5)
    assert OUTCOMES[row["outcome"]] is Outcome.OUT_OF_RANGE
    cells = row["cells"]
    assert cells["criterion"].tolist() == [code_of(name) for name in verdict.scores]
    assert cells["value"].tolist()[0] == 5.0
    assert math.isnan(cells["value"][1])
    assert cells["value"].tolist()[2:] == [1.0, code_of("tie")]
    assert (cells["unit"][0], cells["confidence"][0]) == (0.5, 0.5)
    assert cells["rule"].tolist() == [code_of("serious-error"), 0, 0, 0]
    assert cells["outcome"].tolist() == [
        WRONG_LANGUAGE,
        OUTCOMES.index(Outcome.OUT_OF_RANGE),
        0,
        0,
    ]


def test_a_price_that_is_not_known_is_no_number() -> None:
    row = np.frombuffer(packed(0, entry(scores={}).verdict), [(n, f"<{c}") for n, c in HEAD])
    assert np.isnan(row["cost"]).all()


@pytest.mark.parametrize(("told", "packed_as"), [(2**33, 2**32 - 1), (-5, 0), (2**70, 2**32 - 1)])
def test_a_count_of_an_older_store_that_has_no_place(told: int, packed_as: int) -> None:
    """Replies kept before counts were checked are read by later runs."""
    verdict = entry(scores={}, usage=Usage(input_tokens=told, output_tokens=told)).verdict
    row = np.frombuffer(packed(0, verdict), [(n, f"<{c}") for n, c in HEAD])
    assert row["tokens_in"].tolist() == row["tokens_out"].tolist() == [packed_as]


@pytest.mark.parametrize("word", ["", "tie", "가", "\ud800"])
def test_a_float_holds_a_words_code(word: str) -> None:
    assert int(float(code_of(word))) == code_of(word)


def test_a_block_gives_back_what_was_put_in() -> None:
    verdicts = {
        ("j", "m", 0, "a"): b"1234",
        ("j", "m", 1, "a"): b"5678",
        ("j", "m", 0, "b\n가"): b"90ab",
        ("j", "m", 0, "c"): b"another width",
    }
    content = block(verdicts)
    assert merged([content]) == verdicts
    assert sorted(
        (facts.repeat, width, list(facts.items)) for facts, width in groups_of(content)
    ) == [
        (0, 4, ["a", "b\n가"]),
        (0, 13, ["c"]),
        (1, 4, ["a"]),
    ]


def test_of_two_blocks_the_later_one_holds() -> None:
    old = block({("j", "m", 0, "a"): b"old", ("j", "m", 0, "b"): b"old"})
    new = block({("j", "m", 0, "a"): b"newer"})
    assert merged([old, new]) == {("j", "m", 0, "a"): b"newer", ("j", "m", 0, "b"): b"old"}
