"""Tokens as OpenAI tells them, also those that are no text."""

from __future__ import annotations

from typing import Any

import pytest

from adjudge.core.reply import TokenLogprob
from adjudge.models.token_logprobs import aligned, token_logprob


def entry(token: str, raw: bytes | None = None) -> dict[str, Any]:
    top = [{"token": token, "logprob": -0.5}]
    return {
        "token": token,
        "bytes": list(raw or token.encode()),
        "logprob": -0.5,
        "top_logprobs": top,
    }


def test_tokens_that_the_message_lacks_are_left_out() -> None:
    tokens = [entry(text) for text in ("```", "json", "\n", "{", '"a": ', "1", "}", "\n", "```")]
    kept = aligned(tokens, '{"a": 1}')
    assert kept is not None
    assert [token.token for token in kept] == ["{", '"a": ', "1", "}"]


@pytest.mark.parametrize("text", ['{"a": 2}', '"a": 1'])
def test_no_probabilities_rather_than_wrong_ones(text: str) -> None:
    tokens = [entry(part) for part in ('{"', 'a": ', "1", "}")]
    assert aligned(tokens, text) is None


def test_pieces_keep_their_bytes() -> None:
    """Also among the alternatives, where the text alone would not tell them apart."""
    told = {
        "token": "\ufffd",
        "bytes": [0xF0, 0x9F],
        "logprob": -0.5,
        "top_logprobs": [
            {"token": "\ufffd", "bytes": [0xF0, 0x9F], "logprob": -0.5},
            {"token": "\ufffd", "bytes": [0xEC], "logprob": -1.5},
        ],
    }
    top = {r"\xf0\x9f": -0.5, r"\xec": -1.5}
    assert token_logprob(told) == TokenLogprob(r"\xf0\x9f", -0.5, top, "f09f")


@pytest.mark.parametrize(
    ("token", "given", "shown"),
    [
        ("Ġ4", [0x20, 0x34], " 4"),  # the tokenizer's own sign, and the bytes that it stands for
        ("", [0xEC, 0xA0, 0x90], "점"),
        ("4", None, "4"),
        ("4", [], "4"),
        ("4", [-20], "4"),  # no byte
        ("4", "4", "4"),
        (r"\xf0", list(rb"\xf0"), r"\xf0"),  # four characters
        ("\ufffd", [0xEF, 0xBF, 0xBD], "\ufffd"),  # bytes that were made of the text
    ],
)
def test_the_bytes_say_what_the_text_is(token: str, given: object, shown: str) -> None:
    told = {"token": token, "bytes": given, "logprob": -1, "top_logprobs": None}
    assert token_logprob(told) == TokenLogprob(shown, -1.0, {})


def test_of_alternatives_that_look_alike_the_likeliest_stands() -> None:
    others = [{"token": "\ufffd", "logprob": value} for value in (-1.0, -2.0)]
    found = token_logprob({"token": "a", "logprob": 0.0, "top_logprobs": others})
    assert found.top == {"\ufffd": -1.0}


def test_tokens_are_found_by_their_bytes() -> None:
    """Where a character is split, and behind thoughts that are no part of the text."""
    thumb = "👍".encode()
    parts = [b"<think>", "👍".encode(), b"</think>", b"ok ", thumb[:2], thumb[2:], b"!"]
    tokens = [entry(part.decode(errors="replace"), part) for part in parts]
    kept = aligned(tokens, "ok 👍!")
    assert kept is not None
    assert [token.token for token in kept] == ["ok ", r"\xf0\x9f", r"\x91\x8d", "!"]


@pytest.mark.parametrize("field", ["token", "logprob"])
def test_what_is_no_token_is_an_error(field: str) -> None:
    told = {"token": "4", "logprob": -0.5}
    del told[field]
    with pytest.raises(KeyError):
        token_logprob(told)
