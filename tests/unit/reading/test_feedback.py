"""Entries of a list: fillers are left out, what says something is kept."""

from __future__ import annotations

import json

import pytest

from adjudge.core.reply import Reply
from adjudge.judges import registry
from adjudge.reading.read import read
from adjudge.reading.readings import without_fillers

HEADINGS = frozenset({"weaknesses", "points_faibles"})


@pytest.mark.parametrize(
    "filler",
    [
        "None", "none.", "N/A", "-", "", "  ", "- weaknesses", "Weaknesses:", "**Weaknesses**",
        "null", "Points faibles", "No weaknesses", "None (weaknesses)", "None identified.",
        "No weaknesses found.",
        "없음", "해당 없음.", "Không có", "không có gì.", "…",
    ],
)  # fmt: skip
def test_a_filler_is_left_out(filler: str) -> None:
    assert without_fillers([filler, "It leaves out the fee."], HEADINGS) == (
        "It leaves out the fee.",
    )


@pytest.mark.parametrize(
    "entry",
    [
        "clear", "No example is given.", "None of the sources is named.", "short", "No sources",
        "Weaknesses in the second step", "Không có ví dụ.", "예시가 없음", "Nothing about the fee",
    ],
)  # fmt: skip
def test_what_says_something_is_kept(entry: str) -> None:
    assert without_fillers([entry], HEADINGS) == (entry,)


def test_a_repetition_is_left_out_however_it_is_written() -> None:
    said = ["It is too short.", "- it is too  short", "It is vague.", "It is too short!"]
    assert without_fillers(said, HEADINGS) == ("It is too short.", "It is vague.")


def sections(**lists: list[str]) -> str:
    whole = {"evaluation": "It answers the question.", "analysis": "It is short.", "rating": 3}
    return json.dumps(whole | lists)


def test_lists_of_a_reply_hold_no_fillers() -> None:
    judge = registry.get("helpfulness")
    text = sections(strengths=["None", "It is clear."], weaknesses=["- weaknesses", "None"])
    reading = read(judge, ("rating",), Reply(text=text))
    assert reading.feedback["strengths"] == ("It is clear.",)
    assert "weaknesses" not in reading.feedback
    assert reading.scores["rating"].value == 3


def test_lists_in_a_text_hold_none_either() -> None:
    judge = registry.get("helpfulness")
    text = "### Strengths\n- None\n- It is clear.\n### Weaknesses\n- N/A\n\nOverall rating: 3"
    reading = read(judge, ("rating",), Reply(text=text))
    assert reading.feedback["strengths"] == ("It is clear.",)
    assert "weaknesses" not in reading.feedback
