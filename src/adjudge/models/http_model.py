"""The base of all models that are asked over HTTP.

A provider writes a request and reads an answer. `HttpModel` asks: it sends the request, learns from
a refusal which form of it the server takes, and turns what comes into a reply or an error.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.errors import ModelUnavailable, ProviderError, UsageError

from .base import BatchState, Capabilities, Model
from .http import Complaint, Endpoint, HttpAnswer, decode
from .prices import Price

# By the name of the part: the form that is sent, None for leaving it out.
Ways = Mapping[str, str | None]
# By the name of the part: its forms, best first.
Forms = Mapping[str, tuple[str | None, ...]]


class SentRequest(NamedTuple):
    """A request as it was sent. Of one within a batch only the ways are known."""

    ways: Ways
    body: Mapping[str, Any] = MappingProxyType({})
    prompt: Prompt | None = None
    sampling: Sampling | None = None

    @property
    def in_batch(self) -> bool:
        return self.prompt is None


class HttpModel(Model):
    """A model behind an `Endpoint`. A provider says how `_body` is written and how it is `_read`.

    `forms` are those that a part of a request may take. Where the server refuses one, `_adapted`
    names the ways to try next; `ways` says afterwards what is sent, and `capabilities` what
    follows from it.
    """

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        price: Price | None,
        *,
        capabilities: Capabilities | None = None,
        forms: Forms | None = None,
    ) -> None:
        self.name = name
        self.identity = f"{name} at {endpoint.address}"
        self.capabilities = capabilities or Capabilities()
        self.price = price
        self._endpoint = endpoint
        self._forms = forms or {}
        self._ways = self._ways_of_batch = known_ways(self._forms, {})

    @abstractmethod
    def _body(self, prompt: Prompt, sampling: Sampling, ways: Ways) -> dict[str, Any]:
        """The body of a request in these ways."""

    @abstractmethod
    def _read(self, answer: HttpAnswer, data: Any, sent: SentRequest) -> Reply | Complaint:
        """The reply, or what the server complains about. KeyError, TypeError or the like for an
        answer that is not what the protocol promises."""

    def _adapted(self, complaint: Complaint, sent: SentRequest) -> Ways | None:  # noqa: ARG002
        """The ways to try next; None when the complaint is not about the form of the request."""
        return None

    def _failure(self, complaint: Complaint, data: Any, sent: SentRequest | None) -> ProviderError:  # noqa: ARG002
        """The error for a complaint that nothing can be done about here."""
        return self._endpoint.failure(complaint)

    def _abilities(self, before: Ways) -> dict[str, bool]:  # noqa: ARG002
        """What of the capabilities follows from the ways, which were others before."""
        return {}

    def _first_ways(self, prompt: Prompt, sampling: Sampling) -> Ways:  # noqa: ARG002
        return self._ways

    @property
    def ways(self) -> Ways:
        """The form of each part of a request; one that is not known is not taken over."""
        return self._ways

    @ways.setter
    def ways(self, ways: Ways) -> None:
        before, self._ways = self._ways, known_ways(self._forms, ways)
        abilities: dict[str, Any] = self._abilities(before)
        self.capabilities = replace(self.capabilities, **abilities)

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        """The reply; sent again within the call only where the server refuses a form.

        This ends: each part goes through its forms once.
        """
        ways = self._first_ways(prompt, sampling)
        while True:
            sent = SentRequest(ways, self._body(prompt, sampling, ways), prompt, sampling)
            answer = await self._endpoint.post(encode(sent.body, prompt.item))
            data = decode(answer.body)
            reading = self._checked(answer, data, sent)
            if isinstance(reading, Reply):
                if ways is not self._ways:
                    self._learn(ways)
                return reading
            other = self._adapted(reading, sent)
            if other is None:
                raise self._failure(reading, data, sent)
            ways = other

    async def aclose(self) -> None:
        await self._endpoint.aclose()

    def _checked(self, answer: HttpAnswer, data: Any, sent: SentRequest) -> Reply | Complaint:
        try:
            return self._read(answer, data, sent)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            raise self._endpoint.malformed(answer.body) from None

    def _learn(self, ways: Ways) -> None:
        """Takes over what this request found out, and what others found out at the same time."""
        furthest = furthest_ways(self._forms, self._ways, ways)
        if furthest != self._ways:
            self.ways = furthest

    def _without(self, part: str, ways: Ways) -> Ways | None:
        """The ways after a refusal of this part that is beyond doubt: they hold from now on."""
        other = next_way(self._forms, ways, part)
        if other is None:
            return None
        self._learn(other)
        return self._ways

    def _write_for_batch(self, prompt: Prompt, sampling: Sampling) -> dict[str, Any]:
        self._ways_of_batch = self._ways
        return self._body(prompt, sampling, self._ways)

    def _read_of_batch(self, answer: HttpAnswer, data: Any) -> Reply:
        """The reply within a batch; what was refused can be sent again in another form."""
        sent = SentRequest(self._ways_of_batch)
        reading = self._checked(answer, data, sent)
        if isinstance(reading, Reply):
            return reading
        error = self._endpoint.failure(reading)
        error.retryable |= self._adapted(reading, sent) is not None
        raise error


class HttpBatches(ABC):
    """Batches of one model.

    `write` makes the body of a request, `read` a reply out of an answer, as for a single request.
    Batches are below `_path`.
    """

    _path: str

    def __init__(
        self,
        endpoint: Endpoint,
        write: Callable[[Prompt, Sampling], Mapping[str, Any]],
        read: Callable[[HttpAnswer, Any], Reply],
    ) -> None:
        self._endpoint, self._write, self._read = endpoint, write, read

    @abstractmethod
    def _data(self, answer: HttpAnswer) -> Any:
        """The object that an answer holds; ProviderError when it holds none."""

    @abstractmethod
    def _state(self, data: Any) -> BatchState:
        """How far the batch is that the server describes so."""

    @abstractmethod
    def _reply(self, row: Mapping[str, Any], line: bytes) -> Reply:
        """The reply in a row of the results. KeyError or TypeError for one of another form."""

    def _new_id(self, answer: HttpAnswer) -> str:
        """The id of what was made; a server without batches knows no such path."""
        if answer.status in (404, 405, 501):
            reason = Reason("model.no_batch", place=self._endpoint.place)
            raise ProviderError(reason, status=answer.status, fatal=True)
        return str(self._data(answer)["id"])

    async def state(self, batch: str) -> BatchState:
        answer = await self._endpoint.call("GET", f"{self._path}/{batch}")
        if answer.status == 404:
            unknown = Reason("batch.unknown", place=self._endpoint.place, batch=batch)
            return BatchState("failed", why=unknown)
        return self._state(self._data(answer))

    def _result(self, line: bytes) -> tuple[str, Reply | ProviderError]:
        """Key and reply of a line of the results, or what went wrong with that one request."""
        row = decode(line)
        try:
            key = str(row["custom_id"])
            return key, self._reply(row, line)
        except ProviderError as error:
            return key, error
        except (KeyError, TypeError):
            raise self._endpoint.malformed(line) from None


def model_name(provider: str, name: str) -> str:
    """The full name of a model, `PROVIDER/NAME`."""
    if not name:
        raise UsageError(Reason("model.no_name", provider=provider))
    return f"{provider}/{name}"


def api_key(variable: str, model: str, *, needed: bool, or_server: bool = False) -> str:
    """The key that the environment holds; empty where there is none and none is needed."""
    key = os.environ.get(variable, "").strip()
    if needed and not key:
        if or_server:
            raise ModelUnavailable(Reason("model.no_key_or_server", model=model, name=variable))
        raise ModelUnavailable(Reason("model.no_key", model=model, name=variable))
    if not (key.isascii() and key.isprintable()):
        raise ModelUnavailable(Reason("model.odd_key", name=variable))
    return key


def known_ways(forms: Forms, ways: Ways) -> Ways:
    """The ways as far as they are known, and the best form of every other part."""
    return {
        name: ways[name] if name in ways and ways[name] in order else order[0]
        for name, order in forms.items()
    }


def next_way(forms: Forms, ways: Ways, name: str) -> Ways | None:
    """The ways with the next form of one part; None when it had its last."""
    order = forms[name]
    place = order.index(ways[name]) + 1
    return {**ways, name: order[place]} if place < len(order) else None


def furthest_ways(forms: Forms, one: Ways, other: Ways) -> Ways:
    """Of each part the later form: what two requests found out at the same time."""
    return {
        name: max(one[name], other[name], key=order.index)  # of str and None, by their place
        for name, order in forms.items()
    }


def encode(body: Mapping[str, object], item: str) -> bytes:
    """The body of a request about this item."""
    try:
        return orjson.dumps(body, default=dict)
    except TypeError as error:  # half of a surrogate pair is no character that can be sent
        raise ProviderError(Reason("model.cannot_send", item=item, why=str(error))) from None
