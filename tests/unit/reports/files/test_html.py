from __future__ import annotations

import io
import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest

from adjudge.core.reason import Reason
from adjudge.core.score import Outcome, Score
from adjudge.reports.blocks import Table
from adjudge.reports.files import html
from adjudge.reports.files.rows import Row, Rows, verdict_row

from ..conftest import scored

HOSTILE = '</pre></article><script>alert(1)</script><img src=x onerror="a()">{{ 7*7 }}&lt;b&gt;\x1b'


class Page(HTMLParser):
    """The elements and the text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        self.text += data


def page_of(rows: Rows, means: Table | None = None) -> str:
    out = io.BytesIO()
    html.write(rows, out, means)
    return out.getvalue().decode()


def test_hostile_text_stays_text(walk: Callable[..., Rows]) -> None:
    scores = {
        HOSTILE: Score(outcome=Outcome.SCORED, value=1, label=HOSTILE, explanation=HOSTILE),
        "b": Score(outcome=Outcome.REFUSED, reason=Reason.of(HOSTILE)),
    }
    verdict = scored(
        item=HOSTILE,
        model=HOSTILE,
        scores=scores,
        feedback={HOSTILE: (HOSTILE,), "y": HOSTILE},
        notes=(Reason.of(HOSTILE),),
    )
    page = Page(page_of(walk(verdict_row(HOSTILE, verdict, {"answer": HOSTILE}))))
    assert not {"script", "img", "b"} & set(page.tags)
    assert not {name for name in page.attributes if name.startswith("on")}
    assert page.text.count(HOSTILE) >= 9


def test_nothing_is_loaded_from_elsewhere(
    walk: Callable[..., Rows], make_row: Callable[..., Row]
) -> None:
    page = page_of(walk(make_row()))
    assert not re.search(r"https?://|src=|href=|@import|url\(", page)
    assert "default-src 'none'" in page


def test_the_table_of_means_stands_above_the_items(
    walk: Callable[..., Rows], make_row: Callable[..., Row]
) -> None:
    means = Table(["criterion", "mean"], [[HOSTILE, "6.50"], ["winner", "a 2, tie 1"]])
    page = Page(page_of(walk(make_row()), means))
    above, _, items = page.text.partition("Items")
    assert HOSTILE in above
    assert "6.50" in above
    assert "a 2, tie 1" in above
    assert "6.50" not in items
    assert "script" not in page.tags


def test_long_runs_are_cut_and_say_so(
    walk: Callable[..., Rows], make_row: Callable[..., Row], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(html, "_MOST_ITEMS", 2)
    page = page_of(walk(*(make_row(item=f"item{n}") for n in range(5))))
    assert page.count("<article>") == 2
    assert "The first 2 of 5" in page
    assert "5 verdicts" in page


def test_no_rows(walk: Callable[..., Rows]) -> None:
    assert "0 verdicts" in page_of(walk())
