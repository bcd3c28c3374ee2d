"""The likelihood of a given text is the model's own, also where it was read in parts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.fp32 import Llama

from adjudge.errors import ModelUnavailable, ProviderError
from adjudge.models.embedded import EmbeddedModel
from adjudge.models.llama_native import Native

TEXTS = [
    ("The capital of France is", " Paris, which is a beautiful city."),
    ("Question: 일본의 수도는 어디인가요?\nAnswer:", " 도쿄입니다."),
    ("Thủ đô của Nhật Bản là gì?\nTrả lời:", " Thủ đô của Nhật Bản là Tokyo."),
    ("Say it with a picture:", " 👩‍🚀🎉"),
]
SOURCE = "The council closed the bridge on Elm Street, since two of its beams had cracks. " * 12


@pytest.fixture(scope="module")
def native(smollm: Path) -> Iterator[Native]:
    opened = Native(smollm)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def exact(smollm: Path) -> Llama:
    return Llama(smollm)


@pytest.mark.parametrize(("given", "text"), TEXTS)
def test_near_an_independent_pass_in_32_bits(
    native: Native, exact: Llama, given: str, text: str
) -> None:
    """llama.cpp rounds activations to eight bits, so single unlikely tokens differ by more."""
    found = native.likelihood(given, text)
    before, after = native.ids(given), native.ids(text)
    told = exact.logprobs(before + after)
    own = np.array([told[len(before) - 1 + at, token] for at, token in enumerate(after)])
    ours = np.array(found.logprobs)
    assert len(ours) == len(after)
    assert abs(own.mean() - ours.mean()) < 0.06
    assert np.abs(own - ours).max() < 0.7
    assert np.corrcoef(own, ours)[0, 1] > 0.99


def test_the_tokens_spell_the_text(native: Native) -> None:
    for given, text in TEXTS:
        assert b"".join(native.likelihood(given, text).tokens).decode() == text


def test_a_better_text_is_likelier(native: Native) -> None:
    good = native.likelihood(SOURCE, " The bridge is closed because of cracks.").logprobs
    odd = native.likelihood(SOURCE, " The cake is baked because of Tuesday.").logprobs
    assert np.mean(good) > np.mean(odd) + 1


def test_what_is_shared_is_read_once(smollm: Path) -> None:
    native = Native(smollm)
    shared = len(native.ids(SOURCE))
    first = native.likelihood(SOURCE, " It is closed.")
    again = native.likelihood(SOURCE, " It was open for a hundred years.")
    assert first.reused == 0
    assert again.reused >= shared - 1
    # Without the source in between, in a place of its own.
    native.likelihood("Write something:", " It is closed.")
    third = native.likelihood(SOURCE, " It is closed.")
    assert third.reused >= shared - 1
    # Other sizes of batch go through other kernels, which round differently.
    assert np.mean(third.logprobs) == pytest.approx(np.mean(first.logprobs), abs=0.1)
    native.close()


def test_sixteen_texts_about_one_source_take_a_third_of_the_tokens(native: Native) -> None:
    """Against each from scratch, which is all tokens of all prompts; bench/prefix.py has times."""
    texts = [f" {number} beams of the bridge are cracked." for number in range(16)]
    begin = f"Sixteen texts about this:\n{SOURCE}\n\nTL;DR:"
    found = [native.likelihood(begin, text) for text in texts]
    assert found[0].reused < 10  # nobody has read it before
    whole = sum(each.total for each in found)
    assert len(found) == 16
    assert whole - sum(each.reused for each in found) < whole / 3


def test_a_text_longer_than_one_batch(native: Native, exact: Llama) -> None:
    text = " " + SOURCE + SOURCE[: len(SOURCE) // 3]
    found = native.likelihood("News:", text)
    before, after = native.ids("News:"), native.ids(text)
    assert len(after) > 256
    told = exact.logprobs(before + after)
    own = [told[len(before) - 1 + at, token] for at, token in enumerate(after)]
    assert np.mean(found.logprobs) == pytest.approx(np.mean(own), abs=0.03)


@pytest.mark.parametrize(
    ("given", "text", "said"),
    [
        ("Go on:", "", "no text"),
        ("", "Hello", "something before it"),
        ("a", " b" * 9000, "takes 8192"),
    ],
)
def test_what_cannot_be_told(native: Native, given: str, text: str, said: str) -> None:
    with pytest.raises(ProviderError, match=said):
        native.likelihood(given, text)


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "none.gguf").write_bytes(b"GGUF nothing")
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        Native(tmp_path / "none.gguf")


def test_through_the_model(smollm: Path) -> None:
    async def ask() -> None:
        model = EmbeddedModel(str(smollm), 100.0)
        assert model.likelihoods
        replies = await asyncio.gather(*(model.likelihoods.of(*each) for each in TEXTS))
        for reply in replies:
            assert reply.text == ""
            assert reply.logprobs
            assert all(token.logprob < 0 for token in reply.logprobs)
            assert reply.usage.input_tokens > len(reply.logprobs)
            assert reply.usage.cost_usd == 0.0
        assert (await model.likelihoods.of("given", "")).logprobs == ()
        await model.aclose()

    asyncio.run(ask())
