from __future__ import annotations

from dataclasses import asdict, replace

import orjson

from adjudge.core.reason import Reason
from adjudge.core.reply import Reply, TokenLogprob
from adjudge.stores.codec import decode_manifest, decode_reply, decode_verdict, encode

from .conftest import entry, record


def test_a_verdict_comes_back_as_it_was() -> None:
    verdict = entry().verdict
    assert decode_verdict(encode(verdict)) == verdict


def test_numbers_keep_their_kind() -> None:
    scores = decode_verdict(encode(entry().verdict)).scores
    assert isinstance(scores["accuracy"].value, float)
    assert isinstance(scores["tone"].raw, int)
    assert scores["polite"].value is True


def test_a_manifest_keeps_its_id() -> None:
    manifest = record("salt").manifest
    assert decode_manifest(encode(asdict(manifest))).id == manifest.id


def test_half_a_surrogate_pair() -> None:
    odd = replace(entry().verdict, notes=(Reason.of("half \ud83d of it"),))
    assert decode_verdict(encode(odd)) == replace(odd, notes=(Reason.of("half ? of it"),))


def test_a_token_keeps_its_bytes() -> None:
    reply = Reply(text="👍", logprobs=(TokenLogprob(r"\xf0\x9f", -0.5, {r"\xec": -1.0}, "f09f"),))
    assert decode_reply(encode(reply)) == reply


def test_a_reply_from_before_tokens_had_bytes() -> None:
    reply = Reply(text="4", logprobs=(TokenLogprob("4", -0.5, {"4": -0.5}),))
    assert decode_reply(encode(reply).replace(b',"piece":null', b"")) == reply


def test_words_of_an_earlier_version_are_kept_as_they_were() -> None:
    """Verdicts that were stored with sentences in the place of codes."""
    raw = orjson.loads(encode(entry().verdict))
    raw["scores"]["tone"] |= {"why": raw["scores"]["tone"].pop("reason") and "too much"}
    raw["notes"], raw["calls"][0]["error"] = ["no strengths in the reply"], "broke"
    verdict = decode_verdict(orjson.dumps(raw))
    assert verdict.scores["tone"].why == "too much"
    assert verdict.scores["tone"].reason == Reason.of("too much")
    assert verdict.scores["accuracy"].reason is None
    assert [str(note) for note in verdict.notes] == ["no strengths in the reply"]
    assert str(verdict.calls[0].error) == "broke"
