"""Where a scale begins and ends."""

from __future__ import annotations

from adjudge.core.scale import Category, Integer, Number, Scale

Span = tuple[float, float]


def span(scale: Scale) -> Span | None:
    """The lowest and the highest value, 0 and 1 for yes and no; None where values have no order."""
    if isinstance(scale, Category):
        return None
    if isinstance(scale, Integer | Number):
        return float(scale.min), float(scale.max)
    values = scale.values() or ()
    return float(values[0]), float(values[-1])
