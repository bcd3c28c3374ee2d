"""What a report tells of how judges stand up to tricks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.analysis.graded import FINGERPRINT, Graded
from tests.unit.reports.kept_probes import probed

from adjudge.analysis.comparison import StoredRun
from adjudge.analysis.probing.findings import keep
from adjudge.reports.report import Findings, ReportOptions, as_html, as_markdown, gather
from adjudge.strings import LANGUAGES, strings_for

EN = strings_for("en")


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Graded]:
    made = Graded(tmp_path)
    made.add(rating=[1, 2, 5])
    yield made
    made.close()


def found(graded: Graded) -> Findings:
    return gather(StoredRun(graded.record, graded.store), ReportOptions())


def shown(graded: Graded) -> str:
    return as_markdown(found(graded), EN)


def test_none(graded: Graded) -> None:
    assert found(graded).runs[0].not_probed == [("graded", "m")]
    assert "Not probed yet: graded by m. " in shown(graded)
    assert "`adjudge probe --judge graded --model m`" in shown(graded)


def test_words_table_and_what_was_not_run(graded: Graded) -> None:
    keep(graded.store, probed("graded", FINGERPRINT, "m"))
    page = shown(graded)
    for told in (
        "### graded by m",
        "Probed on 24 items of built-in texts (en), 20",
        "5 probes: 3 fine, 1 worrying, 1 bad, 0 unclear.",
        "| Probe | What is done | Effect | Limit | Pairs | Unscored | Rating |",
        "| repeat | the same question is asked again | 0% \\[0%, 14%\\] changed | 10% | 24 | 1 |",
        "| padding | empty phrases are added | +0.08 \\[+0.01, +0.15\\] rise | 0.05 | 24 | 1 |",
        "padding: 3 of 24 texts were at the top already and could not rise.",
        "| order | it judges one text at a time, not a pair |",
    ):
        assert told in page
    assert "Not probed yet" not in page
    assert "the judge has changed" not in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_plot_of_the_page(graded: Graded, language: str) -> None:
    keep(graded.store, probed("graded", FINGERPRINT, "m"))
    say = strings_for(language)
    assert f"<title>{say('plot.probes.title', judge='graded')}</title>" in as_html(
        found(graded), say
    )


def test_the_latest_counts(graded: Graded) -> None:
    keep(graded.store, probed("graded", "before", "m"))
    assert "Caution: the judge has changed since it was probed" in shown(graded)
    keep(graded.store, probed("graded", FINGERPRINT, "m"))
    assert len(found(graded).runs[0].probed) == 1
    assert "the judge has changed" not in shown(graded)


def test_another_judge_or_model_is_none_of_it(graded: Graded) -> None:
    keep(graded.store, probed("other", FINGERPRINT, "m"))
    keep(graded.store, probed("graded", FINGERPRINT, "elsewhere"))
    assert found(graded).runs[0].probed == ()


def test_models_probed_together_are_told_once(graded: Graded) -> None:
    """In a table that names them, and criteria where there are several."""
    manifest = replace(graded.record.manifest, models=("m", "n", "o"))
    graded.record = replace(graded.record, manifest=manifest)
    keep(graded.store, probed("graded", FINGERPRINT, "m", "n", criteria=("rating", "gone")))
    assert len(found(graded).runs[0].probed) == 1
    page = shown(graded)
    assert page.count("| Probe | Model | What is done | Criterion | Effect |") == 1
    assert "### graded by m, n" in page
    assert "| padding | n | empty phrases are added | Rating |" in page
    assert "Not probed yet: graded by o." in page
