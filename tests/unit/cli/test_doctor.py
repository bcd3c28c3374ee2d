from __future__ import annotations

import pytest
from tests.commands import Command


def test_never_shows_a_secret(adjudge: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-hidden")
    monkeypatch.setenv("ADJUDGE_BASE_URL", "http://me:hidden@host/v1")
    ended = adjudge("doctor")
    assert ended.code == 0
    assert "hidden" not in ended.out
    assert "http://…@host/v1" in ended.out


def test_as_json(adjudge: Command) -> None:
    found = {row["what"]: row for row in adjudge("doctor", "--json").json}
    assert found["adjudge"]["ok"]
    assert "made by the first run" in found["store"]["found"]


@pytest.mark.parametrize("store", [".", "postgresql://host/db"])
def test_a_store_that_cannot_be(adjudge: Command, store: str) -> None:
    found = {row["what"]: row for row in adjudge("doctor", "--json", "--store", store).json}
    assert found["store"]["ok"] is False
