from __future__ import annotations

import re

import pytest

from .client import Client


def test_an_id_is_made(local: Client) -> None:
    made = {local.get("/healthz").headers["X-Request-ID"] for _ in range(3)}
    assert len(made) == 3
    assert all(re.fullmatch("[0-9a-f]{16}", each) for each in made)


def test_a_sane_one_is_taken(local: Client) -> None:
    given = "01HX-abc_def.9"
    answer = local.get("/api/nowhere", {"X-Request-ID": given})
    assert answer.headers.get_all("X-Request-ID") == [given]
    assert answer.json["request_id"] == given


@pytest.mark.parametrize("given", ["", "a b", "<script>", "x" * 65, "é", '"', "a;b"])
def test_another_one_is_not(local: Client, given: str) -> None:
    answer = local.get("/api/nowhere", {"X-Request-ID": given.encode().decode("latin-1")})
    assert re.fullmatch("[0-9a-f]{16}", answer.headers["X-Request-ID"])
    assert answer.json["request_id"] == answer.headers["X-Request-ID"]


def test_a_page_of_an_error_shows_it(local: Client) -> None:
    assert "<code>abc-1</code>" in local.get("/nowhere", {"X-Request-ID": "abc-1"}).text
