from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from tests.commands import Command
from tests.unit.reports.files.test_html import Page

from adjudge.errors import UsageError

from .conftest import reply

HOSTILE = '<script>alert(1)</script> [x](javascript:a) ![i](http://e.vil/i.png) | \u202e"{{ 7*7 }}'
TEN = [f"r{n}" for n in range(10)]


def judged(
    adjudge: Command, name: str, ratings: Sequence[object], judge: str = "helpfulness"
) -> str:
    """The id of a run on ten rows, one of which is hostile; a rating None cannot be read."""
    rows = [
        {
            "id": item,
            "question": f"{item}?",
            "answer": HOSTILE if item == "r1" else "A.",
            "topic": n % 2,
        }
        for n, item in enumerate(TEN)
    ]
    adjudge.write("data.jsonl", rows)
    texts = ["I would rather not." if each is None else reply(each) for each in ratings]
    replies = [{"item": i, "replies": [text]} for i, text in zip(TEN, texts, strict=True)]
    adjudge.write(f"{name}.jsonl", replies)
    ended = adjudge("run", "data.jsonl", "--judge", judge, "-m", f"replay:{name}.jsonl", "--json")
    return str(ended.json["run"])


@pytest.fixture
def run(adjudge: Command) -> str:
    return judged(adjudge, "a", [4, 1, 3, 3, 2, 2, 4, 4, 3, None])


def written(adjudge: Command, *arguments: str, name: str = "r.html") -> str:
    ended = adjudge("report", *arguments, "-o", name)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"written: {name}\n"
    return (adjudge.folder / name).read_text("utf-8")


class TestPage:
    def test_what_it_holds(self, adjudge: Command, run: str) -> None:
        page = Page(written(adjudge, run, "--slice", "topic"))
        for told in (
            "helpfulness v1 on data.jsonl",
            run,
            "helpfulness 1 (fingerprint ",
            "2.89 [",
            "1 (1 unreadable)",
        ):
            assert told in page.text
        assert page.tags.count("svg") == 4  # the mean on its scale; means, distribution, slices
        assert "No labels by people are known" in page.text
        assert "r1?" in page.text

    def test_it_stands_alone(self, adjudge: Command, run: str) -> None:
        page = written(adjudge, run)
        outside = re.sub(r'xmlns="[^"]*"', "", page).replace("http://e.vil", "")
        assert not re.search(r"https?://|@import|url\((?!#)|<link|src=", outside)
        assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in page

    def test_hostile_texts_stay_text(self, adjudge: Command, run: str) -> None:
        page = Page(written(adjudge, run))
        assert HOSTILE in page.text
        assert not {"script", "img", "iframe"} & set(page.tags)
        assert not [name for name in page.attributes if name.startswith("on")]

    def test_the_lowest_come_first(self, adjudge: Command, run: str) -> None:
        page = written(adjudge, run, "--worst", "2")
        found = re.findall(r'<h3 dir="auto">(\d\. r\d)</h3>', page)
        assert found == ["1. r1", "2. r4", "1. r9"]  # the last one has no score

    def test_none_of_them(self, adjudge: Command, run: str) -> None:
        assert "Lowest scores" not in written(adjudge, run, "--worst", "0")

    @pytest.mark.parametrize(
        ("language", "heading"),
        [("ko", "사람과의 일치도"), ("vi", "Mức độ đồng thuận với con người")],
    )
    def test_languages(self, adjudge: Command, run: str, language: str, heading: str) -> None:
        page = written(adjudge, run, "--lang", language)
        assert f'<html lang="{language}">' in page
        assert heading in page
        assert "Outcomes" not in page


class TestMarkdown:
    def test_tables_are_tables(self, adjudge: Command, run: str) -> None:
        page = written(adjudge, run, "--slice", "topic", name="r.md")
        shown = MarkdownIt().enable("table").render(page)
        assert shown.count("<table>") >= 5
        assert re.search(r"<td>2\.89 (/ 4 )?\[", shown)
        assert not re.search("<script|<img|<a ", shown)
        assert "alert(1)" in shown

    def test_it_tells_what_the_page_tells(self, adjudge: Command, run: str) -> None:
        adjudge("report", run, "-o", "r.md", "-o", "r.html")
        page = Page((adjudge.folder / "r.html").read_text("utf-8")).text
        lines = (adjudge.folder / "r.md").read_text("utf-8").splitlines()
        headings = [line.lstrip("# ") for line in lines if line.startswith("#")]
        assert len(headings) > 8
        assert not [text for text in headings if text not in page]


class TestPeople:
    def test_labels_of_a_file(self, adjudge: Command, run: str) -> None:
        said = dict(zip(TEN, [3, 1, 3, 2, 2, 1, 4, 4, 3, 2], strict=True))
        adjudge.write("people.jsonl", [{"item": i, "rating": v} for i, v in said.items()])
        page = written(adjudge, run, "--labels", "people.jsonl")
        assert "judge against people" in page
        assert "May helpfulness by replay:a.jsonl be used?" in page
        assert page.count('role="img"') == 6
        # Nothing is kept of it: a gate on the corrected mean has nothing to rest on.
        run_again = ["run", "data.jsonl", "--judge", "helpfulness", "-m", "replay:a.jsonl"]
        ended = adjudge(*run_again, "--gate", "rating.corrected>=1", "--quiet")
        assert ended.code != 0
        assert "calibrate" in ended.out + ended.err

    def test_labels_of_the_store(self, adjudge: Command, run: str) -> None:
        adjudge.write("people.jsonl", [{"item": i, "rating": 3} for i in TEN])
        assert adjudge("label", run, "--import", "people.jsonl").code == 0
        assert "Not known yet for Overall rating" in written(adjudge, run)

    def test_labels_that_fit_nothing(self, adjudge: Command, run: str) -> None:
        adjudge.write("people.jsonl", [{"item": "other", "rating": 3}])
        ended = adjudge("report", run, "--labels", "people.jsonl", "-o", "r.html")
        assert ended.code == 2
        assert "None of 1 labels is about an item of this run" in ended.err
        assert not (adjudge.folder / "r.html").exists()


class TestTwoRuns:
    def test_what_changed(self, adjudge: Command, run: str) -> None:
        other = judged(adjudge, "b", [4, 3, 4, 4, 3, 3, 4, 4, 4, 3])
        page = Page(written(adjudge, run, other, "--slice", "topic"))
        title = page.text.strip().partition("\n")[0]
        assert title.startswith("Run ")
        first, second = title.removeprefix("Run ").split(" against run ")
        assert first != second  # by their ids where both began in the same minute
        assert "+0.78 [" in page.text
        assert "rating: the items that moved most" in page.text
        assert "r1: A 1.00, B 3.00" in page.text
        assert "Run A: helpfulness v1 on data.jsonl, " in page.text

    def test_other_criteria(self, adjudge: Command, run: str) -> None:
        adjudge.folder.joinpath("other.yaml").write_text(
            "judge: other\nversion: 1\ntitle: Other\nlanguage: en\nexplain_in: any\n"
            "inputs: {question: {}, answer: {judged: true}}\n"
            "criteria: {tone: {title: Tone, guide: Is it kind, scale: {type: binary}}}\n",
            "utf-8",
        )
        replies = [{"item": i, "replies": [json.dumps({"tone": True})]} for i in TEN]
        adjudge.write("c.jsonl", replies)
        ended = adjudge(
            "run", "data.jsonl", "--judge", "other.yaml", "-m", "replay:c.jsonl", "--json"
        )
        ended = adjudge("report", run, ended.json["run"], "-o", "r.html")
        assert ended.code == 2
        assert "No criterion has the same name: A has rating; B has tone" in ended.err

    def test_the_same_run_twice(self, adjudge: Command, run: str) -> None:
        ended = adjudge("report", run, run, "-o", "r.html")
        assert ended.code == 2
        assert "Both sides are the same verdicts" in ended.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["-o", "r.pdf"], "r.pdf: a report ends in one of: .html, .md."),
        (["-o", "report"], "report: a report ends in one of: .html, .md."),
        (["-o", "no/where.html"], "create it: mkdir -p"),
        (["-o", "r.html", "--worst", "-1"], "--worst -1: name how many items to show, or 0."),
        (["-o", "r.html", "--slice", "colour"], "colour: no item has this column"),
        (["-o", "r.html", "--lang", "fr"], "'fr' is not one of"),
        ([], "Missing option '-o'"),
    ],
)
def test_wrong_usage(adjudge: Command, run: str, arguments: list[str], told: str) -> None:
    ended = adjudge("report", run, *arguments)
    assert ended.code == 2
    assert told in ended.err
    assert not list(adjudge.folder.glob("r.*"))


def test_an_unknown_run(adjudge: Command, run: str) -> None:
    ended = adjudge("report", "zzz", "-o", "r.html")
    assert ended.code == 2
    assert "zzz" in ended.err


def test_from_python(adjudge: Command, run: str) -> None:
    import adjudge as module

    assert module.report(run, "p.md", worst=1) == [Path("p.md")]
    assert Path("p.md").read_text("utf-8").startswith("# helpfulness v1 on ")
    with pytest.raises(UsageError, match="no words in 'fr'"):
        module.report(run, "p.md", lang="fr")
