"""An item's page."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.service import Running
from tests.unit.service.security.client import Answer, Client

from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Call, Cut, CutPart, Exchange, Verdict
from adjudge.judges import registry
from adjudge.service.pages.item_view import (
    LONGEST_TEXT,
    JudgedItem,
    PageTexts,
    Piece,
    pieces,
    verdict_view,
)

from .seen import Seen
from .shop import HOSTILE, LONG, ODD_ID, Shop


def _get(visit: Client, run: str, item: str, **params: str) -> Answer:
    return visit.get(f"/runs/{run}/item?{urlencode({'id': item} | params)}")


def test_every_input_score_and_explanation(shop: Shop, visit: Client) -> None:
    seen = Seen(_get(visit, shop.both, ODD_ID).text)
    for words in (
        "Question 1?",
        "Answer 1.",
        "channel",
        "How good",
        "Because of 1, says a.",
        "Because of 1, says b.",
        "advice",
        *shop.models,
    ):
        assert words in seen.text
    assert ODD_ID in seen.text


def test_the_rule_that_capped_a_score(shop: Shop, visit: Client) -> None:
    text = " ".join(Seen(_get(visit, shop.half, "item-3").text).text.split())
    assert "4 on 0–10 by rule rude-caps" in text
    assert "Before the rule9" in text
    assert "The answer insults the customer. (caps How good at 4.0)" in text
    assert "rude: yes" in text


def test_the_place_where_a_score_was_read(shop: Shop, visit: Client) -> None:
    html = _get(visit, shop.half, "item-3").text
    assert '<mark title="How good">9.0</mark>' in html
    assert '<mark title="Politeness">false</mark>' in html
    assert '<mark title="Kind of answer">&#34;advice&#34;</mark>' in html


def test_the_prompt_that_was_sent(shop: Shop, visit: Client) -> None:
    text = Seen(_get(visit, shop.half, "item-3").text).text
    assert "How good is the answer?" in text.partition("The prompt that was sent")[2]


def test_a_reply_that_could_not_be_read(shop: Shop, visit: Client) -> None:
    text = Seen(_get(visit, shop.half, "item-5").text).text
    assert "no value for quality in the reply" in text
    assert "I will not say." in text


def test_a_model_that_was_asked_again(shop: Shop, visit: Client, open_shop: Running) -> None:
    store = open_shop.service.store
    entry = next(store.verdicts.entries(shop.half, "item-0"))
    call = replace(
        entry.verdict.calls[0],
        exchanges=(
            Exchange(reply="What?"),
            replace(
                entry.verdict.calls[0].exchanges[0],
                kind="repair",
                question="Say it <i>again</i>.",
                finish="length",
            ),
        ),
        counted=1,
    )
    record = replace(store.runs.find(shop.half), id="askedagain00")
    store.runs.start(record)
    store.verdicts.put(record.id, [entry._replace(verdict=replace(entry.verdict, calls=(call,)))])
    store.runs.end(record.id, "interrupted")
    html = _get(visit, record.id, "item-0").text
    text = Seen(html).text
    asked = text.partition("The model was asked again:")
    assert "What?" in asked[0]
    assert "This reply does not count." in asked[0]
    assert "Say it <i>again</i>." in asked[2]
    assert "This reply counts." in asked[2]
    assert "The reply was cut off at the token limit." in asked[2]
    assert '<mark title="How good">1.0</mark>' in html.partition("asked again")[2]


def test_the_probabilities_of_the_values_where_they_are_known(
    shop: Shop, visit: Client, open_shop: Running
) -> None:
    store = open_shop.service.store
    entry = next(store.verdicts.entries(shop.half, "item-0"))
    assert Seen(_get(visit, shop.half, "item-0").text).all("meter", "value") == []
    shares = {"fact": 0.625, "advice": 0.25, "other": 0.125}
    kind = replace(entry.verdict.scores["kind"], distribution=shares, confidence=0.625, mass=0.9375)
    verdict = replace(entry.verdict, scores={**entry.verdict.scores, "kind": kind})
    record = replace(store.runs.find(shop.half), id="weighed00000")
    store.runs.start(record)
    store.verdicts.put(record.id, [entry._replace(verdict=verdict)])
    store.runs.end(record.id, "finished")
    seen = Seen(_get(visit, record.id, "item-0").text)
    words = " ".join(seen.text.split())
    assert "Confidence62%" in words
    assert "fact62.5% advice25.0% other12.5%" in words
    assert seen.all("meter", "value") == ["0.625", "0.25", "0.125"]


def test_hostile_texts_are_texts(shop: Shop, visit: Client) -> None:
    answer = _get(visit, shop.half, "item-2")
    assert HOSTILE in Seen(answer.text).text
    assert "<script>alert" not in answer.text


def test_a_megabyte_is_cut_and_the_whole_is_one_click_away(shop: Shop, visit: Client) -> None:
    answer = _get(visit, shop.half, "item-4")
    assert len(answer.body) < 200_000
    seen = Seen(answer.text)
    assert "The whole text (1,000,000 characters)" in seen.text
    link = next(link for link in seen.all("a", "href") if "/item/text?" in link)
    whole = visit.get(link)
    assert whole.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert whole.text == LONG
    assert visit.get(f"/runs/{shop.half}/item/text?id=item-4&name=nothing").status == 404


def test_what_people_said_is_there_only_when_asked_for(shop: Shop, visit: Client) -> None:
    hidden = _get(visit, shop.both, ODD_ID)
    assert "Kim" not in hidden.text
    shown = Seen(_get(visit, shop.both, ODD_ID, labels="1").text)
    assert "Kim" in shown.text
    assert "Lan" not in shown.text
    none = Seen(_get(visit, shop.both, "item-7", labels="1").text)
    assert "Nobody has labelled this item." in none.text


def test_the_items_beside_it_in_the_order_that_was_asked(shop: Shop, visit: Client) -> None:
    seen = Seen(_get(visit, shop.both, "item-7", rule="any").text)
    assert seen.all("a", "rel") == []  # it is not among them
    seen = Seen(_get(visit, shop.both, "item-2", sort="position").text)
    keys = {attrs["data-key"]: attrs["href"] for _, attrs in seen.tags if "data-key" in attrs}
    assert str(keys["j"]).endswith("id=item-3&sort=position")
    before = Seen(visit.get(str(keys["k"])).text)
    assert ODD_ID in before.text
    ordered = Seen(_get(visit, shop.half, "item-3", sort="position", down="1").text)
    keys = {attrs["data-key"]: attrs["href"] for _, attrs in ordered.tags if "data-key" in attrs}
    assert str(keys["j"]).endswith("id=item-2&sort=position&down=1")


def test_all_runs_that_judged_it(shop: Shop, visit: Client) -> None:
    links = Seen(_get(visit, shop.both, "item-3").text).items()
    assert f"/runs/{shop.half}/item?id=item-3" in links
    links = Seen(_get(visit, shop.both, "item-9").text).items()
    assert not any(shop.half in link for link in links)


def test_an_order_that_cannot_be_told_does_not_hide_the_item(shop: Shop, visit: Client) -> None:
    assert _get(visit, shop.both, "item-3", low="much").status == 200
    assert _get(visit, shop.both, "item-3", criterion="nothing", low="1").status == 200


@pytest.mark.parametrize("item", ["nothing", "", "item-3 "])
def test_an_unknown_item(shop: Shop, visit: Client, item: str) -> None:
    assert _get(visit, shop.both, item).status == 404


@pytest.mark.parametrize("language", ["ko", "vi"])
def test_every_language(shop: Shop, visit: Client, language: str) -> None:
    answer = visit.get(f"/runs/{shop.both}/item?id=item-3", {"Accept-Language": language})
    assert answer.status == 200
    assert "{" not in Seen(answer.text).text.partition("item-3")[0]


def test_prompts_of_another_version_are_not_made_up(
    shop: Shop, visit: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adjudge.core.judge.READER_VERSION", 99)
    text = Seen(_get(visit, shop.half, "item-3").text).text
    assert "The prompts cannot be shown" in text


def test_of_a_pair_the_place_is_marked_in_the_order_that_it_was_read_in() -> None:
    reply = '{"winner": "a"}'
    verdict = Verdict(
        item="1",
        judge="preference",
        fingerprint="",
        model="m",
        outcome=Outcome.SCORED,
        scores={"winner": Score(outcome=Outcome.SCORED, value="a", raw="a", span=(11, 14))},
        calls=tuple(
            Call(order=order, exchanges=(Exchange(reply=reply),)) for order in ("ab", "ba")
        ),
    )
    view = verdict_view(JudgedItem(registry.get("preference"), verdict, {}), (), PageTexts())
    ab, ba = (call.turns[0].reply for call in view.calls)
    assert [piece.names for piece in ab.pieces] == [(), ("Winner",), ()]
    assert [piece.names for piece in ba.pieces] == [()]


def test_what_was_cut_before_judging_can_be_opened(
    shop: Shop, visit: Client, open_shop: Running
) -> None:
    store, record = open_shop.service.store, open_shop.service.store.runs.find(shop.half)
    text = record.sources["shop"]["text"] + "prepare:\n  - {input: answer, do: agent_trace}\n"
    trace = "You <b>idiot</b>.\nThought: x\nFinal Answer: Take 1."
    entry = next(store.verdicts.entries(shop.half, "item-0"))
    parts = (CutPart("text", 1, 17, "You <b>idiot</b>."), CutPart("step", 1, 10, "Thought: x"))
    verdict = replace(entry.verdict, cuts={"answer": Cut(7, 0, 0, parts)})
    item = replace(entry.item, fields={**entry.item.fields, "answer": trace})
    cut = replace(record, id="cutbefore000", sources={"shop": {"text": text}})
    store.runs.start(cut)
    store.verdicts.put(cut.id, [entry._replace(item=item, verdict=verdict)])
    page = _get(visit, cut.id, "item-0")
    seen = " ".join(Seen(page.text).text.split())
    assert "27 characters of answer were cut before judging" in seen
    assert "Text before the answer: 17, Steps of the agent: 10" in seen
    assert "Text before the answer You <b>idiot</b>. Steps of the agent Thought: x" in seen
    assert "<b>idiot" not in page.text
    run = " ".join(Seen(visit.get(f"/runs/{cut.id}?tab=facts").text).text.split())
    assert "Cut texts" in run
    assert "Cut texts" not in Seen(visit.get(f"/runs/{shop.half}?tab=facts").text).text


@given(st.text(max_size=400), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400))))
def test_nothing_is_lost_and_every_mark_is_where_it_was(
    text: str, places: list[tuple[int, int]]
) -> None:
    marks = {str(n): place for n, place in enumerate(places)}
    found = pieces(text, marks)
    assert "".join(piece.text for piece in found) == text
    for name, (start, end) in marks.items():
        marked = "".join(piece.text for piece in found if name in piece.names)
        assert marked == (text[start:end] if 0 <= start < end <= len(text) else "")


def test_a_long_text_is_cut_around_its_marks() -> None:
    text = "x" * 500_000 + "7" + "y" * 500_000
    found = pieces(text, {"quality": (500_000, 500_001)})
    assert Piece("7", ("quality",)) in found
    assert sum(len(piece.text) for piece in found) <= LONGEST_TEXT + 1
    assert sum(len(piece.text) + piece.left_out for piece in found) == len(text)


def test_marks_that_lie_over_each_other_share_a_piece() -> None:
    assert pieces("abcd", {"one": (0, 3), "two": (1, 4)}) == (
        Piece("a", ("one",)),
        Piece("bc", ("one", "two")),
        Piece("d", ("two",)),
    )


def test_the_whole_of_a_cut_text_can_be_had() -> None:
    texts = PageTexts()
    shown = texts.show("answer", "a" * (LONGEST_TEXT + 1))
    assert shown.cut
    assert texts.whole[shown.name] == "a" * (LONGEST_TEXT + 1)
    assert not texts.show("short", "a" * LONGEST_TEXT).cut
