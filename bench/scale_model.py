"""What a run of any size needs, predicted from two smaller ones: a part per run, and one per row.

Memory on Ray is a part per cluster and worker, as the longer of the two runs has it, when all are
started; what grows with the rows is the marks of whoever checks the data, the same as without Ray.

`python bench/scale.py --only model` prints it from what whole runs have noted, beside what the
largest of them really needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Figures = Mapping[str, float]
Runs = Mapping[str, Mapping[str, Figures]]  # by kind and rows

SMALLER, LARGEST = (10_000, 100_000), 1_000_000
FURTHER = (10_000_000, 1_000_000_000)
WITHIN = 0.15
LOCAL = {"ray-postgresql": "postgresql", "ray-parquet": "sqlite"}  # the same rows without a cluster
# Name → what it is called, and its unit in a table: divided by, and words.
QUANTITIES = {
    "bytes": ("store", 1e9, "GB"),
    "cpu": ("CPU of the run", 3600.0, "h"),
    "server_cpu": ("CPU of the server", 3600.0, "h"),
    "late": ("memory while it judges", 1.0, "MB"),
    "to_model": ("network, model", 1e9, "GB"),
    "to_database": ("network, database", 1e9, "GB"),
    "usd": ("money", 1.0, "USD"),
}


@dataclass(frozen=True)
class Line:
    """`fixed` for every run, and `each` per row."""

    fixed: float
    each: float

    def at(self, rows: int) -> float:
        return self.fixed + self.each * rows


def fitted(noted: Runs, kind: str, name: str) -> Line:
    """Through the two smaller runs."""
    runs, (few, many) = noted[kind], SMALLER
    local = LOCAL.get(kind, "")
    if name == "late" and all(str(n) in noted.get(local, {}) for n in SMALLER):
        each = fitted(noted, local, name).each
        return Line(runs[str(many)][name] - each * many, each)
    first, second = runs[str(few)][name], runs[str(many)][name]
    each = max(0.0, (second - first) / (many - few))
    return Line(second - each * many, each)


def rows_of(noted: Runs, kind: str) -> list[tuple[str, float, float | None, Line]]:
    """Per quantity, what it is called, what is predicted and what was measured at the largest."""
    runs = noted[kind]
    largest, lines = (
        runs.get(str(LARGEST)),
        {name: fitted(noted, kind, name) for name in QUANTITIES},
    )
    return [
        (name, lines[name].at(LARGEST), largest and largest[name], lines[name])
        for name in QUANTITIES
        if runs[str(SMALLER[1])][name] and not (kind == "sqlite" and "database" in name)
    ]


def show(noted: Runs) -> int:
    """Prints both tables; how often the model was further off than it may be."""
    missed = 0
    print(f"\n{LARGEST:,} rows, predicted from {SMALLER[0]:,} and {SMALLER[1]:,}\n")
    print("| store | what | predicted | measured | off |\n| --- | --- | --- | --- | --- |")
    whole = {kind: runs for kind, runs in noted.items() if all(str(n) in runs for n in SMALLER)}
    for kind in whole:
        for name, predicted, measured, _ in rows_of(whole, kind):
            if measured is None:
                continue
            label, unit, word = QUANTITIES[name]
            off = predicted / measured - 1
            missed += abs(off) > WITHIN
            print(
                f"| {kind} | {label}, {word} | {predicted / unit:,.3g} | {measured / unit:,.3g} "
                f"| {off:+.0%}{'' if abs(off) <= WITHIN else ' MISSED'} |"
            )
    heads = " | ".join(f"{rows:,}" for rows in FURTHER)
    print(f"\n| store | what | per row | {heads} |\n| --- | --- | --- |" + " --- |" * len(FURTHER))
    for kind in whole:
        for name, _, _, line in rows_of(whole, kind):
            label, unit, word = QUANTITIES[name]
            at = " | ".join(f"{line.at(rows) / unit:,.3g} {word}" for rows in FURTHER)
            print(f"| {kind} | {label} | {line.each:.3g} | {at} |")
    return missed
