from __future__ import annotations

import asyncio
from typing import Any

import pytest

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.errors import ModelUnavailable, ProviderError, UsageError
from adjudge.models.http import Complaint, HttpAnswer
from adjudge.models.http_model import (
    HttpModel,
    SentRequest,
    Ways,
    api_key,
    decode,
    furthest_ways,
    known_ways,
    model_name,
    next_way,
)

FORMS = {"json": ("strict", "loose", None), "limit": ("new", "old")}


def test_the_best_comes_first_and_the_last_has_no_next() -> None:
    ways = known_ways(FORMS, {})
    assert ways == {"json": "strict", "limit": "new"}
    second = next_way(FORMS, ways, "json")
    assert second == {"json": "loose", "limit": "new"}
    third = next_way(FORMS, second, "json")
    assert third == {"json": None, "limit": "new"}
    assert next_way(FORMS, third, "json") is None
    assert next_way(FORMS, {"json": None, "limit": "old"}, "limit") is None


def test_what_is_no_longer_known_is_tried_anew() -> None:
    assert known_ways(FORMS, {"json": None, "limit": "old"}) == {"json": None, "limit": "old"}
    assert known_ways(FORMS, {"json": "gone", "other": "x"}) == known_ways(FORMS, {})


def test_two_findings_together() -> None:
    one: dict[str, str | None] = {"json": None, "limit": "new"}
    other: dict[str, str | None] = {"json": "loose", "limit": "old"}
    assert furthest_ways(FORMS, one, other) == {"json": None, "limit": "old"}


class Server:
    """Stands in for an Endpoint: takes the bodies, gives the answers one after the other."""

    address, place = "https://host/v1", "host:443"

    def __init__(self, *answers: HttpAnswer) -> None:
        self.answers, self.bodies = list(answers), list[Any]()

    async def post(self, body: bytes) -> HttpAnswer:
        self.bodies.append(decode(body))
        return self.answers.pop(0)

    def failure(self, complaint: Complaint) -> ProviderError:
        return ProviderError(complaint.message, status=complaint.status)

    def malformed(self, body: bytes) -> ProviderError:
        return ProviderError(f"no reply but: {body.decode()}", retryable=True)


class Toy(HttpModel):
    """Its server takes the loose form of JSON, or none."""

    def __init__(self, server: Server) -> None:
        super().__init__("toy/one", server, None, forms=FORMS)  # type: ignore[arg-type]

    def _body(self, prompt: Prompt, sampling: Sampling, ways: Ways) -> dict[str, Any]:
        return dict(ways)

    def _read(self, answer: HttpAnswer, data: Any, sent: SentRequest) -> Reply | Complaint:
        if answer.status != 200:
            return Complaint(status=answer.status, message=data["why"])
        return Reply(text=data["text"])

    def _adapted(self, complaint: Complaint, sent: SentRequest) -> Ways | None:
        if complaint.message == "surely json":
            return self._without("json", sent.ways)
        return next_way(FORMS, sent.ways, "json") if complaint.message == "json" else None

    def _abilities(self, before: Ways) -> dict[str, bool]:
        return {"json_schema": self._ways["json"] == "strict"}


PROMPT = Prompt(messages=(Message("user", "?"),), criteria=("x",))
GOOD = HttpAnswer(200, {}, b'{"text": "4"}')


def refusing(why: str) -> HttpAnswer:
    return HttpAnswer(400, {}, f'{{"why": "{why}"}}'.encode())


def ask(server: Server) -> tuple[Toy, Reply]:
    model = Toy(server)
    return model, asyncio.run(model.ask(PROMPT, Sampling()))


@pytest.mark.parametrize("why", ["json", "surely json"])
def test_what_is_refused_is_sent_in_another_form_from_then_on(why: str) -> None:
    server = Server(refusing(why), GOOD)
    model, reply = ask(server)
    assert reply.text == "4"
    assert [body["json"] for body in server.bodies] == ["strict", "loose"]
    assert model.ways == {"json": "loose", "limit": "new"}
    assert not model.capabilities.json_schema


def test_a_form_is_learnt_only_when_it_is_answered_unless_the_refusal_is_sure() -> None:
    server = Server(refusing("json"), refusing("other"))
    model = Toy(server)
    with pytest.raises(ProviderError, match="other"):
        asyncio.run(model.ask(PROMPT, Sampling()))
    assert model.ways["json"] == "strict"
    server.answers = [refusing("surely json"), refusing("other")]
    with pytest.raises(ProviderError, match="other"):
        asyncio.run(model.ask(PROMPT, Sampling()))
    assert model.ways["json"] == "loose"


def test_the_last_form_has_no_other_and_the_complaint_is_the_error() -> None:
    server = Server(*[refusing("json")] * 3)
    with pytest.raises(ProviderError, match="json"):
        ask(server)
    assert [body["json"] for body in server.bodies] == ["strict", "loose", None]


@pytest.mark.parametrize("body", [b"{}", b"[]", b"no JSON", b'{"text": 1'])
def test_an_answer_without_a_reply_is_an_error_and_no_empty_text(body: bytes) -> None:
    with pytest.raises(ProviderError, match="no reply but") as raised:
        ask(Server(HttpAnswer(200, {}, body)))
    assert raised.value.retryable


def test_what_a_batch_refuses_can_be_sent_again_in_another_form() -> None:
    model = Toy(Server())
    assert model._write_for_batch(PROMPT, Sampling())["json"] == "strict"
    for retryable in (True, True, False):
        with pytest.raises(ProviderError) as raised:
            model._read_of_batch(HttpAnswer(400, {}, b""), {"why": "surely json"})
        assert raised.value.retryable is retryable
        model._write_for_batch(PROMPT, Sampling())


def test_names_and_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    assert model_name("toy", "one") == "toy/one"
    with pytest.raises(UsageError, match="write toy/NAME"):
        model_name("toy", "")
    monkeypatch.delenv("TOY_KEY", raising=False)
    assert api_key("TOY_KEY", "toy/one", needed=False) == ""
    with pytest.raises(ModelUnavailable, match=r"set TOY_KEY, or name .* --base-url"):
        api_key("TOY_KEY", "toy/one", needed=True, or_server=True)
    monkeypatch.setenv("TOY_KEY", " sk-1 ")
    assert api_key("TOY_KEY", "toy/one", needed=True) == "sk-1"
    monkeypatch.setenv("TOY_KEY", "sk\n1")
    with pytest.raises(ModelUnavailable, match="no key has"):
        api_key("TOY_KEY", "toy/one", needed=True)
