"""For pytest: `def test_reply(adjudge_judge): adjudge_judge({...}, at_least={"rating": 3})`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Protocol, Unpack

import pytest

if TYPE_CHECKING:
    from adjudge.core.verdict import Verdict
    from adjudge.running import JudgeKeywords


class AssertJudged(Protocol):
    def __call__(
        self,
        item: Mapping[str, object],
        *,
        at_least: Mapping[str, float],
        judge: str = "helpfulness",
        model: str = "embedded",
        **options: Unpack[JudgeKeywords],
    ) -> Verdict: ...


@pytest.fixture
def adjudge_judge() -> AssertJudged:
    """`adjudge.assert_judged` with the judge `helpfulness`, unless another is named."""
    import adjudge  # noqa: PLC0415 - a test session that does not judge pays nothing

    return partial(adjudge.assert_judged, judge="helpfulness")
