"""How a judge is put to a kind of model, beyond what its file says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a prompt may rely on, and what it should bring along.

    `bind_language`: the reply's texts are bound to the language that was asked for, and to whole
    sentences, by a `pattern` in the reply's schema.
    """

    bind_language: bool = False


PLAIN = Profile()
