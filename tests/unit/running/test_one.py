"""One item: several calls, pairs, rules, and what they come to."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from tests.servers import Body, ChatServer, Flying, fails, says

from adjudge.core.score import Outcome, Score
from adjudge.errors import ProviderError
from adjudge.judges import registry
from adjudge.running.one import gather, outcome_of

from .conftest import Judging

KOREAN = "응답이 원문의 내용을 정확하게 전달하고 있으며 빠진 정보가 거의 없습니다."
VIETNAMESE = "Câu trả lời rõ ràng, đầy đủ và phù hợp với câu hỏi của người dùng."
SOURCE = {"source": "The bridge is closed.", "response": "A bridge was closed."}
CHAT = {"question": "Giá bao nhiêu?", "reference": "50.000 đồng.", "answer": "Khoảng 50.000."}
PAIR = {"question": "Was 1900 a leap year?", "answer_a": "No.", "answer_b": "Yes."}
ASPECTS = list(registry.get("gptscore").rubric.criteria)


def aspect_of(body: Body) -> str:
    """The one criterion that a request of `gptscore` asks for."""
    wanted = body["response_format"]["json_schema"]["schema"]["properties"]
    (name,) = set(wanted) & set(ASPECTS)
    return name


class TestNineCalls:
    def test_one_each(self, server: ChatServer, judging: Judging) -> None:
        server.answer = lambda body: says(
            json.dumps(
                {"explanation": KOREAN, aspect_of(body): ASPECTS.index(aspect_of(body)) % 5 + 1}
            )
        )
        verdict = judging("gptscore", SOURCE)
        assert len(server.asked) == verdict.attempts == 9
        assert sorted(map(aspect_of, server.asked)) == sorted(ASPECTS)
        values = {name: score.value for name, score in verdict.scores.items()}
        assert values == {name: at % 5 + 1 for at, name in enumerate(ASPECTS)}
        assert [call.criterion for call in verdict.calls] == ASPECTS
        assert (verdict.usage.input_tokens, verdict.usage.output_tokens) == (900, 90)

    def test_not_more_at_once_than_allowed(self, server: ChatServer, judging: Judging) -> None:
        flying = Flying()
        server.answer = lambda body: flying.by(says(f'{{"{aspect_of(body)}": 3}}'))
        judging("gptscore", SOURCE, explain_in="any", concurrency=2)
        assert flying.most == 2

    def test_together_on_request(self, server: ChatServer, judging: Judging) -> None:
        whole = {name: {"explanation": KOREAN, "score": 3} for name in ASPECTS}
        server.script = [says(json.dumps(whole))]
        verdict = judging("gptscore", SOURCE, ask="together")
        assert len(server.asked) == 1
        assert {score.value for score in verdict.scores.values()} == {3}

    def test_a_failed_call_makes_the_verdict_unanswered(
        self, server: ChatServer, judging: Judging
    ) -> None:
        """Even when an earlier criterion failed otherwise: it must be asked for again."""

        def answer(body: Body) -> Any:
            name = aspect_of(body)
            if name == ASPECTS[0]:
                return says("cut", finish="length")
            return fails(400) if name == ASPECTS[5] else says(f'{{"{name}": 3}}')

        server.answer = answer
        verdict = judging("gptscore", SOURCE, explain_in="any")
        assert verdict.scores[ASPECTS[0]].outcome is Outcome.TRUNCATED
        assert verdict.scores[ASPECTS[5]].outcome is Outcome.PROVIDER_ERROR
        assert verdict.outcome is Outcome.PROVIDER_ERROR

    def test_a_fatal_call_stops_the_others(self, server: ChatServer, judging: Judging) -> None:
        server.script = [says('{"factuality": 3}'), fails(401)]
        server.answer = lambda _: fails(500)  # the others would try again and again
        with pytest.raises(ProviderError, match="401"):
            judging("gptscore", SOURCE, explain_in="any")
        assert len(server.asked) <= 2 + 7 + 7


def chat_reply(flags: dict[str, bool], value: float = 9.5) -> str:
    groups: dict[str, dict[str, Any]] = {
        name: {"explanation": VIETNAMESE, "score": value}
        for name in registry.get("chatbot").rubric.criteria
    }
    groups["accuracy"]["serious_error"] = flags.get("serious_error", False)
    for flag in ("missing_important", "generic"):
        groups["completeness"][flag] = flags.get(flag, False)
    return json.dumps(groups, ensure_ascii=False)


class TestRules:
    @pytest.mark.parametrize(
        ("flags", "accuracy", "completeness", "rules"),
        [
            ({}, 9.5, 9.5, (None, None)),
            ({"serious_error": True}, 5.0, 9.5, ("serious-error", None)),
            ({"missing_important": True}, 9.5, 6.0, (None, "missing-important")),
            ({"generic": True}, 9.5, 5.0, (None, "generic")),
            ({"missing_important": True, "generic": True}, 9.5, 5.0, (None, "generic")),
        ],
    )
    def test_caps_of_chatbot(
        self,
        server: ChatServer,
        judging: Judging,
        flags: dict[str, bool],
        accuracy: float,
        completeness: float,
        rules: tuple[str | None, str | None],
    ) -> None:
        server.script = [says(chat_reply(flags))]
        scores = judging("chatbot", CHAT).scores
        assert (scores["accuracy"].value, scores["accuracy"].rule) == (accuracy, rules[0])
        assert (scores["completeness"].value, scores["completeness"].rule) == (
            completeness,
            rules[1],
        )
        assert scores["accuracy"].raw == scores["completeness"].raw == 9.5
        assert scores["accuracy"].unit == accuracy / 10
        assert scores["relevance"].value == 9.5

    def test_a_low_score_stays(self, server: ChatServer, judging: Judging) -> None:
        server.script = [says(chat_reply({"serious_error": True}, value=3.0))]
        score = judging("chatbot", CHAT).scores["accuracy"]
        assert (score.value, score.rule) == (3.0, None)


def preference(winner: str, reasons: list[str] | None = None) -> str:
    return json.dumps({"reasons": reasons or ["It is correct and short."], "winner": winner})


def shows_first(body: Body, text: str) -> bool:
    prompt = next(each["content"] for each in body["messages"] if each["role"] == "user")
    at = [prompt.index(f"\n{answer}\n") for answer in ("No.", "Yes.")]
    return (at[0] < at[1]) == (text == "No.")


class TestPair:
    def test_both_orders_agree(self, server: ChatServer, judging: Judging) -> None:
        server.answer = lambda body: says(preference("a" if shows_first(body, "No.") else "b"))
        verdict = judging("preference", PAIR)
        assert sorted(shows_first(body, "No.") for body in server.asked) == [False, True]
        score = verdict.scores["winner"]
        assert (score.value, score.rule, verdict.outcome) == ("a", None, Outcome.SCORED)
        assert [call.order for call in verdict.calls] == ["ab", "ba"]

    def test_a_judge_that_prefers_a_place(self, server: ChatServer, judging: Judging) -> None:
        server.answer = lambda _: says(preference("a"))
        score = judging("preference", PAIR).scores["winner"]
        assert (score.value, score.rule, score.raw) == ("tie", "orders-disagree", "a|b")

    def test_a_tie_in_one_order(self, server: ChatServer, judging: Judging) -> None:
        server.script = [says(preference("b")), says(preference("tie"))]
        score = judging("preference", PAIR).scores["winner"]
        assert (score.value, score.rule, score.raw) == ("tie", "orders-disagree", "b|tie")

    @pytest.mark.parametrize("failing", [0, 1])
    def test_one_order_fails(self, server: ChatServer, judging: Judging, failing: int) -> None:
        server.script = [says(preference("a")), says(preference("b"))]
        server.script[failing] = fails(400, "no such luck")
        verdict = judging("preference", PAIR)
        score = verdict.scores["winner"]
        assert (score.outcome, score.value) == (Outcome.PROVIDER_ERROR, None)
        assert f"order {'ab' if failing == 0 else 'ba'}" in str(score.why)
        assert verdict.outcome is Outcome.PROVIDER_ERROR

    def test_the_language_of_what_is_shown_counts(
        self, server: ChatServer, judging: Judging
    ) -> None:
        german = ["Die erste Antwort ist richtig, und sie ist angenehm kurz gehalten."]

        def answer(body: Body) -> Any:
            shown = shows_first(body, "No.")
            return says(preference("a" if shown else "b", None if shown else german))

        server.answer = answer
        score = judging("preference", PAIR).scores["winner"]
        assert (score.value, score.explanation_outcome) == ("a", None)
        assert score.explanation == "It is correct and short."


def test_overall_is_the_first_failure_but_for_the_unanswered() -> None:
    def score(outcome: Outcome) -> Score:
        return Score(outcome=outcome, value=1 if outcome is Outcome.SCORED else None)

    def overall(*outcomes: Outcome) -> Outcome:
        return outcome_of({str(at): score(outcome) for at, outcome in enumerate(outcomes)})

    assert overall(Outcome.SCORED, Outcome.SCORED) is Outcome.SCORED
    assert overall(Outcome.SCORED, Outcome.REFUSED, Outcome.TRUNCATED) is Outcome.REFUSED
    assert overall(Outcome.REFUSED, Outcome.BUDGET_STOPPED) is Outcome.BUDGET_STOPPED


async def later(value: int) -> int:
    await asyncio.sleep(0.001 * (3 - value))
    return value


def test_results_in_their_order() -> None:
    async def run() -> list[int]:
        return await gather(later(value) for value in range(3))

    assert asyncio.run(run()) == [0, 1, 2]


def test_a_failure_stops_the_others() -> None:
    stopped: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.append("endless")

    async def failing() -> None:
        await asyncio.sleep(0)
        raise LookupError("first")

    async def run() -> None:
        with pytest.raises(LookupError, match="first"):
            await gather([endless(), failing()])
        assert stopped == ["endless"]

    asyncio.run(run())
