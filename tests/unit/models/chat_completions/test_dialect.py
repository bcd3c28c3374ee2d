"""What a dialect reads, and what holds for all of them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from adjudge.errors import ModelUnavailable, UsageError
from adjudge.models import azure, openai
from adjudge.models.base import ModelOptions
from adjudge.models.chat_completions import (
    FORMS,
    ContextAt,
    Dialect,
    api_root,
    open_dialect,
    server_root,
)
from adjudge.models.prices import FREE, Price

NAMES = ("openai", "azure", "deepseek", "llamacpp", "openrouter", "together", "vllm")
DIALECTS: dict[str, Dialect] = {
    name: import_module(f"adjudge.models.{name}").DIALECT for name in NAMES
}
HOSTED = [name for name in NAMES if DIALECTS[name].default_base and not DIALECTS[name].own]
OWN = [name for name in NAMES if DIALECTS[name].own]


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for dialect in DIALECTS.values():
        monkeypatch.delenv(dialect.key, raising=False)
        monkeypatch.delenv(dialect.base, raising=False)
    monkeypatch.delenv("OPENAI_API_VERSION", raising=False)


@pytest.mark.parametrize("name", NAMES)
class TestAll:
    def test_it_is_named_after_its_provider(self, name: str) -> None:
        assert DIALECTS[name].provider == name

    def test_every_part_has_a_way_and_the_limit_is_always_sent(self, name: str) -> None:
        forms = DIALECTS[name].forms
        assert forms.keys() == FORMS.keys()
        assert all(forms.values())
        assert None not in forms["limit"]

    def test_no_name(self, name: str) -> None:
        with pytest.raises(UsageError, match=f"write {name}/NAME"):
            open_dialect(DIALECTS[name], "", ModelOptions())

    def test_a_key_with_blanks_around_it(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(DIALECTS[name].key, "  sk-1 \n")
        monkeypatch.setenv(DIALECTS[name].base, " http://127.0.0.1:1 ")
        model = open_dialect(DIALECTS[name], "m", ModelOptions())
        assert model._endpoint.clean("sk-1") == "[key]"

    def test_a_broken_key(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(DIALECTS[name].key, "sk-a\nb")
        monkeypatch.setenv(DIALECTS[name].base, "http://127.0.0.1:1")
        with pytest.raises(ModelUnavailable, match="holds characters") as caught:
            open_dialect(DIALECTS[name], "m", ModelOptions())
        assert DIALECTS[name].key in str(caught.value)
        assert "sk-a" not in str(caught.value)


@pytest.mark.parametrize("name", HOSTED)
def test_a_hosted_provider_needs_a_key(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = DIALECTS[name]
    with pytest.raises(ModelUnavailable, match=f"{name}/m needs a key: set {dialect.key}, or"):
        open_dialect(dialect, "m", ModelOptions())
    assert open_dialect(dialect, "m", ModelOptions(base_url="http://127.0.0.1:1")).price is None
    monkeypatch.setenv(dialect.key, "sk-1")
    assert dialect.default_base in open_dialect(dialect, "m", ModelOptions()).identity


@pytest.mark.parametrize("name", OWN)
def test_a_server_of_ones_own_needs_none_and_costs_nothing(name: str) -> None:
    model = open_dialect(DIALECTS[name], "m", ModelOptions())
    assert model.price == FREE
    assert "http://localhost:" in model.identity
    dear = Price(1.0, 2.0)
    assert open_dialect(DIALECTS[name], "m", ModelOptions(price=dear)).price == dear


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/", "/v1/chat/completions"])
def test_with_and_without_v1(name: str, end: str) -> None:
    model = open_dialect(DIALECTS[name], "m", ModelOptions(base_url=f"http://h:1/prefix{end}"))
    assert model.identity == f"{name}/m at http://h:1/prefix/v1/chat/completions"


def test_an_address_of_ones_own_is_asked_for() -> None:
    with pytest.raises(ModelUnavailable, match=r"set AZURE_OPENAI_ENDPOINT .like https://RESOURCE"):
        open_dialect(azure.DIALECT, "m", ModelOptions())


def test_nothing_is_known_about_another_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    at_home = openai.open_model("m", ModelOptions())
    elsewhere = openai.open_model("m", ModelOptions(base_url="http://127.0.0.1:1/v1"))
    assert (at_home.likelihoods, at_home._dialect.context) == (None, None)
    assert elsewhere.likelihoods
    assert elsewhere._dialect.context
    assert at_home.ways == {**elsewhere.ways, "limit": "max_completion_tokens"}
    assert elsewhere.ways["limit"] == "max_tokens"


def test_below() -> None:
    assert api_root("http://h/v1/chat/completions/") == api_root("http://h/v1/") == "http://h/v1"
    assert server_root("http://h/v1/") == server_root("http://h") == "http://h"


class TestContext:
    at = ContextAt("/models", ("top.length", "length"))

    @pytest.mark.parametrize(
        ("told", "size"),
        [
            ({"data": [{"id": "x", "length": 1}, {"id": "m", "length": 2}]}, 2),
            ([{"id": "m", "length": 2, "top": {"length": 1}}], 1),
            ({"top": {"length": 3}}, 3),
            ([{"id": "m", "length": 2, "top": None}], 2),
            ([{"id": "x", "length": 1}], None),
            ([{"id": "m", "length": 0}], None),
            ([{"id": "m", "length": "many"}], None),
            (["m"], None),
            ({"data": None}, None),
            ({}, None),
            ("x", None),
            (None, None),
        ],
    )
    def test_read(self, told: Any, size: int | None) -> None:
        assert self.at.read(told, "m") == size
