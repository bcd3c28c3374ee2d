from __future__ import annotations

import html
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from tests.service import Running, running_service

from adjudge.analysis.labelling import LabelOptions
from adjudge.core.label import Label
from adjudge.service.options import ServeOptions

from ...analysis.compared import Runs
from ..security.client import Answer, Client, bearer, token

HOSTILE = "</div><script>alert(1)</script>"
GRADES = {"a": (4, "fact"), "b": (2, "opinion"), "c": None, HOSTILE: (1, "fact")}


class Pages:
    """A service over one run of four items with two criteria: a number, and a name."""

    def __init__(self, running: Running, run: str) -> None:
        self.running, self.run = running, run
        self.client = Client(running.url)

    def ask(self, query: str = "rater=ann") -> Answer:
        return self.client.get(f"/label/{self.run}?{query}")

    def send(self, query: str = "rater=ann", **fields: str) -> str:
        """The query that the answer leads to."""
        answer = self.client.send(f"/label/{self.run}?{query}", **fields)
        assert answer.status == 303, answer.text
        leads = urlsplit(answer.headers["location"])
        assert leads.path == f"/label/{self.run}"
        return leads.query

    @property
    def labels(self) -> list[Label]:
        return self.running.service.run(self.run).labels()

    @property
    def given(self) -> list[tuple[str, str, float | str]]:
        return [(each.item, each.criterion, each.value) for each in self.labels]

    def order(self, **chosen: object) -> list[str]:
        """As the terminal asks."""
        labelling = LabelOptions(rater="nobody", **chosen)  # type: ignore[arg-type]
        return list(self.running.service.run(self.run).label_session(labelling).queue)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A store without labels, and its run."""
    runs = Runs(tmp_path_factory.mktemp("made"))
    run = runs.run(GRADES, rows={HOSTILE: {"answer": HOSTILE, "secret": "column"}})
    return runs.store, run


@pytest.fixture
def pages(made: tuple[str, str], tmp_path: Path) -> Iterator[Pages]:
    store, run = made
    with running_service(ServeOptions(store=shutil.copy(store, tmp_path))) as running:
        yield Pages(running, run)


def shown(answer: Answer) -> tuple[str, str]:
    """The item and the criterion that a page asks about."""
    assert answer.status in {200, 422}, answer.text
    item = re.search(r'name="item" value="([^"]*)"', answer.text)
    asked = re.search(r'name="asked" value="([^"]*)"', answer.text)
    assert item
    assert asked
    return html.unescape(item[1]), asked[1]


def test_runs_to_choose_from(pages: Pages) -> None:
    page = pages.client.get("/label").text
    assert f'href="/label/{pages.run}?judge=good"' in page
    pages.send(item="a", asked="rating", value="3")
    assert "1 by one person" in pages.client.get("/label").text


@pytest.mark.parametrize("page", ["99", "9" * 5000, "0", "x"])
def test_a_page_that_is_not_there_is_the_nearest(pages: Pages, page: str) -> None:
    answer = pages.client.get(f"/label?page={page}")
    assert answer.status == 200
    assert f'href="/label/{pages.run}?judge=good"' in answer.text


def test_who_labels_is_asked_once(pages: Pages) -> None:
    page = pages.client.get(f"/label/{pages.run}").text
    assert 'name="rater" value=""' in page
    assert pages.ask("rater=" + quote("김 Ann")).status == 200
    assert 'name="rater" value="김 Ann"' in pages.client.get(f"/label/{pages.run}").text


def test_the_name_of_the_token_is_proposed(pages: Pages) -> None:
    made = token(pages.running.service.store, "judge")
    page = pages.client.get(f"/label/{pages.run}", bearer(made)).text
    assert 'name="rater" value="judge 0"' in page


def test_reading_is_not_enough_to_label(pages: Pages) -> None:
    made = token(pages.running.service.store, "read")
    assert pages.client.get(f"/label/{pages.run}?rater=ann", bearer(made)).status == 403


@pytest.mark.parametrize(
    "query", ["rater=", "rater=%20", "rater=a%0Ab", "rater=ann&n=0", "rater=ann&n=x"]
)
def test_wrong_choices_are_told_beside_the_form(pages: Pages, query: str) -> None:
    page = pages.ask(query)
    assert page.status == 422
    assert 'role="alert"' in page.text
    assert 'name="rater"' in page.text


def test_what_a_run_cannot_offer(pages: Pages) -> None:
    page = pages.ask("rater=ann&pick=abstained")
    assert page.status == 422
    assert "is not a cascade" in page.text
    assert 'value="abstained"' not in page.text


def test_the_judge_is_not_seen(pages: Pages) -> None:
    for at, item in enumerate(pages.order()):
        page = pages.ask(f"rater=ann&at={2 * at}")
        assert shown(page) == (item, "rating")
        assert "I gave" not in page.text
        assert "column" not in page.text.partition("<main")[2]


def test_hostile_texts_show_as_text(pages: Pages) -> None:
    at = pages.order().index(HOSTILE) * 2
    page = pages.ask(f"rater={quote(HOSTILE)}&at={at}")
    assert shown(page) == (HOSTILE, "rating")
    assert "<script>alert" not in page.text
    pages.send(f"rater={quote(HOSTILE)}&at={at}", item=HOSTILE, asked="rating", value="2")
    assert [(each.item, each.rater) for each in pages.labels] == [(HOSTILE, HOSTILE)]


def test_question_after_question(pages: Pages) -> None:
    query, expected = "rater=ann", []
    for item in pages.order():
        for criterion, key, value in (("rating", "3", 3.0), ("kind", "2", "opinion")):
            assert shown(pages.ask(query)) == (item, criterion)
            query = pages.send(query, item=item, asked=criterion, value=key)
            expected.append((item, criterion, value))
    assert pages.given == expected
    assert {(each.rater, each.draw) for each in pages.labels} == {("ann", "random")}
    end = pages.ask(query).text
    assert f"adjudge calibrate {pages.run}" in end
    assert f"/trust/{pages.run}" in end


def test_the_second_click_labels_nothing_else(pages: Pages) -> None:
    first, second, *_ = pages.order()
    leads = {pages.send(item=first, asked="rating", value="3") for _ in range(2)}
    assert len(leads) == 1
    assert pages.given == [(first, "rating", 3.0)]
    assert shown(pages.ask(leads.pop())) == (first, "kind")
    pages.send(item=second, asked="rating", value="1")  # from a tab that was left behind
    assert pages.given == [(first, "rating", 3.0), (second, "rating", 1.0)]


def test_undo_takes_back_what_is_before_the_shown_question(pages: Pages) -> None:
    first, *_ = pages.order()
    query = pages.send(item=first, asked="rating", value="3")
    for _ in range(2):  # twice, as a double click does
        back = pages.send(query, item=first, asked="kind", do="undo")
        assert pages.given == []
        assert shown(pages.ask(back)) == (first, "rating")


def test_what_was_taken_back_was_not_skipped(pages: Pages) -> None:
    first, *_ = pages.order()
    query = pages.send(item=first, asked="rating", value="3")
    pages.send(query, item=first, asked="kind", do="undo")
    page = pages.ask(query).text  # by the browser's way back
    assert "rating: no answer yet" in page.casefold()
    assert "skipped" not in page


def test_undo_after_the_last_question(pages: Pages) -> None:
    (last,) = pages.order(limit=1)
    query = pages.send("rater=ann&n=1", item=last, asked="rating", value="3")
    query = pages.send(query, item=last, asked="kind", value="1")
    assert "The one item is labelled" in pages.ask(query).text
    assert shown(pages.ask(pages.send(query, do="undo"))) == (last, "kind")
    assert pages.given == [(last, "rating", 3.0)]


def test_skips(pages: Pages) -> None:
    first, second, third, *_ = pages.order()
    query = pages.send(item=first, asked="rating", do="skip")
    assert shown(pages.ask(query)) == (first, "kind")
    query = pages.send(query, item=first, asked="kind", value="1")
    query = pages.send(query, item=second, asked="rating", do="skip_item")
    assert shown(pages.ask(query)) == (third, "rating")
    assert pages.given == [(first, "kind", "fact")]
    assert shown(pages.ask()) == (first, "rating")  # whoever begins anew meets what was skipped


def test_what_was_skipped_is_told_at_the_end(pages: Pages) -> None:
    (only,) = pages.order(limit=1)
    query = pages.send("rater=ann&n=1", item=only, asked="rating", do="skip_item")
    end = pages.ask(query).text
    assert "One item still lacks" in end
    assert "at=" not in re.findall(r'href="(/label/[^"]*rater[^"]*)"', end)[0]


def test_what_is_no_value_is_not_kept(pages: Pages) -> None:
    first, *_ = pages.order()
    for value in ("6", "2.5", "x", ""):
        mark = pages.client.send(
            f"/label/{pages.run}?rater=ann", item=first, asked="rating", value=value
        )
        assert mark.status == 422
        assert shown(mark) == (first, "rating")
        assert html.escape(f"“{value}”" if value else "Nothing was typed") in mark.text
    assert pages.given == []


def test_a_question_that_is_not_in_the_queue(pages: Pages) -> None:
    first, second, *_ = pages.order()
    answer = pages.client.send(
        f"/label/{pages.run}?rater=ann&n=1", item=second, asked="rating", value="3"
    )
    assert answer.status == 422
    assert shown(answer) == (first, "rating")
    assert pages.given == []


def test_raters_do_not_disturb_each_other(pages: Pages) -> None:
    first, *_ = pages.order()
    for criterion, value in (("rating", "3"), ("kind", "1")):
        pages.send("rater=ann", item=first, asked=criterion, value=value)
    page = pages.ask("rater=bob")
    assert shown(page) == (first, "rating")
    assert "ann: 1 of 4" in page.text
    pages.send("rater=bob", item=first, asked="rating", value="5")
    assert {(e.rater, e.value) for e in pages.labels if e.criterion == "rating"} == {
        ("ann", 3.0),
        ("bob", 5.0),
    }


def test_the_least_certain_first(pages: Pages) -> None:
    page = pages.ask("rater=ann&pick=uncertain")
    assert shown(page)[0] == "c"  # the one without a score
    pages.send("rater=ann&pick=uncertain", item="c", asked="rating", value="3")
    assert [each.draw for each in pages.labels] == ["uncertain"]


def test_some_criteria_alone(pages: Pages) -> None:
    first, second, *_ = pages.order()
    query = pages.send("rater=ann&criterion=kind", item=first, asked="kind", value="1")
    assert parse_qs(query)["criterion"] == ["kind"]
    assert shown(pages.ask(query)) == (second, "kind")


def test_a_number_is_typed(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    run = runs.run({"a": 4}, judge=runs.judge(scale="{type: number, min: 0, max: 10}"))
    with running_service(ServeOptions(store=runs.store)) as running:
        pages = Pages(running, run)
        page = pages.ask().text
        assert '<input id="value" name="value"' in page
        assert "0 – 10" in page
        mark = pages.client.send(f"/label/{run}?rater=ann", item="a", asked="rating", value="1120")
        assert "“1120” is not a value" in mark.text
        assert 'value="1120"' not in mark.text  # else the next digits would join these
        pages.send(item="a", asked="rating", value=" 8,5 ")
        assert pages.given == [("a", "rating", 8.5)]


def test_a_text_of_a_megabyte(tmp_path: Path) -> None:
    runs = Runs(tmp_path)
    run = runs.run({"a": 4}, rows={"a": {"answer": "x" * 1_000_000 + "end"}})
    with running_service(ServeOptions(store=runs.store)) as running:
        page = Pages(running, run).ask().text
        assert "The other 980,003 characters" in page
        assert page.count("x" * 20_000 + "</div>") == 1


def test_the_queue_stays_while_a_rater_goes_on(pages: Pages) -> None:
    """A run that gets more verdicts does not move the questions under the rater's hands."""
    service = pages.running.service
    record = service.run(pages.run).record
    before = service.label_queues.of(record, "good", LabelOptions(rater="ann"), goes_on=False)
    entry = next(service.store.verdicts.entries(pages.run, "a"))
    service.store.verdicts.put(pages.run, [entry])
    again = service.label_queues.of(record, "good", LabelOptions(rater="ann"), goes_on=True)
    assert again is before
    anew = service.label_queues.of(record, "good", LabelOptions(rater="ann"), goes_on=False)
    assert anew is not before
    assert anew == before


def test_a_second_tab_overwrites_nothing_unsaid(pages: Pages) -> None:
    """Both tabs show the question without an answer; the second one is told of the first."""
    item = pages.order()[0]
    (known,) = re.findall(r'name="known" value="(.*?)"', pages.ask().text)
    assert known == "="
    pages.send(item=item, asked="rating", value="4", known=known)
    other = pages.client.send(
        f"/label/{pages.run}?rater=ann", item=item, asked="rating", value="2", known=known
    )
    assert other.status == 422
    assert "You have answered this question in another tab: 4" in html.unescape(other.text)
    assert (item, "rating", 4) in pages.given
    (known,) = re.findall(r'name="known" value="(.*?)"', other.text)
    pages.send(item=item, asked="rating", value="2", known=known)
    assert (item, "rating", 2) in pages.given
