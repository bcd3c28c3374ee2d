"""A calibration as a page."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.calibration import Calibration, CriterionCalibration, GraderCalibration
from adjudge.analysis.corrected import Means
from adjudge.analysis.raters import EPSILON, Raters
from adjudge.analysis.score_map import RANGE, ScoreMap
from adjudge.core.scale import Scale
from adjudge.stats.confusion import Confusion
from adjudge.stats.stat import Stat

from .figures import percent, plain, signed
from .page import Block, Heading, Lines, Table
from .trust_words import trust_words

# The statistics of a criterion, and how each is shown.
_STATISTICS = (
    ("same value", "exact", percent),
    ("adjacent", "adjacent", percent),
    ("bias", "bias", signed),
    ("mean distance", "mae", plain),
    ("Pearson", "pearson", plain),
    ("Spearman", "spearman", plain),
    ("Kendall tau-b", "kendall", plain),
    ("kappa", "kappa", plain),
)
_GROUPED = ("pearson", "spearman", "kendall")
_MOST_RATERS = 12


def calibration_page(found: Calibration) -> list[Block]:
    """A part for each judge and model; the verdict in words comes last."""
    blocks: list[Block] = []
    for part in found.graders:
        blocks += _grader(found, part)
    return blocks


def _grader(found: Calibration, part: GraderCalibration) -> Iterator[Block]:
    criteria = part.criteria.values()
    yield Heading(f"{part.grader.name} beside people, run {found.run}")
    yield Lines(list(_cautions(found, part)))
    yield Table(
        ["criterion", "labels", "Spearman", "kappa", "same value", "bias", "unscored"],
        [
            [
                each.name,
                str(each.n),
                plain(each.spearman),
                plain(each.kappa),
                percent(each.exact),
                signed(each.bias),
                _unscored(each),
            ]
            for each in criteria
        ],
    )
    ordered = [each for each in criteria if each.means.raw.value is not None]
    if ordered:
        yield Heading("Means")
        yield Table(
            ["criterion", "judge's mean", "worst–best", "corrected mean", "people's labels alone"],
            [[each.name, *_means(each.means)] for each in ordered],
        )
        yield Lines([line for each in ordered for line in _mean_lines(each)])
    for each in criteria:
        yield from _criterion(each)
    yield Heading(f"May {part.grader.name} be used?")
    yield Lines(trust_words(found.run, part))


def _cautions(found: Calibration, part: GraderCalibration) -> Iterator[str]:
    if found.group:
        yield f"Items with the same {found.group} belong together: intervals count these groups."
    if found.confidence != 0.95:
        yield f"Intervals have a confidence of {found.confidence:.0%}."
    if part.elsewhere:
        yield f"Caution: labels about items that this run does not have: {part.elsewhere}."
    if part.unlabelled:
        yield f"Without labels, and not looked at: {', '.join(part.unlabelled)}."
    if part.not_kept:
        yield f"Nothing is kept for gates on later runs: {part.not_kept}."
    for each in part.criteria.values():
        if each.lost:
            yield f"{each.name}: labelled items without a score, not compared: {each.lost}."
        if each.split:
            yield f"{each.name}: items that people are divided on, not compared: {each.split}."


def _unscored(each: CriterionCalibration) -> str:
    return f"{each.unscored} of {each.items}" if each.unscored else "0"


def _means(means: Means) -> list[str]:
    bounds = means.bounds
    ends = "–"
    if bounds and bounds.worst is not None and bounds.best is not None:
        ends = f"{bounds.worst:.2f}–{bounds.best:.2f}"
    corrected = means.corrected
    return [plain(means.raw), ends, plain(corrected.stat), plain(corrected.classical)]


def _mean_lines(each: CriterionCalibration) -> Iterator[str]:
    means = each.means
    if means.corrected.stat.value is None:
        yield f"{each.name}: no corrected mean: {means.corrected.stat.why}."
    errors = means.by_errors
    if errors and errors.stat.value is None:
        yield f"{each.name}: no share from the judge's errors (Rogan–Gladen): {errors.stat.why}."
    elif errors and errors.sensitivity and errors.specificity:
        yield (
            f"{each.name}: from the judge's errors (sensitivity {plain(errors.sensitivity)},"
            f" specificity {plain(errors.specificity)}; Rogan–Gladen) the share is"
            f" {plain(errors.stat)}."
        )
    needed = means.needed
    if needed is not None and means.corrected.stat.value is not None:
        told = f"not to be had: {needed.why}" if needed.why else f"{needed.further}"
        yield f"{each.name}: further labels for an interval of the width asked for: {told}."


def _criterion(each: CriterionCalibration) -> Iterator[Block]:
    yield Heading(each.name)
    told: list[tuple[str, Stat, str, str]] = []
    for title, name, shown in _STATISTICS:
        stat: Stat = getattr(each.overall, name)
        told.append((title, stat, shown(stat), _by_group(each, name)))
    for level, stat in each.alphas.items():
        told.append((f"alpha, {level}", stat, plain(stat), ""))
    grouped = each.by_group is not None
    head = ["", "overall", "mean of groups"] if grouped else ["", "overall"]
    yield Table(head, [[title, text, *([by] if grouped else [])] for title, _, text, by in told])
    given = (stat.why.removeprefix("no interval: ") for _, stat, _, _ in told if stat.why)
    whys = dict.fromkeys(given)
    yield Lines([f"Where there is no figure or interval: {why}." for why in whys])
    if each.by_group is not None:
        groups, left = each.by_group.groups, each.by_group.left_out
        yield Lines([f"Groups: {groups}; left out, where one side is all the same: {left}."])
    if each.confusion is not None:
        yield _confusion(each.confusion, each.scale)
    yield from _map(each.score_map)
    if each.raters is not None:
        yield from _raters(each.raters)


def _by_group(each: CriterionCalibration, name: str) -> str:
    if each.by_group is None or name not in _GROUPED:
        return ""
    return plain(getattr(each.by_group, name))


def _confusion(table: Confusion, scale: Scale) -> Block:
    labels = [_label(value, scale) for value in table.labels]
    rows = [
        [f"judge {label}", *map(str, counts)]
        for label, counts in zip(labels, table.counts.tolist(), strict=True)
    ]
    return Table(["items", *(f"people {label}" for label in labels)], rows)


def _label(value: object, scale: Scale) -> str:
    if isinstance(value, float) and scale.kind == "binary" and value in (0.0, 1.0):
        return scale.write(bool(value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _map(told: ScoreMap | str) -> Iterator[Block]:
    if isinstance(told, str):
        yield Lines([f"The scores cannot be mapped to people's: {told}."])
        return
    rows = [
        [f"{each.judge:g}", f"{each.people:.2f}", f"{each.low:.3g} to {each.high:.3g}"]
        for each in told.shown()
    ]
    yield Table(["judge says", "people say on average", f"{RANGE:.0%} of items"], rows)


def _raters(raters: Raters) -> Iterator[Block]:
    pairwise, others = raters.ceiling.pairwise, raters.ceiling.leave_one_out
    told = (
        f"{len(raters.names)} raters share {raters.items} items. Two of them agree with"
        f" Spearman {plain(pairwise['spearman'])}, kappa {plain(pairwise['kappa'])}; one with"
        f" the others together {plain(others['spearman'])}; alpha {plain(raters.alpha)}."
    )
    yield Lines([told])
    named = list(zip(raters.names, raters.judge, raters.ceiling.raters, strict=True))
    yield Table(
        [
            "rater",
            "labels",
            "Spearman with the judge",
            "kappa",
            "Spearman with the others",
            "kappa",
        ],
        [
            [
                name or "(no name)",
                str(alone.n),
                plain(alone.spearman),
                plain(alone.kappa),
                plain(rest.spearman),
                plain(rest.kappa),
            ]
            for name, alone, rest in named[:_MOST_RATERS]
        ],
    )
    if len(named) > _MOST_RATERS:
        yield Lines([f"and {len(named) - _MOST_RATERS} more raters (all of them in --json)"])
    yield Lines([_stands_in(raters)])


def _stands_in(raters: Raters) -> str:
    test = raters.stands_in
    if test.passed is None:
        return f"Whether the judge may stand in for a rater cannot be tested: it {test.why}."
    may = "may stand in" if test.passed else "is not shown to be fit to stand in"
    rate = test.winning_rate.value
    shown = (
        f"is shown to do no worse than {rate:.0%} of"
        if rate
        else "is not shown to do as well as any of"
    )
    return (
        f"Alternative annotator test: the judge {may} for one of them; it {shown} the raters, with"
        f" a margin of {EPSILON:g} (half of them are needed)."
    )
