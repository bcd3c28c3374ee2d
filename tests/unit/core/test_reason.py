from __future__ import annotations

import pickle

import orjson
import pytest

from adjudge.core.reason import Reason, reason_of
from adjudge.errors import DataError
from adjudge.strings import LANGUAGES, reason_words

_NESTED = Reason("no_interval", why=Reason("few_rows", count=3))


def test_its_words_are_made_where_it_is_shown() -> None:
    assert str(_NESTED) == "no interval: 3 independent rows or groups are too few"
    assert "3" in reason_words("ko", _NESTED)
    assert "no interval" not in reason_words("ko", _NESTED)
    assert len({reason_words(language, _NESTED) for language in LANGUAGES}) == 3


def test_it_is_a_value() -> None:
    same = Reason("no_interval", why=Reason("few_rows", count=3))
    assert same == _NESTED
    assert {_NESTED: 1}[same] == 1
    assert Reason("few_rows", count=4) != Reason("few_rows", count=3)
    assert pickle.loads(pickle.dumps(_NESTED)) == _NESTED  # noqa: S301 - our own bytes
    assert _NESTED.without("no_interval") == Reason("few_rows", count=3)
    assert same.without("other") is same
    assert repr(_NESTED) == "Reason('no_interval', why=Reason('few_rows', count=3))"


@pytest.mark.parametrize("reason", [_NESTED, Reason("x", of=("a", Reason("b"))), Reason("no_rows")])
def test_it_is_kept_as_json(reason: Reason) -> None:
    assert Reason.of(orjson.loads(orjson.dumps(reason))) == reason


def test_words_that_were_kept_without_a_code_stay_as_they_were() -> None:
    kept = Reason.of("the reply is empty")
    assert kept.code == ""
    assert {reason_words(language, kept) for language in LANGUAGES} == {"the reply is empty"}


def test_a_code_of_a_later_version_is_shown_as_it_is() -> None:
    assert str(Reason("not_yet_made", of=("a", "b"), n=2)) == "not_yet_made, of a, b, n 2"


def test_an_error_has_a_code_a_place_and_a_remedy() -> None:
    why = Reason("model.late", place="host", seconds="3")
    error = DataError(Reason("place.file_line", file="a.csv", line=7, why=why))
    assert str(error) == "a.csv, line 7: no answer from host within 3 s; --timeout allows more"
    assert (error.code, error.place) == ("model.late", {"file": "a.csv", "line": 7})
    assert error.remedy == "--timeout allows more"
    assert reason_of(error).with_texts(str.upper).fields["file"] == "A.CSV"
    plain = DataError("only words")
    assert (str(plain), plain.code, plain.place, plain.remedy) == ("only words", "", {}, "")
