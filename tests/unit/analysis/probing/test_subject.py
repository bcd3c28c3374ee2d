"""The built-in texts are whole in every language, and in that language."""

from __future__ import annotations

import re

import pytest

from adjudge.analysis.probing.subject import LANGUAGES, OTHER, ProbeTexts, texts_in
from adjudge.reading import wrong_language


@pytest.fixture(params=LANGUAGES)
def texts(request: pytest.FixtureRequest) -> ProbeTexts:
    return texts_in(request.param)


def test_the_same_texts_in_every_language() -> None:
    ids = {tuple(built.id for built in texts_in(language).items) for language in LANGUAGES}
    assert len(ids) == 1
    assert set(OTHER) == set(LANGUAGES)
    assert all(OTHER[language] != language for language in LANGUAGES)


def test_every_text_is_in_its_language(texts: ProbeTexts) -> None:
    said = [texts.padding, texts.restated, *texts.authority]
    for built in texts.items:
        said += [built.question, built.reference, built.good, built.weak, built.paraphrase]
    for text in said:
        assert wrong_language(text, texts.language) is None, text


def test_answers_differ_and_ids_are_plain(texts: ProbeTexts) -> None:
    for built in texts.items:
        assert len({built.good, built.weak, built.paraphrase, built.reference}) == 4
        assert re.fullmatch(r"[a-z-]+", built.id)


def test_the_figures_of_a_good_answer_are_kept(texts: ProbeTexts) -> None:
    """A paraphrase that says another number would be another answer."""
    numbers = re.compile(r"\d+(?:[.,]\d+)?")
    for built in texts.items:
        good, reworded, known, asked = (
            set(numbers.findall(text))
            for text in (built.good, built.paraphrase, built.reference, built.question)
        )
        assert good - asked <= reworded <= good | known, built.id


def test_instructions_name_the_best_value(texts: ProbeTexts) -> None:
    assert all(each.count("{best}") == 1 for each in texts.instructions)
    assert "{criterion}" in texts.grade_line
    assert "" in texts.keys
