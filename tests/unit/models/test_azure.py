"""Azure OpenAI: its two paths, its header, its filter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tests.doubles.azure import DATED, V1, AzureDouble, filtered_prompt
from tests.doubles.chat import KEY
from tests.doubles.http import Answers, Refuses, Says

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ModelUnavailable, ProviderError, UsageError
from adjudge.models.azure import open_model
from adjudge.models.base import ModelOptions

PROMPT = Prompt(messages=(Message("user", "Hm?"),), criteria=("c",))
VERSION = "2024-10-21"
Environment = Callable[..., None]


@pytest.fixture(name="env")
def _env(monkeypatch: pytest.MonkeyPatch) -> Environment:
    for name in ("AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)

    def change(**values: str) -> None:
        for name, value in values.items():
            monkeypatch.setenv(name, value)

    return change


def ask(deployment: str = "gpt-x", base_url: str | None = None) -> Reply:
    async def run() -> Reply:
        model = open_model(deployment, ModelOptions(base_url=base_url))
        try:
            return await model.ask(PROMPT, Sampling())
        finally:
            await model.aclose()

    return asyncio.run(run())


def asked_at(env: Environment, answers: Answers, version: str = VERSION) -> Reply:
    with AzureDouble(answers) as double:
        env(AZURE_OPENAI_ENDPOINT=double.url, OPENAI_API_VERSION=version)
        return ask()


class TestPaths:
    def test_of_a_dated_version(self, env: Environment) -> None:
        with AzureDouble() as double:
            env(AZURE_OPENAI_ENDPOINT=f"{double.url}/", OPENAI_API_VERSION=f" {VERSION} ")
            assert ask().text == "4"
        request = double.requests[0]
        assert (request.path, request.query) == (DATED, {"api-version": VERSION})
        assert request.headers["api-key"] == KEY
        assert "authorization" not in request.headers

    def test_of_v1(self, env: Environment) -> None:
        with AzureDouble() as double:
            env(AZURE_OPENAI_ENDPOINT=double.url)
            assert ask().text == "4"
        assert (double.requests[0].path, double.requests[0].query) == (V1, {})

    @pytest.mark.parametrize(
        ("end", "path"),
        [
            ("/openai", V1),
            ("/openai/v1/", V1),
            ("/openai/v1/chat/completions", V1),
            ("?api-version=2025-01-01-preview", DATED),
            (f"{DATED}?api-version=2025-01-01-preview", DATED),
        ],
    )
    def test_addresses_as_people_copy_them(self, env: Environment, end: str, path: str) -> None:
        with AzureDouble() as double:
            assert ask(base_url=double.url + end).text == "4"
        assert double.requests[0].path == path

    def test_v1_stays_v1(self, env: Environment) -> None:
        with AzureDouble() as double:
            env(OPENAI_API_VERSION=VERSION)
            ask(base_url=f"{double.url}/openai/v1")
        assert (double.requests[0].path, double.requests[0].query) == (V1, {})

    def test_a_deployment_without_a_version(self, env: Environment) -> None:
        with pytest.raises(UsageError, match="set OPENAI_API_VERSION"):
            ask(base_url=f"http://127.0.0.1:1{DATED}")

    def test_a_name_that_has_to_be_quoted(self, env: Environment) -> None:
        env(OPENAI_API_VERSION=VERSION)
        model = open_model("a/b c", ModelOptions(base_url="http://h"))
        assert model.identity.endswith("/openai/deployments/a%2Fb%20c/chat/completions")


class TestRemedies:
    def test_no_address(self, env: Environment) -> None:
        with pytest.raises(ModelUnavailable, match="azure/gpt-x needs an address: set AZURE_OPEN"):
            open_model("gpt-x", ModelOptions())

    def test_no_key(self, env: Environment) -> None:
        env(AZURE_OPENAI_ENDPOINT="http://127.0.0.1:1", AZURE_OPENAI_API_KEY=" ")
        with pytest.raises(ModelUnavailable, match="azure/gpt-x needs a key: set AZURE_OPENAI_API"):
            open_model("gpt-x", ModelOptions())

    def test_a_wrong_key(self, env: Environment) -> None:
        env(AZURE_OPENAI_API_KEY="another")
        with pytest.raises(ProviderError, match="check that AZURE_OPENAI_API_KEY") as caught:
            asked_at(env, lambda body: "4")
        assert caught.value.fatal

    @pytest.mark.parametrize("version", ["", VERSION])
    def test_an_unknown_deployment(self, env: Environment, version: str) -> None:
        with AzureDouble() as double:
            env(AZURE_OPENAI_ENDPOINT=double.url, OPENAI_API_VERSION=version)
            with pytest.raises(
                ProviderError, match="check the deployment's name and AZURE_OPENAI_"
            ):
                ask("nobody")

    def test_a_version_that_is_none(self, env: Environment) -> None:
        with pytest.raises(ProviderError, match="Resource not found") as caught:
            asked_at(env, lambda body: "4", version="yesterday")
        assert caught.value.fatal


class TestFilter:
    def test_a_prompt(self, env: Environment) -> None:
        reply = asked_at(env, lambda body: filtered_prompt("violence"))
        assert (reply.text, reply.finish) == ("", "refused")
        assert reply.refusal == "the provider's content filter: violence (high)"
        assert reply.usage.cost_usd is None

    def test_a_prompt_that_tries_to_break_out(self, env: Environment) -> None:
        reply = asked_at(env, lambda body: filtered_prompt("jailbreak"))
        assert reply.refusal == "the provider's content filter: jailbreak"

    def test_no_categories(self, env: Environment) -> None:
        bare = Refuses(400, "Filtered.", more={"code": "content_filter"})
        assert asked_at(env, lambda body: bare).refusal == "Filtered."

    def test_a_completion(self, env: Environment) -> None:
        says = Says("half a", finish="content_filter", reason="self_harm")
        reply = asked_at(env, lambda body: says)
        assert (reply.text, reply.finish) == ("half a", "refused")
        assert reply.refusal == "the provider's content filter: self_harm (high)"
        assert reply.usage.output_tokens == 10

    def test_a_completion_that_the_prompt_was_filtered_for(self, env: Environment) -> None:
        class Filters(AzureDouble):
            def completion(self, body: dict[str, Any], says: Says) -> dict[str, Any]:
                hate = {"hate": {"filtered": True, "severity": "medium"}}
                seen = [{"prompt_index": 0, "content_filter_results": hate}]
                return super().completion(body, says) | {"prompt_filter_results": seen}

        with Filters(lambda body: Says("", finish="content_filter")) as double:
            env(AZURE_OPENAI_ENDPOINT=double.url)
            assert ask().refusal == "the provider's content filter: hate (medium)"


def test_what_an_older_version_does_not_take(env: Environment) -> None:
    def answers(body: object) -> Refuses | str:
        assert isinstance(body, dict)
        if "max_completion_tokens" in body:
            message = "Unrecognized request argument supplied: max_completion_tokens"
            return Refuses(400, message, "invalid_request_error")
        return str(body["max_tokens"])

    assert asked_at(env, answers).text == "1024"
