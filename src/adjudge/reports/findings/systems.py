"""Parts of a calibration: whether a judge orders systems as people do, and how far it agrees with
them per slice."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from adjudge.analysis.calibration import CriterionCalibration, GraderCalibration
from adjudge.core.scale import Category
from adjudge.stats.system_level import CORRELATIONS

from ..blocks import Block, Folded, Lines, Table
from ..encode import Json
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
            figures = (words.plain(stats[order]) for order in CORRELATIONS)
            rows.append([name, words(f"report.people.level_{kind}"), words.count(n), *figures])
            if kind != "pooled" and (why := words.missing(stats["pearson"])):
                title = words(f"report.people.level_{kind}")
                left.append(words("report.people.system_missing", name=name, level=title, why=why))
        columns = zip(agreement.names, level.rows, level.judge, level.people, strict=True)
        for system, n, judge, people in columns:
            means.append(
                [
                    name,
                    system,
                    words.count(n),
                    words.number(judge, ".2f"),
                    words.number(people, ".2f"),
                ]
            )
    head = [words("common.criterion"), *words.all("report.people", "of", "counted", *CORRELATIONS)]
    yield Table(head, rows)
    yield Lines(left)
    head = words.all("report.people", "system", "counted", "judge_mean", "people_mean")
    yield Folded(Table([words("common.criterion"), *head], means), words("report.people.systems"))


def slices(part: GraderCalibration, words: Words) -> Iterator[Block]:
    """Agreement, bias and means per value of each column, and why some are missing."""
    for criterion in part.criteria.values():
        slicing = criterion.by_slice
        if slicing is None:
            continue
        called = words.criterion(part.grader.judge, criterion.name)
        rows, missing = [], dict[str, list[str]]()
        for one in slicing.slices:
            which = f"{one.column}: {one.value}"
            figures = (
                words.plain(one.agreement),
                words.signed(one.bias),
                words.plain(one.raw),
                words.plain(one.corrected),
            )
            rows.append([which, words.count(one.items), words.count(one.n), *figures])
            stat = one.agreement if one.agreement.value is None else one.corrected
            if why := words.missing(stat):
                missing.setdefault(why, []).append(which)
        figure = "kappa" if isinstance(criterion.scale, Category) else "spearman"
        names = ("slice", "slice_items", "compared", figure, "bias", "raw", "corrected")
        if any(one.corrected.low is not None for one in slicing.slices):
            agreed = {"criterion": called, "confidence": words.number(slicing.confidence, ".3g")}
            yield Lines([words("report.people.slices_told", **agreed)])
        yield Table(words.all("report.people", *names), rows)
        notes = [
            words("report.people.slice_missing", names=", ".join(those), why=why)
            for why, those in missing.items()
        ]
        if slicing.left_out:
            notes.append(words("report.people.slices_left_out", count=slicing.left_out))
        yield Lines(notes)


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
