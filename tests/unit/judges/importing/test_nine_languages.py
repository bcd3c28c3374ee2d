"""Prompts in nine languages, in the forms of public repositories, are understood as meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from adjudge.judges.importing import Options, import_prompt
from adjudge.judges.importing.rubric import said_of
from adjudge.reading import detect_language

PROMPTS: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("nine_languages.yaml").read_text("utf-8")
)


@pytest.mark.parametrize("name", PROMPTS)
def test_it_is_understood(name: str) -> None:
    meant = PROMPTS[name]
    imported = import_prompt(meant["text"], Options(name="x", detect=detect_language), "x.txt")
    assert said_of(imported.criteria) == meant["criteria"]
    assert list(imported.judge.judged) == meant["judged"]
    assert (imported.judge.language, imported.judge.reply) == (meant["language"], meant["reply"])


LIST = 'Return JSON: {{"verdicts": [{{"claim": "…", "verdict": "yes"}}]}}, "yes" or "no".\n{claims}'


def test_a_list_of_verdicts_is_refused() -> None:
    with pytest.raises(Exception, match="one value per criterion and item"):
        import_prompt(LIST, Options(name="x", detect=lambda _: "en"), "x.txt")


@pytest.mark.parametrize(
    ("sample", "criteria"),
    [
        ('"satisfied": true, "confidence": 0.9', ["satisfied"]),
        ('"verdict": "pass" | "fail" | "uncertain", "score": <confidence 0-1>', ["verdict"]),
        ('"verdict": "yes"/"no", "신뢰도": 0.9', ["verdict"]),
        ('"score": 8, "similarity": 0.85', ["score"]),
        ('"pass": true, "score": 1.0, "reason": "…"', ["pass"]),
    ],
)
def test_how_sure_the_judge_is_is_no_criterion(sample: str, criteria: list[str]) -> None:
    text = f"Judge the answer out of 10 points.\nAnswer: {{answer}}\nJSON: {{{{{sample}}}}}"
    imported = import_prompt(text, Options(name="x", detect=lambda _: "en"), "x.txt")
    assert list(imported.judge.rubric.criteria) == criteria
