from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from tests.service import Running, running_service

from adjudge.service import caches
from adjudge.service.options import ServeOptions

from ...analysis.compared import Runs
from ..security.client import Client, bearer, token

HOSTILE = "<img src=x onerror=alert(1)>"
ITEMS = [*(f"i{n}" for n in range(9)), HOSTILE]
BEFORE = dict.fromkeys(ITEMS, (2, "fact")) | {"i8": None}
AFTER = {item: (3 + (n == 1), "opinion" if n < 3 else "fact") for n, item in enumerate(ITEMS)}
TOPICS = {item: {"topic": "odd" if n % 2 else "even"} for n, item in enumerate(ITEMS)}


class Compared:
    """A service over two runs of one judge, one of another, and one on other items."""

    def __init__(self, running: Running, runs: dict[str, str]) -> None:
        self.running, self.runs = running, runs
        self.client = Client(running.url)

    def page(self, a: str, b: str, more: str = "", language: str = "en") -> str:
        answer = self.client.get(
            f"/compare?a={self.runs[a]}&b={self.runs[b]}{more}", {"Accept-Language": language}
        )
        assert answer.status == 200, answer.text
        return answer.text


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compared]:
    runs = Runs(Path(tmp_path_factory.mktemp("compare")))
    made = {
        "before": runs.run(BEFORE, rows=TOPICS),
        "after": runs.run(AFTER, rows=TOPICS),
        "elsewhere": runs.run({"other": 3}),
        "likelihood": runs.run({"i1": 3}, judge=runs.judge("second", "{type: binary}")),
    }
    with running_service(ServeOptions(store=runs.store)) as running:
        yield Compared(running, made)


def test_runs_to_choose_from(service: Compared) -> None:
    page = service.client.get("/compare").text
    for run in service.runs.values():
        assert page.count(f'<option value="{run}"') == 2


def test_what_fits_a_comes_first(service: Compared) -> None:
    page = service.client.get(f"/compare?a={service.runs['before']}").text
    groups = dict(re.findall(r'<optgroup label="([^"]+)">(.*?)</optgroup>', page, re.DOTALL))
    assert list(groups) == ["Same judge, same data", "Same judge, other data", "Other judge"]
    assert service.runs["after"] in groups["Same judge, same data"]
    assert service.runs["elsewhere"] in groups["Same judge, other data"]
    assert service.runs["likelihood"] in groups["Other judge"]


def test_differences_as_the_command_tells_them(service: Compared) -> None:
    page = service.page("before", "after")
    assert "Rating: B is higher by 1.11 (28% of the scale)" in page
    row = re.search(r"<tr><th scope=\"row\"><bdi>Rating</bdi>.*?</tr>", page)
    assert row
    cells = [re.sub(r"<.*?>", "", each) for each in re.findall(r"<td[^>]*>(.*?)</td>", row[0])]
    assert cells[:3] == ["9", "2.00 / 5", "3.11 / 5"]
    assert cells[3].startswith("+1.11 [")
    assert cells[4] == "9/0/0"
    assert cells[7] == "1 (A 1, B 0, both 0)"
    assert "fact → opinion" in page
    assert "the model (replay:" in page


def test_movers_with_both_explanations(service: Compared) -> None:
    page = service.page("before", "after")
    first = page.partition("<h4>")[2].partition("<h4>")[0]
    assert "i1" in first  # moved by two
    assert '<span class="pill good">+2.00</span>' in first
    assert "I gave 2." in first
    assert "I gave 4." in first
    for run in ("before", "after"):
        assert f"/runs/{service.runs[run]}/item?id=i1" in first


def test_values_of_movers(service: Compared) -> None:
    page = service.page("before", "after")
    told = [re.sub(r"<.*?>", "", each) for each in re.findall(r"<h4>.*?</h4>", page)]
    assert "i0: A 2.00, B 3.00 +1.00" in told
    assert "i0: A fact, B opinion" in told


def test_runs_to_choose_from_are_called_by_their_names(service: Compared) -> None:
    page = service.client.get("/compare").text
    offered = re.findall(r'<option value="(\w{12})"[^>]*>(.*?)</option>', page)
    assert len(offered) == 2 * len(service.runs)
    for run, text in offered:
        assert run in service.runs.values()
        assert re.fullmatch(r"\w+ v1 on \S+, \d+ \w+ \d\d:\d\d · replay:\S+", text), text


def test_hostile_ids_show_as_text(service: Compared) -> None:
    page = service.page("before", "after")
    assert "<img src=x" not in page


def test_slices(service: Compared) -> None:
    page = service.page("before", "after", "&slice=topic")
    assert "Rating by topic" in page
    assert '<th scope="row"><bdi>odd</bdi></th>' in page
    assert '<option value="topic" selected>' in page


@pytest.mark.parametrize("language", ["ko", "vi"])
def test_no_english_sentence_in_other_languages(service: Compared, language: str) -> None:
    page = service.page("before", "after", "&slice=topic", language)
    main = page.partition("<main")[2]
    for words in ("the model (", "chance", "items are in both", "by topic", "Not compared"):
        assert words not in main


def test_the_plot(service: Compared) -> None:
    page = service.page("before", "after")
    source = re.search(r'src="(/compare/plots/[^"]+)"', page)
    assert source
    address = source[1].replace("&amp;", "&")
    plot = service.client.get(address)
    assert plot.headers["content-type"] == "image/svg+xml"
    assert ET.fromstring(plot.text).tag.endswith("svg")  # noqa: S314 - our own
    assert service.client.get(address.replace("section=0", "section=7")).status == 422


@pytest.mark.parametrize(
    ("a", "b", "more", "said"),
    [
        ("before", "elsewhere", "", "The runs share no item"),
        ("before", "before", "", "Both sides are the same verdicts"),
        ("before", "after", "&slice=colour", "No item of either run has a column"),
        ("before", "after", "&judge_a=none", "has only good by"),
    ],
)
def test_what_cannot_be_compared_is_told(
    service: Compared, a: str, b: str, more: str, said: str
) -> None:
    page = service.page(a, b, more)
    assert said in page
    assert 'role="alert"' in page
    assert '<option value="' in page  # and the form is still there


def test_such_words_are_in_the_language_of_the_page(service: Compared) -> None:
    assert "두 실행에 공통 문항이 없습니다" in service.page("before", "elsewhere", language="ko")
    assert "Hai bên là cùng một kết quả" in service.page("before", "before", language="vi")


def test_an_unknown_run(service: Compared) -> None:
    answer = service.client.get(f"/compare?a={service.runs['before']}&b=nothing")
    assert 400 <= answer.status < 500
    assert "nothing" in answer.text


def test_swapping(service: Compared) -> None:
    page = service.page("before", "after", "&model_a=x")
    link = re.search(r'href="(/compare\?[^"]+)" data-key="x"', page)
    assert link
    assert f"a={service.runs['after']}" in link[1]
    assert "model_b=x" in link[1]


def test_a_comparison_that_takes_long(service: Compared, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page says so at once, the browser asks again, and the work is done once."""
    monkeypatch.setattr(caches, "PATIENCE", 0.0)
    with service.running.service.comparisons.kept.turn:  # as if another one were being worked out
        first = service.client.get(f"/compare?a={service.runs['after']}&b={service.runs['before']}")
        assert first.headers["refresh"] == "1"
        assert "is being computed" in first.text
    monkeypatch.setattr(caches, "PATIENCE", 60.0)
    assert "B is lower by 1.11" in service.page("after", "before")
    counted: list[object] = []
    monkeypatch.setattr(caches, "compare_runs", lambda *given: counted.append(given))
    assert "B is lower by 1.11" in service.page("after", "before")
    assert counted == []


def test_a_reader_without_runs_is_offered_no_new_one(tmp_path: Path) -> None:
    with running_service(ServeOptions(store=str(tmp_path / "s.db"))) as running:
        read = bearer(token(running.service.store, "read"))
        page = Client(running.url).get("/compare", read).text
        assert "There are fewer than two runs" in page
        assert "/runs/new" not in page
        assert "/runs/new" in Client(running.url).get("/compare").text


@pytest.mark.parametrize(
    ("language", "field"),
    [("en", "“Judge of A”"), ("ko", "“A의 평가자”"), ("vi", "“Bộ chấm của A”")],
)
def test_errors_name_the_fields_of_the_page(service: Compared, language: str, field: str) -> None:
    page = html.unescape(service.page("before", "before", language=language))
    assert field in page
    assert "--judge-a" not in page


def test_versions_stand_beside_fingerprints_and_it_can_be_taken_along(service: Compared) -> None:
    page = service.page("before", "after")
    facts = page[page.index('id="facts"') :]
    assert re.search(r"good version 1 \([0-9a-f]+\)", facts)
    (link,) = re.findall(r'href="(/compare/report.html\?[^"]+)"', page)
    answer = service.client.get(html.unescape(link))
    assert answer.status == 200
    assert "good" in answer.headers["Content-Disposition"]
    assert service.runs["before"] in answer.text
    assert service.runs["after"] in answer.text
