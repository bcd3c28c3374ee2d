"""The table of docs/models.md agrees with the providers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adjudge.models.base import ModelOptions
from adjudge.models.registry import open_model, providers

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text("utf-8")
ROWS = {
    re.match(r"`(\w+)/", row[0]).group(1): row  # type: ignore[union-attr]
    for line in PAGE.splitlines()
    if line.startswith("| `")
    for row in [[cell.strip() for cell in line.strip("|").split("|")]]
}
VARIABLE = re.compile(r"`(\w+)`")


def test_every_provider_has_its_row() -> None:
    assert ROWS.keys() == set(providers()) - {"embedded", "replay"}


@pytest.mark.parametrize("provider", ROWS)
def test_a_row_is_true(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, key, address, bound, probabilities, seed, _, batches = ROWS[provider]
    [key_name], [address_name] = VARIABLE.findall(key), VARIABLE.findall(address)
    monkeypatch.setenv(key_name, "a-key")
    monkeypatch.setenv(address_name, "http://box.example:4711")
    model = open_model(f"{provider}/some/name", ModelOptions())
    assert "box.example:4711" in model.identity
    able = model.capabilities
    assert able.json_schema == (bound != "JSON only")
    assert able.logprobs == (probabilities != "no")
    assert able.seed == (seed != "no")
    assert (model.batches is not None) == (batches == "yes")
    if key.startswith("none"):
        monkeypatch.delenv(key_name)
        assert open_model(f"{provider}/some/name", ModelOptions())
