"""How far samples of the same item lie apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from adjudge.analysis.scores import ItemSpread, Repeats, Stability, item_spreads
from adjudge.core.verdict import Verdict
from adjudge.stats.samples import Spread, Value

from ..blocks import Lines, Section, Table
from ..encode import Shapes, fields
from ..figures import number
from ..files.rows import Row
from ..words import Words

ROW_ENDINGS = (".csv", ".jsonl", ".json", ".parquet")


def repeats(
    found: Repeats, words: Words, called: Callable[[str, str], str] = lambda _, name: name
) -> Section:
    """A row per criterion, and what stopping early saved."""
    several = len({(each.judge, each.model) for each in found.criteria}) > 1
    head = words.all("report.judged", "judge", "model") if several else []
    head += [words("common.criterion")]
    head += words.all("report.repeats", "items", "flipping", "flip_rate", "sd", "entropy")
    rows = []
    for each in found.criteria:
        row = [each.judge, each.model] if several else []
        rate = "–" if each.flip_rate is None else f"{each.flip_rate:.1%}"
        share = f" ({each.flipping / each.items:.0%})" if each.items else ""
        row += [called(each.judge, each.criterion), f"{each.items:,}", f"{each.flipping:,}{share}"]
        rows.append([*row, rate, number(each.sd), number(each.entropy)])
    saved = found.most - found.samples
    told = {"saved": f"{saved:,}", "most": f"{found.most:,}"}
    share = f"{saved / (found.most or 1):.0%}"
    lines = [words("report.repeats.stopped", share=share, **told)] if found.stopped_early else []
    return Section(words("report.repeats.heading"), [Table(head, rows), Lines(lines)], "repeats")


def item_samples(
    verdicts: Iterable[Verdict],
    words: Words,
    called: Callable[[str, str], str] = lambda _, name: name,
) -> Section | None:
    """What the samples of one item come to, a row per criterion; None where there is one of
    each."""
    spreads = [spread for spread in item_spreads(verdicts) if spread.samples > 1]
    if not spreads:
        return None
    head = words.all("report.judged", "judge", "model", "criterion")
    head += words.all("report.samples", "mode", "mean", "sd", "flip_rate", "entropy", "scored")
    rows = [
        [
            *(spread.judge, spread.model, called(spread.judge, name)),
            "–" if apart.mode is None else str(apart.mode),
            *(number(apart.mean), number(apart.sd)),
            *([f"{apart.flip_rate:.0%}", number(apart.entropy)] if apart.n else ["–", "–"]),
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
    for each in item_spreads(verdicts):
        yield {
            "run": run_id,
            "item": each.item,
            "judge": each.judge,
            "model": each.model,
            "samples": each.samples,
            "scores": {name: _cells(apart, each) for name, apart in each.criteria.items()},
        }


def _single(apart: Spread) -> Value | None:
    """A name; as everywhere, an item that samples are divided on has none."""
    return None if apart.divided else apart.mode


def _cells(apart: Spread, each: ItemSpread) -> Row:
    return {
        "value": _single(apart) if apart.mean is None else apart.mean,
        "mode": apart.mode,
        "sd": apart.sd,
        "flip_rate": apart.flip_rate,
        "entropy": apart.entropy,
        "scored": apart.n,
        "unscored": each.samples - apart.n,
    }


SHAPES: Shapes = {
    Repeats: {
        "samples": "samples",
        "not_needed": lambda found: found.most - found.samples if found.stopped_early else None,
        "criteria": "criteria",
    },
    Stability: fields(
        *("judge", "model", "criterion", "items", "flipping", "flip_rate", "sd", "entropy")
    ),
}
