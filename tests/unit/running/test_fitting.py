"""What is too long for a model becomes an outcome, or is cut until it fits; never sent in vain."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.servers import Answer, ChatServer, fails, says

import adjudge as package
from adjudge.core.item import Item
from adjudge.core.score import Outcome
from adjudge.judges.registry import get
from adjudge.judges.render import Renderer
from adjudge.models import model_checks
from adjudge.models.base import Capabilities, ModelOptions
from adjudge.models.model_checks import ModelCheck
from adjudge.models.openai import open_model
from adjudge.running.asking.tokens import rough_tokens
from adjudge.running.fitting import Fitter

from .conftest import Judging

GOOD = json.dumps({"explanation": "It is polite.", "insult": False, "politeness": 4})
LONG = "It is so. " * 3000  # some 8,600 tokens
TOO_LONG = "This model's maximum context length is 4096 tokens, you asked for more."


def knows_context(server: ChatServer, tokens: int) -> None:
    """As after `adjudge models check`."""
    model = open_model("m", ModelOptions(base_url=server.base_url))
    model_checks.save_check(
        ModelCheck(
            identity=model.identity, date="2026-11-16", context=tokens, ways=dict(model.ways)
        )
    )


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))


class TestWithoutShortening:
    def test_what_cannot_fit_is_never_sent(self, server: ChatServer, judging: Judging) -> None:
        knows_context(server, 4096)
        verdict = judging(item={"answer": LONG})
        assert verdict.outcome is Outcome.TOO_LONG
        assert verdict.attempts == 0
        assert server.asked == []
        why = verdict.scores["politeness"].why
        assert why
        assert "openai/m takes 4,096" in why
        assert "--shorten head-tail" in why

    def test_what_may_fit_is_for_the_model_to_say(
        self, server: ChatServer, judging: Judging
    ) -> None:
        """A guess is no reason to refuse a text: tokenisers differ by half."""
        knows_context(server, 8192)
        server.answer = lambda _: says(GOOD)
        assert judging(item={"answer": LONG}).scores["politeness"].value == 4

    def test_the_servers_word_becomes_the_outcome(
        self, server: ChatServer, judging: Judging
    ) -> None:
        server.answer = lambda _: fails(400, TOO_LONG)
        verdict = judging(item={"answer": LONG})
        assert verdict.outcome is Outcome.TOO_LONG
        assert not verdict.cuts

    def test_the_reply_gets_no_more_room_than_there_is(
        self, server: ChatServer, judging: Judging
    ) -> None:
        """Some servers refuse a request whose prompt and reply could be too long together."""
        knows_context(server, 4096)
        server.answer = lambda _: says(GOOD)
        judging(item={"answer": "Certainly."}, max_tokens=4096)
        (body,) = server.asked
        room = next(body[name] for name in ("max_completion_tokens", "max_tokens") if name in body)
        assert 3000 < room < 4096 - 200


class TestShortening:
    def test_the_prompt_fits_and_the_cut_is_in_the_verdict(
        self, server: ChatServer, judging: Judging
    ) -> None:
        knows_context(server, 4096)
        server.answer = lambda _: says(GOOD)
        verdict = judging(item={"answer": LONG}, shorten="head-tail")
        assert verdict.scores["politeness"].value == 4
        (prompt,) = server.prompts
        assert "characters left out" in prompt
        assert len(prompt) / 3.5 < 4096
        cut = verdict.cuts["answer"]
        assert cut.head + cut.left_out + cut.tail == len(LONG)
        assert cut.left_out > len(LONG) / 2

    def test_what_fits_is_left_alone(self, server: ChatServer, judging: Judging) -> None:
        knows_context(server, 4096)
        server.answer = lambda _: says(GOOD)
        verdict = judging(item={"answer": "Certainly, madam."}, shorten="head-tail")
        assert not verdict.cuts
        assert "left out" not in server.prompts[0]

    def test_a_model_of_unknown_size_says_when_it_is_enough(
        self, server: ChatServer, judging: Judging
    ) -> None:
        def takes_little(body: Mapping[str, Any]) -> Answer:
            long = len(body["messages"][-1]["content"]) > 9000
            return fails(400, TOO_LONG) if long else says(GOOD)

        server.answer = takes_little
        verdict = judging(item={"answer": LONG}, shorten="head-tail")
        assert verdict.scores["politeness"].value == 4
        sizes = [len(prompt) for prompt in server.prompts]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[-1] <= 9000
        assert verdict.attempts == len(sizes)

    def test_it_ends_where_nothing_helps(self, server: ChatServer, judging: Judging) -> None:
        server.answer = lambda _: fails(400, TOO_LONG)
        verdict = judging(item={"answer": LONG}, shorten="head-tail")
        assert verdict.outcome is Outcome.TOO_LONG
        assert 2 <= len(server.asked) <= 6


class TestInARun:
    @pytest.fixture
    def options(self, server: ChatServer, politeness: str, tmp_path: Path) -> dict[str, Any]:
        rows = [{"id": "short", "answer": "Yes."}, {"id": "long", "answer": LONG}]
        (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        server.answer = lambda _: says(GOOD)
        knows_context(server, 4096)
        return {
            "judge": politeness,
            "model": "openai/m",
            "base_url": server.base_url,
            "store": str(tmp_path / "runs.db"),
        }

    def test_the_cut_is_kept_and_the_prompt_can_be_shown(
        self, server: ChatServer, options: dict[str, Any], tmp_path: Path
    ) -> None:
        run = package.run(tmp_path / "data.jsonl", shorten="head-tail", **options)
        entries = {entry.item.id: entry for entry in run.entries()}
        assert not entries["short"].verdict.cuts
        assert entries["long"].verdict.cuts["answer"].left_out > 0
        assert run.prompts(entries["long"])[0].messages[-1].content in server.prompts
        assert entries["long"].item.fields["answer"] == LONG
        rows = {row["item"]: row for row in run.to_dicts()}
        assert rows["short"]["cuts"] == {}
        assert rows["long"]["cuts"]["answer"]["left_out"] > 0  # type: ignore[index]
        run.close()

    def test_with_and_without_are_two_runs(self, options: dict[str, Any], tmp_path: Path) -> None:
        one = package.run(tmp_path / "data.jsonl", **options)
        other = package.run(tmp_path / "data.jsonl", shorten="head-tail", **options)
        assert one.id != other.id
        assert one.summary.outcomes == {"scored": 1, "too_long": 1}
        assert other.summary.outcomes == {"scored": 2}
        one.close()
        other.close()

    def test_the_look_ahead_tells(self, options: dict[str, Any], tmp_path: Path) -> None:
        from adjudge import api
        from adjudge.reports.findings.run import forecast_text

        plain = api.forecast(tmp_path / "data.jsonl", **options)
        cut = api.forecast(tmp_path / "data.jsonl", shorten="head-tail", **options)
        assert (plain.parts[0].too_long, plain.parts[0].shortened) == (1, 0)
        assert (cut.parts[0].too_long, cut.parts[0].shortened) == (0, 1)
        assert "calls that are too long for the model: 1" in forecast_text(plain)
        assert "rows with texts cut to fit: 1" in forecast_text(cut)


class TestEvenly:
    def test_the_longest_give_and_the_short_stay_whole(self) -> None:
        judge = get("preference")
        item = Item(
            "1", {"question": "Which?", "answer_a": "one two " * 4000, "answer_b": "six " * 8000}
        )
        fitted = Fitter(Renderer(judge, b"x"), Capabilities(context=8000), 1000).fit(item)
        assert set(fitted.cuts) == {"answer_a", "answer_b"}
        left = [cut.head + cut.tail for cut in fitted.cuts.values()]
        assert max(left) - min(left) < 150
        longest = max(rough_tokens(prompt.messages) for prompt in fitted.prompts)
        assert 6500 < longest <= 7000

    def test_the_same_every_time(self) -> None:
        judge = get("helpfulness")
        item = Item("1", {"question": "Why?", "answer": LONG})
        made = [
            Fitter(Renderer(judge, b"x"), Capabilities(context=4000), 1000).fit(item)
            for _ in range(2)
        ]
        assert made[0] == made[1]
