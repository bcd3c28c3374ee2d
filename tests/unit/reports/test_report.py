"""The tables of a report, section by section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.analysis.calibration.test_calibrate import JUDGE, PEOPLE
from tests.unit.analysis.compared import Runs
from tests.unit.analysis.graded import SCALES, Graded, labels
from tests.unit.reports.files.test_html import Page

from adjudge import trust
from adjudge.analysis.comparison import StoredRun
from adjudge.core.reason import Reason
from adjudge.core.score import Outcome, Score
from adjudge.reports.report import Findings, ReportOptions, as_html, as_markdown, gather
from adjudge.running.cascade import Stage
from adjudge.strings import strings_for

EN, KO = strings_for("en"), strings_for("ko")


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Graded]:
    made = Graded(tmp_path, rating=SCALES["rating"], polite=SCALES["polite"])
    yield made
    made.close()


def found(graded: Graded) -> Findings:
    return gather(StoredRun(graded.record, graded.store), ReportOptions(slices=()))


def shown(graded: Graded) -> str:
    return as_markdown(found(graded), EN)


class TestSpread:
    def test_counts_and_shares(self, graded: Graded) -> None:
        graded.add(rating=[1, 5, 5, None], polite=[True, False, True, True])
        page = shown(graded)
        assert "| Score | Rating |\n| --- | --- |\n| 1 | 1 (33%) |\n| 2 | 0 |" in page
        assert "| 5 | 2 (67%) |\n| unscored | 1 |" in page
        assert "| Score | Polite |\n| --- | --- |\n| no | 1 (25%) |\n| yes | 3 (75%) |" in page

    def test_criteria_with_the_same_values_share_a_table(self, tmp_path: Path) -> None:
        made = Graded(tmp_path, rating=SCALES["rating"], depth=SCALES["rating"])
        made.add(rating=[1, 1], depth=[2, 1])
        page = shown(made)
        made.close()
        assert "| Score | Rating | Depth |" in page
        assert "| 1 | 2 (100%) | 1 (50%) |" in page

    def test_it_is_folded_where_the_plot_is(self, graded: Graded) -> None:
        graded.add(rating=[1, 5], polite=[True, True])
        page = Page(as_html(found(graded), KO))
        assert page.tags.count("details") == 2
        assert "표로 보기" in page.text

    def test_whose_it_is(self, graded: Graded) -> None:
        values = {"rating": [1, 5], "polite": [True, True]}
        graded.add(**values)
        assert "<figcaption" not in as_html(found(graded), EN).split("Lowest scores</h2>")[0]
        graded.add(model="other", **values)
        page = as_html(found(graded), EN)
        assert page.count(": how the scores are spread</title>") == 2, "a plot for both models"
        assert "1: 1, 2: 0, 3: 0, 4: 0, 5: 1; unscored 0. other: 1: 1" in page
        assert "| Score | Rating · m | Rating · other |" in shown(graded)


def test_costs_of_several_models(graded: Graded) -> None:
    values = {"rating": [1, 5], "polite": [True, True]}
    assert "Cost and time" not in shown(graded.add(**values))
    page = shown(graded.add(model="other", **values))
    assert "## Cost and time by model" in page
    assert "| graded | other | 0 | 0 | 0.0000 USD | – | – |" in page


def test_where_a_panel_disagrees(graded: Graded) -> None:
    graded.add(rating=[1, 5, 3], polite=[True, True, False])
    graded.add(model="other", rating=[1, 1, 3], polite=[True, False, False])
    graded.add(model="third", rating=[1, 1, 3], polite=[True, False, False])
    page = shown(graded).split("### Where members disagree most")[1].split("\n## ")[0]
    rows = [line for line in page.splitlines() if line.startswith("| i")]
    assert rows == [
        "| i1 | Rating | 2.33 | 1.00 | m: 5; other: 1; third: 1 |",
        "| i1 | Polite | 0.33 | 1.00 | m: yes; other: no; third: no |",
    ]


def test_members_that_agree(graded: Graded) -> None:
    for model in ("m", "other"):
        graded.add(model=model, rating=[1, 5], polite=[True, True])
    assert "disagree most" not in shown(graded)


def test_a_cascade(graded: Graded) -> None:
    """Whose figures the store has kept, so they are put in here."""
    graded.add(rating=[1, 5, 3, 2], polite=[True] * 4)
    assert "cascade" not in shown(graded)
    stages = (
        Stage("small", 0.05, 4, 3, 3, 0.9, 3, 3, 0.81),
        Stage("large", 0.05, 1, 0, 0, why=Reason("unreached")),
    )
    findings = found(graded)
    findings = replace(findings, runs=(replace(findings.runs[0], stages=stages),))
    page = as_markdown(findings, EN).split("## What the cascade decided")[1].split("\n## ")[0]
    for told in (
        "| small | 4 | 3 | 0.9 | 3 of 3 | 81.0% |",
        "| large | 1 | 0 | – | – | – |",
        "large decides nothing: no item reached it.",
        "Left to people: 1 of 4 items.",
        "large judged 1 of 4 items; 75.0% were saved.",
    ):
        assert told in page
    assert "large: 결정하지 않음. 도달한 문항이 없습니다." in as_markdown(findings, KO)


class TestPeople:
    @pytest.fixture
    def rated(self, tmp_path: Path) -> Iterator[Graded]:
        made = Graded(tmp_path)
        made.add(rating=[*JUDGE[:-1], None])
        yield made
        made.close()

    def people(self, rated: Graded, *raters: str) -> str:
        for rater in raters:
            rated.store.labels.put("0f", "graded", labels(PEOPLE, rater=rater))
        page = shown(rated)
        return page.split("## Agreement with people")[1].split("\n## ")[0]

    def test_all_figures(self, rated: Graded) -> None:
        page = self.people(rated, "")
        names = [line.split(" | ")[0].lstrip("| ") for line in page.splitlines()]
        for name in (
            "Items compared",
            "Pearson",
            "Kendall tau-b",
            "Alpha, ordinal",
            "Mean distance",
        ):
            assert name in names
        assert "Rating: labelled items without a score, not compared: 1." in page
        assert "| Criterion | Judge's mean | Worst–best | Corrected mean |" in page

    def test_value_by_value(self, rated: Graded) -> None:
        page = self.people(rated, "")
        assert "### Rating beside people" in page
        assert "| Items | people 1 | people 2 |" in page
        assert "\n| judge 1 | " in page
        assert "| Where the judge says | People say on average | 90% of items |" in page

    def test_why_a_figure_is_missing(self, tmp_path: Path) -> None:
        made = Graded(tmp_path)
        made.add(rating=[3] * 30)
        page = self.people(made, "")
        made.close()
        assert "no figure or interval: the judge gave every row the same value" in page

    def test_people_among_each_other(self, rated: Graded) -> None:
        assert "raters share" not in self.people(rated, "Mai")
        page = self.people(rated, "Mai", "민수")
        assert "2 raters share" in page
        assert "replace one of them" in page
        assert "| Rater | Labels | Spearman with the judge | Kappa with the judge |" in page
        assert "| 민수 | " in page

    def test_labels_without_a_place(self, graded: Graded) -> None:
        graded.add(rating=[1, 2, 5], polite=[True, True, False])
        graded.store.labels.put("0f", "graded", labels([1, 2, 4, 4, 4]))
        page = shown(graded)
        assert "Labels about items that this run does not have: 2." in page
        assert "Without labels, and not looked at: Polite." in page


class TestCompared:
    def test_what_the_unscored_could_make_of_it(self, tmp_path: Path) -> None:
        runs = Runs(tmp_path)
        a = runs.run({f"i{n}": 2 for n in range(6)})
        b = runs.run({f"i{n}": 4 if n else None for n in range(6)})
        trust.report(a, tmp_path / "r.md", against=b, store=runs.store)
        page = (tmp_path / "r.md").read_text("utf-8")
        told = "Rating: if all items without a pair (1) had a score at an end of the scale (1 or 5)"
        assert f"{told}, the difference would be between +1.50 and +2.17." in page

    def test_names_have_holms_p_too(self, tmp_path: Path) -> None:
        runs = Runs(tmp_path)
        a = runs.run({f"i{n}": (2, "fact") for n in range(6)})
        b = runs.run({f"i{n}": (2, "other") for n in range(6)})
        trust.report(a, tmp_path / "r.md", against=b, store=runs.store)
        page = (tmp_path / "r.md").read_text("utf-8")
        row = next(line for line in page.splitlines() if line.startswith("| fact | 100% | 0% |"))
        *_, p, holm, _missing = row.split(" | ")
        assert float(holm) > float(p)


def test_the_value_before_a_rule_only_where_one_fired(graded: Graded) -> None:
    graded.add(rating=[1, 5], polite=[True, True])
    findings = found(graded)
    assert "Before rules" not in as_markdown(findings, EN)
    (first, *others) = findings.runs[0].lowest
    ruled = Score(outcome=Outcome.SCORED, value=1, raw=4, rule="cap")
    entry = first.entries[0]
    verdict = replace(entry.verdict, scores={**entry.verdict.scores, "rating": ruled})
    capped = replace(first, entries=(entry._replace(verdict=verdict),))
    run = replace(findings.runs[0], lowest=(capped, *others))
    page = as_markdown(replace(findings, runs=(run,)), EN)
    assert page.count("| Criterion | Score | Before rules | Explanation |") == 1
    assert "| Rating | 1 | 4, rule cap |  |" in page


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        ("0.71 [0.46, 0.91]", ' class="figure"'),
        ("2.97–3.07", ' class="figure"'),
        ("Rating", ""),
        ("2026-11-17 02:56:27 UTC", ' class="long"'),
    ],
)
def test_how_cells_may_be_broken(graded: Graded, cell: str, kind: str) -> None:
    """A phone has no room for a word a line, nor for half an interval."""
    graded.add(rating=[1, 5], polite=[True, True])
    run = found(graded).runs[0]
    record = replace(run.record, manifest=replace(run.record.manifest, data="d", models=(cell,)))
    page = as_html(Findings(runs=(replace(run, record=record),)), EN)
    assert f'<td dir="auto"{kind}>{cell}</td>' in page
