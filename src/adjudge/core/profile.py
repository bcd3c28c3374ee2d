"""How a judge is put to a kind of model, beyond what its file says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What a prompt may rely on, and what it should bring along.

    `bind_language`: the reply's texts are bound to the language that was asked for, and to whole
    sentences, by a `pattern` in the reply's schema. `flags_first`: what a rule asks about is
    settled before the reasons and the score are written. `facts`: numbers and names that differ
    between the texts are found by code and shown. All else stays as the judge's file has it.
    """

    bind_language: bool = False
    flags_first: bool = False
    facts: bool = False


PLAIN = Profile()
