"""Commit first: one call per question, before the judged text is seen, counted everywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.servers import ChatServer, fails, says

import adjudge as package
from adjudge import api
from adjudge.core.item import Item
from adjudge.core.score import Outcome
from adjudge.errors import DefinitionError
from adjudge.judges.load import load_text
from adjudge.judges.render import Renderer

JUDGE = """\
judge: commits
version: 1
title: Is the answer right?
language: en
explain_in: any
inputs:
  question: {}
  answer: {judged: true}
criteria:
  right: {guide: "Is it right?", scale: {type: integer, min: 1, max: 5}}
  clear: {guide: "Is it clear?", scale: {type: integer, min: 1, max: 5}}
first: answer
ask: each
"""
QUESTIONS, SYSTEMS = 3, 4
OWN = "My own answer: forty-two."


def reply(request: dict[str, Any]) -> str:
    name = "right" if "Is it right?" in request["messages"][0]["content"] else "clear"
    return json.dumps({"explanation": "So it is.", name: 4})


def is_first(request: dict[str, Any]) -> bool:
    return "do the task yourself" in request["messages"][0]["content"]


@pytest.fixture
def run(server: ChatServer, tmp_path: Path) -> Callable[..., package.Run]:
    def answer(request: dict[str, Any]) -> Any:
        return says(OWN) if is_first(request) else says(reply(request))

    server.answer = answer
    (tmp_path / "judge.yaml").write_text(JUDGE)
    rows = [
        {"id": f"{q}-{s}", "question": f"question {q}?", "answer": f"answer of system {s}."}
        for q in range(QUESTIONS)
        for s in range(SYSTEMS)
    ]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    options: dict[str, Any] = {
        "judge": str(tmp_path / "judge.yaml"),
        "model": "openai/m",
        "base_url": server.base_url,
        "store": str(tmp_path / "runs.db"),
        "price": "in=1,out=10",
    }

    def run(call: Any = package.run, **more: Any) -> Any:
        return call(tmp_path / "data.jsonl", **(options | more))

    return run


def test_it_is_asked_once_per_question_and_shown_with_every_prompt(
    server: ChatServer, run: Callable[..., package.Run]
) -> None:
    with closing(run()) as done:
        firsts = [body for body in server.asked if is_first(body)]
        others = [body for body in server.asked if not is_first(body)]
        assert len(firsts) == QUESTIONS
        assert len(others) == QUESTIONS * SYSTEMS * 2
        assert all("answer of system" not in json.dumps(body) for body in firsts)
        assert all(OWN in body["messages"][-1]["content"] for body in others)
        verdicts = list(done.verdicts())
        assert {verdict.outcome for verdict in verdicts} == {Outcome.SCORED}
        # Paid once: tokens and requests of all verdicts are those that were sent.
        assert sum(verdict.attempts for verdict in verdicts) == len(server.asked)
        tokens = sum(verdict.usage.input_tokens for verdict in verdicts)
        assert tokens == 100 * len(server.asked)


def test_it_is_an_exchange_of_its_own_kind(run: Callable[..., package.Run]) -> None:
    with closing(run()) as done:
        entry = next(done.entries())
        one, other = entry.verdict.calls
        assert [exchange.kind for exchange in one.exchanges] == ["first", "question"]
        assert (one.own_text, one.counted, one.counted_reply) == (OWN, 1, 0)
        assert [exchange.kind for exchange in other.exchanges] == ["question"]
        assert "forty-two" not in entry.verdict.reply
        prompts = done.prompts(entry)
        assert len(prompts) == 3
        assert OWN not in prompts[0].messages[-1].content
        assert all(OWN in prompt.messages[-1].content for prompt in prompts[1:])


def test_reading_again_changes_nothing(run: Callable[..., package.Run]) -> None:
    with closing(run()) as done:
        again = done.reread()
        assert (again.changed, again.values, again.verdicts) == (0, 0, QUESTIONS * SYSTEMS)


def test_it_is_foreseen(server: ChatServer, run: Callable[..., Any]) -> None:
    (part,) = run(api.forecast).parts
    assert part.calls == QUESTIONS + 2 * QUESTIONS * SYSTEMS
    assert server.asked == []
    run().close()
    (part,) = run(api.forecast, limit=QUESTIONS * SYSTEMS - 1).parts  # another run
    assert (part.calls, part.kept) == (0, QUESTIONS + 2 * (QUESTIONS * SYSTEMS - 1))


def test_repeats_share_it(server: ChatServer, run: Callable[..., package.Run]) -> None:
    with closing(run(repeat=2, temperature=1.0)):
        assert sum(map(is_first, server.asked)) == QUESTIONS


def test_it_counts_against_the_budget(server: ChatServer, run: Callable[..., package.Run]) -> None:
    with closing(run(budget="1000tok", concurrency=1)) as done:
        stopped = [v for v in done.verdicts() if v.outcome is Outcome.BUDGET_STOPPED]
        assert stopped
        assert any(not call.exchanges for verdict in stopped for call in verdict.calls)


def test_a_failure_is_the_outcome_of_every_criterion(
    server: ChatServer, run: Callable[..., package.Run]
) -> None:
    server.answer = lambda body: fails(400, "no") if is_first(body) else says(reply(body))
    with closing(run(concurrency=1)) as done:
        for verdict in done.verdicts():
            assert {score.outcome for score in verdict.scores.values()} == {Outcome.PROVIDER_ERROR}
        assert all(map(is_first, server.asked))


def test_nothing_written_is_unreadable(server: ChatServer, run: Callable[..., package.Run]) -> None:
    server.answer = lambda body: says(" " if is_first(body) else reply(body))
    with closing(run()) as done:
        verdict = next(iter(done.verdicts()))
        assert verdict.outcome is Outcome.UNREADABLE
        reasons = {score.reason.code for score in verdict.scores.values() if score.reason}
        assert reasons == {"first.empty"}
        assert done.reread().changed == 0


def test_a_replay_has_rows_for_it(run: Callable[..., package.Run], tmp_path: Path) -> None:
    ids = [f"{q}-{s}" for q in range(QUESTIONS) for s in range(SYSTEMS)]
    texts = {
        "right": '{"explanation": "x", "right": 5}',
        "clear": '{"explanation": "x", "clear": 2}',
    }
    rows: list[dict[str, Any]] = [
        {"item": i, "criterion": name, "replies": [text]}
        for i in ids
        for name, text in texts.items()
    ]
    own = [{"item": i, "order": "first", "replies": [f"own of {i}"]} for i in ids]
    replay = tmp_path / "replies.jsonl"
    replay.write_text("".join(json.dumps(row) + "\n" for row in rows + own))
    with closing(run(model=f"replay:{replay}", base_url=None, price=None)) as done:
        verdicts = list(done.verdicts())
        assert {verdict.calls[0].own_text for verdict in verdicts} == {f"own of {i}" for i in ids}
    replay.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with closing(run(model=f"replay:{replay}", base_url=None, price=None)) as done:
        assert {v.outcome for v in done.verdicts()} == {Outcome.PROVIDER_ERROR}


def test_the_request_is_the_same_for_all_answers_and_judges() -> None:
    other = load_text(JUDGE.replace("judge: commits", "judge: another"), "o.yaml")
    items = [
        Item("1", {"question": "q", "answer": "a"}),
        Item("2", {"question": "q", "answer": "b"}),
    ]
    asked = {
        prompt.first.prompt.messages
        for judge in (load_text(JUDGE, "j.yaml"), other)
        for item in items
        for prompt in Renderer(judge, b"s").prompts(item)
        if prompt.first
    }
    assert len(asked) == 1


@pytest.mark.parametrize("language", ["en", "ko", "vi"])
@pytest.mark.parametrize("kind", ["answer", "checklist"])
def test_every_language_has_its_words(language: str, kind: str) -> None:
    text = JUDGE.replace("language: en", f"language: {language}").replace(
        "first: answer", f"first: {kind}"
    )
    judge = load_text(text, "j.yaml")
    prompt = Renderer(judge, b"s").prompts(Item("1", {"question": "q", "answer": "a"}))[0]
    assert prompt.first
    phrases = judge.wording.further["first"]
    assert prompt.first.prompt.messages[0].content == phrases[kind].strip()
    assert prompt.first.intro == phrases[f"{kind}_shown"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("question: {}", "question: {judged: true}", "only to an input that is not judged"),
        ("answer: {judged: true}", "answer: {}", "only to an input that is not judged"),
        (
            "ask: each",
            'verbatim: true\nprompt: "{{ question }} {{ answer }}"',
            "a verbatim prompt is sent as it stands",
        ),
        ("first: answer", "first: answers", "first: "),
    ],
)
def test_what_cannot_be_is_said_when_the_file_is_loaded(old: str, new: str, said: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        load_text(JUDGE.replace(old, new), "j.yaml")
    assert said in str(caught.value)


def test_it_is_in_the_fingerprint() -> None:
    texts = [
        JUDGE,
        JUDGE.replace("first: answer", "first: checklist"),
        JUDGE.replace("first: answer\n", ""),
    ]
    assert len({load_text(text, "j.yaml").fingerprint for text in texts}) == 3
