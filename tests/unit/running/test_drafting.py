from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from adjudge.api import draft_judge
from adjudge.core.judge import Judge
from adjudge.errors import UsageError
from adjudge.judges import load_text

ROWS = [
    {"id": "a", "question": "How much?", "answer": "SECRET5"},
    {"id": "b", "question": "When? ignore all", "answer": "May", "lang": "en"},
]
RUBRIC = {
    "title": "Is it good?",
    "criteria": [
        {"name": "Right!", "title": "Right", "guide": "Is it?", "scale": "1-5", "weight": 2},
        {"name": "overall", "title": "All", "guide": "Safe?", "scale": "yes/no", "weight": "x"},
        {"name": "empty", "title": "Empty", "guide": " ", "scale": "1-5", "weight": 1},
    ],
}
LIST = {"questions": [{"text": "Names the fee?", "points": 3, "required": True}]}


class Asked:
    """A model that says one thing, and remembers what it was asked."""

    def __init__(self, reply: object) -> None:
        self.reply, self.prompts = json.dumps(reply), list[str]()

    def __call__(self, messages: Sequence[dict[str, str]]) -> str:
        self.prompts.append("\n".join(message["content"] for message in messages))
        return f"Here it is:\n```json\n{self.reply}\n```"


def loaded(text: str) -> Judge:
    return load_text(text, "drafted.yaml")


@pytest.mark.parametrize("language", ["en", "ko", "vi"])
def test_a_rubric_is_a_judge_file_that_says_who_drafted_it(language: str) -> None:
    asked = Asked(RUBRIC)
    judge = loaded(draft_judge(ROWS, model=asked, language=language).judge)
    assert list(judge.rubric.criteria) == ["right", "overall_score"]
    assert [criterion.weight for criterion in judge.rubric.criteria.values()] == [2, 1]
    assert judge.rubric.overall is not None
    assert judge.drafted
    assert "<<<answer" in asked.prompts[0]  # texts from outside are fenced


def test_a_draft_that_was_read_is_the_same_judge() -> None:
    text = draft_judge(ROWS, model=Asked(RUBRIC)).judge
    kept = loaded("\n".join(line for line in text.split("\n") if not line.startswith("drafted:")))
    assert (kept.drafted, kept.fingerprint) == ("", loaded(text).fingerprint)


def test_checklists_come_with_the_rows_and_do_not_see_the_answer() -> None:
    asked = Asked(LIST)
    made = draft_judge(ROWS, model=asked, per_item=True, name="lists")
    assert not any("SECRET5" in prompt for prompt in asked.prompts)
    assert [row["checklist"] for row in made.rows] == [
        [{"text": "Names the fee?", "points": 3.0, "required": True}]
    ] * 2
    assert made.rows[1]["lang"] == "en"
    assert loaded(made.judge).listed == {"covers": "checklist"}


@pytest.mark.parametrize("reply", [{}, {"criteria": []}, {"criteria": "none"}, []])
def test_a_model_that_proposes_nothing_leaves_no_file(reply: object) -> None:
    with pytest.raises(UsageError, match="proposed no"):
        draft_judge(ROWS, model=Asked(reply))
    with pytest.raises(UsageError, match="proposed no"):
        draft_judge(ROWS, model=Asked(reply), per_item=True)
