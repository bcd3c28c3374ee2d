"""Whether a judge orders systems as people do: a part of a calibration."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from adjudge.analysis.calibration import CriterionCalibration, GraderCalibration
from adjudge.stats.system_level import CORRELATIONS

from ..blocks import Block, Folded, Lines, Table
from ..encode import Json
from ..figures import plain
from ..words import Words


def systems(part: GraderCalibration, words: Words) -> Iterator[Block]:
    """The correlations of system means, per document and over all rows; and the means."""
    called = partial(words.criterion, part.grader.judge)
    yield Lines([words("report.people.systems_told")])
    rows, left, means = [], [], []
    for criterion in part.criteria.values():
        agreement = criterion.by_system
        if agreement is None:
            continue
        level, name = agreement.level, called(criterion.name)
        pooled = {order: getattr(criterion, order) for order in CORRELATIONS}
        for kind, n, stats in (
            ("of_means", level.systems, level.of_means),
            ("per_document", level.documents - level.left_out, level.per_document),
            ("pooled", criterion.n, pooled),
        ):
            figures = (plain(stats[order]) for order in CORRELATIONS)
            rows.append([name, words(f"report.people.level_{kind}"), f"{n:,}", *figures])
            if kind != "pooled" and (why := words.missing(stats["pearson"])):
                title = words(f"report.people.level_{kind}")
                left.append(words("report.people.system_missing", name=name, level=title, why=why))
        columns = zip(agreement.names, level.rows, level.judge, level.people, strict=True)
        for system, n, judge, people in columns:
            means.append([name, system, f"{n:,}", f"{judge:.2f}", f"{people:.2f}"])
    head = [words("common.criterion"), *words.all("report.people", "of", "counted", *CORRELATIONS)]
    yield Table(head, rows)
    yield Lines(left)
    head = words.all("report.people", "system", "counted", "judge_mean", "people_mean")
    yield Folded(Table([words("common.criterion"), *head], means), words("report.people.systems"))


def by_system(criterion: CriterionCalibration) -> Json | None:
    """The same for `--json`; None where no column names the systems."""
    agreement = criterion.by_system
    if agreement is None:
        return None
    level = agreement.level
    means = zip(agreement.names, level.rows, level.judge, level.people, strict=True)
    return {
        "systems": level.systems,
        "documents": level.documents,
        "left_out": {"items": agreement.left_out, "documents": level.left_out},
        "system": dict(level.of_means),
        "document": dict(level.per_document),
        "pooled": {order: getattr(criterion, order) for order in CORRELATIONS},
        "means": [
            {"system": name, "n": n, "judge": judge, "people": people}
            for name, n, judge, people in means
        ],
    }
