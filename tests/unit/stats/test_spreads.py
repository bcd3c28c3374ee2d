from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.spread import spread
from adjudge.stats.spreads import spreads

samples = st.dictionaries(
    st.integers(0, 9), st.lists(st.integers(1, 5).map(float), min_size=1, max_size=6), max_size=8
)


@given(given=samples, chance=st.randoms())
def test_the_same_as_item_by_item(given: dict[int, list[float]], chance) -> None:  # type: ignore[no-untyped-def]
    """In whatever order the values come."""
    rows = [(item, value) for item, values in given.items() for value in values]
    chance.shuffle(rows)
    found = spreads([item for item, _ in rows], [value for _, value in rows])
    expected = [spread(given[item]) for item in sorted(given) if len(given[item]) > 1]
    assert found.n.tolist() == [each.n for each in expected]
    assert found.flip_rate.tolist() == pytest.approx([each.flip_rate for each in expected])
    assert found.entropy.tolist() == pytest.approx([each.entropy for each in expected], abs=1e-9)
    assert found.sd.tolist() == pytest.approx([each.sd for each in expected], abs=1e-9)


def test_nothing() -> None:
    assert not len(spreads([], []).n)
    assert not len(spreads([1], [4.0]).flip_rate)
