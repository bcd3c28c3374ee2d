"""How far samples of the same item lie apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.analysis.scores import ItemSpread, Repeats, Stability, item_spreads
from adjudge.core.verdict import Verdict
from adjudge.stats.samples import Spread

from ..blocks import Lines, Section, Table
from ..encode import Shapes, fields
from ..files.rows import Row
from ..words import Words

ROW_ENDINGS = (".csv", ".jsonl", ".json", ".parquet")


def repeats(finding: Repeats, words: Words) -> Section:
    """A row per criterion, and what stopping early saved."""
    several = len({(stability.judge, stability.model) for stability in finding.criteria}) > 1
    table = words.table(
        "report.repeats",
        finding.criteria,
        judge=(lambda stability: stability.judge) if several else None,
        model=(lambda stability: stability.model) if several else None,
        criterion=lambda stability: words.criterion(stability.judge, stability.criterion),
        items=lambda stability: words.count(stability.items),
        flipping=lambda stability: _flipping(stability, words),
        flip_rate=lambda stability: words.number(stability.flip_rate, ".1%"),
        sd=lambda stability: words.number(stability.sd),
        entropy=lambda stability: words.number(stability.entropy),
    )
    lines = []
    if finding.stopped_early:
        saved, most = finding.most - finding.samples, finding.most
        counts = {
            "saved": words.count(saved),
            "most": words.count(most),
            "share": words.number(saved / (most or 1), ".0%"),
        }
        lines.append(words("report.repeats.stopped", **counts))
    return Section(words("report.repeats.heading"), [table, Lines(lines)], "repeats")


def _flipping(stability: Stability, words: Words) -> str:
    share = (
        f" ({words.number(stability.flipping / stability.items, '.0%')})" if stability.items else ""
    )
    return f"{words.count(stability.flipping)}{share}"


def item_samples(verdicts: Iterable[Verdict], words: Words) -> Section | None:
    """What the samples of one item come to, a row per criterion; None where there is one of
    each."""
    spreads = [spread for spread in item_spreads(verdicts) if spread.samples > 1]
    if not spreads:
        return None
    head = words.all("report.judged", "judge", "model", "criterion")
    head += words.all("report.samples", "mode", "mean", "sd", "flip_rate", "entropy", "scored")
    rows = [
        [
            *(spread.judge, spread.model, words.criterion(spread.judge, name)),
            "–" if apart.mode is None else str(apart.mode),
            *(words.number(apart.mean), words.number(apart.sd)),
            *(
                [words.number(apart.flip_rate, ".0%"), words.number(apart.entropy)]
                if apart.n
                else ["–", "–"]
            ),
            words("common.of", a=apart.n, b=spread.samples),
        ]
        for spread in spreads
        for name, apart in spread.criteria.items()
    ]
    return Section(words("report.samples.heading"), [Table(head, rows)], "samples")


def item_rows(run_id: str, verdicts: Iterable[Verdict]) -> Iterator[Row]:
    """A row for each item, judge and model.

    `value` is the mean over the scored samples; for names the commonest, None where two are. `mode`
    is the commonest in any case, of several the one that was sampled first.
    """
    for item in item_spreads(verdicts):
        yield {
            "run": run_id,
            "item": item.item,
            "judge": item.judge,
            "model": item.model,
            "samples": item.samples,
            "scores": {name: _cells(apart, item) for name, apart in item.criteria.items()},
        }


def _cells(apart: Spread, item: ItemSpread) -> Row:
    # As everywhere, an item that samples are divided on has no name.
    name = None if apart.divided else apart.mode
    return {
        "value": name if apart.mean is None else apart.mean,
        "mode": apart.mode,
        "sd": apart.sd,
        "flip_rate": apart.flip_rate,
        "entropy": apart.entropy,
        "scored": apart.n,
        "unscored": item.samples - apart.n,
    }


SHAPES: Shapes = {
    Repeats: {
        "samples": "samples",
        "not_needed": lambda finding: (
            finding.most - finding.samples if finding.stopped_early else None
        ),
        "criteria": "criteria",
    },
    Stability: fields(
        *("judge", "model", "criterion", "items", "flipping", "flip_rate", "sd", "entropy")
    ),
}
