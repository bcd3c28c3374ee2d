"""What the suite of the providers has to know of each: a `Case` in cases/PROVIDER.py.

A case says how the provider's double is started, how a model is opened at it, and how that provider
words what every provider has: a reply cut off, a limit, an unknown model. The suite finds it by the
provider's name. Another package has it beside its module: adjudge_acme_case.py for adjudge_acme.py.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Any, TypeVar

import pytest
from tests.doubles.http import Answers, Double, Refuses, Says

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.models.base import Model, ModelOptions
from adjudge.models.registry import open_model, providers

T = TypeVar("T")
Body = dict[str, Any]
# These ask nobody over a wire, so that there is no double to ask: tests/unit/models has them, and
# tests/replay asks the embedded model itself.
EXEMPT = frozenset({"embedded", "replay"})


@dataclass(frozen=True, kw_only=True)
class Case:
    """One provider.

    `model` is what a user writes after -m; `double` starts the double, which takes `key` and whose
    call `ask` ("POST /v1/messages", a beginning is enough) takes the prompts. `environment` gives
    the variables that hold key and address, `base` the base URL to open the model with, None to
    leave it to the environment; `variable` is what an error about the key has to name.

    `text_of` finds the last user's text in the body of a request and `schema_of` the schema that
    the reply is bound to; `tool` says that it is the input of a tool. `binds`: it takes a schema at
    all. `compiles` starts the double of a model that works schemas out beforehand, where not all
    do. `misnamed` gives a body in which a turn has a role that the API does not know. `version` is
    the header without which the API answers nothing.

    The rest is in the provider's own words, None where it has no such thing. `waits` are the
    seconds that `limited` asks for, `remedy` is what the error about an unknown model advises.
    `context` is what the double tells of the model's context. `counts_cached`: cached tokens are
    told. `unpriced` is what a reply costs whose price nobody gave: 0 for a model of one's own.
    """

    model: str
    double: Callable[[Answers], Double]
    ask: str
    text_of: Callable[[Body], str]
    schema_of: Callable[[Body], Mapping[str, Any] | None]
    misnamed: Callable[[Body], Body]
    cut_off: Says
    declined: Says | None
    filtered: Says | Refuses | None
    bad_key: Refuses | None
    forbidden: Refuses
    invalid: Refuses
    unknown_model: Refuses
    too_long: Refuses
    limited: Refuses
    waits: float | None
    broken: Refuses
    overloaded: Refuses
    key: str = ""
    variable: str = ""
    environment: Callable[[Double], Mapping[str, str]] | None = None
    base: Callable[[Double], str | None] = field(default=lambda double: double.url)
    compiles: Callable[[Answers], Double] | None = None
    tool: bool = False
    binds: bool = True
    version: str = ""
    remedy: str = "check the model's name"
    context: int | None = None
    counts_cached: bool = True
    unpriced: float | None = None

    def strict(self) -> Case:
        """The same provider with a model that refuses a schema it cannot work out."""
        return replace(self, double=self.compiles or self.double)

    def opened(self, answers: Answers, **options: Any) -> AbstractContextManager[Opened]:
        return _opened(self, answers, options)


@dataclass(frozen=True)
class Opened:
    """A running double, and models at it."""

    case: Case
    double: Double
    options: ModelOptions

    def use(self, work: Callable[[Model], Awaitable[T]]) -> T:
        """What `work` returns for a model that is open as long as it runs."""

        async def run() -> T:
            model = open_model(self.case.model, self.options)
            try:
                return await work(model)
            finally:
                await model.aclose()

        return asyncio.run(run())

    def ask(self, prompt: Prompt, sampling: Sampling | None = None) -> Reply:
        return self.use(lambda model: model.ask(prompt, sampling or Sampling()))

    @property
    def asked(self) -> list[Body]:
        """The bodies of the requests that took a prompt."""
        came = self.double.requests
        return [request.json for request in came if str(request).startswith(self.case.ask)]


@contextmanager
def _opened(case: Case, answers: Answers, options: Mapping[str, Any]) -> Any:
    with case.double(answers) as double, pytest.MonkeyPatch.context() as patch:
        given = {case.variable: case.key} if case.variable else {}
        for name, value in (case.environment(double) if case.environment else given).items():
            patch.setenv(name, value)
        yield Opened(case, double, ModelOptions(base_url=case.base(double), **options))


def on_the_wire() -> list[str]:
    """The providers that need a case."""
    return [name for name in providers() if name not in EXEMPT]


def found(provider: str) -> Case | None:
    """The provider's case, None when nobody wrote one."""
    [entry] = entry_points(group="adjudge.models", name=provider)
    for name in (f"tests.conformance.cases.{provider}", f"{entry.module}_case"):
        if find_spec(name):
            case: Case = import_module(name).CASE
            return case
    return None
