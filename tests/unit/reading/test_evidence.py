"""Quotations that are planted: the true ones are found, none of the others passes."""
# ruff: noqa: E501 - lines of the texts

from __future__ import annotations

import random
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.score import Quotation
from adjudge.reading.evidence import find_quote, locate

# A text of three languages each, of sentences that share few words.
TEXTS = {
    "en": (
        "The transfer fee is 1.20 euros per booking, and it is charged on the 3rd of each month. "
        "“You can cancel free of charge”, the clerk said, “until the evening before.” Refunds arrive "
        "within 14 days – sometimes sooner. Customers under 18 need a parent's signature. The office "
        "in Hanoi closes at 17:30 on weekdays; on Saturdays it doesn't open at all. Orders over "
        "200 euros are delivered without extra cost, unless they go to an island. A lost card is "
        "blocked at once, day or night. The hotline answers in German, French and Polish. Contracts "
        "run for 24 months and renew by 6 months unless they are cancelled in writing. Students "
        "receive a discount of 15 percent on all printed editions."
    ),
    "ko": (
        "이 상품의 환불 수수료는 결제 금액의 5%이며 매월 3일에 청구됩니다. 고객센터는 평일 오전 9시부터 "
        "오후 6시까지 운영됩니다. “주문은 출고 전까지 무료로 취소할 수 있습니다”라고 직원이 말했습니다. "
        "제주도와 도서 산간 지역은 배송비 3,000원이 추가됩니다. 만 14세 미만 회원은 보호자의 동의가 "
        "필요합니다. 분실한 카드는 즉시 정지되며 새 카드는 7일 안에 도착합니다. 계약 기간은 24개월이고 "
        "해지는 서면으로만 가능합니다. 학생에게는 모든 인쇄본을 15퍼센트 할인해 드립니다. 부산 지점은 "
        "토요일에 문을 열지 않습니다. 포인트는 적립일로부터 2년 동안 사용할 수 있습니다."
    ),
    "vi": (
        "Phí chuyển khoản là 11.000 đồng cho mỗi giao dịch và được thu vào ngày 3 hằng tháng. Văn phòng "
        "tại Đà Nẵng đóng cửa lúc 17 giờ 30 các ngày trong tuần. “Quý khách được hủy miễn phí”, nhân "
        "viên nói, “cho đến tối hôm trước.” Tiền hoàn lại sẽ về tài khoản trong vòng 14 ngày – đôi khi "
        "sớm hơn. Khách hàng dưới 18 tuổi cần chữ ký của cha mẹ. Thẻ bị mất được khóa ngay lập tức, bất "
        "kể ngày đêm. Hợp đồng kéo dài 24 tháng và tự gia hạn thêm 6 tháng nếu không hủy bằng văn bản. "
        "Sinh viên được giảm 15 phần trăm cho mọi ấn bản in. Đơn hàng trên 2 triệu đồng được giao miễn "
        "phí, trừ khi gửi ra đảo. Tổng đài trả lời bằng tiếng Anh và tiếng Pháp."
    ),
}
OTHER_WORDS = {"en": "purple", "ko": "보라색", "vi": "tím"}
PER_KIND = 20  # for five kinds and three languages: 300


def passages(language: str) -> list[str]:
    """Runs of four to twelve words, the same ones each time."""
    words = list(re.finditer(r"\S+", TEXTS[language]))
    dice = random.Random(f"passages {language}")  # noqa: S311 - a seed, no secret
    chosen = []
    while len(chosen) < PER_KIND:
        begin = dice.randrange(len(words) - 12)
        end = begin + dice.randint(4, 12)
        chosen.append(TEXTS[language][words[begin].start() : words[end - 1].end()])
    return chosen


def written_otherwise(passage: str) -> str:
    """The same words with other white space, quotation marks and dashes."""
    table = str.maketrans({"“": '"', "”": "»", "–": "—", "-": "\u2011", "'": "’", " ": "\n "})
    return passage.translate(table)


def one_word_altered(passage: str, language: str, dice: random.Random) -> str:
    words = passage.split(" ")
    at = dice.randrange(len(words))
    words[at] = OTHER_WORDS[language] if words[at] != OTHER_WORDS[language] else words[at] + "s"
    return " ".join(words)


@pytest.mark.parametrize("language", TEXTS)
def test_true_quotations_are_found_where_they_stand(language: str) -> None:
    text = TEXTS[language]
    for passage in passages(language):
        span = find_quote(passage, text)
        assert span is not None
        assert text[slice(*span)] == passage


@pytest.mark.parametrize("language", TEXTS)
def test_other_quotes_and_dashes_and_white_space_are_the_same(language: str) -> None:
    text = TEXTS[language]
    for passage in passages(language):
        span = find_quote(written_otherwise(passage), text)
        assert span is not None
        assert text[slice(*span)] == passage


@pytest.mark.parametrize("language", TEXTS)
def test_a_quotation_with_one_other_word_is_not_found(language: str) -> None:
    dice = random.Random(f"altered {language}")  # noqa: S311 - a seed, no secret
    for passage in passages(language):
        assert find_quote(one_word_altered(passage, language, dice), TEXTS[language]) is None


@pytest.mark.parametrize("language", TEXTS)
def test_a_quotation_of_another_text_is_not_found(language: str) -> None:
    """Also of one about the same things, in the same language."""
    sister = {
        "en": "The transfer fee is 1.50 euros per booking and is charged on the 5th of each month. "
        "Refunds arrive within 30 days. Contracts run for 12 months and renew by 12 months.",
        "ko": "이 상품의 환불 수수료는 결제 금액의 7%이며 매월 5일에 청구됩니다. 계약 기간은 12개월이고 "
        "해지는 전화로도 가능합니다. 부산 지점은 일요일에 문을 열지 않습니다.",
        "vi": "Phí chuyển khoản là 22.000 đồng cho mỗi giao dịch và được thu vào ngày 5 hằng tháng. Hợp "
        "đồng kéo dài 12 tháng. Sinh viên được giảm 20 phần trăm.",
    }[language]
    words = sister.split(" ")
    dice = random.Random(f"other {language}")  # noqa: S311 - a seed, no secret
    tried = 0
    while tried < PER_KIND:
        begin = dice.randrange(len(words) - 6)
        passage = " ".join(words[begin : begin + dice.randint(6, 12)])
        if passage in TEXTS[language]:
            continue  # a run that the two share
        tried += 1
        assert find_quote(passage, TEXTS[language]) is None


@pytest.mark.parametrize("language", TEXTS)
def test_a_translation_is_not_found(language: str) -> None:
    others = [other for other in TEXTS if other != language]
    for other in others:
        for passage in passages(other)[: PER_KIND // 2]:
            assert find_quote(passage, TEXTS[language]) is None


def test_numbers_and_words_are_not_cut_in_two() -> None:
    assert find_quote("fee is 1", "The fee is 15 euros.") is None
    assert find_quote("the form", "Send the formula.") is None
    assert find_quote("fee is 15", "The fee is 15 euros.") == (4, 13)
    assert find_quote("수수료", "수수료는 5%입니다.") == (0, 3)  # Korean has no space there


def test_case_and_accents_count() -> None:
    assert find_quote("the fee is high", "The Fee is high") is None
    assert find_quote("Phi chuyen khoan", "Phí chuyển khoản") is None


def test_letters_that_came_apart_are_the_same_letters() -> None:
    apart = "Phi\u0301 chuye\u0302\u0309n khoa\u0309n la\u0300 11.000"
    assert find_quote("Phí chuyển khoản", apart) == (0, 20)


def test_an_ellipsis_joins_passages_in_their_order() -> None:
    text = "The fee is 5 euros. It is due in May. Nobody pays twice."
    assert find_quote("The fee is 5 euros … Nobody pays twice", text) == (0, len(text) - 1)
    assert find_quote("The fee is 5 euros [...] due in May", text) == (0, 36)
    assert find_quote("Nobody pays twice … The fee is 5 euros", text) is None
    assert find_quote("The fee is 5 euros … nobody said so", text) is None


@pytest.mark.parametrize("quote", ["", " ", "…", "a", "5", "“”", "-- --", "is", "..."])
def test_what_says_nothing_is_not_found(quote: str) -> None:
    assert find_quote(quote, "a is 5 … -- -- “”") is None


def test_a_short_quotation_is_looked_for_to_the_letter() -> None:
    assert find_quote("May", "It is due in May.") == (13, 16)
    assert find_quote("May", "It is due in Mayflower.") is None


def test_quotation_marks_and_bullets_around_it_do_not_count() -> None:
    text = "The fee is 5 euros."
    for quote in ("“The fee is 5 euros.”", "- The fee is 5 euros.", '1. "The fee is 5 euros."'):
        assert find_quote(quote, text) == (0, len(text))


def test_entries_of_a_list_have_numbers() -> None:
    texts = {"context": '["The fee is 5 euros.", {"text": "It is due in May."}]'}
    assert locate("due in May", texts) == Quotation("due in May", "context", 6, 16, 2)
    twice = {"context": '["The fee is 5.", "We know: the fee is 5."]'}
    assert locate("fee is 5", twice, 2).source == 2
    assert locate("fee is 5", twice, 9).source == 1
    assert not locate("due in June", texts).supported


def test_the_first_input_that_has_it_counts() -> None:
    texts = {"answer": "It costs 5 euros.", "context": "The fee: It costs 5 euros."}
    assert locate("costs 5 euros", texts).input == "answer"


@given(st.text(max_size=200), st.data())
def test_every_run_of_words_of_any_text_is_found(text: str, data: st.DataObject) -> None:
    words = list(re.finditer(r"\S+", text))
    if not words:
        return
    begin = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(begin, len(words) - 1))
    passage = text[words[begin].start() : words[end].end()]
    if sum(sign.isalnum() for sign in passage) >= 3:
        assert find_quote(passage, text) is not None


def letters(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFC", text) if sign.isalnum())


@given(st.text("ab1 -.'“\n", max_size=12), st.text("ab1 -.'”\n", max_size=300))
def test_what_is_found_has_the_same_letters_and_digits(quote: str, text: str) -> None:
    span = find_quote(quote, text)
    if span is not None and "…" not in quote and "..." not in quote:
        assert letters(quote).endswith(letters(text[slice(*span)]))  # a bullet is left out


def test_long_texts_take_time_that_grows_with_them() -> None:
    """No assertion about time: of the square of a million the test would not come to an end."""
    text = "ab " * 400_000
    assert find_quote("b a " * 900 + "c", text) is None
    assert find_quote("… ".join(["ab ab"] * 300) + "x", text) is None
