"""What a run may cost, what it did cost, and what it would: --budget, --price, --dry-run, --batch.

The server counts what it answers, 100 tokens in and 10 out for each request. Whatever adjudge
guesses and reserves, that count is what a budget is held against.
"""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
from aiohttp import web
from tests.commands import Command
from tests.doubles import openai as double
from tests.doubles.openai import OpenAIDouble
from tests.servers import Answer, Body, ChatServer, fails, says

from adjudge.running import provider_batch
from adjudge.running.asking import retry

from .conftest import reply

ROWS = 12
EACH = 110  # tokens of one answered request
LIMIT = ["--max-tokens", "10"]


@pytest.fixture
def command(adjudge: Command, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(retry, "_FIRST_WAIT", 0.001)
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer {n}."} for n in range(ROWS)]
    adjudge.write("data.jsonl", rows)
    server.answer = lambda _: says(reply())
    return ["run", "data.jsonl", "--judge", "helpfulness", "-m", "openai/m",
            "--base-url", server.base_url]  # fmt: skip


def counting(server: ChatServer, tokens_in: int = 100, tokens_out: int = 10) -> list[int]:
    """Lets the server answer with these counts; returns what it has counted so far."""
    counted = [0]

    async def answer(request: web.Request) -> web.StreamResponse:
        counted[0] += tokens_in + tokens_out
        usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
        choice = {"message": {"role": "assistant", "content": reply()}, "finish_reason": "stop"}
        return web.json_response({"choices": [choice], "usage": usage})

    server.answer = lambda _: answer
    return counted


class TestBudget:
    @pytest.mark.parametrize(
        ("further", "change"),
        [
            (("--max-tokens", "4000", "--budget", "3000tok"), "or lower --max-tokens to "),
            (("--max-tokens", "4000", "--budget", "20tok"), "a lower --max-tokens is not enough"),
        ],
    )
    def test_too_small_for_a_single_call(
        self, adjudge: Command, server: ChatServer, command: list[str],
        further: tuple[str, ...], change: str,
    ) -> None:  # fmt: skip
        """Says that nothing was spent, and which flag to change; the advice works."""
        counted = counting(server)
        ended = adjudge(*command, *further)
        assert (ended.code, counted[0]) == (3, 0)
        assert "Nothing was spent: a single call may cost up to " in ended.err
        assert change in ended.err
        need = re.search(r"Raise --budget to ([\d,]+) tokens", ended.err)
        assert need
        enough = f"{int(need[1].replace(',', '')) * ROWS}tok"
        assert adjudge(*command, "--max-tokens", "4000", "--budget", enough).code == 0
        if lower := re.search(r"--max-tokens to (\d+)", ended.err):
            again = adjudge(*command, "--fresh", "--max-tokens", lower[1], "--budget", "3000tok")
            assert "Nothing was spent" not in again.err

    def test_a_hard_stop(self, adjudge: Command, server: ChatServer, command: list[str]) -> None:
        """Never above by the server's count; what is left is named, and exit 3 says so."""
        counted = counting(server, 900, 50)
        ended = adjudge(*command, "--max-tokens", "50", "--budget", "6000tok", "--json")
        assert ended.code == 3
        assert counted[0] <= 6000
        outcomes = ended.json["outcomes"]
        assert set(outcomes) == {"scored", "budget_stopped"}
        assert sum(outcomes.values()) == ROWS
        assert outcomes["scored"] * 950 == counted[0]
        assert outcomes["scored"] >= 3  # not used up for nothing
        assert ended.json["state"] == "stopped"
        left = outcomes["budget_stopped"]
        assert f"The budget is used up: {left} of {ROWS} verdicts were not asked for." in ended.err
        assert "higher --budget" in ended.err

    def test_the_reason_is_in_each_verdict(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        adjudge(*command, "--budget", "1tok", "-o", "out.jsonl")
        rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
        assert server.asked == []
        assert {row["outcome"] for row in rows} == {"budget_stopped"}
        score = rows[0]["scores"]["rating"]
        assert score["why"].endswith("more than the budget of 1 tokens has")
        assert score["value"] is None

    def test_a_higher_one_goes_on(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """The rest alone is asked, and the first part of the spending still counts."""
        counted = counting(server, 900, 50)
        limit = ["--max-tokens", "50", "--json"]
        first = adjudge(*command, *limit, "--budget", "6000tok")
        asked = len(server.asked)
        assert adjudge(*command, *limit, "--budget", "6000tok").code == 3
        assert len(server.asked) <= 6000 // 950  # the same again has what is left, not 6000 anew
        assert counted[0] <= 6000
        ended = adjudge(*command, *limit, "--budget", "50ktok")
        assert ended.code == 0
        assert ended.json["run"] == first.json["run"]
        assert ended.json["outcomes"] == {"scored": ROWS}
        assert len(server.asked) == ROWS > asked
        assert ended.json["state"] == "finished"

    def test_one_that_is_enough(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        ended = adjudge(*command, "--budget", "1Mtok", "--json")
        assert (ended.code, ended.json["state"]) == (0, "finished")

    @pytest.mark.parametrize("at_once", ["1", "16"])
    def test_in_usd(
        self, adjudge: Command, server: ChatServer, command: list[str], at_once: str
    ) -> None:
        """What is in flight counts: sixteen at once could spend the whole of it at one go."""
        counted = counting(server, 900, 50)
        price = ["--price", "in=10,out=100", "--max-tokens", "50"]
        ended = adjudge(*command, *price, "--budget", "0.09usd", "-j", at_once, "--json")
        assert ended.code == 3
        requests = counted[0] / 950
        assert requests * (900 * 10 + 50 * 100) / 1e6 <= 0.09
        assert requests >= 3
        assert ended.json["usage"]["cost_usd"] <= 0.09

    def test_a_model_that_makes_more_tokens_of_a_text(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """Four times what was guessed: known from the first answer on, which is waited for."""
        counted = counting(server, 4000, 10)
        ended = adjudge(*command, *LIMIT, "--budget", "20ktok", "-j", "16", "--json")
        assert ended.code == 3
        assert 12_000 <= counted[0] <= 20_000

    def test_a_server_that_does_not_count(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """Then the most that it can have been counts, or the budget would never end."""

        async def answer(request: web.Request) -> web.StreamResponse:
            choice = {"message": {"role": "assistant", "content": reply()}}
            return web.json_response({"choices": [choice]})

        server.answer = lambda _: answer
        ended = adjudge(*command, "--budget", "20ktok", "--json")
        assert ended.code == 3
        assert 1 <= len(server.asked) <= 20_000 // 4096

    def test_retries_count(self, adjudge: Command, server: ChatServer, command: list[str]) -> None:
        """A request that broke off after it was sent may be billed: it counts as well."""
        counted = [0]

        async def nonsense(request: web.Request) -> web.StreamResponse:
            counted[0] += EACH
            return web.Response(text="<html>bad gateway</html>")

        async def answer(request: web.Request) -> web.StreamResponse:
            counted[0] += EACH
            return await says(reply())(request)

        def choose(_: Body) -> Answer:
            return nonsense if len(server.asked) % 2 else answer

        server.answer = choose
        ended = adjudge(*command, *LIMIT, "--budget", "2500tok", "-j", "1", "--json")
        assert ended.code == 3
        assert counted[0] <= 2500

    def test_replies_that_came_too_late_count(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """The server has worked on them, and bills them, though nobody read them."""
        counted = [0]

        async def late(request: web.Request) -> web.StreamResponse:
            counted[0] += 900 + 400
            await asyncio.sleep(1)
            return web.Response()

        server.answer = lambda _: late
        limits = ["--max-tokens", "400", "--timeout", "0.05", "--budget", "10ktok"]
        assert adjudge(*command, *limits, "-n", "3").code == 3
        assert counted[0] <= 10_000

    def test_refusals_cost_nothing(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """Who is told to come back later pays nothing."""
        server.script = [fails(429, Retry_After="0") for _ in range(5)]
        ended = adjudge(*command, *LIMIT, "--budget", "5ktok", "--json", "-j", "2")
        assert ended.code == 0
        assert len(server.asked) == ROWS + 5

    def test_a_second_question_that_no_longer_fits(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """The first reply stands as it was read; the row is not lost."""
        server.answer = lambda _: says(reply(99))
        ended = adjudge(*command, *LIMIT, "-n", "1", "--budget", "1100tok", "--json")
        assert len(server.asked) == 1
        assert ended.code == 3
        assert ended.json["outcomes"] == {"out_of_range": 1}

    def test_kept_replies_are_free(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """What was paid for by another run fits any budget."""
        adjudge(*command, "--json")
        ended = adjudge(*command, "--json", "-n", "3", "--budget", "1tok")
        assert (ended.code, ended.json["outcomes"]) == (0, {"scored": 3})
        assert len(server.asked) == ROWS

    def test_usd_without_a_price(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """Refused before anything is sent: such a budget could never stop anything."""
        ended = adjudge(*command, "--budget", "5usd")
        assert ended.code == 2
        assert "--price in=…,out=…" in ended.err
        assert server.asked == []
        assert not Path(".adjudge").exists()

    @pytest.mark.parametrize("text", ["5", "5eur", "-1usd", "0tok", "lots"])
    def test_nonsense(
        self, adjudge: Command, server: ChatServer, command: list[str], text: str
    ) -> None:
        ended = adjudge(*command, "--budget", text)
        assert ended.code == 2
        assert "write it like 5usd or 2Mtok" in ended.err
        assert server.asked == []


class TestPrice:
    def test_in_verdicts_summary_and_progress(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        each = (100 * 2 + 10 * 5) / 1e6
        ended = adjudge(*command, "--price", "in=2,out=5", "-o", "out.jsonl")
        assert f"spent: 1,200 tokens in, 120 out, ${ROWS * each:.4f}" in ended.out
        last = ended.err.splitlines()[-1]
        assert f"${ROWS * each:.4f}, 1,320 tokens" in last
        rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
        usage = rows[0]["usage"]
        assert usage["cost_usd"] == pytest.approx(each)
        assert (usage["input_tokens"], usage["output_tokens"]) == (100, 10)
        shown = adjudge("show", "--json").json
        assert shown["usage"]["cost_usd"] == pytest.approx(ROWS * each)

    def test_cached_tokens_have_their_own(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        server.answer = lambda _: says(reply(), cached=80)
        ended = adjudge(*command, "--price", "in=2,out=5,cached=0.5", "-n", "1", "--json")
        usage = ended.json["usage"]
        assert usage["cached_tokens"] == 80
        assert usage["cost_usd"] == pytest.approx((20 * 2 + 80 * 0.5 + 10 * 5) / 1e6)

    def test_failed_attempts_are_in_the_run_though_in_no_verdict(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        """`usage` is of the answers; what a broken one may have cost is kept with the run."""

        async def nonsense(request: web.Request) -> web.StreamResponse:
            return web.Response(text="<html>")

        server.script = [nonsense]
        ended = adjudge(*command, "-n", "1", "--price", "in=2,out=5", "--json")
        assert ended.json["attempts"] == 2
        from adjudge.run_handle import open_run

        run = open_run()
        assert run.record.tokens > EACH
        assert run.record.usd > run.summary.usage.cost_usd
        run.close()

    @pytest.mark.parametrize("text", ["2", "in=2", "in=2,out=x", "in=2,out=5,foo=1", "in=-1,out=2"])
    def test_nonsense(
        self, adjudge: Command, server: ChatServer, command: list[str], text: str
    ) -> None:
        ended = adjudge(*command, "--price", text)
        assert ended.code == 2
        assert "--price" in ended.err
        assert server.asked == []


class TestDryRun:
    def test_nothing_is_sent_and_no_store_is_made(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        before = sorted(adjudge.folder.iterdir())
        ended = adjudge(*command, "--dry-run", "--price", "in=1,out=2")
        assert ended.code == 0
        assert server.asked == []
        assert sorted(adjudge.folder.iterdir()) == before
        assert f"would make {ROWS} verdicts on {ROWS} rows; nothing was sent" in ended.out
        for column in ("calls", "tokens in", "tokens out", "cost", "time"):
            assert column in ended.out
        assert re.search(r"helpfulness +openai/m +12 ", ended.out)
        assert "$0.0" in ended.out

    def test_json(self, adjudge: Command, server: ChatServer, command: list[str]) -> None:
        shown = adjudge(*command, "--dry-run", "--json").json
        assert (shown["rows"], shown["calls"], shown["cost_usd"]) == (ROWS, ROWS, None)
        assert shown["input_tokens"] > 0
        assert shown["seconds"] > 0
        assert adjudge(*command, "--json").json["run"] == shown["run"]

    def test_of_a_run_that_goes_on(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        adjudge(*command, "-n", "4")
        adjudge(*command)
        shown = adjudge(*command, "--dry-run", "--json").json
        assert (shown["already"], shown["calls"], shown["seconds"]) == (ROWS, 0, 0.0)
        asked = len(server.asked)
        other = adjudge(*command, "--dry-run", "--json", "--temperature", "1").json
        assert (other["already"], other["calls"]) == (0, ROWS)
        assert len(server.asked) == asked == ROWS
        assert len(adjudge("runs", "--json").json) == 2  # looking ahead leaves no run behind

    def test_what_is_wrong_is_said(
        self, adjudge: Command, server: ChatServer, command: list[str]
    ) -> None:
        with Path("data.jsonl").open("a") as file:
            file.write("{broken\n")
        ended = adjudge(*command, "--dry-run")
        assert ended.code == 2
        assert f"line {ROWS + 1}" in ended.err


class TestBatch:
    @pytest.fixture
    def provider(self, monkeypatch: pytest.MonkeyPatch, adjudge: Command) -> OpenAIDouble:
        monkeypatch.setattr(provider_batch, "_FIRST_LOOK", 0.01)
        monkeypatch.setenv("OPENAI_API_KEY", double.KEY)
        return OpenAIDouble(lambda _: reply())

    def test_half_the_price_of_all_but_the_first(
        self, adjudge: Command, command: list[str], provider: OpenAIDouble
    ) -> None:
        with provider:
            batch = [*command, "--base-url", provider.url, "--batch", "--price", "in=1,out=10"]
            ended = adjudge(*batch, "-o", "out.jsonl")
        assert ended.code == 0
        assert "batch batch_1: 11 requests sent to openai/m" in ended.err
        each = (100 + 100) / 1e6
        assert f", ${each + 11 * each / 2:.4f}\n" in ended.out
        assert provider.billed.batched == 11
        assert len(Path("out.jsonl").read_text().splitlines()) == ROWS

    def test_quiet(self, adjudge: Command, command: list[str], provider: OpenAIDouble) -> None:
        with provider:
            ended = adjudge(*command, "--base-url", provider.url, "--batch", "--quiet")
        assert (ended.code, ended.out, ended.err) == (0, "", "")

    def test_dry_run(self, adjudge: Command, command: list[str], provider: OpenAIDouble) -> None:
        price = ["--price", "in=1,out=10", "--dry-run", "--json"]
        with provider:
            batch = [*command, *price, "--base-url", provider.url]
            whole, half = adjudge(*batch).json, adjudge(*batch, "--batch").json
        assert provider.requests == []
        assert half["cost_usd"] == pytest.approx(whole["cost_usd"] / 2)

    def test_a_model_without_batches(self, adjudge: Command, answers: list[str]) -> None:
        ended = adjudge("run", *answers, "--batch")
        assert ended.code == 2
        assert "takes no batches; leave --batch out" in ended.err
