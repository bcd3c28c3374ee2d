from __future__ import annotations

from collections.abc import Callable

import pytest

from adjudge.errors import UsageError
from adjudge.judges.importing import ImportedJudge, Options, import_prompt
from adjudge.judges.importing.languages import requested_language
from adjudge.reading import detect_language

Import = Callable[..., ImportedJudge]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Write your explanation in Korean.", "ko"),
        ("Respond in English only.", "en"),
        ("Hãy viết nhận xét bằng tiếng Việt.", "vi"),
        ("Giải thích bằng tiếng Anh.", "en"),
        ("설명은 영어로 작성하세요.", "en"),
        ("한국어로 답변하세요.", "ko"),
        ("请用中文回答。", "zh"),
        ("日本語で説明してください。", "ja"),
        ("Begründe deine Antwort auf Deutsch.", "de"),
        ("Réponds en français, en une phrase.", "fr"),
        ("Explica tu nota en inglés.", "en"),
        ("Escreva a justificativa em português.", "pt"),
        ("Explain it in Portuguese.", "pt"),
    ],
)
def test_the_language_asked_for(text: str, code: str) -> None:
    found = requested_language(text)
    assert found is not None
    assert found[0] == code


@pytest.mark.parametrize("text", ["The source text is in Korean.", "Rate it.", "used in Germany"])
def test_no_language_is_asked_for(text: str) -> None:
    assert requested_language(text) is None


def test_explanations_are_in_the_language_of_the_prompt_by_default(take: Import) -> None:
    imported = take("1점에서 5점으로 평가하세요.\n답변: {answer}")
    assert (imported.judge.language, imported.judge.explain_in) == ("ko", "ko")
    assert "explain in: ko, the language of the prompt" in "\n".join(imported.findings.lines())


def test_languages_can_be_set(take: Import) -> None:
    judge = take("Rate 1 to 5: score {answer}", language="de", explain_in="ko").judge
    assert (judge.language, judge.explain_in) == ("de", "ko")


def test_code_around_a_prompt_does_not_hide_its_language() -> None:
    text = "export const evaluate = `Hãy chấm điểm câu trả lời từ 1 đến 5.\n${cauTraLoi}`"
    assert import_prompt(text, Options(name="x", detect=detect_language)).judge.language == "vi"


@pytest.mark.parametrize("where", [0, 1])
def test_a_language_is_asked_for_at_either_end_of_a_long_prompt(where: int) -> None:
    parts = ["word " * 40_000, "Write your reasons in Korean."]
    text = "\n".join(parts[::-1] if where else parts)
    assert requested_language(text) == ("ko", text.index("in Korean"))


@pytest.mark.parametrize("said", [None, "?"])
def test_a_language_that_cannot_be_told_is_an_error(said: str | None) -> None:
    with pytest.raises(UsageError, match="--set language="):
        import_prompt("Score 1-5 {answer}", Options(name="x", detect=lambda _: said))
