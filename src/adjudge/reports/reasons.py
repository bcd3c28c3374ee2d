"""Why a figure is missing, in the reader's language; statistics give the reason in English."""

from __future__ import annotations

from functools import cache

from .phrases import Phrases
from .strings import Strings, strings_for


def reason(say: Strings, why: str) -> str:
    """The reason in the language of `say`; as it is, in English, where it is not among `why`."""
    if say.language == "en":
        return why
    return _reasons().told(say, why) or why


@cache
def _reasons() -> Phrases:
    # What compares two runs tells names of runs, models and columns, which may hold spaces.
    return Phrases(strings_for("en"), "why", naming="why.compared")
