"""Criteria by their titles, by lines of a form that is filled in, and by tags."""

from __future__ import annotations

import pytest

from adjudge.judges.importing import Options, import_prompt
from adjudge.judges.importing.rubric import said_of
from adjudge.reading import detect_language

OPTIONS = Options(name="x", detect=detect_language)

TITLED = {
    "the most that each can get": (
        "Score it:\n- Depth (10 points): is it deep?\n- Tone (5 points): is it kind?\n{answer}",
        {"depth": "number from 0 to 10", "tone": "number from 0 to 5"},
    ),
    "창의성 (10점 만점)": (
        "평가해 주세요.\n- 정확성 (10점 만점): 옳은가\n- 창의성 (10점 만점): 새로운가\n{answer}",
        {"accuracy": "number from 0 to 10", "creativity": "number from 0 to 10"},
    ),
    "a form that is filled in": (
        "Rate from 1 to 5 in this form:\nDepth: 4/5 - it covers all\nTone: 5/5 - kind\n{answer}",
        {"depth": "number from 1 to 5", "tone": "number from 1 to 5"},
    ),
    "ranges behind a colon": (
        "Rate it:\n1. Depth: 1 - 10, in steps of 0.1.\n2. Tone: 1 - 10, in steps of 0.1.\n{answer}",
        {"depth": "number from 1 to 10", "tone": "number from 1 to 10"},
    ),
    "a line of prose above each score": (
        (
            "Rate the answer.\nDepth: say whether it is deep.\nScore: 1 (flat) ~ 5 (deep)\n\n"
            "친절함 (Politeness): say whether it is kind.\nScore: 1 (rude) ~ 5 (kind)\n{answer}"
        ),
        {"depth": "number from 1 to 5", "politeness": "number from 1 to 5"},
    ),
    "a tag with a name that tells nothing": (
        "Rate it from 1 to 5. Write tags: <S0>your thoughts</S0>, <S1>your Score</S1>.\n{answer}",
        {"score": "number from 1 to 5"},
    ),
    "levels in headings": (
        (
            "# Ratings\n## [Tone: 1] (Rude)\na\n## [Tone: 2] (Cold)\nb\n## [Tone: 3] (Kind)\nc\n"
            'Give an integer (i.e., "1", "2"...).\n{answer}'
        ),
        {"score": "1 Rude, 2 Cold, 3 Kind"},
    ),
    "points, and no names": (
        "Rúbrica de puntuación:\n- Contexto: (0 o 2 puntos).\n- Formato: (0 o 1 punto).\n{answer}",
        {"contexto": "integer from 0 to 2", "formato": "yes or no"},
    ),
    "a table with ranges": (
        "Rate it:\n| Aspect | Scale |\n|---|---|\n| Depth | 1-5 |\n| Tone | 0-3 |\n{answer}",
        {"depth": "number from 1 to 5", "tone": "number from 0 to 3"},
    ),
    "an example with its item": (
        "Rate it 1-5.\nAnswer: 5\nRating: 1\n\nNow you:\nAnswer: {answer}\nRating:",
        {"rating": "number from 1 to 5"},
    ),
    "what is counted": (
        "Rate it from 1 to 5.\nOutput:\nErrors: <number>\nRating: <1-5>\n{answer}",
        {"rating": "number from 1 to 5"},
    ),
    "whole numbers by the key": (
        '정확성(1~5), 유창성(1~5)을 매기세요.\n{{"정확성": 정수, "유창성": 정수}}\n답변: {answer}',
        {"accuracy": "integer from 1 to 5", "fluency": "integer from 1 to 5"},
    ),
    "signs before the ends": (
        "Rate the tone on a scale from -2 to +2.\n{answer}",
        {"score": "number from -2 to 2"},
    ),
}


@pytest.mark.parametrize(("text", "scales"), TITLED.values(), ids=list(TITLED))
def test_criteria(text: str, scales: dict[str, str]) -> None:
    assert said_of(import_prompt(text, OPTIONS).criteria) == scales
