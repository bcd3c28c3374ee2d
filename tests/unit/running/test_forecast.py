"""What a look ahead says, and that it does nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from tests.servers import ChatServer, after, says

import adjudge as package
from adjudge.models import openai
from adjudge.models.chat_completions import model
from adjudge.models.prices import Price
from adjudge.running import feed
from adjudge.running.forecast import Forecast, ForecastPart

ROWS = 6
REPLY = json.dumps(
    {
        "explanation": "It is polite, and that is what was asked for.",
        "insult": False,
        "politeness": 4,
    }
)
Foreseeing = Callable[..., Forecast]
Running = Callable[..., package.Run]


@pytest.fixture
def options(server: ChatServer, politeness: str, tmp_path: Path) -> dict[str, Any]:
    rows = [{"id": f"row{n}", "answer": f"answer number {n}."} for n in range(ROWS)]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    server.answer = lambda _: says(REPLY)
    return {
        "judge": politeness,
        "model": "openai/m",
        "base_url": server.base_url,
        "store": str(tmp_path / "runs.db"),
    }


@pytest.fixture
def foreseeing(options: dict[str, Any], tmp_path: Path) -> Foreseeing:
    from adjudge import api

    return lambda **more: api.forecast(tmp_path / "data.jsonl", **(options | more))


@pytest.fixture
def running(options: dict[str, Any], tmp_path: Path, request: pytest.FixtureRequest) -> Running:
    def running(**more: Any) -> package.Run:
        run = package.run(tmp_path / "data.jsonl", **(options | more))
        request.addfinalizer(run.close)
        return run

    return running


def only(forecast: Forecast) -> ForecastPart:
    (part,) = forecast.parts
    return part


def test_nothing_is_sent_and_nothing_written(
    server: ChatServer, foreseeing: Foreseeing, tmp_path: Path
) -> None:
    before = sorted(tmp_path.iterdir())
    forecast = foreseeing()
    assert server.asked == []
    assert sorted(tmp_path.iterdir()) == before
    assert (forecast.rows, forecast.verdicts, forecast.already) == (ROWS, ROWS, 0)
    part = only(forecast)
    assert (part.judge, part.model, part.calls, part.kept) == ("politeness", "openai/m", ROWS, 0)
    assert part.input_tokens > 50 * ROWS
    assert part.output_tokens > 0
    assert part.seconds > 0
    assert not part.measured


def test_it_names_the_run_that_would_be(foreseeing: Foreseeing, running: Running) -> None:
    assert foreseeing().run == running().id


def test_as_many_calls_as_the_run_then_makes(
    server: ChatServer, foreseeing: Foreseeing, running: Running, options: dict[str, Any]
) -> None:
    """Two judges, samples, and a row that comes twice."""
    other = Path(options["judge"]).with_name("other.yaml")
    other.write_text(Path(options["judge"]).read_text().replace("respect?", "warmth?"))
    other.write_text(other.read_text().replace("judge: politeness", "judge: warmth"))
    with (other.parent / "data.jsonl").open("a") as file:
        file.write('{"id": "again", "answer": "answer number 1."}\n')
    many = {"judge": [options["judge"], str(other)], "repeat": 2}
    forecast = foreseeing(**many)
    assert [part.judge for part in forecast.parts] == ["politeness", "warmth"]
    assert forecast.verdicts == 4 * (ROWS + 1)
    running(**many)
    assert sum(part.calls for part in forecast.parts) == len(server.asked) == 4 * ROWS


class TestSamples:
    """Where none of the probabilities comes, each question is asked eleven times."""

    EXPECTED: ClassVar[dict[str, Any]] = {"method": "expected", "limit": 3}

    @pytest.fixture(autouse=True)
    def _without_probabilities(self, server: ChatServer) -> None:
        server.answer = lambda _: says(REPLY)

    def test_as_many_calls_as_the_run_then_makes(
        self, server: ChatServer, foreseeing: Foreseeing, running: Running
    ) -> None:
        forecast = foreseeing(logprobs="off", price="in=1,out=10", **self.EXPECTED)
        part = only(forecast)
        assert (part.calls, part.samples) == (33, 30)
        assert not forecast.cautions
        once = only(foreseeing(price="in=1,out=10", **self.EXPECTED))
        assert part.cost_usd == pytest.approx(11 * (once.cost_usd or 0.0))
        running(logprobs="off", **self.EXPECTED)
        assert len(server.asked) == 33

    def test_those_that_are_kept_need_no_call(
        self, foreseeing: Foreseeing, running: Running
    ) -> None:
        running(logprobs="off", method="expected", limit=1)
        part = only(foreseeing(logprobs="off", **self.EXPECTED))
        assert (part.calls, part.kept) == (22, 11)

    def test_the_pace_is_that_of_a_call(self, foreseeing: Foreseeing, running: Running) -> None:
        """The server counts ten tokens a reply, and a verdict those of eleven."""
        running(logprobs="off", **self.EXPECTED)
        part = only(foreseeing(logprobs="off", fresh=True, **self.EXPECTED))
        assert part.measured
        assert part.output_tokens == 10 * 33

    def test_a_model_that_may_tell_them_is_asked_once(self, foreseeing: Foreseeing) -> None:
        forecast = foreseeing(logprobs="prefer", **self.EXPECTED)
        assert (only(forecast).calls, only(forecast).samples) == (3, 0)
        (said,) = forecast.cautions
        assert said.startswith("not counted: the 10 extra calls of --logprobs prefer")

    def test_a_model_that_tells_none_is_not(
        self, foreseeing: Foreseeing, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "any")
        forecast = foreseeing(logprobs="prefer", model="anthropic/claude-x", **self.EXPECTED)
        assert only(forecast).calls == 33
        (said,) = [each for each in forecast.cautions if "probabilities" in each]
        assert said == (
            "anthropic/claude-x gives no token probabilities: all scores will come from 10 samples,"
            " with 11 calls instead of one"
        )

    def test_a_batch_has_the_first_of_them(self, foreseeing: Foreseeing) -> None:
        many = {"logprobs": "off", "price": "in=1,out=10", **self.EXPECTED}
        whole, part = (only(foreseeing(batch=batch, **many)) for batch in (False, True))
        assert part.cost_usd == pytest.approx((whole.cost_usd or 0.0) * (30 + 3 / 2) / 33)
        assert part.seconds == pytest.approx(86_400 + whole.seconds * 30 / 33)


class TestWhatIsThere:
    def test_kept_replies_need_no_call(self, foreseeing: Foreseeing, running: Running) -> None:
        """Of another run; this one has no verdict yet."""
        running(limit=2)
        forecast = foreseeing()
        part = only(forecast)
        assert (part.calls, part.kept, forecast.already) == (ROWS - 2, 2, 0)

    def test_unless_they_are_not_to_be_used(self, foreseeing: Foreseeing, running: Running) -> None:
        running(limit=2)
        assert only(foreseeing(no_cache=True)).calls == ROWS
        assert only(foreseeing(fresh=True)).calls == ROWS

    def test_verdicts_of_the_run_itself(
        self, server: ChatServer, foreseeing: Foreseeing, running: Running
    ) -> None:
        running()
        asked = len(server.asked)
        forecast = foreseeing()
        part = only(forecast)
        assert (forecast.already, part.calls, part.kept, part.cost_usd) == (ROWS, 0, 0, None)
        assert (part.input_tokens, part.output_tokens, part.seconds) == (0, 0, 0.0)
        assert len(server.asked) == asked

    def test_row_by_row_in_chunks(
        self, foreseeing: Foreseeing, running: Running, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(feed, "_CHUNK", 2)
        running(limit=3)
        assert (only(foreseeing()).calls, only(foreseeing()).kept) == (ROWS - 3, 3)


class TestPace:
    def test_measured_by_earlier_verdicts(
        self, server: ChatServer, foreseeing: Foreseeing, running: Running
    ) -> None:
        """The server counts ten tokens a reply; that it takes its time shows in the seconds."""
        server.answer = lambda _: after(0.05, says(REPLY))
        running(limit=3)
        part = only(foreseeing(no_cache=True, concurrency=1))
        assert part.measured
        assert part.output_tokens == 10 * ROWS
        assert ROWS * 0.05 <= part.seconds < ROWS * 2

    def test_those_that_were_not_paid_for_tell_nothing(
        self, foreseeing: Foreseeing, running: Running
    ) -> None:
        """All from the cache: no tokens and no time, which is not what a call takes."""
        running(limit=3)
        running(limit=2)
        part = only(foreseeing(no_cache=True))
        assert part.output_tokens == 10 * ROWS

    def test_more_at_once_is_quicker(self, foreseeing: Foreseeing) -> None:
        one, six = (only(foreseeing(concurrency=n)).seconds for n in (1, 6))
        assert one == pytest.approx(6 * six)

    def test_limits_a_minute(self, foreseeing: Foreseeing) -> None:
        assert only(foreseeing(rpm=1)).seconds == pytest.approx(60 * ROWS)
        part = only(foreseeing(tpm=100))
        tokens = part.input_tokens + part.output_tokens
        assert part.seconds == pytest.approx(tokens / 100 * 60)

    def test_a_batch_takes_its_day(self, foreseeing: Foreseeing) -> None:
        assert only(foreseeing(batch=True)).seconds == 86_400


class TestCost:
    def test_by_the_price(self, foreseeing: Foreseeing) -> None:
        part = only(foreseeing(price="in=1,out=10"))
        assert part.cost_usd == pytest.approx((part.input_tokens + 10 * part.output_tokens) / 1e6)

    def test_half_in_a_batch(self, foreseeing: Foreseeing) -> None:
        whole, half = (only(foreseeing(price="in=1,out=10", batch=b)).cost_usd for b in (0, 1))
        assert whole
        assert half == pytest.approx(whole / 2)

    def test_not_known(self, foreseeing: Foreseeing) -> None:
        assert only(foreseeing()).cost_usd is None

    def test_a_price_for_short_prompts(
        self, foreseeing: Foreseeing, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        """It holds for each prompt, however many there are; one that is longer is not priced."""
        monkeypatch.setattr(model, "published_price", lambda *_: Price(1.0, 10.0, up_to=500))
        monkeypatch.setenv("OPENAI_API_KEY", "sk-any")
        at_home = replace(openai.DIALECT, default_base="http://127.0.0.1:1/v1")
        monkeypatch.setattr(openai, "DIALECT", at_home)
        hosted = {"base_url": "http://127.0.0.1:1/v1"}
        part = only(foreseeing(**hosted))
        assert part.input_tokens > 500
        assert part.cost_usd == pytest.approx((part.input_tokens + 10 * part.output_tokens) / 1e6)
        with (tmp_path / "data.jsonl").open("a") as file:
            file.write(json.dumps({"id": "long", "answer": "word " * 2000}) + "\n")
        assert only(foreseeing(**hosted)).cost_usd is None


def test_what_cannot_run_cannot_be_foreseen(foreseeing: Foreseeing) -> None:
    """A wrong flag is found before the run, not by it."""
    with pytest.raises(package.AdjudgeError, match="no judge 'nobody'"):
        foreseeing(judge="nobody")
    with pytest.raises(package.AdjudgeError, match="the price of openai/m is not known"):
        foreseeing(budget="5usd")
