"""One call over a real wire: reading, repairing, asking for the language, retrying."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.servers import ChatServer, fails, resets, says

from adjudge.core.score import Outcome
from adjudge.errors import ProviderError
from adjudge.models import model_checks
from adjudge.models.model_checks import ModelCheck

from .conftest import Judging

ENGLISH = "The reply is polite and to the point, and it takes the customer seriously."
GERMAN = "Die Antwort ist höflich und sachlich, und sie nimmt die Kundin durchaus ernst."


def reply(value: Any = 4, explanation: str = ENGLISH, **more: Any) -> str:
    return json.dumps(
        {"explanation": explanation, "insult": False, "politeness": value} | more,
        ensure_ascii=False,
    )


def without(key: str, **more: Any) -> str:
    whole = json.loads(reply(**more))
    del whole[key]
    return json.dumps(whole)


class TestRepair:
    def test_none_is_needed(self, server: ChatServer, judging: Judging) -> None:
        server.script = [says(reply(4))]
        verdict = judging()
        assert verdict.scores["politeness"].value == 4
        assert (verdict.attempts, len(server.asked)) == (1, 1)

    @pytest.mark.parametrize(
        ("first", "told"),
        [
            ("It was fine, I suppose.", "there was no readable JSON object in it"),
            (without("politeness"), "no value was found for politeness"),
            (reply(9), "politeness must be a whole number from 1 to 5, but was 9"),
            (without("insult"), "true or false was not given for insult"),
        ],
    )
    def test_shows_what_was_wrong(
        self, server: ChatServer, judging: Judging, first: str, told: str
    ) -> None:
        server.script = [says(first), says(reply(3))]
        verdict = judging()
        assert verdict.scores["politeness"].value == 3
        assert verdict.attempts == 2
        *before, wrong, question = server.asked[1]["messages"]
        assert before == server.asked[0]["messages"]
        assert wrong == {"role": "assistant", "content": first}
        assert question["role"] == "user"
        assert told in question["content"]
        (call,) = verdict.calls
        assert call.replies == (first, reply(3))
        assert call.questions == (question["content"],)

    def test_is_asked_for_once(self, server: ChatServer, judging: Judging) -> None:
        server.answer = lambda _: says("I would rather talk of the weather.")
        verdict = judging()
        assert len(server.asked) == 2
        score = verdict.scores["politeness"]
        assert (score.outcome, score.value) == (Outcome.UNREADABLE, None)
        assert score.why

    def test_out_of_range_twice_is_no_number(self, server: ChatServer, judging: Judging) -> None:
        server.answer = lambda _: says(reply(9))
        score = judging().scores["politeness"]
        assert (score.outcome, score.value, score.raw) == (Outcome.OUT_OF_RANGE, None, 9)

    def test_a_worse_second_reply_does_not_count(
        self, server: ChatServer, judging: Judging
    ) -> None:
        both = {"relevance": 4, "accuracy": 11}
        server.script = [says(json.dumps(both)), says("no idea")]
        scores = judging("chatbot", CHAT, explain_in="any").scores
        assert scores["relevance"].value == 4
        assert scores["accuracy"].outcome is Outcome.OUT_OF_RANGE

    def test_a_failed_second_question_leaves_the_first_reply(
        self, server: ChatServer, judging: Judging
    ) -> None:
        server.script = [says(reply(9)), fails(400, "too many messages")]
        verdict = judging()
        assert verdict.scores["politeness"].outcome is Outcome.OUT_OF_RANGE
        assert verdict.attempts == 2
        assert verdict.calls[0].replies == (reply(9),)
        assert verdict.calls[0].questions == ()

    @pytest.mark.parametrize(
        ("text", "finish", "outcome"),
        [
            ('{"explanation": "The', "length", Outcome.TRUNCATED),
            ("", "content_filter", Outcome.REFUSED),
            ("I'm sorry, but I can't help with that.", "stop", Outcome.REFUSED),
        ],
    )
    def test_not_where_it_could_not_help(
        self, server: ChatServer, judging: Judging, text: str, finish: str, outcome: Outcome
    ) -> None:
        server.script = [says(text, finish=finish)]
        assert judging().outcome is outcome
        assert len(server.asked) == 1


CHAT = {"question": "Giá bao nhiêu?", "reference": "50.000 đồng.", "answer": "50.000 đồng."}


class TestLanguage:
    def test_is_asked_for_once_more_and_the_score_stays(
        self, server: ChatServer, judging: Judging
    ) -> None:
        server.script = [says(reply(4, GERMAN)), says(reply(1, ENGLISH))]
        verdict = judging()
        assert "must be written in English" in server.prompts[1]
        assert "German" in server.prompts[1]
        score = verdict.scores["politeness"]
        assert (score.value, score.explanation, score.explanation_outcome) == (4, ENGLISH, None)
        assert verdict.notes == ()

    @pytest.mark.parametrize("second", [reply(2, GERMAN), "Nein.", reply(2, "")])
    def test_is_marked_when_it_stays_wrong(
        self, server: ChatServer, judging: Judging, second: str
    ) -> None:
        server.script = [says(reply(4, GERMAN)), says(second)]
        verdict = judging()
        assert len(server.asked) == 2
        score = verdict.scores["politeness"]
        assert (score.outcome, score.value) == (Outcome.SCORED, 4)
        assert score.explanation == GERMAN
        assert score.explanation_outcome is Outcome.WRONG_LANGUAGE
        assert verdict.outcome is Outcome.SCORED
        assert any("should be in en but reads as de" in str(note) for note in verdict.notes)

    def test_a_failed_question_leaves_the_mark(self, server: ChatServer, judging: Judging) -> None:
        server.script = [says(reply(4, GERMAN)), fails(400)]
        score = judging().scores["politeness"]
        assert (score.value, score.explanation_outcome) == (4, Outcome.WRONG_LANGUAGE)

    def test_any_is_not_checked(self, server: ChatServer, judging: Judging) -> None:
        server.script = [says(reply(4, GERMAN))]
        assert judging(explain_in="any").scores["politeness"].explanation_outcome is None
        assert len(server.asked) == 1

    def test_another_language_on_request(self, server: ChatServer, judging: Judging) -> None:
        server.script = [says(reply(4, GERMAN))]
        assert judging(explain_in="de").scores["politeness"].explanation_outcome is None
        assert len(server.asked) == 1

    def test_three_questions_at_most(self, server: ChatServer, judging: Judging) -> None:
        server.script = [says("?"), says(reply(4, GERMAN)), says(reply(4, ENGLISH))]
        verdict = judging()
        assert verdict.attempts == 3
        assert len(verdict.calls[0].questions) == 2
        assert verdict.scores["politeness"].explanation == ENGLISH

    def test_questions_stand_with_their_replies(self, server: ChatServer, judging: Judging) -> None:
        server.script = [says(reply(9, GERMAN)), fails(400), says(reply(9, ENGLISH))]
        (call,) = judging().calls
        assert call.replies == (reply(9, GERMAN), reply(9, ENGLISH))
        assert len(call.questions) == 1
        assert "must be written in English" in call.questions[0]


class TestFailures:
    @pytest.mark.parametrize(
        "failure",
        [fails(429, Retry_After="0.01"), fails(500), fails(503, Retry_After="0"), resets()],
    )
    def test_pass(self, server: ChatServer, judging: Judging, failure: Any) -> None:
        server.script = [failure, failure, says(reply(4))]
        verdict = judging()
        assert verdict.scores["politeness"].value == 4
        assert verdict.attempts == 3

    def test_stay(self, server: ChatServer, judging: Judging) -> None:
        server.answer = lambda _: fails(500, "boom")
        verdict = judging()
        assert len(server.asked) == verdict.attempts == 6
        score = verdict.scores["politeness"]
        assert (score.outcome, score.value) == (Outcome.PROVIDER_ERROR, None)
        assert "boom" in str(score.why)
        assert verdict.calls[0].error == score.reason

    def test_too_long(self, server: ChatServer, judging: Judging) -> None:
        server.answer = lambda _: fails(400, "maximum context length is 8192 tokens")
        assert judging().outcome is Outcome.TOO_LONG
        assert len(server.asked) == 1

    def test_fatal_is_raised(self, server: ChatServer, judging: Judging) -> None:
        server.answer = lambda _: fails(401)
        with pytest.raises(ProviderError) as caught:
            judging()
        assert caught.value.fatal
        assert len(server.asked) == 1

    def test_samples_take_different_seeds(self, server: ChatServer, judging: Judging) -> None:
        server.script = [says(reply(4))]
        judging(seed=7)
        assert server.asked[0]["seed"] == 7


class TestBoundLanguage:
    """A server that was found to take patterns."""

    @pytest.fixture(autouse=True)
    def takes_patterns(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def recall(identity: str) -> ModelCheck:
            return ModelCheck(identity=identity, date="2026-01-01", patterns=True, ways={})

        monkeypatch.setattr(model_checks, "load_check", recall)

    def test_the_schema_leaves_no_other_language(
        self, server: ChatServer, judging: Judging
    ) -> None:
        server.script = [says(reply(4))]
        judging()
        form = server.asked[0]["response_format"]["json_schema"]["schema"]["properties"]
        assert re.search(form["explanation"]["pattern"], ENGLISH)
        assert not re.search(form["explanation"]["pattern"], GERMAN)

    def test_a_wrong_language_is_told_and_not_asked_for_again(
        self, server: ChatServer, judging: Judging
    ) -> None:
        server.answer = lambda _: says(reply(4, GERMAN))
        score = judging().scores["politeness"]
        assert len(server.asked) == 1
        assert (score.value, score.explanation_outcome) == (4, Outcome.WRONG_LANGUAGE)

    def test_a_language_without_a_pattern_is_asked_for_again(
        self, server: ChatServer, judging: Judging
    ) -> None:
        server.answer = lambda _: says(reply(4, GERMAN))
        judging(explain_in="sw")
        assert len(server.asked) == 2

    def test_a_server_that_lost_its_schema_is_asked_again(
        self, server: ChatServer, judging: Judging
    ) -> None:
        def answer(body: dict[str, Any]) -> Any:
            if "response_format" in body:
                return fails(400, "response_format is not supported here")
            return says(reply(4, GERMAN))

        server.answer = answer
        judging()
        answered = [body for body in server.asked if "response_format" not in body]
        assert len(answered) == 2
