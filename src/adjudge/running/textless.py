"""A store as a run writes to it that keeps no texts (`--keep-texts no`).

Scores, outcomes, flags, usage and lengths are kept. Of the item's texts, the replies and what the
model was asked again there are stand-ins; explanations, sections, and what a provider said about an
error are left out.

Replies must be there to be found again, or they would be paid for twice. So they are kept, but
sealed with a key that is made from the request itself and stands nowhere: whoever has the data and
the judge makes the same request, and reads the reply; the store alone tells nothing.
"""

from __future__ import annotations

import secrets
from base64 import b85decode, b85encode
from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b, shake_256
from typing import Any, cast

from adjudge.core.item import Item
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome, Score
from adjudge.core.stand_in import NOT_KEPT, stand_in
from adjudge.core.verdict import Call, Cut, Verdict
from adjudge.errors import StoreError
from adjudge.stores.base import Replies, Store
from adjudge.stores.codec import decode_reply, encode
from adjudge.stores.records import Entry, KeptReply, Taken

_NONCE, _TAG = 16, 16  # bytes


def textless(store: Store) -> Store:
    """The store, with all that is written through it made textless."""
    return cast(Store, _Textless(store))


class _Textless:
    def __init__(self, store: Store) -> None:
        self._store = store
        self.replies = _Sealed(store.replies)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def put(self, run_id: str, entries: Sequence[Entry]) -> None:
        secret = self._store.secret
        self._store.put(run_id, [without_texts(entry, secret) for entry in entries])


def without_texts(entry: Entry, secret: bytes) -> Entry:
    """The entry as a store may hold it."""
    item, verdict = entry.item, entry.verdict
    fields = {name: stand_in(text, secret) for name, text in item.fields.items()}
    extra = {name: _column(value, secret) for name, value in item.extra.items()}
    return Entry(entry.position, Item(item.id, fields, extra), _verdict(verdict, secret))


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
        # Our own words, up to where a provider's begin.
        notes=tuple(note.partition(", since ")[0] for note in verdict.notes),
        calls=tuple(_call(call, secret) for call in verdict.calls),
        cuts={name: _cut(cut) for name, cut in verdict.cuts.items()},
    )


def _score(score: Score) -> Score:
    scored = score.outcome is Outcome.SCORED
    # What is no value of the scale is the model's own word, and why it is none quotes it.
    raw = None if not scored and isinstance(score.raw, str) else score.raw
    why = NOT_KEPT if score.why else score.why
    return replace(score, raw=raw, why=why, explanation=None)


def _call(call: Call, secret: bytes) -> Call:
    return replace(
        call,
        replies=tuple(stand_in(text, secret) for text in call.replies),
        questions=tuple(stand_in(text, secret) for text in call.questions),
        error=NOT_KEPT if call.error else call.error,
    )


def _cut(cut: Cut) -> Cut:
    return replace(cut, parts=tuple(replace(part, begins="") for part in cut.parts))


class _Sealed:
    """The reply cache with sealed replies; those that other runs keep openly serve too.

    A request is claimed under both of its keys, so that neither kind of run asks what the other is
    asking just now.
    """

    def __init__(self, replies: Replies) -> None:
        self._replies = replies

    def take(self, keys: Sequence[str]) -> Taken:
        openly = self._replies.take(keys)
        kept, ours = dict(openly.kept), set()
        sealed = {_sealed_key(key): key for key in openly.ours}
        found = self._replies.take(list(sealed)) if sealed else Taken({}, frozenset())
        for place, key in sealed.items():
            if place in found.kept:
                kept[key] = _opened(key, found.kept[place])
            elif place in found.ours:
                ours.add(key)
        self._replies.give_up(sorted(openly.ours - ours))
        return Taken(kept, frozenset(ours))

    def have(self, keys: Sequence[str]) -> set[str]:
        sealed = {_sealed_key(key): key for key in keys}
        found = {sealed[place] for place in self._replies.have(list(sealed))}
        return found | self._replies.have(keys)

    def put(self, replies: Sequence[KeptReply]) -> None:
        self._replies.put([_closed(each) for each in replies])
        self._replies.give_up([each.key for each in replies])

    def give_up(self, keys: Sequence[str] | None = None) -> None:
        if keys is None:
            self._replies.give_up()
        else:
            self._replies.give_up([place for key in keys for place in (key, _sealed_key(key))])


def _sealed_key(key: str) -> str:
    """What a sealed reply is kept under: the key itself opens it, and is not to be found there."""
    return blake2b(key.encode(), digest_size=32, person=b"sealed reply").hexdigest()


def _closed(kept: KeptReply) -> KeptReply:
    reply = kept.reply
    content = encode(replace(reply, usage=Reply(text="").usage))
    nonce = secrets.token_bytes(_NONCE)
    tag = blake2b(content, key=_secret(kept.key), salt=nonce, digest_size=_TAG).digest()
    sealed = b85encode(nonce + tag + _mixed(content, kept.key, nonce)).decode()
    shut = Reply(text=sealed, finish=reply.finish, usage=reply.usage, latency_ms=reply.latency_ms)
    return kept._replace(key=_sealed_key(kept.key), reply=shut)


def _opened(key: str, kept: KeptReply) -> KeptReply:
    try:
        data = b85decode(kept.reply.text)
    except ValueError:
        data = b""
    nonce, tag, sealed = data[:_NONCE], data[_NONCE : _NONCE + _TAG], data[_NONCE + _TAG :]
    content = _mixed(sealed, key, nonce)
    if blake2b(content, key=_secret(key), salt=nonce, digest_size=_TAG).digest() != tag:
        raise StoreError("A kept reply is damaged. `adjudge cache clear` makes room for a new one.")
    reply = replace(decode_reply(content), usage=kept.reply.usage)
    return kept._replace(key=key, reply=reply)


def _secret(key: str) -> bytes:
    return blake2b(key.encode(), digest_size=32, person=b"reply secret").digest()


def _mixed(content: bytes, key: str, nonce: bytes) -> bytes:
    """Content and stream, bit by bit; once more gives the content back. No stream comes twice: each
    has a nonce of its own."""
    stream = shake_256(_secret(key) + nonce).digest(len(content))
    mixed = int.from_bytes(content) ^ int.from_bytes(stream)
    return mixed.to_bytes(len(content))
