"""For pytest: `def test_reply(adjudge_judge): adjudge_judge({...}, at_least={"rating": 3})`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from adjudge.core.verdict import Verdict


@pytest.fixture
def adjudge_judge() -> Callable[..., Verdict]:
    """`adjudge.assert_judged` with the judge `helpfulness`, unless another is named."""
    import adjudge  # noqa: PLC0415 - a test session that does not judge pays nothing

    return partial(adjudge.assert_judged, judge="helpfulness")
