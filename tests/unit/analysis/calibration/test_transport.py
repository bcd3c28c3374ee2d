"""A calibration of sixty labelled English items, and runs of other data by the same judge."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.analysis.graded import Graded, labels, source

from adjudge.analysis.browsing.index import RunIndex
from adjudge.analysis.calibration import CalibrateOptions, calibrate_run
from adjudge.analysis.gates import parse_gates
from adjudge.analysis.gates.conditions import Measured
from adjudge.analysis.gates.figures import judge_run
from adjudge.reports.findings.overview import scores as score_blocks
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import command_line

CHANCE = np.random.default_rng(4)
PEOPLE = CHANCE.integers(1, 6, 60)
JUDGE = np.clip(PEOPLE + CHANCE.choice([0, 0, 1], 60), 1, 5)
ENGLISH = "The answer names the fee and says when the money comes back to the customer."
KOREAN = "답변은 수수료를 밝히고 고객에게 언제 환불되는지 알려 주며 절차도 설명합니다."
RUNS = count(1)
VIETNAMESE = "Câu trả lời nêu rõ mức phí và cho biết khi nào khách hàng được hoàn tiền."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kept")
    graded = Graded(folder)
    graded.add(rating=JUDGE.tolist(), texts=[ENGLISH] * 60, topics=["fees", "times"] * 30)
    given = source(labels(PEOPLE.tolist()))
    calibrate_run(
        graded.record, graded.store, given, CalibrateOptions(slices=("topic",), rounds=100)
    )
    graded.close()
    return folder


def corrected(
    folder: Path, texts: Sequence[str], scores: Any = JUDGE, **more: Any
) -> tuple[Measured, Measured, str]:
    """The mean and its lower end, as gates find them, and what the run's page says."""
    graded = Graded(folder, data=f"{next(RUNS):x}")
    graded.add(rating=np.resize(scores, len(texts)).tolist(), texts=texts, **more)
    gates = parse_gates(["rating.corrected>=1", "rating.corrected.lower>=1"])
    mean, low = (result.measured for result in judge_run(gates, graded.record, graded.store))
    overview = RunIndex(graded.record, graded.store).overview()
    page = as_text([*score_blocks(overview, command_line(), samples=False)])
    graded.close()
    return mean, low, page


def test_items_that_are_alike_need_no_word(folder: Path) -> None:
    mean, _, page = corrected(folder, [ENGLISH] * 60, topics=["fees", "times"] * 30)
    assert mean.value == pytest.approx(PEOPLE.mean(), abs=0.2)
    assert mean.why is None
    assert "(corrected; raw" in page


@pytest.mark.parametrize(
    ("text", "code"), [(KOREAN, "ko"), (VIETNAMESE, "vi")], ids=["Korean", "Vietnamese"]
)
def test_another_language_is_refused(folder: Path, text: str, code: str) -> None:
    mean, _, page = corrected(folder, [text] * 60)
    assert mean.value is None
    assert "100% of them are unlike any labelled item (" in str(mean.why)
    assert f"language: {code} (labelled items: en)" in str(mean.why)
    assert "No corrected mean of " in page
    assert "(corrected; raw" not in page


def test_some_of_another_language_widen(folder: Path) -> None:
    """A fifth may have any value: each end moves by a fifth of the way to the end of the scale."""
    alike = corrected(folder, [ENGLISH] * 120)
    mean, low, page = corrected(folder, [*[ENGLISH] * 96, *[KOREAN.ljust(len(ENGLISH))] * 24])
    assert mean.value == pytest.approx(alike[0].value)
    assert alike[1].value is not None
    assert mean.value is not None
    assert low.value == pytest.approx(alike[1].value - 0.2 * (mean.value - 1))
    assert "20% of the items are unlike any labelled item" in str(mean.why)
    assert "Corrected mean of " in page


def test_much_longer_texts_are_refused(folder: Path) -> None:
    mean, _, _ = corrected(folder, [ENGLISH * 20] * 60)
    assert mean.value is None
    now, then = len(ENGLISH) * 20, len(ENGLISH)
    assert f"length of the texts: mean {now} characters (labelled items: {then})" in str(mean.why)


def test_other_scores_widen(folder: Path) -> None:
    mean, _, page = corrected(folder, [ENGLISH] * 300, scores=[*[5] * 6, 4, 3, 2, 1])
    assert mean.value is not None
    assert "the judge's scores: mean 4" in str(mean.why)
    assert "labels are worth" in page


def test_scores_that_few_labels_speak_of_are_refused(folder: Path) -> None:
    mean, _, _ = corrected(folder, [ENGLISH] * 300, scores=[1] * 29 + [5])
    assert mean.value is None
    assert "its 60 labels are worth only" in str(mean.why)


def test_a_slice_that_was_not_labelled_is_refused(folder: Path) -> None:
    mean, _, _ = corrected(folder, [ENGLISH] * 60, topics=["refunds"] * 60)
    assert mean.value is None
    assert "topic: refunds (labelled items: fees, times)" in str(mean.why)
