"""Values of a scale as readers know them."""

from __future__ import annotations

from adjudge.analysis.divided import DIVIDED
from adjudge.core.scale import Binary, Ordinal, Scale

from ..strings import Strings

_TRUTHS = {"yes": True, "no": False, "1": True, "0": False, "True": True, "False": False}


def name_of(say: Strings, name: object) -> str:
    """A name as it is; in words where samples were divided between several."""
    return say("plot.divided") if name == DIVIDED else str(name)


def value_name(say: Strings, scale: Scale, value: object) -> str:
    """A level with its label, yes and no in the reader's language, a name as it is.

    Means of several samples lie between the levels and are plain numbers.
    """
    plain = f"{value:g}" if isinstance(value, float) else str(value)
    if isinstance(scale, Binary) and plain in _TRUTHS:
        return say("plot.yes") if _TRUTHS[plain] else say("plot.no")
    if isinstance(scale, Ordinal):
        labels = {str(level): each.label for level, each in scale.levels.items()}
        return f"{plain} {labels[plain]}" if plain in labels else plain
    return plain
