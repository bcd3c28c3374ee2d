"""How far samples of the same item lie apart, for a terminal and as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from adjudge.analysis.repeats import ItemSpread, Repeats, Stability, item_spreads
from adjudge.core.verdict import Verdict
from adjudge.stats.spread import Spread, Value

from .figures import number
from .page import Block, Heading, Lines, Table
from .rows import Row

ENDINGS = (".csv", ".jsonl", ".json", ".parquet")


def repeats_blocks(found: Repeats) -> list[Block]:
    """One table with a line a criterion, and what stopping early saved."""
    several = len({(each.judge, each.model) for each in found.criteria}) > 1
    head = ["judge", "model"] if several else []
    head += ["criterion", "items", "that flip", "mean flip rate", "mean sd", "mean entropy"]
    rows = []
    for each in found.criteria:
        row = [each.judge, each.model] if several else []
        share = f" ({each.flipping / each.items:.0%})" if each.items else ""
        row += [each.criterion, str(each.items), f"{each.flipping}{share}", _percent(each)]
        rows.append([*row, number(each.sd), number(each.entropy)])
    saved = found.most - found.samples
    said = (
        f"stopped where the majority was certain: {saved} of {found.most} samples"
        f" ({saved / (found.most or 1):.0%}) were not needed; what stopped early looks steadier"
        " than it is"
    )
    lines = [said] if found.stopped_early else []
    return [Heading("samples of the same item"), Table(head, rows), Lines(lines)]


def _percent(each: Stability) -> str:
    return "–" if each.flip_rate is None else f"{each.flip_rate:.1%}"


def repeats_dict(found: Repeats) -> Row:
    """The same for `--json`; `not_needed` is None where the run does not stop early."""
    return {
        "samples": found.samples,
        "not_needed": found.most - found.samples if found.stopped_early else None,
        "criteria": [
            {
                "judge": each.judge,
                "model": each.model,
                "criterion": each.criterion,
                "items": each.items,
                "flipping": each.flipping,
                "flip_rate": each.flip_rate,
                "sd": each.sd,
                "entropy": each.entropy,
            }
            for each in found.criteria
        ],
    }


def item_lines(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """What the samples of one item come to, a line a criterion; nothing where there is one."""
    for each in item_spreads(verdicts):
        if each.samples > 1:
            yield f"{each.judge} by {each.model}, {each.samples} samples together:"
            for name, apart in each.criteria.items():
                yield f"  {name}: {_apart(apart, each.samples)}"


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
