"""A ranking as a page."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.ranking import Part, Ranked, Ranking, Slice, Standing
from adjudge.stats.position_bias import PositionBias

from .figures import percent, plain, signed
from .page import Block, Heading, Lines, Table

_WIDEST = 12  # systems that a table of all against all has room for
_NAMED = 10  # neighbours without a decision that are named


def ranking_page(ranking: Ranking) -> list[Block]:
    """A section for each judge, model and criterion."""
    blocks: list[Block] = []
    for part in ranking.parts:
        blocks += _part(ranking, part)
    left = [f"Not ranked: {what}: {why}." for what, why in ranking.left_out.items()]
    return [*blocks, Lines(left)] if left else blocks


def _part(ranking: Ranking, part: Part) -> Iterator[Block]:
    told = part.ranked
    yield Heading(f"Ranking of run {ranking.run}: {part.criterion} by {part.judge}, {part.model}")
    counted = (
        f"{told.comparisons} comparisons on {told.questions} questions, {_counted(told)};"
        f" unscored: {told.unscored}."
    )
    cautions = [f"Caution: {line}" for line in (*part.cautions, *told.cautions)]
    yield Lines([counted, *cautions])
    yield _standings(told, part.baseline)
    yield Lines([*_words(told), *_baseline(part)])
    yield _matrix(told)
    if part.position is not None:
        yield from _position(part.position)
    for each in part.slices:
        yield from _slice(each)


def _counted(told: Ranked) -> str:
    ties = f"{told.ties} of them ties, which count as half a win each"
    if not told.weighed:
        return ties
    likely = "by the probabilities of their results (of a win, and half of a tie)"
    if told.weighed == told.comparisons:
        return f"which count {likely}"
    return f"{told.weighed} of which count {likely}; {ties}"


def _standings(told: Ranked, baseline: str | None = None) -> Table:
    scored = any(each.mean is not None for each in told.standings)
    head = ["place", "system", "strength", "win rate", "comparisons", "unscored"]
    head += ["mean score"] if scored else []
    head += [f"at equal length, against {baseline}"] if baseline is not None else []
    rows = []
    for each in told.standings:
        row = [_place(each), each.system, signed(each.strength), _rate(each)]
        row += [str(each.n), str(each.unscored)]
        row += [plain(each.mean) if each.mean else "–"] if scored else []
        if baseline is not None:
            row.append(percent(each.controlled.rate) if each.controlled else "–")
        rows.append(row)
    return Table(head, rows)


def _place(each: Standing) -> str:
    return str(each.best) if each.best == each.worst else f"{each.best}–{each.worst}"


def _rate(each: Standing) -> str:
    if not each.unscored:
        return percent(each.win_rate)
    low, high = each.bounds
    return f"{percent(each.win_rate)}, unscored {low:.0%} to {high:.0%}"


def _words(told: Ranked) -> Iterator[str]:
    if all(each.strength.value is None for each in told.standings):
        return
    pairs = told.open_between
    if not pairs:
        yield "Every system is surely ahead of the next one."
    named = [f"{one} and {other}" for one, other in pairs[:_NAMED]]
    if len(pairs) > _NAMED:
        named.append(f"{len(pairs) - _NAMED} more neighbours")
    if named:
        yield f"Not decisive between {'; '.join(named)}: the order could as well be the other."
    reasons = {each.strength.why for each in told.standings if each.strength.why}
    yield from (f"Strengths: {reason}." for reason in sorted(reasons))


def _baseline(part: Part) -> Iterator[str]:
    if part.position is None:
        return
    if part.baseline is None:
        yield (
            "No win rates at equal length: no system takes part in every comparison; name one with"
            " --baseline."
        )
        return
    if part.variants:
        yield f"What length does is held by variants of the baseline: {', '.join(part.variants)}."
    for each in part.ranked.standings:
        if each.controlled is not None and each.controlled.rate.value is None:
            yield f"{each.system} at equal length: {each.controlled.rate.why}."


def _matrix(told: Ranked) -> Table:
    names = [each.system for each in told.standings]
    if not 2 < len(names) <= _WIDEST:
        return Table([], [])
    rows = [[one, *(_cell(told, one, other) for other in names)] for one in names]
    return Table(["won against →", *names], rows)


def _cell(told: Ranked, one: str, other: str) -> str:
    won, lost = told.wins.get((one, other)), told.wins.get((other, one))
    if won is None or lost is None:
        return "–"
    return f"{won / (won + lost):.0%} of {won + lost:g}"


def _position(found: PositionBias) -> Iterator[Block]:
    yield Heading("Both orders")
    first = f"The answer shown first won {percent(found.first)} of the decided comparisons"
    alike = f"The orders agree on {percent(found.agreement)} of {found.n} pairs"
    apart = f"{found.disagreed} pairs are ties because the orders disagree"
    yield Lines(
        [
            f"{first}{_leaning(found)}.",
            f"{alike}, kappa {plain(found.kappa)}.",
            f"{apart}; in {found.reversed} of them each order named another winner.",
        ]
    )


def _leaning(found: PositionBias) -> str:
    low, high = found.first.low, found.first.high
    if low is None or high is None:
        return ""
    if low <= 0.5 <= high:
        return ": no sign that the judge goes by the place"
    place = "first" if low > 0.5 else "second"
    return f": the judge leans to the {place} place"


def _slice(each: Slice) -> Iterator[Block]:
    yield Heading(f"{each.column} {each.value}")
    yield Lines([f"Caution: {line}" for line in each.ranked.cautions])
    yield _standings(each.ranked)
    yield Lines(list(_words(each.ranked)))
