"""What a report finds out before it is written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.analysis.compared import Runs
from tests.unit.analysis.graded import SCALES, Graded, labels
from tests.unit.reports.files.test_html import Page

from adjudge import trust
from adjudge.analysis.browsing import RunIndex
from adjudge.analysis.comparison import StoredRun
from adjudge.errors import DataError, UsageError
from adjudge.reports.findings.gathering import lowest_items, unscored_items
from adjudge.reports.report import Findings, ReportOptions, as_html, as_markdown, gather
from adjudge.strings import strings_for


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Graded]:
    made = Graded(tmp_path, rating=SCALES["rating"], polite=SCALES["polite"])
    yield made
    made.close()


def found(graded: Graded, **options: int) -> Findings:
    return gather(StoredRun(graded.record, graded.store), ReportOptions(**options))


class TestLowest:
    def test_by_the_mean_over_criteria_then_by_place(self, graded: Graded) -> None:
        graded.add(rating=[5, 1, 1, 3, 1], polite=[False, True, True, False, False])
        shown = lowest_items(RunIndex(graded.record, graded.store), 4)
        assert [(each.entries[0].item.id, each.unit) for each in shown] == [
            ("i4", 0.0),
            ("i3", 0.25),
            ("i0", 0.5),
            ("i1", 0.5),
        ]

    def test_models_and_repeats_count_together(self, graded: Graded) -> None:
        graded.add(rating=[1, 5], polite=[True, True])
        graded.add(rating=[5, 5], polite=[True, True], repeat=1)
        graded.add(rating=[1, 5], polite=[False, True], model="other")
        first, second = lowest_items(RunIndex(graded.record, graded.store), 9)
        assert first.unit == pytest.approx((0.5 + 1 + 0 + 0) / 4)
        assert len(first.entries) == 3
        assert second.unit == 1

    def test_unscored_ones(self, graded: Graded) -> None:
        graded.add(rating=[1, None, None, 2], polite=[True, True, None, True])
        shown = unscored_items(RunIndex(graded.record, graded.store), 9)
        assert [(each.entries[0].item.id, each.unit) for each in shown] == [
            ("i1", 1.0),
            ("i2", None),
        ]

    def test_names_have_no_lowest(self, tmp_path: Path) -> None:
        made = Graded(tmp_path, winner=SCALES["winner"])
        made.add(winner=["a", "b", None])
        index = RunIndex(made.record, made.store)
        assert lowest_items(index, 9) == ()
        assert [each.unit for each in unscored_items(index, 9)] == [None]
        made.close()


class TestLabels:
    def test_none(self, graded: Graded) -> None:
        graded.add(rating=[1, 2], polite=[True, True])
        (run,) = found(graded).runs
        assert (run.calibrations, run.not_calibrated) == ((), {})

    def test_those_of_the_store(self, graded: Graded) -> None:
        graded.add(rating=[1, 2, 5], polite=[True, True, False])
        graded.store.labels.put("0f", "graded", labels([1, 2, 4]))
        (run,) = found(graded).runs
        assert run.calibrations[0].criteria["rating"].n == 3
        assert graded.store.calibrations.latest("graded", "m") is None

    def test_stored_ones_that_fit_nothing_are_told(self, graded: Graded) -> None:
        graded.add(rating=[1], polite=[True])
        graded.store.labels.put("0f", "graded", [replace(labels([1])[0], item="elsewhere")])
        (run,) = found(graded).runs
        assert "None of 1 labels" in run.not_calibrated["graded"]
        assert "None of 1 labels" in as_markdown(found(graded), strings_for("en"))

    def test_given_ones_that_fit_nothing_are_an_error(self, graded: Graded) -> None:
        graded.add(rating=[1], polite=[True])
        other = [replace(labels([1])[0], item="elsewhere")]
        with pytest.raises(DataError, match="None of 1 labels"):
            gather(StoredRun(graded.record, graded.store), ReportOptions(), labels=lambda *_: other)


def test_several_models_are_a_panel(graded: Graded) -> None:
    for model in ("m", "other"):
        graded.add(rating=[1, 5, 3], polite=[True, True, False], model=model)
    (run,) = found(graded).runs
    assert run.combined.panel is not None
    page = Page(as_html(found(graded), strings_for("en"))).text
    assert "The panel combined" in page
    assert "graded by other, repeat 1" in page


def test_a_run_without_verdicts(graded: Graded) -> None:
    shown = as_markdown(found(graded), strings_for("en"))
    assert "There are no verdicts yet." in shown
    assert "Lowest" not in shown


def answering(graded: Graded, text: str) -> Findings:
    """A run whose only item has this answer."""
    graded.add(rating=[1], polite=[True])
    findings = found(graded)
    (shown,) = findings.runs[0].lowest
    entry = shown.entries[0]
    other = entry._replace(item=replace(entry.item, fields={"answer": text}))
    run = replace(findings.runs[0], lowest=(replace(shown, entries=(other,)),))
    return replace(findings, runs=(run,))


def test_half_surrogates_are_spelt_out(graded: Graded) -> None:
    findings = answering(graded, "half \ud83d of one")
    for shown in (as_html(findings, strings_for("en")), as_markdown(findings, strings_for("en"))):
        assert shown.encode()
        assert "ud83d of one" in shown


def test_long_texts_are_cut_and_say_so(graded: Graded) -> None:
    page = as_html(answering(graded, "가" * 1_000_000), strings_for("en"))
    assert len(page) < 60_000
    assert "The text has 1000000 characters; only its beginning is shown." in page


def test_contents_lead_to_their_sections(graded: Graded) -> None:
    graded.add(rating=[1, 4], polite=[True, False])
    page = as_html(found(graded), strings_for("en"))
    for number in range(1, 6):
        assert f'href="#part-{number}"' in page
        assert f'id="part-{number}"' in page


def test_a_number_that_makes_no_sense() -> None:
    with pytest.raises(UsageError, match="--worst -3"):
        ReportOptions(worst=-3)


def test_two_runs_that_do_not_fit(tmp_path: Path) -> None:
    """Only what names flags of `adjudge compare` says whose they are."""
    runs = Runs(tmp_path)
    a, b, c = runs.run({"x": 1}), runs.run({"y": 1}), runs.run({"x": 1})
    with pytest.raises(UsageError, match=r"--map id=COLUMN\), .*--unpaired\)\.$"):
        trust.report(a, [tmp_path / "r.md"], against=b, store=runs.store)
    with pytest.raises(UsageError, match=r"--judge-a.*\(These are flags of adjudge compare\.\)$"):
        trust.report(a, [tmp_path / "r.md"], against=a, store=runs.store)
    trust.report(a, [tmp_path / "r.md"], against=c, store=runs.store)
