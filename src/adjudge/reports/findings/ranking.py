"""Systems in order of strength, from comparisons of their answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from adjudge.analysis.ranking import Ranked, Ranking, RankingPart, RankingSlice, Standing
from adjudge.core.reason import Reason
from adjudge.stats.position_bias import PositionBias
from adjudge.stats.stat import Stat

from ..blocks import Block, Line, Lines, Plot, Section, Table
from ..encode import Shapes, alone_or, fields
from ..plots import charts
from ..words import Words

_WIDEST = 12  # systems that a table of all against all has room for
_NAMED = 10  # neighbours without a decision that are named


def ranking(finding: Ranking, words: Words) -> Section:
    """A section for each judge, model and criterion."""
    blocks: list[Block] = []
    for part in finding.parts:
        title = words.criterion(part.judge, part.criterion)
        grader = words.grader(part.judge, part.model)
        head = words("report.ranking.of", criterion=title, grader=grader)
        blocks.append(Section(head, [*_part(part, words)]))
    left = finding.left_out.items()
    lines = [
        words("report.ranking.left_out", what=what, why=words.reason(why)) for what, why in left
    ]
    title = words("report.ranking.run", run=finding.title or finding.run)
    return Section(title, [*blocks, Lines(lines)], "ranking")


def _part(part: RankingPart, words: Words) -> Iterator[Block]:
    ranked = part.ranked
    yield Lines([_counted(ranked, words), *_cautions((*part.cautions, *ranked.cautions), words)])
    yield _standings(ranked, words, part.baseline)
    if any(standing.strength.value is not None for standing in ranked.standings):
        fields = {"judge": part.judge, "model": part.model, "criterion": part.criterion}
        drawn = partial(charts.ranking_chart, words, part)
        yield Plot(drawn, name="ranking", fields=fields, alt=words("run.ranking_alt"))
    yield Lines([*_order(ranked, words), *_baseline(part, words)])
    yield _matrix(ranked, words)
    if part.position is not None:
        lines = [*order_bias(part.position, words)]
        yield Section(words("report.ranking.orders"), [Lines(lines)])
    for sliced in part.slices:
        yield _slice(sliced, words)


def _cautions(cautions: Sequence[Reason], words: Words) -> Iterator[Line]:
    for caution in cautions:
        yield Line(words("report.compared.caution", what=words.reason(caution)), "warn")


def _counted(ranked: Ranked, words: Words) -> str:
    kind = "ties"
    if ranked.weighed:
        kind = "weighed" if ranked.weighed == ranked.comparisons else "partly_weighed"
    return words(
        f"report.ranking.counted.{kind}",
        comparisons=words.count(ranked.comparisons),
        questions=words.count(ranked.questions),
        ties=words.count(ranked.ties),
        weighed=words.count(ranked.weighed),
        unscored=words.count(ranked.unscored),
    )


def _standings(ranked: Ranked, words: Words, baseline: str | None = None) -> Table:
    scored = any(standing.mean is not None for standing in ranked.standings)
    table = words.table(
        "report.ranking",
        ranked.standings,
        place=_place,
        system=lambda standing: standing.system,
        strength=lambda standing: words.signed(standing.strength),
        win_rate=lambda standing: _rate(standing, words),
        comparisons=lambda standing: words.count(standing.n),
        unscored=lambda standing: words.count(standing.unscored),
        mean=(lambda standing: words.plain(standing.mean or Stat(None))) if scored else None,
    )
    if baseline is None:
        return table
    controlled = (standing.controlled for standing in ranked.standings)
    rates = (words.percent(held.rate) if held else "–" for held in controlled)
    rows = [[*row, rate] for row, rate in zip(table.rows, rates, strict=True)]
    return Table([*table.head, words("report.ranking.equal_length", baseline=baseline)], rows)


def _place(standing: Standing) -> str:
    best, worst = standing.best, standing.worst
    return str(best) if best == worst else f"{best}–{worst}"


def _rate(standing: Standing, words: Words) -> str:
    if not standing.unscored:
        return words.percent(standing.win_rate)
    low, high = (words.number(end, ".0%") for end in standing.bounds)
    return words("report.ranking.rate", rate=words.percent(standing.win_rate), low=low, high=high)


def _order(ranked: Ranked, words: Words) -> Iterator[str]:
    if all(standing.strength.value is None for standing in ranked.standings):
        return
    pairs = ranked.open_between
    if not pairs:
        yield words("report.ranking.decisive")
    named = [words("use.and", most=one, last=other) for one, other in pairs[:_NAMED]]
    if len(pairs) > _NAMED:
        named.append(words("report.ranking.more", count=len(pairs) - _NAMED))
    if named:
        yield words("report.ranking.open", pairs="; ".join(named))
    reasons = (standing.strength.why for standing in ranked.standings)
    for why in sorted({words.reason(reason) for reason in reasons if reason}):
        yield words("report.ranking.strengths", why=why)


def _baseline(part: RankingPart, words: Words) -> Iterator[str]:
    if part.position is None:
        return
    if part.baseline is None:
        yield words("report.ranking.no_baseline")
        return
    if part.variants:
        yield words("report.ranking.variants", names=", ".join(part.variants))
    for standing in part.ranked.standings:
        if standing.controlled is not None and standing.controlled.rate.value is None:
            why = words.reason(standing.controlled.rate.why)
            yield words("report.ranking.no_equal_length", system=standing.system, why=why)


def _matrix(ranked: Ranked, words: Words) -> Table:
    """Who won how often against whom, where that is few enough for a table."""
    names = [standing.system for standing in ranked.standings]
    if not 2 < len(names) <= _WIDEST:
        return Table([], [])
    rows = [[one, *(_won(ranked, one, other, words) for other in names)] for one in names]
    return Table([words("report.ranking.won"), *names], rows)


def _won(ranked: Ranked, one: str, other: str, words: Words) -> str:
    won, lost = ranked.wins.get((one, other)), ranked.wins.get((other, one))
    if won is None or lost is None:
        return "–"
    share, n = words.number(won / (won + lost), ".0%"), words.number(won + lost, "g")
    return words("report.ranking.won_of", share=share, n=n)


def order_bias(bias: PositionBias, words: Words) -> Iterator[str]:
    low, high = bias.first.low, bias.first.high
    kind = "first"
    if low is not None and high is not None:
        leaning = "leaning_first" if low > 0.5 else "leaning_second"
        kind = "no_leaning" if low <= 0.5 <= high else leaning
    yield words(f"report.ranking.{kind}", share=words.percent(bias.first))
    shares = {"share": words.percent(bias.agreement), "kappa": words.plain(bias.kappa)}
    yield words("report.ranking.alike", n=words.count(bias.n), **shares)
    yield words("report.ranking.apart", count=bias.disagreed, reversed=bias.reversed)


def _slice(sliced: RankingSlice, words: Words) -> Section:
    return Section(
        f"{sliced.column} {words.name(sliced.value)}",
        [
            Lines([*_cautions(sliced.ranked.cautions, words)]),
            _standings(sliced.ranked, words),
            Lines([*_order(sliced.ranked, words)]),
        ],
    )


SHAPES: Shapes = {
    Ranking: {
        **fields("run", confidence="options.confidence"),
        "ties": lambda _: "half a win each",
        "left_out": "left_out",
        "*": alone_or("parts", "rankings"),
    },
    RankingPart: {
        **fields("judge", "model", "criterion"),
        "*": "ranked",
        "cautions": lambda part: [*part.cautions, *part.ranked.cautions],
        **fields("baseline", "variants", "slices", orders="position"),
    },
    RankingSlice: {**fields("column", "value"), "*": "ranked"},
    Ranked: {
        **fields("comparisons", "weighed", "unscored", "questions", "cautions", tied="ties"),
        **fields(systems="standings", not_decisive="open_between"),
        "wins": lambda ranked: [
            {"system": one, "over": other, "wins": won, "of": won + ranked.wins[other, one]}
            for (one, other), won in ranked.wins.items()
        ],
    },
    Standing: {
        "system": "system",
        "place": fields("best", "worst"),
        **fields("strength", "win_rate"),
        "bounds": lambda standing: dict(zip(("low", "high"), standing.bounds, strict=True)),
        **fields("n", "unscored", "mean", length_controlled="controlled.rate"),
        "length_slope": "controlled.slope",
    },
    PositionBias: {
        **fields("n", "agreement", "kappa", "disagreed", "reversed", first_wins="first")
    },
}
