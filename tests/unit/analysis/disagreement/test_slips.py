from __future__ import annotations

import numpy as np
import pytest

from adjudge.analysis.disagreement import SlipTrial
from adjudge.analysis.disagreement.slips import LabelTable, likely_slips, slip_trial
from adjudge.core.scale import Binary, Category, Integer, Number, Scale
from adjudge.reports.findings.disagreements import trial_lines
from adjudge.reports.words import Words
from adjudge.strings import LANGUAGES, strings_for

SCALES: list[Scale] = [Integer(1, 5), Number(0, 10), Category(("a", "b", "c")), Binary()]


def table(scale: Scale, *, agreeing: bool) -> LabelTable:
    """Three raters and two judges of 80 items, who mean the same, or nothing at all."""
    draw = np.random.default_rng(4)
    if isinstance(scale, Category | Binary):
        options = 3 if isinstance(scale, Category) else 2
        truth = draw.integers(0, options, 80)[:, None]
        near = np.where(draw.random((80, 5)) < 0.05, (truth + 1) % options, truth)
        far = draw.integers(0, options, (80, 5))
    else:
        near = np.clip(draw.choice([1, 2, 4, 5], (80, 1)) + draw.normal(0, 0.3, (80, 5)), 1, 5)
        far = draw.uniform(1, 5, (80, 5))
        if isinstance(scale, Integer):
            near, far = np.round(near), np.round(far)
        else:
            near, far = 2 * near, 2 * far
    values = np.asarray(near if agreeing else far, dtype=np.float64)
    return LabelTable(scale=scale, labels=values[:, :3], judges=values[:, 3:], own=0)


def tried(known: LabelTable) -> tuple[SlipTrial, int]:
    return slip_trial(known), len(likely_slips(known))


@pytest.mark.parametrize("scale", SCALES, ids=lambda scale: type(scale).__name__)
def test_a_trial_tells_where_slips_stand_out(scale: Scale) -> None:
    clear, listed = tried(table(scale, agreeing=True))
    assert clear.changed >= 60
    assert clear.recall > 0.5
    assert clear.expected >= listed / 2
    unclear, listed = tried(table(scale, agreeing=False))
    assert unclear.recall < 0.5
    assert unclear.expected <= max(1, listed / 2)


def test_a_trial_changes_no_label_of_the_table() -> None:
    known = table(Integer(1, 5), agreeing=True)
    before = known.labels.copy()
    assert tried(known) == tried(known)
    assert (known.labels == before).all()


def test_what_all_other_raters_gave_is_not_listed() -> None:
    known = table(Integer(1, 5), agreeing=True)
    known.labels[:2] = 6 - known.judges[:2, :1]  # a policy of all three
    known.labels[2, 0] = 6 - known.judges[2, 0]
    listed = {(slip.row, slip.rater) for slip in likely_slips(known)}
    assert (2, 0) in listed
    assert not {row for row, _ in listed} & {0, 1}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("trial", "listed", "lines"),
    [
        (SlipTrial(changed=100, recovered=80, expected=20), 22, 2),
        (SlipTrial(changed=100, recovered=40, expected=10), 12, 3),  # misses most
        (SlipTrial(changed=100, recovered=40, expected=10), 22, 3),  # not to be trusted
        (SlipTrial(changed=100, recovered=80, expected=8), 0, 2),
        (SlipTrial(changed=0, recovered=0, expected=0), 0, 0),
    ],
)
def test_what_a_trial_says(language: str, trial: SlipTrial, listed: int, lines: int) -> None:
    said = list(trial_lines(trial, listed, Words(strings_for(language))))
    assert len(said) == lines
    assert not said or "100" in said[0]
