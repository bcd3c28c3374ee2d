"""Fences around judged text.

A judged text may try to grade itself, so it stands between marks that its author cannot know: a
keyed hash of the store's secret and the judge's fingerprint. The mark is the same from run to run,
which keeps the static part of the prompt, the request and its cache key the same too.
"""

from __future__ import annotations

import hashlib
import hmac
import re

# Invisible characters that can hide a marker or a message: zero-width space, direction marks and
# overrides, word joiner, invisible operators, byte order mark, the tag block, soft hyphen.
_INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
    "\U000e0000-\U000e007f]"
)
# Joiners carry meaning inside Indic, Persian and emoji sequences, never next to ASCII or an edge.
_STRAY_JOINER = re.compile("(?:^|(?<=[\x00-\x7f]))[\u200c\u200d]+|[\u200c\u200d]+(?=[\x00-\x7f]|$)")
_LOOK_ALIKE = re.compile(
    r"[<＜‹«]{2,}(?=\s*\w+\s+[0-9a-f]{6,})|(?<=[0-9a-f]{6})(\s*)[>＞›»]{2,}", re.IGNORECASE
)


def make_mark(secret: bytes, fingerprint: str) -> str:
    """Twelve hex digits."""
    return hmac.new(secret, fingerprint.encode(), hashlib.sha256).hexdigest()[:12]


def neutralise(text: str, mark: str) -> str:
    """The text without invisible characters, look-alike fences or the mark itself."""
    if not text.isascii():
        text = _STRAY_JOINER.sub("", _INVISIBLE.sub("", text))
    text = _LOOK_ALIKE.sub(lambda found: f"{found[1] or ''}[...]", text)
    return text.replace(mark, "[...]")


def fence(name: str, text: str, mark: str) -> str:
    """The neutralised text between its two marker lines."""
    return f"<<<{name} {mark}\n{neutralise(text, mark)}\n{name} {mark}>>>"
