"""What a person said about an item, on the same scale as the judge."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from .reason import Reason
from .scale import (
    Binary,
    Category,
    Integer,
    NotAValue,
    Number,
    OffScale,
    Ordinal,
    Scale,
    value_range,
)

# How the item came to be labelled: by lot, because the judge was unsure of it, because a cascade
# left it to people, or by lot from a stratum of a plan: `planned 3/120`, the third one, of 120
# items. Only labels of a random draw, or of all strata of a plan, can correct a mean.
Draw = str
DRAWS: tuple[Draw, ...] = ("", "random", "uncertain", "abstained")
_PLANNED = re.compile(r"planned ([1-9]\d{0,8})/([1-9]\d{0,8})")

# The rater whose word counts for an item in place of what the others said of it.
ADJUDICATED = "(adjudicated)"

# As tables write yes and no where a column had gaps.
_TRUTHS: dict[object, bool] = {"1.0": True, "0.0": False}
_COMMA = re.compile(r"([+-]?\d+),(\d+)")


@dataclass(frozen=True, slots=True)
class Label:
    """One rater's value for one criterion of one item.

    `value` is a number on the criterion's scale (binary: 0 or 1), or the name of a category. It may
    lie between two levels where it is a mean over several people. `rater` is "" where nobody is
    named, `draw` is "" where it is not known. `created` is ISO 8601 in UTC; a store fills it in.
    `comment` is what the rater wrote beside the value.
    """

    item: str
    rater: str
    criterion: str
    value: float | str
    draw: Draw = ""
    created: str = ""
    comment: str = ""

    @property
    def picked(self) -> bool:
        """Whether the item was labelled for what it is, and so does not stand for all."""
        return self.draw not in {"", "random"}

    @property
    def stratum(self) -> tuple[int, int] | None:
        """The stratum of a plan that the item was drawn from, from 1, and how many items that has;
        None where no plan drew it."""
        return stratum_of(self.draw)


def planned(number: int, items: int) -> Draw:
    """That an item was drawn by lot from this stratum of so many items."""
    return f"planned {number}/{items}"


def stratum_of(draw: Draw) -> tuple[int, int] | None:
    """What `planned` wrote; None for other draws."""
    match = _PLANNED.fullmatch(draw)
    return (int(match[1]), int(match[2])) if match else None


def value_of(scale: Scale, raw: object, *, one_person: bool = False) -> float | str:
    """What a person wrote, as a label's value: `4`, `4,5`, "excellent", "yes".

    On scales with levels a number between two of them counts, as a mean over several people; not
    where `one_person` is asked.
    Raises NotAValue for what the scale does not hold, in words that name what it does hold.
    """
    written = _plain(raw) if isinstance(raw, str) else raw
    if isinstance(scale, Binary) and written in _TRUTHS:
        written = _TRUTHS[written]
    try:
        value = scale.read(written)
    except OffScale:
        value = _between_levels(scale, written)
        if one_person:
            reason = Reason("value.between_levels", number=value, range=range_of(scale))
            raise OffScale(reason) from None
    except NotAValue:
        quoted = raw if isinstance(raw, str | int | float) else repr(raw)
        raise NotAValue(Reason("value.none_of", raw=quoted, range=range_of(scale))) from None
    return value if isinstance(value, str) else float(value)


def range_of(scale: Scale) -> Reason:
    """The values in a few words: "1 terrible, 2 unhelpful", "0 to 10", "yes, no"."""
    match scale:
        case Ordinal():
            levels = tuple(f"{value} {scale.levels[value].label}" for value in scale.values())
            return Reason("range.names", names=levels)
        case Integer() | Number():
            return Reason("range.numbers", low=scale.min, high=scale.max)
        case Category():
            return Reason("range.names", names=scale.options)
        case Binary():
            return Reason("range.yes_no")
        case _:
            return Reason("range.names", names=(scale.kind,))


def _plain(text: str) -> str:
    """Full-width signs as usual ones, and a decimal comma as a point."""
    text = unicodedata.normalize("NFKC", text).strip()
    return _COMMA.sub(r"\1.\2", text) if _COMMA.fullmatch(text) else text


def _between_levels(scale: Scale, raw: object) -> float:
    number = float(str(raw))
    span = value_range(scale) if isinstance(scale, Ordinal | Integer) else None
    if span is None or not span[0] <= number <= span[1]:
        raise OffScale(Reason("value.outside_levels", number=number, range=range_of(scale)))
    return number
