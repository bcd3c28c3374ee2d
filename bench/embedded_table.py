"""What bench/embedded.py measured, as tables with intervals."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from adjudge.stats.correlation import kendall
from adjudge.stats.mean import rate

Rows = list[dict[str, Any]]


def tables(rows: Rows) -> str:
    return "\n".join([*_right_against_wrong(rows), *_beside_people(rows), *_whole(rows)])


def _right_against_wrong(rows: Rows) -> Iterator[str]:
    rows = [row for row in rows if row["part"] in {"answers", "planted"}]
    for part, half, language in sorted({(r["part"], r["half"], r["language"]) for r in rows}):
        of = [r for r in rows if (r["part"], r["half"], r["language"]) == (part, half, language)]
        for way in dict.fromkeys(row["way"] for row in of):
            mine = [row for row in of if row["way"] == way]
            wrong = [row for row in mine if not row["right"]]
            numbers = [row for row in wrong if row["kind"] == "number"]
            yield (
                f"{part} {half} {language} {way}: {len(mine)} answers,"
                f" {sum(row['value'] is None for row in mine)} unscored;"
                f" AUC {_auc(mine, 'value')}, by expected scores {_auc(mine, 'expected')};"
                f" flagged {_share(wrong, _flagged)} of the wrong,"
                f" {_share([r for r in mine if r['right']], _flagged)} of the right,"
                f" {_share(numbers, _flagged)} of the wrong numbers;"
                f" {sum(row['seconds'] for row in mine) / len(mine):.1f} s,"
                f" {sum(row['tokens'] for row in mine) / len(mine):.0f} tokens written"
            )
        for name in ("value", "expected"):
            if told := _gained(of, name):
                yield f"{part} {half} {language}, AUC after - before by {name}: {told}"


def _flagged(row: dict[str, Any]) -> bool:
    return row["flag"] is True


def _share(rows: Rows, holds: Callable[[dict[str, Any]], bool]) -> str:
    if not rows:
        return "0 of 0"
    count = sum(map(holds, rows))
    told = rate(count, len(rows))
    return f"{count} of {len(rows)} [{told.low:.2f}, {told.high:.2f}]"


def _auc(rows: Rows, name: str) -> str:
    """With an interval from 2,000 resamples of the pairs."""
    pairs: dict[str, dict[bool, float]] = {}
    for row in rows:
        if row[name] is not None:
            pairs.setdefault(row["item"], {})[row["right"]] = float(row[name])
    values = list(pairs.values())
    if not any(True in each for each in values) or not any(False in each for each in values):
        return "–"
    chance = random.Random(1)  # noqa: S311 - a bootstrap, not a secret
    drawn = sorted(_area(chance.choices(values, k=len(values))) for _ in range(2000))
    return f"{_area(values):.2f} [{drawn[49]:.2f}, {drawn[1949]:.2f}]"


def _gained(rows: Rows, name: str) -> str:
    """The difference of the two AUCs over the pairs that both ways were asked about."""
    pairs: dict[str, dict[str, dict[bool, float]]] = {}
    for row in rows:
        if row["way"] in {"before", "after"} and row[name] is not None:
            pairs.setdefault(row["item"], {"before": {}, "after": {}})[row["way"]][row["right"]] = (
                float(row[name])
            )
    values = [each for each in pairs.values() if all(len(of) == 2 for of in each.values())]
    if not values:
        return ""

    def gain(some: Sequence[dict[str, dict[bool, float]]]) -> float:
        return _area([each["after"] for each in some]) - _area([each["before"] for each in some])

    chance = random.Random(1)  # noqa: S311 - a bootstrap, not a secret
    drawn = sorted(gain(chance.choices(values, k=len(values))) for _ in range(2000))
    return f"{gain(values):+.2f} [{drawn[49]:+.2f}, {drawn[1949]:+.2f}], {len(values)} pairs"


def _area(pairs: Sequence[dict[bool, float]]) -> float:
    right = [each[True] for each in pairs if True in each]
    wrong = [each[False] for each in pairs if False in each]
    if not right or not wrong:
        return 0.5
    above = sum((one > other) + 0.5 * (one == other) for one in right for other in wrong)
    return above / (len(right) * len(wrong))


def _beside_people(rows: Rows) -> Iterator[str]:
    rows = [row for row in rows if row["part"] == "summeval"]
    for way in dict.fromkeys(row["way"] for row in rows):
        for criterion in sorted({row["criterion"] for row in rows}):
            mine = [r for r in rows if (r["way"], r["criterion"]) == (way, criterion)]
            for name in ("value", "expected"):
                told = [(r[name], r["people"]) for r in mine if r[name] is not None]
                if len(told) > 2:
                    yield (
                        f"summeval {way} {criterion}, {name}: tau-b {_tau(told)},"
                        f" {len(told)} of {len(mine)} summaries,"
                        f" {len({r[name] for r in mine})} different scores;"
                        f" {sum(row['seconds'] for row in mine) / len(mine):.1f} s,"
                        f" {sum(row['tokens'] for row in mine) / len(mine):.0f} tokens"
                    )


def _tau(pairs: Sequence[tuple[float, float]]) -> str:
    def of(some: Sequence[tuple[float, float]]) -> float:
        return kendall([one for one, _ in some], [other for _, other in some]) or 0.0

    chance = random.Random(1)  # noqa: S311 - a bootstrap, not a secret
    drawn = sorted(of(chance.choices(pairs, k=len(pairs))) for _ in range(1000))
    return f"{of(pairs):.2f} [{drawn[24]:.2f}, {drawn[974]:.2f}]"


def _whole(rows: Rows) -> Iterator[str]:
    for row in rows:
        if row["part"] == "whole":
            yield (
                f"whole {row['criterion']} {row['item']} {row['way']}: {row['outcome']},"
                f" {row['seconds']} s, {row['tokens']} tokens, scores {row['scores']},"
                f" notes {row['notes']}"
            )
