from __future__ import annotations

import pytest

from adjudge.reading import detect_language, wrong_language

TEXTS = {
    "en": "The answer names the right steps but forgets to mention the fee of ten dollars.",
    "ko": "응답은 원문의 핵심 사실을 정확하게 전달하지만 폐쇄 기간을 잘못 적었습니다.",
    "vi": "Câu trả lời đúng trọng tâm nhưng còn thiếu thông tin về mức phí phải nộp.",
    "de": "Die Antwort nennt die richtigen Schritte, verschweigt aber die Gebühr.",
    "fr": "La réponse donne les bonnes étapes mais oublie de mentionner les frais.",
    "es": "La respuesta menciona los pasos correctos, pero olvida decir cuánto cuesta.",
    "ja": "回答は手順を正しく説明していますが、手数料には触れていません。",
    "zh": "回答说明了正确的步骤，但没有提到手续费。",
    "ru": "Ответ называет правильные шаги, но не упоминает комиссию.",
    "th": "คำตอบบอกขั้นตอนที่ถูกต้องแต่ไม่ได้กล่าวถึงค่าธรรมเนียม",
}


@pytest.mark.parametrize("language", TEXTS)
def test_every_text_is_what_it_is(language: str) -> None:
    assert detect_language(TEXTS[language]) == language
    assert wrong_language(TEXTS[language], language) is None


@pytest.mark.parametrize("expected", ["en", "ko", "vi", "de"])
@pytest.mark.parametrize("language", TEXTS)
def test_any_other_language_is_noticed(language: str, expected: str) -> None:
    if language != expected:
        assert wrong_language(TEXTS[language], expected) == language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("요약문은 “The bridge will be closed for six weeks”라고 하여 사실과 다릅니다.", "ko"),
        ("API response time과 latency 관련 설명은 정확하지만 SLA 항목이 누락되었습니다.", "ko"),
        ('Câu trả lời dùng từ "deadline" và "follow up" không phù hợp với người dùng.', "vi"),
        ("It renders 안녕하세요 as 'hello', which is a fair translation of the greeting.", "en"),
        ("Use `SELECT * FROM tabelle` here; the answer says so as well.", "en"),
        ("ok", "ko"),
        ("4/5", "vi"),
        ("Good answer.", "ko"),
        ("", "en"),
    ],
)
def test_quotations_terms_and_short_texts_raise_no_alarm(text: str, expected: str) -> None:
    assert wrong_language(text, expected) is None


def test_a_name_in_latin_letters_leaves_a_short_korean_sentence_korean() -> None:
    assert detect_language("HouseKey 앱을 쓰시면 됩니다.") == "ko"
    assert detect_language("The Korean word for it is 안녕하세요.") == "en"


def test_regions_do_not_matter() -> None:
    assert wrong_language(TEXTS["en"], "en-GB") is None
    assert wrong_language(TEXTS["zh"], "zh-Hant") is None


@pytest.mark.parametrize("word", ["de", "zijn", "ñandú ", "и", "это ", "ab ", "\U0001d400", "𝅘𝅥𝅮"])
@pytest.mark.parametrize("times", [1, 5_000, 200_000])
def test_one_word_over_and_over_raises_nothing(word: str, times: int) -> None:
    assert detect_language(word * times) is None or isinstance(detect_language(word * times), str)


@pytest.mark.parametrize(
    "text",
    [
        "Die Antwort fehlt leider völlig.",
        "Bonne réponse, ton poli.",
        "Falta a data de entrega.",
        "Goed antwoord, vriendelijke toon.",
        "Jawaban ini kurang lengkap sekali.",
        "De toon klinkt wat kil.",
        "Tonen låter lite kall.",
        "Harga akhir tidak dicantumkan.",
        "Explication du Café de Flore manquante.",
        "Explicación de París incompleta.",
    ],
)
def test_a_short_sentence_in_another_language_is_no_english(text: str) -> None:
    assert wrong_language(text, "en")


@pytest.mark.parametrize(
    "text",
    [
        "Clear, polite, complete answer.",
        "Mentions respuesta without translating it.",
        "Good answer, correct tone throughout.",
        "Names Café de Flore, Paris.",
        "Cites Ludwig van Beethoven correctly.",
        "Lists São Paulo, Bogotá, Lima.",
        "Mentions crème brûlée only.",
    ],
)
def test_short_english_passes(text: str) -> None:
    assert wrong_language(text, "en") is None
