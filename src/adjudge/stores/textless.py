"""A store as a run writes to it that does not keep all texts (`--keep`).

`replies`: of the item's texts there are stand-ins. `scores`: also of the replies and of what the
model was asked again; explanations, sections, and what a provider said about an error are left out.
Scores, outcomes, flags, usage and lengths are kept.

Replies must be there to be found again, or they would be paid for twice. So they are kept, but
sealed with a key that is made from the request itself and is stored nowhere: anyone who has the
data and the judge makes the same request, and reads the reply; the store alone tells nothing. With
`none`, not even those are kept, and the same request is asked again.
"""

from __future__ import annotations

import secrets
import zlib
from base64 import b64decode, b64encode, b85decode
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import blake2b, shake_256
from typing import TYPE_CHECKING, Any, cast

from adjudge.core.item import NOT_KEPT, Item, stand_in
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome, Quotation, Score
from adjudge.core.verdict import Call, Cut, Exchange, Verdict
from adjudge.errors import StoreError

from .codec import decode_reply, encode, encode_reply
from .packing import pack, unpack
from .records import SEAL, Claimed, Entry, Keep, KeptReply
from .store import Store

if TYPE_CHECKING:
    from .replies import Replies
    from .verdicts import Verdicts

_NONCE, _TAG = 16, 16  # bytes


def keeping(store: Store, keep: Keep) -> Store:
    """The store, with what is not to be kept left out of all that is written through it."""
    if keep == "all":
        return store
    made = without_inputs if keep == "replies" else without_texts
    verdicts = cast(Any, _Textless(store.verdicts, lambda entry: made(entry, store.secret)))
    if keep == "replies":
        return replace(store, verdicts=verdicts)
    replies = (_Unkept if keep == "none" else _Sealed)(store.replies)
    return replace(store, verdicts=verdicts, replies=cast(Any, replies))


class _Textless:
    def __init__(self, verdicts: Verdicts, made: Callable[[Entry], Entry]) -> None:
        self._verdicts, self._made = verdicts, made

    def __getattr__(self, name: str) -> Any:
        return getattr(self._verdicts, name)

    def put(self, run_id: str, entries: Sequence[Entry]) -> None:
        self._verdicts.put(run_id, [*map(self._made, entries)])


def without_inputs(entry: Entry, secret: bytes) -> Entry:
    """The entry with stand-ins for the texts of its item, also for what was cut from them."""
    item, verdict = entry.item, entry.verdict
    fields = {name: stand_in(text, secret) for name, text in item.fields.items()}
    extra = {name: _column(value, secret) for name, value in item.extra.items()}
    if verdict.cuts:
        verdict = replace(verdict, cuts={name: _cut(cut) for name, cut in verdict.cuts.items()})
    return Entry(entry.position, Item(item.id, fields, extra), verdict)


def without_texts(entry: Entry, secret: bytes) -> Entry:
    """The same, without what the model wrote."""
    made = without_inputs(entry, secret)
    return made._replace(verdict=_verdict(made.verdict, secret))


def _column(value: object, secret: bytes) -> object:
    """Numbers, yes and no stay."""
    if value is None or isinstance(value, bool | int | float):
        return value
    return stand_in(value if isinstance(value, str) else encode(value).decode(), secret)


def _verdict(verdict: Verdict, secret: bytes) -> Verdict:
    return replace(
        verdict,
        scores={name: _score(score) for name, score in verdict.scores.items()},
        feedback={},
        notes=tuple(map(_note, verdict.notes)),
        calls=tuple(_call(call, secret) for call in verdict.calls),
    )


def _score(score: Score) -> Score:
    scored = score.outcome is Outcome.SCORED
    parts = tuple(
        replace(part, text="", quotation=_quotation(part.quotation)) for part in score.parts
    )
    # What is no value of the scale is the model's own word, and why it is none quotes it.
    raw = None if not scored and isinstance(score.raw, str) else score.raw
    reason = NOT_KEPT if score.reason else None
    quotations = tuple(replace(quotation, quote="") for quotation in score.evidence)
    turns = tuple(replace(turn, score=_score(turn.score)) for turn in score.turns)
    score = replace(score, raw=raw, reason=reason, explanation=None, turns=turns)
    return replace(score, evidence=quotations, parts=parts)


def _quotation(quotation: Quotation | None) -> Quotation | None:
    return None if quotation is None else replace(quotation, quote="")


def _note(note: Reason) -> Reason:
    """A note is ours; why it is made may quote a provider."""
    return Reason(note.code, **{**note.fields, "why": NOT_KEPT}) if "why" in note.fields else note


def _call(call: Call, secret: bytes) -> Call:
    return replace(
        call,
        exchanges=tuple(_exchange(exchange, secret) for exchange in call.exchanges),
        error=NOT_KEPT if call.error else call.error,
    )


def _exchange(exchange: Exchange, secret: bytes) -> Exchange:
    question = stand_in(exchange.question, secret) if exchange.question else ""
    reply = stand_in(exchange.reply, secret)
    return replace(exchange, reply=reply, question=question, refusal=None)


def _cut(cut: Cut) -> Cut:
    return replace(cut, parts=tuple(replace(part, begins="") for part in cut.parts))


class _Sealed:
    """The reply cache with sealed replies; those that other runs keep openly serve too.

    A request is claimed under both of its keys, so that neither kind of run asks what the other is
    asking just now.
    """

    def __init__(self, replies: Replies) -> None:
        self._replies = replies

    def claim(self, keys: Sequence[str]) -> Claimed:
        openly = self._replies.claim(keys)
        kept, ours = dict(openly.kept), set()
        sealed = {_sealed_key(key): key for key in openly.ours}
        claimed = self._replies.claim(list(sealed)) if sealed else Claimed({}, frozenset())
        for place, key in sealed.items():
            if place in claimed.kept:
                kept[key] = _opened(key, claimed.kept[place])
            elif place in claimed.ours:
                ours.add(key)
        self._replies.release(sorted(openly.ours - ours))
        return Claimed(kept, frozenset(ours))

    def have(self, keys: Sequence[str]) -> set[str]:
        sealed = {_sealed_key(key): key for key in keys}
        closed = {sealed[place] for place in self._replies.have(list(sealed))}
        return closed | self._replies.have(keys)

    def read(self, keys: Sequence[str]) -> dict[str, KeptReply]:
        sealed = {_sealed_key(key): key for key in keys}
        closed = self._replies.read(list(sealed))
        opened = {sealed[place]: _opened(sealed[place], kept) for place, kept in closed.items()}
        return {**opened, **self._replies.read(keys)}

    def put(self, replies: Sequence[KeptReply]) -> None:
        self._replies.put([_closed(reply) for reply in replies])
        self._replies.release([reply.key for reply in replies])

    def release(self, keys: Sequence[str] | None = None) -> None:
        if keys is None:
            self._replies.release()
        else:
            self._replies.release([place for key in keys for place in (key, _sealed_key(key))])


class _Unkept(_Sealed):
    """Those that others keep serve here too; ours are gone once they are read."""

    def put(self, replies: Sequence[KeptReply]) -> None:
        self.release([reply.key for reply in replies])


def _sealed_key(key: str) -> str:
    """What a sealed reply is kept under: the key itself opens it, and is not to be found there."""
    return blake2b(key.encode(), digest_size=32, person=b"sealed reply").hexdigest()


def _closed(kept: KeptReply) -> KeptReply:
    content = pack(encode_reply(kept.reply))
    nonce = secrets.token_bytes(_NONCE)
    sealed = nonce + _tag(content, kept.key, nonce) + _mixed(content, kept.key, nonce)
    shut = Reply(text=SEAL + b64encode(sealed).decode())
    return kept._replace(key=_sealed_key(kept.key), reply=shut)


def _opened(key: str, kept: KeptReply) -> KeptReply:
    text = kept.reply.text
    is_new = text.startswith(SEAL)
    try:
        data = b64decode(text[len(SEAL) :]) if is_new else b85decode(text)
    except ValueError:
        data = b""
    nonce, tag, sealed = data[:_NONCE], data[_NONCE : _NONCE + _TAG], data[_NONCE + _TAG :]
    content = _mixed(sealed, key, nonce)
    if _tag(content, key, nonce) != tag:
        raise StoreError(Reason("store.reply_damaged"))
    if is_new:
        return kept._replace(key=key, reply=decode_reply(unpack(content)))
    # As kept earlier, with what was used beside it.
    plain = content if content.startswith(b"{") else zlib.decompress(content)
    return kept._replace(key=key, reply=replace(decode_reply(plain), usage=kept.reply.usage))


def _tag(content: bytes, key: str, nonce: bytes) -> bytes:
    return blake2b(content, key=_secret(key), salt=nonce, digest_size=_TAG).digest()


def _secret(key: str) -> bytes:
    return blake2b(key.encode(), digest_size=32, person=b"reply secret").digest()


def _mixed(content: bytes, key: str, nonce: bytes) -> bytes:
    """Content and stream, bit by bit; once more gives the content back. No stream comes twice: each
    has a nonce of its own."""
    stream = shake_256(_secret(key) + nonce).digest(len(content))
    mixed = int.from_bytes(content) ^ int.from_bytes(stream)
    return mixed.to_bytes(len(content))
