"""The scale that a prompt speaks of: labelled levels, numbers or choices, weighed in one place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from adjudge.core.reason import Reason

from .choice import SURE, ChoiceFound
from .choices import find_bracketed, find_choices
from .findings import Words
from .levels import Levels, find_levels
from .numerals import SCORE, RangeFound, words_after, words_before
from .ranges import find_ranges
from .values import is_total, shows_fractions, with_lowest

_WIDE = str.maketrans("０１２３４５６７８９．", "0123456789.")
# A reading of this weight says both ends of the scale, or each value.
_PLAIN = 3
# A choice of this weight is a guess.
_WEAK = 3
# What a total counts for beside the scales of its parts.
_OF_A_TOTAL = 12


@dataclass(frozen=True, slots=True)
class ScaleFound:
    """A scale as a judge file writes it, where it was read, and what else was seen.

    `doubt` says what was assumed beyond the words; "" where nothing was. `exact`: the words say
    whether fractions are allowed.
    """

    scale: dict[str, Any]
    at: int
    rivals: tuple[str, ...] = ()
    doubt: Words = ""
    exact: bool = False


def find_scale(  # noqa: PLR0911 - a return per kind, the surest first
    text: str,
    *,
    floats: bool = False,
    labelled: bool = False,
    only: Literal["", "numbers", "choices"] = "",
    example: str = "",
) -> ScaleFound | None:
    """The scale of the text; None when nothing in it speaks of one.

    Marks such as [[A]] count most, then labelled levels, since they name every value, then ranges
    (the commonest, a total before its parts), then a choice that is plain, then the highest score
    alone, then any other choice. `floats` says that the reply's sample shows a fraction,
    `labelled` that the text stands behind a label or key of the reply, `only` what its sample
    shows there, and `example` one of the options.
    """
    text = text.translate(_WIDE)
    bracketed = find_bracketed(text) if only != "numbers" else None
    if bracketed:
        return _of_choice(bracketed)
    choice = find_choices(text, labelled=labelled, example=example) if only != "numbers" else None
    if only == "choices":
        return _of_choice(choice) if choice else None
    ranges = find_ranges(text, labelled=labelled)
    plain = [one for one in ranges if one.weight >= _PLAIN]
    levels = find_levels(text)
    sure = choice if choice and choice.weight >= SURE else None
    if levels and not _contradicted(levels, ranges):
        return _of_levels(text, levels, floats=floats)
    if plain and not (sure and sure.weight > SURE and not _speaks_of_scores(text, plain)):
        return _beside(_heaviest(text, plain, floats=floats), sure)
    bands = [one for one in ranges if one.weight == 2]
    if bands and not sure:
        return _heaviest(text, bands, floats=floats)
    if ranges and not sure:
        return _heaviest(text, ranges, floats=floats)
    return _of_choice(choice) if choice else None


def _speaks_of_scores(text: str, ranges: Sequence[RangeFound]) -> bool:
    """Whether one of the ranges may be one of scores: "between 1.5 and 2 eV" has no such word near
    it, and says nothing where the answers are named."""
    return any(
        one.weight > _PLAIN + 1
        or SCORE.search(words_before(text, one.at) + words_after(text, one.at, 40))
        for one in ranges
    )


def _of_levels(text: str, levels: Levels, *, floats: bool) -> ScaleFound:
    """Levels with their labels; as mere numbers where values between them are shown."""
    lowest, highest = levels.values[0], levels.values[-1]
    between = floats or (highest - lowest > 1 and shows_fractions(text, lowest, highest))
    if between and (highest - lowest > 1 or levels.inline):
        low = with_lowest(text, lowest)
        return ScaleFound(RangeFound(low, highest, levels.at, 5).scale, levels.at)
    if "min" not in levels.scale:
        return ScaleFound(levels.scale, levels.at)
    bounds = {"min": _whole(with_lowest(text, lowest)), "max": _whole(highest)}
    return ScaleFound(levels.scale | bounds, levels.at)


def _whole(number: float) -> float:
    return int(number) if float(number).is_integer() else number


def _heaviest(text: str, ranges: Sequence[RangeFound], *, floats: bool) -> ScaleFound:
    votes: Counter[tuple[float, float]] = Counter()
    for one in ranges:
        votes[one.bounds] += one.weight + (_OF_A_TOTAL if is_total(text, one) else 0)
    best = votes.most_common(1)[0][0]
    same = [one for one in ranges if one.bounds == best]
    first = min(same, key=lambda one: (bool(one.doubt), one.at))
    fractions = floats or any(one.whole is False for one in same)
    whole = not fractions and any(one.whole for one in same)
    rivals = tuple(f"{low:g} to {high:g}" for low, high in votes if (low, high) != best)
    base = replace(first, whole=whole, low=with_lowest(text, first.low))
    if base.low != first.low or fractions:
        base = replace(base, values=())
    return ScaleFound(base.scale, first.at, rivals, first.doubt, exact=whole or fractions)


def _beside(scale: ScaleFound, choice: ChoiceFound | None) -> ScaleFound:
    """A range beside a choice that is just as plain."""
    if choice is None or scale.scale.get("type") == choice.scale["type"]:
        return scale
    return replace(scale, rivals=(*scale.rivals, choice.words))


def _of_choice(choice: ChoiceFound) -> ScaleFound:
    doubt = "" if choice.weight > _WEAK else Reason("import.doubt.no_answer")
    return ScaleFound(choice.scale, choice.at, choice.rivals, doubt)


def _contradicted(levels: Levels, ranges: Sequence[RangeFound]) -> bool:
    """Whether ranges go beyond the levels, which are then only some of the values."""
    bounds = {one.bounds for one in ranges if one.weight >= _PLAIN}
    bounds = bounds or {one.bounds for one in ranges if one.weight == 2}
    ends = (float(levels.values[0]), float(levels.values[-1]))
    if levels.inline and list(ends) == [0, 1] and bounds == {(0.0, 1.0)}:
        return not any(one.values for one in ranges)  # the ends of a range: 0 = worst, 1 = best
    return bool(bounds) and ends not in bounds
