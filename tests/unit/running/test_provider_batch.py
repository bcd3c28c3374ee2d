"""Runs through the batch endpoints: the same verdicts, at half the price, whatever comes between.

Against the doubles of both providers, over loopback. A request counts as billed when the double
answered it, so paying twice shows in `double.billed`.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command
from tests.doubles import anthropic as claude
from tests.doubles import openai as gpt
from tests.doubles.anthropic import AnthropicDouble
from tests.doubles.http import Refuses, Request, Response, Says, Unanswered
from tests.doubles.openai import OpenAIDouble

import adjudge as package
from adjudge.core.prompt import Prompt, Sampling
from adjudge.errors import ProviderError, UsageError
from adjudge.models.anthropic import AnthropicBatches
from adjudge.models.chat_completions.batch import OpenAIBatches
from adjudge.running import feed, provider_batch
from adjudge.running.asking import client, retry
from adjudge.stores import KeptBatch
from adjudge.stores.spending import Batches

ROWS = 5
PRICE = "in=1,out=10"
WHOLE = (100 * 1 + 10 * 10) / 1e6  # USD for one request that is asked directly
Body = dict[str, Any]
Double = OpenAIDouble | AnthropicDouble
Running = Callable[..., package.Run]


def good(politeness: int = 4) -> str:
    said = "It is polite, and that is what was asked for."
    return json.dumps({"explanation": said, "insult": False, "politeness": politeness})


def row_of(body: Body) -> int:
    """Which row a request is about."""
    found = re.search(r"answer number (\d+)\.", body["messages"][0]["content"] + json.dumps(body))
    assert found
    return int(found[1])


def by_row(body: Body) -> str:
    return good(1 + row_of(body) % 5)


@dataclass
class Provider:
    """A double, and how runs get to it."""

    double: Double
    model: str
    submit: str
    look: str

    @property
    def submitted(self) -> list[list[int]]:
        """The rows of each batch."""
        if isinstance(self.double, OpenAIDouble):
            lines = [[line["body"] for line in b.lines] for b in self.double.batches.values()]
        else:
            lines = [[one["params"] for one in b.requests] for b in self.double.batches.values()]
        return [[row_of(body) for body in each] for each in lines]

    @property
    def asked_directly(self) -> list[Body]:
        direct = ("/v1/chat/completions", "/v1/messages")
        return [each.json for each in self.double.requests if each.path in direct]


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(provider_batch, "_FIRST_LOOK", 0.01)
    monkeypatch.setattr(retry, "_FIRST_WAIT", 0.001)


@pytest.fixture(params=["openai", "anthropic"])
def provider(
    request: pytest.FixtureRequest, adjudge: Command, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Provider]:
    """After `adjudge`, which takes keys away."""
    monkeypatch.setenv("OPENAI_API_KEY", gpt.KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", claude.KEY)
    double: Double
    if request.param == "openai":
        with OpenAIDouble(by_row) as double:
            yield Provider(double, "openai/m", "POST /v1/batches", "GET /v1/batches/")
    else:
        with AnthropicDouble(by_row) as double:
            place = "/v1/messages/batches"
            yield Provider(double, "anthropic/m", f"POST {place}", f"GET {place}/")


only_openai = pytest.mark.parametrize("provider", ["openai"], indirect=True)
only_anthropic = pytest.mark.parametrize("provider", ["anthropic"], indirect=True)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "data.jsonl", list(range(ROWS)))


def write_rows(path: Path, numbers: list[int]) -> Path:
    rows = [
        {"id": f"row{at}", "answer": f"answer number {number}."}
        for at, number in enumerate(numbers)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def running(
    provider: Provider,
    politeness: str,
    data: Path,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Running:
    """A run with --batch unless told otherwise; closes what it opened."""

    def running(**options: Any) -> package.Run:
        usual = {
            "judge": politeness,
            "model": provider.model,
            "base_url": provider.double.url,
            "store": str(tmp_path / "runs.db"),
            "batch": True,
            "price": PRICE,
        }
        run = package.run(data, **(usual | options))
        request.addfinalizer(run.close)
        return run

    return running


def open_batches(store: Path) -> int:
    with closing(sqlite3.connect(store)) as db:
        return int(db.execute("SELECT count(*) FROM batches WHERE state = 'open'").fetchone()[0])


def told(run: package.Run) -> list[dict[str, Any]]:
    """The verdict rows without what a batch is meant to change: price, time, requests, run id."""
    rows = run.to_dicts()
    for row in rows:
        for name in ("run", "attempts", "latency_ms"):
            row.pop(name)
        row["usage"] = {k: v for k, v in row["usage"].items() if k != "cost_usd"}
    return rows


class TestTheSameVerdicts:
    def test_at_half_the_price(self, provider: Provider, running: Running, tmp_path: Path) -> None:
        """All but the first request, which is asked directly to see what the model takes."""
        batched = running()
        assert provider.submitted == [[1, 2, 3, 4]]
        assert [row_of(body) for body in provider.asked_directly] == [0]
        assert (provider.double.billed.requests, provider.double.billed.batched) == (ROWS, 4)
        cost = batched.summary.usage.cost_usd
        assert cost == pytest.approx(WHOLE + 4 * WHOLE / 2)
        assert batched.record.usd == pytest.approx(cost)
        assert batched.record.tokens == 110 * ROWS
        assert batched.record.state == "finished"
        direct = running(batch=False, store=str(tmp_path / "direct.db"))
        assert told(batched) == told(direct)
        assert direct.summary.usage.cost_usd == pytest.approx(ROWS * WHOLE)

    def test_what_a_judge_writes_first_comes_by_batch_too(
        self, provider: Provider, running: Running, data: Path, tmp_path: Path
    ) -> None:
        """One request per question, in a batch before those that show its reply."""
        path = tmp_path / "commits.yaml"
        path.write_text(
            "judge: commits\nversion: 1\ntitle: Right\nlanguage: en\nexplain_in: any\n"
            "first: answer\ninputs:\n  question: {}\n  answer: {judged: true}\n"
            "criteria:\n  right: {scale: {type: integer, min: 1, max: 5}}\n"
        )
        rows = [
            {"question": f"answer number {q}.", "answer": f"{q}{s}"} for q in range(3) for s in "ab"
        ]
        data.write_text("".join(json.dumps(row) + "\n" for row in rows))

        def answer(body: Body) -> str:
            first = "do the task yourself" in json.dumps(body)
            return "my own" if first else '{"explanation": "x", "right": 4}'

        provider.double.answers = answer
        run = running(judge=str(path))
        assert provider.submitted == [[1, 2], [0, 0, 1, 1, 2, 2]]
        assert provider.double.billed.requests == 3 + 6
        verdicts = list(run.verdicts())
        assert {verdict.calls[0].own_text for verdict in verdicts} == {"my own"}
        assert sum(verdict.usage.output_tokens for verdict in verdicts) == 10 * 9

    def test_several_calls_an_item(
        self, provider: Provider, running: Running, tmp_path: Path
    ) -> None:
        """A judge that asks each criterion alone, with samples: every call is a request."""
        path = tmp_path / "two.yaml"
        path.write_text(
            "judge: two\nversion: 1\ntitle: Two\nlanguage: en\nexplain_in: any\nask: each\n"
            "inputs:\n  answer: {judged: true}\n"
            "criteria:\n"
            "  clear: {title: C, guide: 'Is it clear?', scale: {type: integer, min: 1, max: 5}}\n"
            "  kind: {title: K, guide: 'Is it kind?', scale: {type: integer, min: 1, max: 5}}\n"
        )

        def answer(body: Body) -> str:
            score = 2 if "Is it kind?" in json.dumps(body) else 5
            criterion = "kind" if score == 2 else "clear"
            return json.dumps({"explanation": "So it is.", "score": score, criterion: score})

        provider.double.answers = answer
        many = {"judge": str(path), "repeat": 2, "temperature": 0.5}
        batched = running(**many)
        assert provider.double.billed.requests == 2 * 2 * ROWS
        assert [len(rows) for rows in provider.submitted] == [2 * 2 * ROWS - 1]
        direct = running(**many, batch=False, store=str(tmp_path / "direct.db"))
        assert told(batched) == told(direct)
        assert batched.summary.means() == {"clear": 5.0, "kind": 2.0}

    def test_a_bad_reply_is_repaired_directly(self, provider: Provider, running: Running) -> None:
        """Nobody waits another day for a second question."""

        def answer(body: Body) -> str:
            asked_again = len([m for m in body["messages"] if m["role"] != "system"]) > 1
            if row_of(body) == 2 and not asked_again:
                return json.dumps({"explanation": "I forgot the score, it seems.", "insult": False})
            return by_row(body)

        provider.double.answers = answer
        run = running()
        assert run.summary.outcomes == {"scored": ROWS}
        assert provider.submitted == [[1, 2, 3, 4]]
        assert [row_of(body) for body in provider.asked_directly] == [0, 2]
        (row,) = (row for row in run.to_dicts() if row["item"] == "row2")
        assert row["scores"]["politeness"]["value"] == 3
        assert row["usage"]["cost_usd"] == pytest.approx(1.5 * WHOLE)

    def test_replies_of_earlier_runs_are_not_asked_again(
        self, provider: Provider, running: Running
    ) -> None:
        running(batch=False, limit=3)
        run = running()
        assert sorted(row_of(body) for body in provider.asked_directly) == [0, 1, 2, 3]
        assert provider.submitted == [[4]]
        assert run.summary.outcomes == {"scored": ROWS}

    def test_nothing_left_to_ask(self, provider: Provider, running: Running) -> None:
        first = running()
        before = len(provider.double.requests)
        assert running().to_dicts() == first.to_dicts()
        assert len(provider.double.requests) == before


class TestIdenticalRows:
    @pytest.mark.parametrize("apart", [1, 3])
    def test_are_submitted_once(
        self,
        provider: Provider,
        running: Running,
        data: Path,
        monkeypatch: pytest.MonkeyPatch,
        apart: int,
    ) -> None:
        """Also when they are not looked up together: a repeated custom id fails a whole batch."""
        monkeypatch.setattr(feed, "_CHUNK", 2)
        rows = [0, 1, 1, 2, 3] if apart == 1 else [0, 1, 2, 3, 1, 2]
        write_rows(data, rows)
        run = running()
        assert provider.submitted == [[1, 2, 3]]
        assert provider.double.billed.requests == 4
        assert run.summary.outcomes == {"scored": len(rows)}
        values = [row["scores"]["politeness"]["value"] for row in run.to_dicts()]
        assert values == [1 + row for row in rows]

    def test_in_several_batches(
        self,
        provider: Provider,
        running: Running,
        data: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(feed, "_CHUNK", 2)
        monkeypatch.setattr(provider_batch, "_MOST_REQUESTS", 2)
        write_rows(data, [0, 1, 2, 3, 1, 4, 2, 5])
        assert running().summary.outcomes == {"scored": 8}
        assert provider.submitted == [[1, 2], [3, 4], [5]]


class TestWhatABatchDoesNotAnswer:
    def test_expired_requests_go_into_the_next_batch(
        self, provider: Provider, running: Running
    ) -> None:
        once: set[int] = set()

        def answer(body: Body) -> str | Unanswered:
            if row_of(body) in (2, 3) and row_of(body) not in once:
                once.add(row_of(body))
                return Unanswered("expired")
            return by_row(body)

        provider.double.answers = answer
        run = running()
        assert run.summary.outcomes == {"scored": ROWS}
        assert [sorted(rows) for rows in provider.submitted] == [[1, 2, 3, 4], [2, 3]]
        assert provider.double.billed.requests == ROWS

    def test_that_expire_every_time(self, provider: Provider, running: Running) -> None:
        """Given up after some rounds with a named outcome; the same command tries again."""

        def answer(body: Body) -> str | Unanswered:
            return Unanswered("expired") if row_of(body) == 3 else by_row(body)

        provider.double.answers = answer
        run = running()
        assert run.summary.outcomes == {"scored": ROWS - 1, "provider_error": 1}
        assert provider.submitted == [[1, 2, 3, 4], [3], [3]]
        (row,) = (row for row in run.to_dicts() if row["item"] == "row3")
        assert "not answered" in row["scores"]["politeness"]["why"]
        provider.double.answers = by_row
        assert running().summary.outcomes == {"scored": ROWS}
        assert provider.double.billed.requests == ROWS

    def test_a_refused_request_is_its_own_outcome(
        self, provider: Provider, running: Running
    ) -> None:
        """What would be refused again is not asked again, and holds up nobody else."""

        def answer(body: Body) -> str | Refuses:
            return Refuses(400, "This text is not to my taste.") if row_of(body) == 3 else good()

        provider.double.answers = answer
        run = running()
        assert run.summary.outcomes == {"scored": ROWS - 1, "provider_error": 1}
        assert provider.submitted == [[1, 2, 3, 4]]
        assert len(provider.asked_directly) == 1

    def test_the_first_one_is_refused(self, provider: Provider, running: Running) -> None:
        def answer(body: Body) -> str | Refuses:
            return Refuses(400, "This text is not to my taste.") if row_of(body) == 0 else good()

        provider.double.answers = answer
        run = running()
        assert run.summary.outcomes == {"scored": ROWS - 1, "provider_error": 1}
        assert provider.submitted == [[1, 2, 3, 4]]  # and none for the refused one alone
        assert len(provider.asked_directly) == 1

    def test_lost_keys(self, provider: Provider, running: Running) -> None:
        """A batch that brings nothing at all for a request: handed over anew."""
        drop_results(provider, once=True)
        run = running()
        assert run.summary.outcomes == {"scored": ROWS}
        assert [sorted(rows) for rows in provider.submitted] == [[1, 2, 3, 4], [4]]

    def test_a_row_that_cannot_be_sent(
        self, provider: Provider, running: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A text with half a character, say; the other rows are judged all the same."""
        kind = OpenAIBatches if provider.model.startswith("openai") else AnthropicBatches
        line = kind.line

        def picky(self: Any, key: str, prompt: Prompt, sampling: Sampling) -> bytes:
            if prompt.item == "row3":
                raise ProviderError("the prompt of item 'row3' cannot be sent")
            return line(self, key, prompt, sampling)

        monkeypatch.setattr(kind, "line", picky)
        run = running()
        assert run.summary.outcomes == {"scored": ROWS - 1, "provider_error": 1}
        assert provider.submitted == [[1, 2, 4]]


def drop_results(provider: Provider, *, once: bool) -> None:
    """Row 4 is missing in the results of a batch."""
    double = provider.double
    results = double._content if isinstance(double, OpenAIDouble) else double._results
    left = [1]

    def without(name: str) -> Response:
        response = results(name)
        if response.status != 200 or not left:
            return response
        if once:
            left.clear()
        lines = response.body.splitlines(keepends=True)
        gone = min if isinstance(double, AnthropicDouble) else max  # Claude's come in reverse
        del lines[gone(range(len(lines)))]
        return Response(200, b"".join(lines))

    where = "_content" if isinstance(double, OpenAIDouble) else "_results"
    setattr(double, where, without)


class TestFailures:
    @only_openai
    def test_failed_validation(self, provider: Provider, running: Running, tmp_path: Path) -> None:
        """The run says why. Later the same command hands the requests over anew."""
        assert isinstance(provider.double, OpenAIDouble)
        provider.double.ends_as = "failed"
        with pytest.raises(ProviderError, match="failed: Enqueued token limit reached"):
            running()
        kept = package.open_run(store=str(tmp_path / "runs.db"))
        assert (kept.record.state, kept.summary.verdicts) == ("failed", 0)
        kept.close()
        provider.double.ends_as = "completed"
        assert running().summary.outcomes == {"scored": ROWS}
        assert provider.submitted == [[1, 2, 3, 4], [2, 3, 4]]  # each session tries one directly
        assert provider.double.billed.requests == ROWS

    @only_anthropic
    def test_results_that_are_gone(
        self, provider: Provider, running: Running, adjudge: Command, data: Path, politeness: str
    ) -> None:
        """The run was left alone for a month: said once, then its requests are handed over anew."""
        assert isinstance(provider.double, AnthropicDouble)
        provider.double.polls = 10**6
        interrupted(provider, adjudge, politeness, data)
        (batch,) = provider.double.batches.values()
        batch.ended = batch.archived = True
        with pytest.raises(ProviderError, match="no longer"):
            running()
        provider.double.polls = 1
        assert running().summary.outcomes == {"scored": ROWS}

    @only_openai
    def test_a_file_that_is_gone(self, provider: Provider, running: Running) -> None:
        double = provider.double
        double.fault("GET /v1/files/", status=404, message="No such File object")
        with pytest.raises(ProviderError, match="its results are no longer kept"):
            running()
        assert running().summary.outcomes == {"scored": ROWS}

    def test_passing_faults(self, provider: Provider, running: Running) -> None:
        """Of submitting, of looking, of fetching: tried again, and nothing is handed over twice."""
        double = provider.double
        double.fault(provider.submit, status=500)
        double.fault(provider.look, status=503)
        double.drop(provider.look)
        double.fault(f"{provider.look}msgbatch_1/results", status=500)
        double.fault("GET /v1/files/", status=500)
        run = running()
        assert run.summary.outcomes == {"scored": ROWS}
        assert provider.submitted == [[1, 2, 3, 4]]
        assert double.billed.requests == ROWS

    @only_openai
    def test_a_submit_whose_answer_is_lost(self, provider: Provider, running: Running) -> None:
        """The label tells that the batch is there: it is not submitted a second time."""
        provider.double.lose(provider.submit)
        assert running().summary.outcomes == {"scored": ROWS}
        assert provider.submitted == [[1, 2, 3, 4]]

    @only_openai
    def test_results_that_break_off(
        self, provider: Provider, running: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Read again from the beginning; what came before is not counted twice."""
        monkeypatch.setattr(provider_batch, "_RESULTS", 1)
        double = provider.double
        assert isinstance(double, OpenAIDouble)
        content, broken = double._content, []

        def breaks(file: str) -> Response:
            response = content(file)
            if not broken:
                broken.append(1)
                lines = response.body.splitlines(keepends=True)
                return Response(200, b"".join(lines[:2]) + b'{"nonsense": 1}\n')
            return response

        double._content = breaks  # type: ignore[method-assign]
        run = running()
        assert run.summary.outcomes == {"scored": ROWS}
        assert run.record.tokens == 110 * ROWS
        assert run.record.usd == pytest.approx(WHOLE + 4 * WHOLE / 2)

    def test_a_model_that_takes_no_batches(self, running: Running, tmp_path: Path) -> None:
        replies = tmp_path / "replies.jsonl"
        replies.write_text('{"item": "row0", "replies": ["4"]}\n')
        with pytest.raises(UsageError, match="takes no batches; leave --batch out"):
            running(model=f"replay:{replies}")

    @only_openai
    def test_a_server_without_the_endpoint(self, provider: Provider, running: Running) -> None:
        provider.double.fault("POST /v1/files", status=404)
        with pytest.raises(ProviderError, match="has no batch endpoint: run without --batch"):
            running()

    @only_anthropic
    def test_a_form_that_the_model_refuses(self, provider: Provider, running: Running) -> None:
        """Found out with the request that is asked directly, not a day later."""
        assert isinstance(provider.double, AnthropicDouble)
        provider.double.refuses = frozenset({"temperature", "tool_choice"})
        assert running().summary.outcomes == {"scored": ROWS}
        assert provider.submitted == [[1, 2, 3, 4]]


def arguments(provider: Provider, judge: str, data: Path) -> list[str]:
    return ["run", str(data), "--judge", judge, "-m", provider.model, "--batch", "--price", PRICE,
            "--base-url", provider.double.url, "--store", str(data.parent / "runs.db")]  # fmt: skip


def interrupted(provider: Provider, adjudge: Command, judge: str, data: Path, *more: str) -> str:
    """Ctrl-C at the first look at a batch; returns what was said."""
    handle, pressed = provider.double.handle, []

    def press(request: Request) -> Response:
        if str(request).startswith(provider.look) and not pressed:
            pressed.append(1)
            os.kill(os.getpid(), signal.SIGINT)
        return handle(request)

    provider.double.handle = press  # type: ignore[method-assign]
    ended = adjudge(*arguments(provider, judge, data), *more)
    provider.double.handle = handle  # type: ignore[method-assign]
    assert ended.code == 130
    assert "Traceback" not in ended.err
    return ended.err


class TestRestarts:
    def test_ctrl_c_while_polling(
        self,
        provider: Provider,
        running: Running,
        adjudge: Command,
        politeness: str,
        data: Path,
        tmp_path: Path,
    ) -> None:
        provider.double.polls = 3
        said = interrupted(provider, adjudge, politeness, data)
        assert "requests sent to" in said
        assert "adjudge: interrupted; what was answered is kept." in said
        assert open_batches(tmp_path / "runs.db") == 1
        run = running()
        assert provider.submitted == [[1, 2, 3, 4]]
        assert provider.double.billed.requests == ROWS
        assert run.summary.outcomes == {"scored": ROWS}
        assert run.record.usd == pytest.approx(WHOLE + 4 * WHOLE / 2)
        assert open_batches(tmp_path / "runs.db") == 0

    def test_killed_after_submitting(
        self,
        provider: Provider,
        running: Running,
        adjudge: Command,
        politeness: str,
        data: Path,
        tmp_path: Path,
    ) -> None:
        provider.double.polls = 2
        nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = adjudge.process(*arguments(provider, politeness, data), **nowhere)
        wait_for(process, lambda: provider.double.calls(provider.look) >= 1)
        process.kill()
        process.wait(20)
        run = running()
        assert provider.submitted == [[1, 2, 3, 4]]
        assert provider.double.billed.requests == ROWS
        direct = running(batch=False, store=str(tmp_path / "direct.db"))
        assert told(run) == told(direct)

    @only_openai
    def test_killed_before_the_id_was_noted(
        self, provider: Provider, running: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Only the label is in the store: the provider is asked for the batch that bears it."""
        put = Batches.put

        def dies(self: Batches, batch: KeptBatch) -> None:
            if batch.batch:
                raise RuntimeError("killed")
            put(self, batch)

        with monkeypatch.context() as patch:
            patch.setattr(Batches, "put", dies)
            with pytest.raises(RuntimeError, match="killed"):
                running()
        assert running().summary.outcomes == {"scored": ROWS}
        assert provider.submitted == [[1, 2, 3, 4]]

    def test_killed_before_it_was_submitted(
        self, provider: Provider, running: Running, tmp_path: Path
    ) -> None:
        """A label that no batch bears: the requests are handed over."""
        provider.double.fault(provider.submit, status=400)
        with pytest.raises(ProviderError):
            running()
        assert open_batches(tmp_path / "runs.db") == 1
        assert running().summary.outcomes == {"scored": ROWS}
        assert provider.submitted == [[2, 3, 4]]
        assert open_batches(tmp_path / "runs.db") == 0

    def test_a_batch_is_done_only_once_its_replies_are_written(
        self, provider: Provider, running: Running, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """A crash between the two would lose what has been paid for."""
        kept: list[int] = []
        put = Batches.put

        def looks(self: Batches, batch: KeptBatch) -> None:
            if batch.state == "done":
                with closing(sqlite3.connect(tmp_path / "runs.db")) as db:
                    kept.append(db.execute("SELECT count(*) FROM replies").fetchone()[0])
            put(self, batch)

        monkeypatch.setattr(Batches, "put", looks)
        running()
        assert kept == [ROWS]

    def test_killed_between_writing_and_noting_that_it_is_done(
        self, provider: Provider, running: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The results are fetched again, but neither paid nor counted a second time."""
        put = Batches.put

        def dies(self: Batches, batch: KeptBatch) -> None:
            if batch.state == "done":
                raise RuntimeError("killed")
            put(self, batch)

        with monkeypatch.context() as patch:
            patch.setattr(Batches, "put", dies)
            with pytest.raises(RuntimeError, match="killed"):
                running()
        run = running()
        assert run.summary.outcomes == {"scored": ROWS}
        assert (run.record.tokens, provider.double.billed.requests) == (110 * ROWS, ROWS)

    def test_half_of_the_run_was_judged_before(self, provider: Provider, running: Running) -> None:
        """Interrupted without --batch, gone on with it: the same run, and only the rest asked."""

        def answer(body: Body) -> str | Refuses:
            return Refuses(400, "not now") if row_of(body) > 1 else by_row(body)

        provider.double.answers = answer
        first = running(batch=False)
        assert first.summary.outcomes == {"scored": 2, "provider_error": 3}
        provider.double.answers = by_row
        run = running()
        assert run.id == first.id
        assert provider.submitted == [[3, 4]]
        assert run.summary.outcomes == {"scored": ROWS}


def wait_for(process: subprocess.Popen[str], ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not ready():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


class TestTwoProcesses:
    @only_openai
    def test_one_hands_over_and_the_other_waits(
        self,
        provider: Provider,
        running: Running,
        adjudge: Command,
        politeness: str,
        data: Path,
    ) -> None:
        """The same command twice at once: one batch, counted once."""
        provider.double.polls = 1
        nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = adjudge.process(*arguments(provider, politeness, data), **nowhere)
        wait_for(process, lambda: provider.double.calls(provider.look) >= 1)
        looks = provider.double.calls(provider.look)
        run = running()
        assert process.wait(30) == 0
        assert looks == 1
        assert provider.submitted == [[1, 2, 3, 4]]
        assert provider.double.billed.requests == ROWS
        assert run.summary.outcomes == {"scored": ROWS}
        assert running().record.tokens == 110 * ROWS

    @only_openai
    def test_the_other_takes_over(
        self,
        provider: Provider,
        running: Running,
        adjudge: Command,
        politeness: str,
        data: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Its owner is killed while the other waits for it."""
        provider.double.polls = 10**6
        nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = adjudge.process(*arguments(provider, politeness, data), **nowhere)
        wait_for(process, lambda: provider.double.calls(provider.look) >= 1)
        open_of, looked = Batches.open_of, []

        def kills(self: Batches, run: str, model: str) -> list[KeptBatch]:
            looked.append(1)
            if len(looked) == 3:
                process.kill()
                process.wait(20)
                for batch in provider.double.batches.values():
                    batch.polls = 0
            return open_of(self, run, model)

        monkeypatch.setattr(Batches, "open_of", kills)
        run = running()
        assert provider.submitted == [[1, 2, 3, 4]]
        assert run.summary.outcomes == {"scored": ROWS}


def counted(store: Path) -> tuple[int, int]:
    """Tokens that are spent, and those that are reserved."""
    with closing(sqlite3.connect(store)) as db:
        query = "SELECT tokens, (SELECT coalesce(sum(tokens), 0) FROM reservations) FROM runs"
        spent, reserved = db.execute(query).fetchone()
    return spent, reserved


class TestBudget:
    def test_what_is_handed_over_fits(self, provider: Provider, running: Running) -> None:
        """By the double's own count never above; what is left over is used by the next batch."""
        provider.double.answers = lambda body: Says(by_row(body), "", 300, 40)
        run = running(budget="1300tok", max_tokens=40)
        billed = provider.double.billed
        spent = billed.input_tokens + billed.output_tokens
        assert spent <= 1300
        assert run.record.tokens == spent
        assert run.record.state == "stopped"
        assert set(run.summary.outcomes) == {"scored", "budget_stopped"}
        assert run.summary.outcomes["scored"] >= 2
        assert sum(map(len, provider.submitted)) == run.summary.outcomes["scored"] - 1
        again = running(budget="9000tok", max_tokens=40)
        assert again.summary.outcomes == {"scored": ROWS}
        assert billed.requests == ROWS

    @pytest.mark.parametrize("told", [True, False])
    def test_a_batch_that_waits_counts_until_it_is_settled(
        self,
        provider: Provider,
        running: Running,
        adjudge: Command,
        politeness: str,
        data: Path,
        told: bool,
    ) -> None:
        """Its session is over; another one fetches it, and puts what it cost in that place."""
        answers, provider.double.polls = provider.double.answers, 3
        tokens = (300, 40) if told else (0, 0)
        provider.double.answers = lambda body: Says(str(answers(body)), "", *tokens)
        budget = ["--budget", "9000tok", "--max-tokens", "40"]
        interrupted(provider, adjudge, politeness, data, *budget)
        before, reserved = counted(data.parent / "runs.db")
        assert 4 * 250 <= reserved <= 4 * 400  # four requests at the provider, and nothing else
        run = running(budget="9000tok", max_tokens=40)
        assert run.summary.outcomes == {"scored": ROWS}
        after, left = counted(data.parent / "runs.db")
        assert left == 0
        # Where it does not tell its counts, the most that it can have cost stands.
        assert after - before == (4 * 340 if told else reserved)
        assert all(verdict["usage"]["input_tokens"] > 50 for verdict in run.to_dicts())

    def test_a_text_without_end(
        self, provider: Provider, running: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It is no answer, it was worked on, and it is asked for again."""
        monkeypatch.setattr(client, "_LONGEST_TEXT", 1000)
        before = provider.double.answers
        asked: list[int] = []

        def answers(body: Body) -> str:
            asked.append(row_of(body))
            first = asked[-1] == 2 and asked.count(2) == 1
            return json.dumps({"explanation": "x" * 1000}) if first else str(before(body))

        provider.double.answers = answers
        run = running(budget="9000tok", max_tokens=40)
        assert run.summary.outcomes == {"scored": ROWS}
        assert provider.submitted == [[1, 2, 3, 4], [2]]
        assert run.record.tokens > 110 * (ROWS + 1)

    def test_usd_at_the_price_of_a_batch(self, provider: Provider, running: Running) -> None:
        """A budget that direct requests would break: half of it is enough in batches."""
        run = running(budget="0.0043usd", max_tokens=40)
        assert run.summary.outcomes == {"scored": ROWS}
        assert len(provider.submitted) == 1
