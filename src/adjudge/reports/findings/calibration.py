"""A run beside people's labels: how far the judge agrees, what its means are worth, and whether it
may be used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from adjudge.analysis.calibration import (
    RANGE,
    Calibration,
    CriterionCalibration,
    GraderCalibration,
    Mapped,
    Means,
    ScoreMap,
    why_no_groups,
)
from adjudge.analysis.scores import CriterionScores
from adjudge.core.reason import Reason
from adjudge.stats.agreement import Agreement, ByGroup, Confusion
from adjudge.stats.measure import NAMES
from adjudge.stats.ppi import Corrected, LabelsNeeded
from adjudge.stats.stat import Stat

from ..blocks import Block, Cell, Folded, Lines, Plot, Section, Table
from ..encode import Shapes, alone_or, fields
from ..files.rows import Row
from ..plots import charts
from ..words import Words
from . import raters
from . import systems as parts
from .trust import FIT, TONES, deciding_figure, labels_to_tell, standing, trust_lines

ROW_ENDINGS = (".csv", ".jsonl", ".json")
_ORDERS = ("spearman", "pearson", "kendall", "kappa")
_DISTANCES: Mapping[str, Callable[[Words, Stat], str]] = {
    "exact": Words.percent,
    "adjacent": Words.percent,
    "bias": Words.signed,
    "mae": Words.plain,
}
_GROUPED = ("spearman", "pearson", "kendall")
_LEVELS = ("nominal", "ordinal", "interval")


def calibration(finding: Calibration, words: Words) -> list[Section]:
    """The sections about each judge and model, the verdict in words last: `agreement`, `corrected`,
    `c-1` and so on for the criteria, `use`."""
    return [section for part in finding.graders for section in _grader(finding, part, words)]


def _grader(finding: Calibration, part: GraderCalibration, words: Words) -> Iterator[Section]:
    judge, model = part.grader.judge, part.grader.model
    criteria = list(part.criteria.values())
    called = partial(words.criterion, judge)
    title = words("trust.title", judge=judge.name, model=model)
    yield Section(title, [*_agreement(finding, part, words)], "agreement")
    if any(criterion.by_system is not None for criterion in criteria):
        yield Section(words("report.people.systems"), [*parts.systems(part, words)], "systems")
    if any(criterion.means.raw.value is not None for criterion in criteria):
        yield Section(words("report.people.means"), [*_means(part, words)], "corrected")
    if any(criterion.by_slice is not None for criterion in criteria):
        yield Section(words("report.people.slices"), [*parts.slices(part, words)], "slices")
    for at, criterion in enumerate(criteria, 1):
        title = words("report.people.beside", criterion=called(criterion.name))
        kind = standing(criterion)
        mark = Cell(words(f"trust.standing.{kind}"), TONES[kind])
        yield Section(title, [*_criterion(part, criterion, words)], f"c-{at}", mark)
    title = words("report.people.use", grader=words.grader(judge.name, model))
    yield Section(title, [Lines(trust_lines(finding.title or finding.run, part, words))], "use")


def _agreement(finding: Calibration, part: GraderCalibration, words: Words) -> Iterator[Block]:
    """A row per figure, a column per criterion: there are more figures than criteria."""
    criteria = list(part.criteria.values())
    head = [words.criterion(part.grader.judge, criterion.name) for criterion in criteria]
    yield Lines([words("trust.agreement_lead")], lead=True)
    yield Lines(list(_circumstances(finding, part, words)))
    yield Table([words("report.people.figure"), *head], [*_figures(criteria, words)])
    yield Lines(list(_left_out(part, words)))
    if any(deciding_figure(criterion).value is not None for criterion in criteria):
        drawn = partial(charts.agreement_chart, words, part)
        yield Plot(drawn, name="agreement", alt=words("trust.agreement_alt"))


def _figures(criteria: Sequence[CriterionCalibration], words: Words) -> Iterator[list[str | Cell]]:
    yield [words("report.people.compared"), *(words.count(criterion.n) for criterion in criteria)]
    for name in _ORDERS:
        yield [
            _named(name, words),
            *(words.plain(getattr(criterion, name)) for criterion in criteria),
        ]
        if name in _GROUPED and any(criterion.by_group for criterion in criteria):
            means = [
                words.plain(getattr(criterion.by_group, name, Stat(None))) for criterion in criteria
            ]
            yield [words("report.people.by_group", figure=_named(name, words)), *means]
    for level in _LEVELS:
        if any(level in criterion.alphas for criterion in criteria):
            title = words("report.people.alpha", level=words(f"report.people.level.{level}"))
            alphas = [
                words.plain(criterion.alphas.get(level, Stat(None))) for criterion in criteria
            ]
            yield [Cell(title, hint=words("trust.means.alpha")), *alphas]
    for name, shown in _DISTANCES.items():
        yield [
            _named(name, words),
            *(shown(words, getattr(criterion, name)) for criterion in criteria),
        ]
    counts = [(criterion.unscored, criterion.items) for criterion in criteria]
    unscored = (words("common.of", a=count, b=items) if count else "0" for count, items in counts)
    yield [words("common.unscored"), *unscored]


def _named(name: str, words: Words) -> Cell:
    return Cell(words(f"report.people.{name}"), hint=words(f"trust.means.{name}"))


def _circumstances(finding: Calibration, part: GraderCalibration, words: Words) -> Iterator[str]:
    if finding.group:
        yield words("trust.grouped", group=finding.group)
    if finding.confidence != 0.95:
        yield words("report.people.confidence", confidence=words.number(finding.confidence, ".0%"))
    if part.elsewhere:
        yield words("report.people.elsewhere", count=part.elsewhere)
    if part.unlabelled:
        names = (words.criterion(part.grader.judge, name) for name in part.unlabelled)
        yield words("report.people.unlabelled", names=", ".join(names))
    if part.not_kept:
        yield words("trust.not_kept", why=words.reason(part.not_kept))


def _left_out(part: GraderCalibration, words: Words) -> Iterator[str]:
    """What was not compared, and why figures or intervals are missing."""
    for criterion in part.criteria.values():
        called = words.criterion(part.grader.judge, criterion.name)
        for kind in ("lost", "split"):
            if count := getattr(criterion, kind):
                yield words(f"report.people.{kind}", criterion=called, count=count)
        stats = [getattr(criterion, name) for name in (*_ORDERS, *_DISTANCES)]
        whys = [words.missing(stat) for stat in (*stats, *criterion.alphas.values())]
        if any(whys):
            why = "; ".join(dict.fromkeys(filter(None, whys)))
            yield words("report.people.missing", criterion=called, why=why)
        if criterion.by_group is not None:
            groups = {"groups": criterion.by_group.groups, "left": criterion.by_group.left_out}
            yield words("report.people.groups", criterion=called, **groups)


def _means(part: GraderCalibration, words: Words) -> Iterator[Block]:
    head = words.all("report.people", "raw", "bounds", "corrected", "alone")
    rows, lines = [], []
    for criterion in part.criteria.values():
        means = criterion.means
        if means.raw.value is None:
            continue
        name = words.criterion(part.grader.judge, criterion.name)
        bounds = words.worst_best(means.bounds if criterion.unscored else None)
        corrected = means.corrected
        rows.append(
            [
                name,
                words.on_scale(means.raw, criterion.scale),
                bounds,
                words.on_scale(corrected.stat, criterion.scale),
                words.on_scale(corrected.classical, criterion.scale),
            ]
        )
        lines += [f"{name}: {line}." for line in _mean_words(means, words)]
    yield Lines([words("trust.corrected_lead")], lead=True)
    yield Table([words("common.criterion"), *head], rows)
    yield Lines(lines)
    drawn = partial(charts.corrected_chart, words, part)
    yield Plot(drawn, name="corrected", alt=words("trust.corrected_alt"))


def _mean_words(means: Means, words: Words) -> Iterator[str]:
    """Why there is no corrected mean, what the judge's error rates say of yes and no, and how many
    labels a narrower interval takes."""
    corrected, errors, needed = means.corrected.stat, means.by_errors, means.needed
    if corrected.value is None and corrected.why:
        yield words("report.people.no_corrected", why=words.reason(corrected.why))
    if errors and errors.stat.value is None:
        yield words("report.people.no_errors", why=words.reason(errors.stat.why))
    elif errors and errors.sensitivity and errors.specificity:
        yield words(
            "report.people.by_errors",
            mean=words.plain(errors.stat),
            sensitivity=words.plain(errors.sensitivity),
            specificity=words.plain(errors.specificity),
        )
    if needed is not None and corrected.value is not None:
        if needed.why:
            yield words("report.people.not_needed", why=words.reason(needed.why))
        else:
            yield words("report.people.needed", count=needed.further)


def _criterion(
    part: GraderCalibration, criterion: CriterionCalibration, words: Words
) -> Iterator[Block]:
    """Which value the judge gave where people gave which, what a score of it means, and people
    among each other."""
    fields = {"criterion": criterion.name}
    called = words.criterion(part.grader.judge, criterion.name)
    if criterion.confusion is not None:
        drawn = partial(charts.confusion_chart, words, part, criterion.name)
        yield Plot(drawn, "", "confusion", fields, words("trust.confusion_alt", criterion=called))
    if charts.can_scatter(part, criterion.name):
        drawn = partial(charts.scatter_chart, words, part, criterion.name)
        yield Plot(drawn, "", "scatter", fields, words("trust.scatter_alt", criterion=called))
    if criterion.confusion is not None:
        names = [words.value(criterion.scale, value) for value in criterion.confusion.labels]
        rows = [
            [
                words("report.people.judge_says", value=name),
                *(words.count(count) for count in counts),
            ]
            for name, counts in zip(names, criterion.confusion.counts.tolist(), strict=True)
        ]
        people = [words("report.people.people_say", value=name) for name in names]
        table = Table([words("common.items"), *people], rows)
        yield Folded(table, words("trust.confusion_caption"))
    yield from _map(criterion.score_map, words)
    if criterion.raters is not None:
        yield from raters.raters(criterion.raters, words, fit=standing(criterion) in FIT)


def _map(score_map: ScoreMap | Reason, words: Words) -> Iterator[Block]:
    if not isinstance(score_map, ScoreMap):
        yield Lines([words("report.people.not_mapped", why=words.reason(score_map))])
        return
    head = words.all("report.people", "map_judge", "map_people")
    rows = [
        [
            words.number(mapped.judge, "g"),
            words.number(mapped.people, ".2f"),
            f"{words.number(mapped.low, '.3g')}–{words.number(mapped.high, '.3g')}",
        ]
        for mapped in score_map.shown()
    ]
    yield Table([*head, words("report.people.map_range", share=words.number(RANGE, ".0%"))], rows)


def calibrated_rows(finding: Calibration) -> Iterator[Row]:
    """Every item, criterion, judge and model: the judge's score, people's on average, and the range
    of nine in ten.

    Unscored items have no values; where there is no map, only the judge's score.
    """
    for part in finding.graders:
        for name, criterion in part.criteria.items():
            scored = part.grader.criteria[name]
            ranges = _ranges(criterion, scored)
            options = getattr(scored.scale, "options", None)
            for place, value in zip(scored.places.tolist(), scored.values.tolist(), strict=True):
                mapped = ranges.get(value)
                score = options[int(value)] if options and not np.isnan(value) else value
                yield {
                    "item": finding.items[place],
                    "judge": part.grader.judge.name,
                    "model": part.grader.model,
                    "criterion": name,
                    "score": None if np.isnan(value) else score,
                    **{end: getattr(mapped, end, None) for end in ("people", "low", "high")},
                }


def _ranges(criterion: CriterionCalibration, scored: CriterionScores) -> dict[float, Mapped]:
    """By score: many items share one."""
    if not isinstance(criterion.score_map, ScoreMap):
        return {}
    distinct = np.unique(scored.values[np.isfinite(scored.values)])
    return {mapped.judge: mapped for mapped in criterion.score_map.ranges(distinct)}


def _by_group(criterion: CriterionCalibration) -> object:
    if criterion.by_group is None:
        return dict.fromkeys(_AS_JSON, Stat(None, why=why_no_groups(criterion)))
    return criterion.by_group


_AS_JSON = ("pearson", "spearman", "kendall")
SHAPES: Shapes = {
    Calibration: {**fields("run", "group", "confidence"), "*": alone_or("graders", "graders")},
    GraderCalibration: {
        "judge": "grader.judge.name",
        "model": "grader.model",
        "fingerprints": "grader.fingerprints",
        "verdicts": "grader.verdicts",
        "unscored_verdicts": "grader.unscored",
        **fields(
            "criteria",
            without_labels="unlabelled",
            labels_elsewhere="elsewhere",
            not_kept="not_kept",
        ),
    },
    CriterionCalibration: {
        "standing": standing,
        "labels_to_tell": lambda criterion: (
            labels_to_tell(criterion) if standing(criterion) == "unsure" else None
        ),
        **fields(
            "n",
            "items",
            "unscored",
            labelled_but_unscored="lost",
            raters_divided="split",
            picked_as_uncertain="uncertain",
        ),
        "overall": {
            **fields(*NAMES),
            "*alphas": lambda criterion: {
                f"alpha_{name}": stat for name, stat in criterion.alphas.items()
            },
        },
        "by_group": _by_group,
        "by_system": parts.by_system,
        "by_slice": "by_slice",
        "mean": "means",
        **fields("confusion", "raters"),
        "score_map": lambda criterion: (
            {"scores": criterion.score_map.shown(), "why": None}
            if isinstance(criterion.score_map, ScoreMap)
            else {"scores": [], "why": criterion.score_map}
        ),
    },
    Agreement: fields(*NAMES),
    ByGroup: fields(*_AS_JSON, "groups", "left_out"),
    Means: {
        **fields("raw", worst="bounds.worst", best="bounds.best"),
        "corrected": "corrected.stat",
        "people": "corrected.classical",
        **fields(ppi="corrected", rogan_gladen="by_errors"),
        "draw": fields(
            looks_random="draw.looks_random", p="draw.p", test="draw.test", why="draw.why"
        ),
        "further_labels": "needed",
    },
    Corrected: {
        "*": "stat",
        **fields("method", "weight", "labelled", "unlabelled", "sensitivity", "specificity"),
    },
    LabelsNeeded: fields(value="further", why="why"),
    Confusion: fields(values="labels", judge_by_people="counts"),
    **raters.SHAPES,
}
