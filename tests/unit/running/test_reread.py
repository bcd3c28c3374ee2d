"""Reading stored replies again: nothing changes but by a changed reader, and nobody is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.servers import ChatServer, fails, says

import adjudge as package
from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome
from adjudge.core.verdict import Exchange, Verdict
from adjudge.errors import ProviderError
from adjudge.judges import registry
from adjudge.judges.render import Renderer
from adjudge.models.base import Capabilities
from adjudge.reading import Reading, read_reply
from adjudge.running import reread
from adjudge.running.asking.budget import Ledger
from adjudge.running.asking.client import ModelClient
from adjudge.running.asking.limits import Limits
from adjudge.running.asking.stop import Stop
from adjudge.running.call import Caller
from adjudge.running.one import judge_item
from adjudge.running.plan import overridden
from adjudge.stores.codec import decode_verdict, encode

JUDGES = ("helpfulness", "chatbot", "gptscore", "preference")
TEXTS = {
    "en": "The answer is correct, and it names everything that the person asked about.",
    "de": "Die Antwort ist richtig, und sie nennt alles, wonach die Person gefragt hat.",
    "ko": "응답이 원문의 내용을 정확하게 전달하고 있으며 빠진 정보가 거의 없습니다.",
    "vi": "Câu trả lời rõ ràng, đầy đủ và phù hợp với câu hỏi của người dùng.",
}
Said = Reply | ProviderError


def whole(judge: Judge, value: Any, text: str, criteria: tuple[str, ...], *, flags: bool) -> str:
    """A reply in JSON, each criterion with its explanation and flags."""
    reply: dict[str, Any] = {
        name: [text, text] if spec.list else text for name, spec in judge.feedback.items()
    }
    for name in criteria:
        reply[name] = {"explanation": text, "score": value}
        if flags:
            reply[name] |= {rule.flag: True for rule in judge.rubric.flags_of((name,))}
    return json.dumps(reply, ensure_ascii=False)


def values(judge: Judge) -> st.SearchStrategy[Any]:
    """On the scale, off it, and nothing of the kind."""
    on = ["a", "b", "tie"] if judge.pair else [1, 2, 3, 4]
    return st.sampled_from([*on, 99, "well", "1e999"])


@st.composite
def said(draw: st.DrawFn, judge: Judge) -> Said:
    """What a model may send back, or that it sends nothing."""
    criteria = tuple(judge.rubric.criteria)
    text = draw(st.sampled_from(list(TEXTS.values())))
    reply = whole(judge, draw(values(judge)), text, criteria, flags=draw(st.booleans()))
    if draw(st.booleans()) and draw(st.booleans()):
        reply = reply[: draw(st.integers(0, len(reply)))]
    kinds: list[Said] = [
        Reply(text=reply),
        Reply(text=reply),
        Reply(text="I'm sorry, but I can't help with that."),
        Reply(text=text),
        Reply(text="", finish="refused", refusal="against our policy"),
        Reply(text=reply[:-20], finish="length"),
        ProviderError("HTTP 400: no"),
        ProviderError("the prompt is too long", status=413),
    ]
    return draw(st.sampled_from(kinds))


class Scripted:
    """A model that says what it is told to, whatever it is asked."""

    name = identity = "scripted"
    capabilities = Capabilities()
    price = batches = None

    def __init__(self, sayings: Iterator[Said]) -> None:
        self._sayings = sayings

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        said = next(self._sayings)
        if isinstance(said, ProviderError):
            raise said
        return said

    async def aclose(self) -> None: ...


def item_for(judge: Judge) -> Item:
    return Item("1", dict.fromkeys(judge.inputs, "text"))


def judged(judge: Judge, sayings: Iterator[Said]) -> Verdict:
    """The verdict as it comes out of a store."""
    prompts = Renderer(judge, b"s").prompts(item_for(judge))

    async def main() -> Verdict:
        client = ModelClient(Scripted(sayings), Sampling(), Limits(8, Stop()), Ledger())
        return await judge_item(Caller(judge, client), prompts)

    return decode_verdict(encode(asyncio.run(main())))


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("ask", ["together", "each"])
@settings(max_examples=30)
@given(data=st.data())
def test_law_an_unchanged_reader_changes_nothing(name: str, ask: Any, data: st.DataObject) -> None:
    judge = overridden(registry.get(name), {"ask": ask})
    sayings = data.draw(st.lists(said(judge), min_size=1, max_size=6))
    verdict = judged(judge, cycle(sayings))
    again = decode_verdict(encode(reread.reread_verdict(judge, verdict, item_for(judge))))
    assert again == verdict


def earlier(verdict: Verdict) -> Verdict:
    """The same out of a store that was made before exchanges were kept with their kinds."""
    raw = orjson.loads(encode(verdict))
    for score, of in zip(raw["scores"].values(), verdict.scores.values(), strict=True):
        score["why"] = of.why
        del score["reason"]
    for call, of_call in zip(raw["calls"], verdict.calls, strict=True):
        del call["exchanges"], call["failure"]
        call |= {"replies": of_call.replies, "questions": of_call.questions}
        call |= {"finish": of_call.finish, "error": of_call.error and str(of_call.error)}
    return decode_verdict(orjson.dumps(raw))


def in_words(verdict: Verdict) -> list[Any]:
    scores = verdict.scores.items()
    return [
        verdict.outcome,
        [(name, each.outcome, each.value, each.why, each.explanation) for name, each in scores],
        [(call.counted, call.replies, call.questions) for call in verdict.calls],
    ]


@pytest.mark.parametrize("name", JUDGES)
@settings(max_examples=30)
@given(data=st.data())
def test_law_a_verdict_kept_without_kinds_reads_the_same(name: str, data: st.DataObject) -> None:
    judge = registry.get(name)
    sayings = data.draw(st.lists(said(judge), min_size=1, max_size=6))
    verdict = judged(judge, cycle(sayings))
    before = earlier(verdict)
    for old, new in zip(before.calls, verdict.calls, strict=True):
        assert [each.kind for each in old.exchanges] == [each.kind for each in new.exchanges]
        # An error that the other order of a pair hid was kept without its kind.
        assert old.failure in (new.failure, new.failure and Outcome.PROVIDER_ERROR)
        assert old.finish == new.finish
    assert in_words(before) == in_words(verdict)
    assert in_words(reread.reread_verdict(judge, before, item_for(judge))) == in_words(verdict)


def both(text: str, winner: str) -> Reply:
    return Reply(text=json.dumps({"reasons": [text], "winner": winner}))


class TestOneVerdict:
    """The cases that the law must meet, each once for certain."""

    def test_orders_that_disagree(self) -> None:
        judge = registry.get("preference")
        verdict = judged(judge, iter([both(TEXTS["en"], "a"), both(TEXTS["en"], "a")]))
        assert verdict.scores["winner"].rule == "orders-disagree"
        assert reread.reread_verdict(judge, verdict, item_for(judge)) == verdict

    def test_a_repaired_reply_and_then_its_language(self) -> None:
        judge = registry.get("preference")
        sayings = [Reply(text="?"), both(TEXTS["de"], "a"), both(TEXTS["en"], "b")]
        verdict = judged(judge, iter([*sayings, both(TEXTS["en"], "b")]))
        kinds = [each.kind for each in verdict.calls[0].exchanges]
        assert kinds == ["question", "repair", "language"]
        assert (verdict.scores["winner"].value, verdict.calls[0].counted) == ("a", 1)
        assert reread.reread_verdict(judge, verdict, item_for(judge)) == verdict

    def test_a_cut_off_reply_that_was_asked_for_its_language(self) -> None:
        judge = registry.get("helpfulness")
        cut = f"Evaluation: {TEXTS['de']}\n\nRating:"
        verdict = judged(judge, iter([Reply(text=cut, finish="length"), Reply(text="?")]))
        assert len(verdict.calls[0].replies) == 2
        assert verdict.outcome is Outcome.TRUNCATED
        assert reread.reread_verdict(judge, verdict, item_for(judge)) == verdict

    def test_the_reason_of_a_refusal_stays(self) -> None:
        judge = registry.get("preference")
        no = Reply(text="", finish="refused", refusal="against our policy")
        verdict = judged(judge, iter([both(TEXTS["en"], "a"), no]))
        assert str(verdict.scores["winner"].why) == "order ba: against our policy"
        assert reread.reread_verdict(judge, verdict, item_for(judge)) == verdict

    def test_a_question_in_the_words_of_another_version(self) -> None:
        judge = registry.get("preference")
        sayings = [both(TEXTS["de"], "a"), both(TEXTS["en"], "b"), both(TEXTS["en"], "b")]
        verdict = judged(judge, iter(sayings))
        asked, again = verdict.calls[0].exchanges
        again = replace(again, question="English, please!")
        first = replace(verdict.calls[0], exchanges=(asked, again))
        verdict = replace(verdict, calls=(first, verdict.calls[1]))
        assert reread.reread_verdict(judge, verdict, item_for(judge)) == verdict
        assert verdict.scores["winner"].value == "a"

    def test_what_another_order_hid_is_asked_for_again(self) -> None:
        """Once "ab" can be read, the error of "ba" shows: an outcome that a run goes on from."""
        judge = registry.get("preference")
        sayings = [Reply(text="?"), Reply(text="?"), ProviderError("HTTP 500")]
        verdict = judged(judge, iter(sayings))
        reply = Exchange(reply=both(TEXTS["en"], "a").text)
        readable = replace(verdict.calls[0], exchanges=(reply,))
        changed = replace(verdict, calls=(readable, *verdict.calls[1:]))
        again = reread.reread_verdict(judge, changed, item_for(judge))
        assert (verdict.outcome, again.outcome) == (Outcome.UNREADABLE, Outcome.PROVIDER_ERROR)


REPLY = (
    '{"explanation": "It is polite, and that is what was asked for.",'
    ' "insult": false, "politeness": 4}'
)


def kinder(judge: Judge, prompt: Prompt, reply: Reply) -> Reading:
    """A reader that takes "fine" for a 5."""
    if reply.text == "fine":
        reply = replace(reply, text=REPLY.replace("4", "5"))
    return read_reply(judge, prompt, reply)


@pytest.fixture
def kept(
    server: ChatServer, politeness: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> str:
    """A store with a run: scored, unreadable, no answer. No model can be opened any more."""
    data, store = tmp_path / "data.jsonl", str(tmp_path / "runs.db")
    data.write_text("".join(f'{{"id": "r{n}", "answer": "A{n}"}}\n' for n in range(3)))
    server.script = [says(REPLY), says("fine"), says("fine"), fails(400)]
    options = {"judge": politeness, "base_url": server.base_url, "concurrency": 1}
    package.run(data, model="openai/m", store=store, **options).close()
    Path(politeness).unlink()

    def refuse(*_: object) -> None:
        raise AssertionError("a model was opened")

    monkeypatch.setattr("adjudge.models.registry.open_model", refuse)
    monkeypatch.setattr("adjudge.running.plan.open_model", refuse)
    server.asked.clear()
    return store


def rows_in(store: str) -> list[dict[str, Any]]:
    opened = package.open_run(store=store)
    try:
        return opened.to_dicts()
    finally:
        opened.close()


class TestRun:
    def test_an_unchanged_reader(self, kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
        before = rows_in(kept)
        result = package.reread(store=kept)
        assert (result.verdicts, result.changed, result.values) == (3, 0, 0)
        assert (result.without_reply, result.outcomes, result.fingerprints) == (1, {}, {})
        assert rows_in(kept) == before

    def test_a_changed_reader(
        self, kept: str, server: ChatServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = rows_in(kept)
        monkeypatch.setattr(reread, "read_reply", kinder)
        monkeypatch.setattr("adjudge.core.judge.READER_VERSION", 10_000)
        opened = package.open_run(store=kept)
        foreseen = opened.reread(dry_run=True)
        assert rows_in(kept) == before
        assert opened.summary_after(foreseen).means() == {"politeness": 4.5}
        assert opened.mean("politeness") == 4.0
        opened.close()
        result = package.reread(store=kept)
        assert replace(foreseen, dry_run=False) == result
        assert (result.changed, result.values) == (1, 1)
        assert result.outcomes == {("unreadable", "scored"): 1}
        (change,) = result.examples
        assert (change.item, change.criterion) == ("r1", "politeness")
        assert (change.old.value, change.new.value) == (None, 5)
        old, new = result.fingerprints["politeness"]
        after = rows_in(kept)
        assert [row["fingerprint"] for row in before] == [old] * 3
        assert [row["fingerprint"] for row in after] == [new, new, old]  # r2 has no reply
        assert [row["outcome"] for row in after] == ["scored", "scored", "provider_error"]
        for field in ("usage", "attempts", "latency_ms", "reply"):
            assert [row[field] for row in after] == [row[field] for row in before]
        opened = package.open_run(store=kept)
        assert opened.mean("politeness") == 4.5
        opened.close()
        assert package.reread(store=kept).changed == 0
        assert server.asked == []

    def test_pages(self, kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(reread, "_PAGE", 1)
        monkeypatch.setattr(reread, "read_reply", kinder)
        assert package.reread(store=kept).changed == 1
        assert rows_in(kept)[1]["outcome"] == "scored"

    def test_the_prompts_are_still_those_that_were_sent(
        self, kept: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A verdict with today's fingerprint was asked for by the judge of then all the same."""
        monkeypatch.setattr("adjudge.core.judge.READER_VERSION", 10_000)
        package.reread(store=kept)
        run = package.open_run(store=kept)
        with pytest.raises(package.AdjudgeError, match="would word them differently"):
            run.prompts(next(run.entries()))
        run.close()
