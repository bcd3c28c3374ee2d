"""What is reserved counts, whoever holds it, until it is spent or given back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.stores import Cost, KeptBatch, Store, open_store

from .conftest import execute, record

RUN = record()


@pytest.fixture
def both(store_url: str) -> Iterator[tuple[Store, Store]]:
    """Two processes on one run."""
    stores = open_store(store_url), open_store(store_url)
    for store in stores:
        store.runs.start(RUN)
    yield stores
    for store in stores:
        store.close()


def take(store: Store, need: int, ahead: int = 0, cap: int = 100) -> int | None:
    granted = store.reservations.reserve(RUN.id, Cost(need), Cost(ahead), tokens=cap, usd=None).cost
    return None if granted is None else granted.tokens


def die(store: Store) -> None:
    """As if its process were gone, and its machine had started anew."""
    execute(store, "UPDATE owners SET ticks = -1e9, seen = 0 WHERE id = :id", id=store.owner.id)


def test_all_of_it_or_nothing(both: tuple[Store, Store]) -> None:
    one, other = both
    assert take(one, 60) == 60
    assert take(other, 60) is None
    assert take(other, 40) == 40
    assert take(one, 1) is None


def test_a_part_ahead_where_there_is_plenty(both: tuple[Store, Store]) -> None:
    one, _ = both
    assert take(one, 100, 500, cap=100_100) == 600
    assert take(one, 100, 500, cap=2_300) == 100 + 100  # a sixteenth of the 1,600 that are left


def test_what_was_spent_is_not_reserved_any_more(both: tuple[Store, Store]) -> None:
    one, other = both
    take(one, 60)
    one.runs.spend(RUN.id, Cost(20))
    one.reservations.reduce(RUN.id, Cost(20))
    assert take(other, 41) is None  # 20 are spent, 40 reserved
    one.reservations.release(RUN.id)
    assert take(other, 80) == 80


def test_in_usd(both: tuple[Store, Store]) -> None:
    one, other = both
    need = Cost(1000, 0.6)
    assert one.reservations.reserve(RUN.id, need, Cost(), tokens=None, usd=1.0).cost == need
    refused = other.reservations.reserve(RUN.id, need, Cost(), tokens=None, usd=1.0)
    assert (refused.cost, refused.shared) == (None, True)
    assert refused.left == pytest.approx(0.4)
    # A budget in tokens counts the same reservation.
    assert take(other, 1001, cap=2000) is None


def test_those_who_live_are_waited_for(both: tuple[Store, Store]) -> None:
    one, other = both
    take(one, 60)
    shared = other.reservations.reserve(RUN.id, Cost(60), Cost(), tokens=100, usd=None).shared
    assert shared
    assert not any(other.reservations.orphaned(RUN.id))
    die(one)
    shared = other.reservations.reserve(RUN.id, Cost(60), Cost(), tokens=100, usd=None).shared
    assert not shared


def test_a_dead_process_leaves_it_counted(both: tuple[Store, Store], store_url: str) -> None:
    """Also once it is cleared away, and for those who come later."""
    one, other = both
    take(one, 60)
    die(one)
    other.replies.claim(["k"])
    third = open_store(store_url)
    third.runs.start(RUN)  # clears the dead away
    assert take(third, 41) is None
    assert third.reservations.orphaned(RUN.id) == Cost(60)
    third.close()


def test_a_batch_outlives_whoever_sent_it(both: tuple[Store, Store]) -> None:
    one, other = both
    take(one, 60)
    one.batches.put(KeptBatch("label", RUN.id, "m", 3))
    one.reservations.hand_over(RUN.id, "label", Cost(50))
    one.reservations.release(RUN.id)
    die(one)
    assert take(other, 51) is None
    assert not any(other.reservations.orphaned(RUN.id))  # it is not lost: it will be settled
    assert other.reservations.held_by(RUN.id, "label") == Cost(50)
    other.reservations.release(RUN.id, "label")
    assert other.reservations.held_by(RUN.id, "label") == Cost()
    assert take(other, 100) == 100


def test_a_deleted_run_begins_with_none(both: tuple[Store, Store]) -> None:
    one, other = both
    take(one, 60)
    for store in both:
        store.runs.end(RUN.id, "interrupted")
    other.runs.delete(RUN.id)
    other.runs.start(RUN)
    assert take(other, 100) == 100


_STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["take", "spend", "drop", "die"]),
              st.integers(1, 80)),
    max_size=20,
)  # fmt: skip


@given(steps=_STEPS)
@settings(deadline=None, max_examples=25)
def test_law_spent_and_reserved_are_never_above_the_budget(
    new_store_url: Callable[[], str], steps: list[tuple[int, str, int]]
) -> None:
    url = new_store_url()
    with ExitStack() as opened:
        stores = [opened.enter_context(closing(open_store(url))) for _ in range(3)]
        held = [0] * 3
        for store in stores:
            store.runs.start(RUN)
        for who, what, number in steps:
            store = stores[who]
            if what == "take":
                held[who] += take(store, number, number, cap=200) or 0
            elif what == "spend":
                cost = Cost(min(number, held[who]))
                store.runs.spend(RUN.id, cost)
                store.reservations.reduce(RUN.id, cost)
                held[who] -= cost.tokens
            elif what == "drop":
                store.reservations.release(RUN.id)
                held[who] = 0
            else:
                die(store)
            assert stores[0].runs.find(RUN.id).tokens + sum(held) <= 200
