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
    finding: Repeats, words: Words, called: Callable[[str, str], str] = lambda _, name: name
) -> Section:
    """A row per criterion, and what stopping early saved."""
    several = len({(stability.judge, stability.model) for stability in finding.criteria}) > 1
    head = words.all("report.judged", "judge", "model") if several else []
    head += [words("common.criterion")]
    head += words.all("report.repeats", "items", "flipping", "flip_rate", "sd", "entropy")
    rows = []
    for stability in finding.criteria:
        row = [stability.judge, stability.model] if several else []
        rate = "–" if stability.flip_rate is None else f"{stability.flip_rate:.1%}"
        share = f" ({stability.flipping / stability.items:.0%})" if stability.items else ""
        row += [
            called(stability.judge, stability.criterion),
            f"{stability.items:,}",
            f"{stability.flipping:,}{share}",
        ]
        rows.append([*row, rate, number(stability.sd), number(stability.entropy)])
    saved = finding.most - finding.samples
    counts = {"saved": f"{saved:,}", "most": f"{finding.most:,}"}
    share = f"{saved / (finding.most or 1):.0%}"
    lines = (
        [words("report.repeats.stopped", share=share, **counts)] if finding.stopped_early else []
    )
    return Section(words("report.repeats.heading"), [Table(head, rows), Lines(lines)])


def item_lines(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """What the samples of one item come to, a line per criterion; nothing where there is one."""
    for item in item_spreads(verdicts):
        if item.samples > 1:
            yield f"{item.judge} by {item.model}, {item.samples} samples together:"
            for name, apart in item.criteria.items():
                yield f"  {name}: {_apart(apart, item.samples)}"


def _apart(apart: Spread, samples: int) -> str:
    if not apart.n:
        return "no score"
    parts = [f"mode {apart.mode}"]
    if apart.mean is not None:
        parts.append(f"mean {apart.mean:.2f}")
    if apart.sd is not None:
        parts.append(f"sd {apart.sd:.2f}")
    parts += [f"flip rate {apart.flip_rate:.0%}", f"entropy {apart.entropy:.2f} bits"]
    if apart.n < samples:
        parts.append(f"{samples - apart.n} unscored")
    return ", ".join(parts)


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


def _single(apart: Spread) -> Value | None:
    """A name; as everywhere, an item that samples are divided on has none."""
    return None if apart.divided else apart.mode


def _cells(apart: Spread, item: ItemSpread) -> Row:
    return {
        "value": _single(apart) if apart.mean is None else apart.mean,
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
