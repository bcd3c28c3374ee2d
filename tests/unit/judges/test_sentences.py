"""Patterns that leave a model no other language, held against real sentences of each."""

from __future__ import annotations

import json
import re
from itertools import permutations
from pathlib import Path

import pytest

from adjudge.judges.load import wording_for
from adjudge.judges.sentences import BINDABLE, known, pattern

SENTENCES: dict[str, list[str]] = json.loads(
    (Path(__file__).parents[2] / "data" / "sentences.json").read_text("utf-8")
)
# Neighbours whose short sentences may be sentences of both, or that share all their letters.
ALIKE = {
    frozenset(pair)
    for pair in (
        ("da", "no"), ("id", "ms"), ("hi", "mr"), ("hi", "ne"), ("mr", "ne"), ("ar", "fa"),
        ("ar", "ur"), ("fa", "ur"), ("ru", "bg"), ("ru", "sr"), ("bg", "sr"), ("bg", "uk"),
        ("sr", "uk"), ("ru", "uk"),
    )
}  # fmt: skip


def accepts(language: str, text: str, most: int = 2) -> bool:
    return re.search(pattern(language, most) or "", text) is not None


def test_every_language_that_is_named_can_be_bound() -> None:
    assert set(wording_for("en").languages) <= set(BINDABLE)
    assert set(SENTENCES) == set(BINDABLE)


@pytest.mark.parametrize("language", BINDABLE)
def test_real_sentences_of_the_language_pass(language: str) -> None:
    for text in SENTENCES[language]:
        assert accepts(language, text), text


@pytest.mark.parametrize("language", BINDABLE)
def test_sentences_of_other_languages_do_not(language: str) -> None:
    others = [other for other in SENTENCES if other != language]
    passed = [
        (other, text)
        for other in others
        if frozenset((language, other)) not in ALIKE
        for text in SENTENCES[other]
        if accepts(language, text)
    ]
    assert not passed


def test_letters_that_a_sister_language_lacks_tell_the_two_apart() -> None:
    assert not accepts("uk", "Это объяснение не упоминает имя и дату.")
    assert not accepts("ru", "Відповідь правильна й повна.")
    assert not accepts("zh", "この回答は質問に正確に答えています。")
    assert not accepts("ja", "该回答准确地回答了问题。")
    assert not accepts("ar", "پاسخ درست و کامل است.")


@pytest.mark.parametrize("language", BINDABLE)
def test_texts_that_break_off_do_not(language: str) -> None:
    """Where a language ends its sentences with a sign."""
    if language in {"th", "lo"}:
        pytest.skip("written without a sign at the end of a sentence")
    whole = SENTENCES[language][0]
    assert not accepts(language, whole[:-1])
    assert not accepts(language, f"{whole}\n{whole}")


@pytest.mark.parametrize("language", ["en", "ko", "vi", "de", "ru", "ja"])
def test_no_more_sentences_than_wanted(language: str) -> None:
    gap = "" if language == "ja" else " "
    twice = gap.join([SENTENCES[language][0]] * 2)
    assert accepts(language, twice, 2)
    assert not accepts(language, twice, 1)


def test_fillers_are_no_sentences() -> None:
    for language, text in (("en", "None"), ("en", "None."), ("ko", "없음."), ("vi", "Không có.")):
        assert not accepts(language, text)


def test_a_few_foreign_words_in_a_row_and_no_more() -> None:
    assert accepts("ko", "답변은 Elm Street bridge 이름을 그대로 썼습니다.")
    assert not accepts("ko", "답변은 the answer is correct and complete 하고 좋습니다.")


def test_regions_and_languages_without_a_pattern() -> None:
    assert pattern("pt-BR", 1) == pattern("pt", 1)
    assert pattern("sw", 1) is None
    assert known("any")
    assert not known("sw")


def test_matching_takes_no_time_on_what_almost_fits() -> None:
    """No pattern goes back and forth over a long text that fails at its end."""
    for language, other in permutations(("en", "ko", "vi", "ja"), 2):
        text = " ".join([SENTENCES[language][0][:-1]] * 30)
        assert not accepts(language, text)
        assert not accepts(other, text)


def test_two_sentences_do_not_run_into_each_other() -> None:
    assert not accepts("en", "The answer is helpful.Overall, it is excellent.")
    assert not accepts("vi", "Câu trả lời rõ ràng.Đáp án chuẩn cũng vậy.")
    assert accepts("en", "The answer names example.org and 3.5 percent, e.g. for savings.")
