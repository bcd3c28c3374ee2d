"""Keys that a prompt names in words, with what it says of each elsewhere."""

from __future__ import annotations

import pytest

from adjudge.judges.importing import Options, import_prompt
from adjudge.judges.importing.rubric import said_of
from adjudge.reading import detect_language

OPTIONS = Options(name="x", detect=detect_language)

NAMED = {
    "a single key": (
        "Return JSON with a single key, binary_score, that is 'yes' or 'no'.\n{answer}",
        {"binary_score": "yes or no"},
    ),
    "keys without a word about each": (
        'Rate from 1 to 5. Answer in JSON with the keys "clarity", "depth" and "reason".\n{answer}',
        {"clarity": "number from 1 to 5", "depth": "number from 1 to 5"},
    ),
    "keys described in a list": (
        (
            "- Clarity: how clear it is (out of 10).\n- Depth: how deep it is (out of 10).\n"
            'Return a JSON object with the keys: "clarity", "depth", "average".\n{answer}'
        ),
        dict.fromkeys(("clarity", "depth", "average"), "number from 0 to 10"),
    ),
    "a group of scores": (
        (
            'Rate from 0 to 1. {{"score": 0.5, "parts": {{"correctness": 0.5, "clarity": 0.5}}}}\n'
            "{answer}"
        ),
        dict.fromkeys(("score", "correctness", "clarity"), "number from 0 to 1"),
    ),
    "a choice under a name of feedback": (
        'Rate from 1 to 5. {{"score": 4, "recommendation": "APPROVE|REVISE|REJECT"}}\n{answer}',
        {"score": "number from 1 to 5", "recommendation": "APPROVE / REVISE / REJECT"},
    ),
    "a placeholder in the sample": (
        'Grade it. {{"score": 1 (if it is {wanted}) or 0 (if not), "why": "…"}}\n{answer}',
        {"score": "yes or no"},
    ),
}


@pytest.mark.parametrize(("text", "scales"), NAMED.values(), ids=list(NAMED))
def test_keys(text: str, scales: dict[str, str]) -> None:
    assert said_of(import_prompt(text, OPTIONS).criteria) == scales
