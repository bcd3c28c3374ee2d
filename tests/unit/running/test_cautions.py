"""What a model is known to lack is said before anything is spent."""

from __future__ import annotations

from adjudge.models.base import Capabilities
from adjudge.running.cautions import lost

ALL = Capabilities()


def test_only_what_counts_is_said() -> None:
    assert lost("m", ALL, ALL) is None
    assert lost("m", ALL, Capabilities(seed=False)) is None
    assert "a JSON schema" in str(lost("m", ALL, Capabilities(json_schema=False)))
    assert "no token probabilities" in str(lost("m", ALL, Capabilities(logprobs=False)))
    assert lost("m", Capabilities(json_schema=False), Capabilities(json_schema=False)) is None
