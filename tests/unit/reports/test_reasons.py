"""Reasons that statistics give in English, told in other languages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import adjudge
from adjudge.analysis.corrected import UNORDERED as NO_MEAN
from adjudge.analysis.off_scale import OFF_SCALE
from adjudge.analysis.probing.probes import PROBES
from adjudge.reports.reasons import reason
from adjudge.reports.strings import LANGUAGES, strings_for
from adjudge.stats.corrected import too_few
from adjudge.stats.measure import UNORDERED

_SOURCES = Path(adjudge.__file__).parent


@pytest.mark.parametrize(
    ("why", "korean"),
    [
        (UNORDERED, "순서가 없는 이름 값입니다"),
        (NO_MEAN, "이름 값에는 평균이 없습니다"),
        (OFF_SCALE, "우도는 사람이 쓰는 척도 위의 값이 아닙니다"),
        (too_few(1), "독립된 라벨 1개로는 부족합니다. 최소 20개 문항에 라벨을 붙이십시오"),
        (too_few(3), "독립된 라벨 3개로는 부족합니다. 최소 20개 문항에 라벨을 붙이십시오"),
        (
            "no interval: 3 independent rows or groups are too few",
            "신뢰구간 없음: 독립된 문항 또는 그룹 3개로는 부족합니다",
        ),
        (
            "agreement with people cannot be measured: people gave every row the same value",
            "사람과의 일치도를 측정할 수 없습니다: 사람이 모든 문항에 같은 값을 주었습니다",
        ),
        (
            "the judge is not shown to be better than chance: kappa -0.02 (-0.30 to 0.31)",
            "우연보다 낫다는 근거가 없습니다(카파 -0.02, -0.30~0.31)",
        ),
        (
            "the labelled items are no random draw: a single row",
            "라벨을 붙인 문항이 무작위로 뽑은 것이 아닙니다: 문항이 하나뿐입니다",
        ),
        (
            "the judge scores labelled rows unlike the others (chi-squared p=0.01)",
            "라벨이 있는 문항의 심사 점수가 나머지와 다릅니다(chi-squared p=0.01)",
        ),
        ("something new", "something new"),
    ],
)
def test_in_korean(why: str, korean: str) -> None:
    assert reason(strings_for("ko"), why) == korean
    assert reason(strings_for("en"), why) == why


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_each_is_found_by_its_english_text(code: str) -> None:
    english, own = strings_for("en").entries, strings_for(code).entries
    for key, text in english.items():
        if key.startswith("why.") and "{why}" not in text:
            blanks = re.findall(r"{(\w+)}", text)
            given = {name: str(n + 7) for n, name in enumerate(blanks)}
            told = reason(strings_for(code), text.format(**given))
            assert told == own[key].format(**given)


def test_no_reason_is_left_that_the_program_does_not_give() -> None:
    """The English texts are looked for in the source: a reason reworded there must be here too."""
    folders = ("stats", "analysis", "running")
    files = [file for folder in folders for file in (_SOURCES / folder).rglob("*.py")]
    # Texts that run over several lines are joined, and what is filled in becomes a blank.
    source = "\n".join(file.read_text("utf-8") for file in files)
    joined = re.sub(r'"\s*\n\s*f?"', "", source)
    plain = re.sub(r"{[^{}]*}", "{}", joined)
    missing = [
        key
        for key, text in strings_for("en").entries.items()
        if key.startswith("why.") and not _given(re.sub(r"{\w+}", "{}", text), plain)
    ]
    assert missing == []


def _given(text: str, source: str) -> bool:
    """All of it, or else its longest part between two blanks."""
    longest = max(re.split(r"{}|: ", text), key=len).strip(" ()")
    return text in source or longest in source


def test_every_probe_has_its_words() -> None:
    for code in LANGUAGES:
        say = strings_for(code)
        for probe in PROBES:
            assert say(f"probe.does.{probe.name}")
            assert say(f"probe.advice.{probe.name}")
