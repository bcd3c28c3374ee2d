"""Win rates at equal length: every system against the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from adjudge.errors import UsageError
from adjudge.stats.length_control import Controlled, length_controlled
from adjudge.stats.length_pool import learn
from adjudge.stats.length_rows import Against

from .rank_bouts import Bout
from .ranking import RankOptions


def baseline_of(bouts: Sequence[Bout], options: RankOptions) -> str | None:
    """The system asked for; else the one that takes part in every bout, and of two such the one
    that stands on side B more often. None where there is none."""
    systems = {name for bout in bouts for name in (bout.a, bout.b)}
    if options.baseline is not None:
        if options.baseline not in systems:
            known = ", ".join(sorted(systems))
            raise UsageError(f"--baseline {options.baseline}: no such system; there are: {known}.")
        return options.baseline
    common = [name for name in sorted(systems) if all(name in (b.a, b.b) for b in bouts)]
    return max(common, key=lambda name: sum(bout.b == name for bout in bouts), default=None)


def controlled_rates(
    bouts: Sequence[Bout], baseline: str, options: RankOptions
) -> Mapping[str, Controlled]:
    """By system, for those that met the baseline; only bouts with a result and lengths count."""
    rows: dict[str, list[tuple[float, int, str]]] = {}
    for bout in bouts:
        if bout.score is None or bout.longer is None or baseline not in (bout.a, bout.b):
            continue
        if bout.b == baseline:
            rows.setdefault(bout.a, []).append((bout.score, bout.longer, bout.question))
        else:
            rows.setdefault(bout.b, []).append((1 - bout.score, -bout.longer, bout.question))
    questions: dict[str, int] = {}
    found = {
        system: Against(
            np.array([won for won, _, _ in each]),
            np.array([longer for _, longer, _ in each], dtype=np.float64),
            np.array([questions.setdefault(name, len(questions)) for _, _, name in each]),
        )
        for system, each in rows.items()
    }
    for variant in options.variants:
        if variant not in found:
            known = ", ".join(sorted(found))
            raise UsageError(
                f"--variant {variant}: it was not compared with {baseline}; these were: {known}."
            )
    variants = [at for at, system in enumerate(found) if system in options.variants]
    pools = learn(list(found.values()), len(questions), variants)
    return {
        system: length_controlled(each, pool, each.question, options.confidence)
        for (system, each), pool in zip(found.items(), pools, strict=True)
    }
