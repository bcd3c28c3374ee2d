"""Functions as models."""

from __future__ import annotations

import asyncio
import functools
import threading

import pytest

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ProviderError, UsageError
from adjudge.models import FunctionModel, function_model, model_from, open_model
from adjudge.models.base import ModelOptions
from adjudge.models.python_function import name_of

PROMPT = Prompt(messages=(Message("system", "Judge."), Message("user", "Hi")), criteria=("a",))


def echo(messages: list[dict[str, str]]) -> str:
    return " ".join(f"{message['role']}:{message['content']}" for message in messages)


def asked(model: FunctionModel) -> Reply:
    return asyncio.run(model.ask(PROMPT, Sampling()))


def test_a_function_is_called_in_a_thread() -> None:
    threads = []

    def where(messages: list[dict[str, str]]) -> str:
        threads.append(threading.current_thread())
        return echo(messages)

    assert asked(FunctionModel(where)).text == "system:Judge. user:Hi"
    assert threads != [threading.main_thread()]


class Callable:
    async def __call__(self, messages: list[dict[str, str]]) -> Reply:
        return Reply(text=echo(messages), finish="length")


async def async_echo(messages: list[dict[str, str]]) -> str:
    await asyncio.sleep(0)
    return echo(messages)


@pytest.mark.parametrize(
    "function", [async_echo, Callable(), functools.partial(async_echo), lambda m: async_echo([*m])]
)
def test_async_functions_are_awaited(function: object) -> None:
    assert asked(FunctionModel(function)).text == "system:Judge. user:Hi"  # type: ignore[arg-type]


def test_a_reply_is_taken_as_it_is() -> None:
    assert asked(FunctionModel(Callable())).finish == "length"


def test_what_it_raises_is_an_error_of_the_row() -> None:
    def fails(messages: list[dict[str, str]]) -> str:
        raise KeyError("choices")

    with pytest.raises(ProviderError, match="fails raised KeyError: 'choices'") as raised:
        asked(FunctionModel(fails))
    assert not raised.value.fatal


def wrong(messages: list[dict[str, str]]) -> str:
    return {}  # type: ignore[return-value]


def test_anything_but_text_stops_everything() -> None:
    with pytest.raises(ProviderError, match="wrong returned a dict; return the reply") as raised:
        asked(FunctionModel(wrong))
    assert raised.value.fatal


def test_names() -> None:
    assert name_of(echo) == "echo"
    assert name_of(functools.partial(echo)) == "echo"
    assert name_of(lambda m: "") == "lambda"
    assert name_of(Callable()) == "Callable"


def test_only_a_named_function_keeps_replies() -> None:
    plain, again = FunctionModel(echo), FunctionModel(echo)
    assert plain.identity != again.identity
    assert not plain.capabilities.cached
    named = function_model(echo, name="acme-v3")
    assert named.name == "acme-v3"
    assert named.identity == function_model(echo, name="acme-v3").identity
    assert named.capabilities.cached
    with pytest.raises(UsageError):
        function_model(echo, name=" ")


def test_what_a_model_may_be(tmp_path: object) -> None:
    model = function_model(echo, name="acme")
    assert model_from(model) is model
    assert isinstance(model_from(echo), FunctionModel)
    with pytest.raises(UsageError, match="model= is a int; give a name such as"):
        model_from(3)
    with pytest.raises(UsageError):
        open_model("acme", ModelOptions())
