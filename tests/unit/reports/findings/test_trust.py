"""Whether a judge may be used, in three languages; test_calibration looks at the English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.analysis.calibration.test_calibrate import JUDGE, PEOPLE, calibrated
from tests.unit.analysis.graded import SCALES, Graded, labels

from adjudge.core.label import Label
from adjudge.reports.findings.trust import STANDINGS, trust_lines
from adjudge.reports.words import Words, command_line
from adjudge.strings import LANGUAGES, strings_for

WINNERS = ["a", "b", "tie"] * 40
# What may stand in any language: names, figures, commands.
_SHARED = re.compile(
    r"adjudge \w+( [0-9a-f]{12})?( … --gate '[^']*')?( --pick random)?|Spearman|kappa|Rating|Winner"
)
_ENGLISH = re.compile(r"[A-Za-z]{3,}")
_HANGUL = re.compile(r"[가-힣]")


@pytest.fixture
def graded(tmp_path: Path) -> Iterator[Graded]:
    made = Graded(tmp_path, rating=SCALES["rating"], winner=SCALES["winner"])
    yield made
    made.close()


def cases() -> dict[str, tuple[list[int | None], list[Label]]]:
    """Scores of the rating, and labels: one for each thing that is said."""
    half: list[int | None] = [None if n % 2 and n < 130 else JUDGE[n] for n in range(120)]
    lowest = [people if score <= 2 else None for people, score in zip(PEOPLE, JUDGE, strict=True)]
    return {
        "biased": (list(JUDGE), labels(PEOPLE[:60])),
        "unbiased": ([int(each) for each in PEOPLE], labels(PEOPLE[:60])),
        "few": (list(JUDGE), labels(PEOPLE[:1])),
        "chance": (list(JUDGE[::-1]), labels(PEOPLE[:60])),
        "constant judge": ([3] * 120, labels(PEOPLE[:60])),
        "constant people": (list(JUDGE), labels([4.0] * 60)),
        "picked": (list(JUDGE), labels(PEOPLE[:60], draw="uncertain")),
        "some picked": (
            list(JUDGE),
            [*labels(PEOPLE[:10], draw="random"), *labels(PEOPLE[:60], draw="uncertain")[10:]],
        ),
        "not a random sample": (list(JUDGE), labels(lowest)),
        "unscored": ([*[None] * 12, *JUDGE[12:]], labels(PEOPLE)),
        "half unscored": ([None, None, *half[2:]], labels(PEOPLE)),
        "names": (list(JUDGE), labels(WINNERS[:60], criterion="winner")),
        "two": (list(JUDGE), [*labels(PEOPLE[:60]), *labels(WINNERS[:60], criterion="winner")]),
    }


def _figures(line: str) -> list[str]:
    """Those with decimals, in whatever form."""
    return sorted(found.replace(",", ".") for found in re.findall(r"\d+[.,]\d+", line))


@pytest.mark.parametrize("case", cases())
def test_every_language_says_the_same_things(graded: Graded, case: str) -> None:
    scores, given = cases()[case]
    graded.add(rating=scores, winner=WINNERS)
    found = calibrated(graded, given)
    told = {
        code: [
            str(line) for line in trust_lines(found.run, found.graders[0], Words(strings_for(code)))
        ]
        for code in LANGUAGES
    }
    for code, lines in told.items():
        assert len(lines) == len(told["en"])
        for line, english in zip(lines, told["en"], strict=True):
            assert _figures(line) == _figures(english)
            assert ("adjudge" in line) == ("adjudge" in english)
            if code == "ko":
                assert _HANGUL.search(line)
                assert not _ENGLISH.search(_SHARED.sub("", line)), line
            elif code == "vi":
                assert line != english
                assert " the " not in line


def test_readers_see_titles_and_the_command_line_names(graded: Graded) -> None:
    graded.add(rating=list(JUDGE), winner=WINNERS)
    found = calibrated(graded, cases()["biased"][1])
    (first, *_, gate), typed = (
        [str(line) for line in trust_lines(found.run, found.graders[0], words)]
        for words in (Words(strings_for("en")), command_line())
    )
    assert first.startswith("Yes for Rating: ")
    assert typed[0].startswith("Yes for rating: ")
    assert "'rating.corrected>=" in gate  # is to be typed


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_standing_has_its_sentence(code: str) -> None:
    say = strings_for(code)
    told = {say(f"use.answer.{kind}", names="NAMES", figures="FIGURES") for kind in STANDINGS}
    assert len(told) == len(STANDINGS)
    assert all("NAMES" in line and "FIGURES" in line for line in told)


def test_no_mean_is_to_be_reported_of_a_judge_that_must_not_be_used(graded: Graded) -> None:
    scores, given = cases()["chance"]
    graded.add(rating=scores, winner=WINNERS)
    found = calibrated(graded, given)
    lines = [str(line) for line in trust_lines("r", found.graders[0], command_line())]
    assert lines[0].startswith("No for rating")
    assert not any("mean to report" in line or "report the corrected" in line for line in lines)
