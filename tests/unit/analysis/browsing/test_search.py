"""What people read is found however it is written, and nothing else is."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from queue import Queue
from threading import Semaphore

import pytest
from tests.unit.analysis.browsing.made import by_chance, store_with

from adjudge.analysis.browsing import Query, RunIndex
from adjudge.core.item import Item
from adjudge.core.score import Outcome, Score
from adjudge.errors import StoreError
from adjudge.stores import Entry, TextCursor
from adjudge.stores.records import Texts

NFD = unicodedata.normalize("NFD", "Địa chỉ Giao Hàng, 배송 주소")
TEXTS = {
    "latin": "The QuEtZal is a bird.",
    "upper": "ĐƠN HÀNG đã được gửi",
    "composed": "địa chỉ giao hàng, 배송 주소",
    "decomposed": NFD,
    "quoted": 'He said "no\\way"\n\tand left; 50% off_',
    "plain": "nothing much",
}


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.analysis.browsing.index.TIME", 60)


@pytest.fixture
def index(tmp_path: Path) -> Iterator[RunIndex]:
    (any_one, *_) = by_chance(1)
    entries = []
    for n, (item, text) in enumerate(TEXTS.items()):
        verdict = replace(any_one.verdict, item=item, feedback={})
        entries.append(Entry(n, Item(item, {"question": "?", "answer": text}, {"n": n}), verdict))
    said = Score(outcome=Outcome.SCORED, value=1, explanation="Thiếu lời chào. Zebra")
    verdict = replace(
        any_one.verdict,
        item="explained",
        scores={**any_one.verdict.scores, "rating": said},
        feedback={"strengths": ("Ngắn gọn",), "analysis": "Kurz."},
    )
    entries.append(Entry(9, Item("explained", {"answer": "…"}, {"tag": ["Größe"]}), verdict))
    store, record = store_with(tmp_path, entries)
    yield RunIndex(record, store)
    store.close()


def found(index: RunIndex, words: str, **more: object) -> set[str]:
    page = index.page(Query(search=words, **more))  # type: ignore[arg-type]
    assert page.complete
    assert page.searched == 1.0
    return {row.item for row in page.rows}


@pytest.mark.parametrize(
    ("words", "items"),
    [
        ("quetzal", {"latin"}),
        ("QUETZAL", {"latin"}),
        (" a BIRD. ", {"latin"}),
        ("đơn hàng", {"upper"}),
        ("Đơn Hàng", {"upper"}),
        ("địa chỉ giao", {"composed", "decomposed"}),
        (unicodedata.normalize("NFD", "địa chỉ giao"), {"composed", "decomposed"}),
        ("배송", {"composed", "decomposed"}),
        ('"no\\way"', {"quoted"}),
        ('no\\way"\n\tand', {"quoted"}),
        ("50% off_", {"quoted"}),
        ("50%off", set()),
        ("latin", {"latin"}),  # an id
        ("COMPOSED", {"composed", "decomposed"}),
        ("zebra", {"explained"}),
        ("lời chào", {"explained"}),
        ("ngắn gọn", {"explained"}),
        ("GRÖßE", {"explained"}),
        # What only the way of keeping it holds.
        ("fingerprint", set()),
        ('"scores"', set()),
        ("fields", set()),
        ("input_tokens", set()),
        ("", {*TEXTS, "explained"}),
    ],
)
def test_what_is_found(index: RunIndex, words: str, items: set[str]) -> None:
    assert found(index, words) == items


def test_together_with_filters(index: RunIndex) -> None:
    assert found(index, "배송", sort="latency", model=index.graders[0].model)
    assert found(index, "배송", outcome="budget_stopped") == set()
    assert index.neighbours("composed", Query(search="배송")).after == "decomposed"


def test_a_search_goes_on_to_the_end_by_itself(
    index: RunIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each portion of the texts is handed out by the test, so that the pages are seen midway."""
    monkeypatch.setattr("adjudge.stores.verdicts._ROWS", 2)
    monkeypatch.setattr("adjudge.analysis.browsing.index.TIME", 0)
    query, turns, handed = Query(search="a"), Semaphore(0), Queue[None]()
    texts = index._store.verdicts.texts

    def portions(run_id: str, after: TextCursor) -> Iterator[Texts]:
        for portion in texts(run_id, after):
            turns.acquire()
            yield portion
            handed.put(None)
        handed.put(None)

    monkeypatch.setattr(index._store.verdicts, "texts", portions)
    seen = [index.page(query)]
    search = index._searches["a"]
    while not seen[-1].complete:
        turns.release()
        handed.get(timeout=60)
        seen.append(index.page(query))
    assert search.ended.wait(60)
    shares, totals = [page.searched for page in seen], [page.total for page in seen]
    assert len(shares) > 4
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert totals == sorted(totals)
    monkeypatch.undo()
    fresh = RunIndex(index.record, index._store)
    assert fresh.page(query).total == totals[-1]


def test_a_search_that_could_not_read_says_so_and_is_tried_again(
    index: RunIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_run: str, _after: TextCursor) -> Iterator[Texts]:
        raise StoreError("the disk is gone")

    monkeypatch.setattr(index._store.verdicts, "texts", broken)
    with pytest.raises(StoreError, match="the disk is gone"):
        index.page(Query(search="a"))
    monkeypatch.undo()
    assert index.page(Query(search="a")).total


def test_searches_of_long_ago_are_forgotten(index: RunIndex) -> None:
    for n in range(100):
        index.page(Query(search=f"word {n}"))
    assert len(index._searches) <= 16
    assert len(index._orders) <= 16


def test_half_a_character_finds_nothing(index: RunIndex) -> None:
    assert found(index, "\ud800") == set()


def test_a_search_is_exact_beside_brute_force(tmp_path: Path) -> None:
    entries = by_chance(7, items=30)
    store, record = store_with(tmp_path, entries)
    index = RunIndex(record, store)
    for words in ("1", "answer  2", "Q3?", "i2"):
        wanted = {
            e.item.id
            for e in entries
            if any(
                words.lower() in text.lower()
                for text in (e.item.id, *e.item.fields.values(), *map(str, e.item.extra.values()))
            )
        }
        assert {row.item for row in index.page(Query(search=words)).rows} == wanted
    store.close()
