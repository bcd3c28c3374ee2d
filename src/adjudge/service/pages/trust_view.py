"""What the trust page shows of one judge and model beside people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adjudge.analysis.calibration import Calibration, CriterionCalibration, GraderCalibration
from adjudge.analysis.corrected import Means
from adjudge.analysis.score_map import RANGE, ScoreMap
from adjudge.reports.document.values import value_name
from adjudge.reports.figures import percent, plain, signed
from adjudge.reports.reasons import reason
from adjudge.reports.strings import Strings
from adjudge.reports.trust_words import deciding_figure, standing, trust_words
from adjudge.stats.stat import Stat

from .raters_view import RatersView, raters_view

# How the statistics of a criterion are shown; the first ones in the table over all criteria.
_SHOWN = {"exact": percent, "adjacent": percent, "bias": signed}
OVERVIEW = ("spearman", "kappa", "alpha", "exact", "adjacent", "bias", "mae")
_DETAILS = ("spearman", "pearson", "kendall", "kappa", "exact", "adjacent", "bias", "mae")
_GROUPED = ("spearman", "pearson", "kendall")
GOOD_STANDINGS = {"good": "good", "person": "good", "fair": "warn", "few": "", "unknown": ""}


@dataclass(frozen=True, slots=True)
class MeansView:
    """Texts; `why` says why there is no corrected mean, "" where there is one."""

    raw: str
    bounds: str
    corrected: str
    alone: str
    why: str
    by_errors: str


@dataclass(frozen=True, slots=True)
class Detail:
    """One statistic: its key, or a level of alpha; overall, and as the mean over groups."""

    key: str
    level: str
    overall: str
    by_group: str


@dataclass(frozen=True, slots=True)
class CriterionView:
    """`figures` are in the order of OVERVIEW; `confusion` has a row for each value of the judge,
    and `columns` are the same values of people. `scatter` says whether that plot can be drawn."""

    found: CriterionCalibration
    title: str
    standing: str
    tone: str
    figures: tuple[str, ...]
    means: MeansView | None
    details: tuple[Detail, ...]
    whys: tuple[str, ...]
    columns: tuple[str, ...]
    confusion: tuple[tuple[str, tuple[int, ...]], ...]
    scatter: bool
    mapped: tuple[tuple[str, str, str], ...]
    not_mapped: str
    raters: RatersView | None


@dataclass(frozen=True, slots=True)
class Sentence:
    """`pages` are where to do what the commands in the text do: unscored, items, label or keep."""

    text: str
    pages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PartView:
    part: GraderCalibration
    words: tuple[Sentence, ...]
    criteria: tuple[CriterionView, ...]
    unlabelled: tuple[str, ...]
    not_kept: str
    range: str

    @property
    def drawn_agreement(self) -> bool:
        return any(deciding_figure(each.found).value is not None for each in self.criteria)

    @property
    def has_means(self) -> bool:
        return any(each.means for each in self.criteria)


def part_view(say: Strings, found: Calibration, part: GraderCalibration) -> PartView:
    """The words in the language of `say`."""
    return PartView(
        part=part,
        words=tuple(
            Sentence(line, tuple(_pages(say, line))) for line in trust_words(found.run, part, say)
        ),
        criteria=tuple(_criterion(say, part, each) for each in part.criteria.values()),
        unlabelled=tuple(part.grader.judge.rubric.title(name) for name in part.unlabelled),
        not_kept=reason(say, part.not_kept) if part.not_kept else "",
        range=f"{RANGE:.0%}",
    )


def _pages(say: Strings, line: str) -> Iterator[str]:
    labels = "adjudge label" in line
    if "adjudge show" in line:
        yield "items" if labels or line == say("trust.next.read") else "unscored"
    if labels:
        yield "label"
    if "--gate" in line:
        yield "keep"


def _criterion(say: Strings, part: GraderCalibration, each: CriterionCalibration) -> CriterionView:
    told = standing(each)
    mapped, table = each.score_map, each.confusion
    names = [value_name(say, each.scale, value) for value in table.labels] if table else []
    counts = table.counts.tolist() if table else []
    rows = zip(names, (tuple(row) for row in counts), strict=True)
    return CriterionView(
        found=each,
        title=part.grader.judge.rubric.title(each.name),
        standing=told,
        tone=GOOD_STANDINGS.get(told, "bad"),
        figures=tuple(_shown(name, getattr(each, name)) for name in OVERVIEW),
        means=_means(say, each.means) if each.means.raw.value is not None else None,
        details=tuple(_details(each)),
        whys=tuple(dict.fromkeys(_whys(say, each))),
        columns=tuple(names),
        confusion=tuple(rows),
        scatter=_can_scatter(part, each),
        mapped=_mapped(mapped) if isinstance(mapped, ScoreMap) else (),
        not_mapped=reason(say, mapped) if isinstance(mapped, str) else "",
        raters=raters_view(say, each.raters) if each.raters else None,
    )


def _can_scatter(part: GraderCalibration, each: CriterionCalibration) -> bool:
    """Names have no axis, and likelihoods none that people share."""
    on_scale = part.grader.criteria[each.name].on_scale
    return each.n > 0 and each.means.raw.value is not None and on_scale


def _shown(name: str, stat: Stat) -> str:
    return _SHOWN.get(name, plain)(stat)


def _means(say: Strings, means: Means) -> MeansView:
    bounds, errors = means.bounds, means.by_errors
    ends = "–"
    if bounds and bounds.worst is not None and bounds.best is not None:
        ends = f"{bounds.worst:.2f}–{bounds.best:.2f}"
    stat = means.corrected.stat
    return MeansView(
        raw=plain(means.raw),
        bounds=ends,
        corrected=plain(stat),
        alone=plain(means.corrected.classical),
        why=reason(say, stat.why) if stat.value is None and stat.why else "",
        by_errors=plain(errors.stat) if errors and errors.stat.value is not None else "",
    )


def _details(each: CriterionCalibration) -> Iterator[Detail]:
    for name in _DETAILS:
        grouped = plain(getattr(each.by_group, name)) if each.by_group and name in _GROUPED else ""
        yield Detail(name, "", _shown(name, getattr(each, name)), grouped)
    for level, stat in each.alphas.items():
        yield Detail("alpha", level, plain(stat), "")


def _whys(say: Strings, each: CriterionCalibration) -> Iterator[str]:
    """Why figures or intervals are missing."""
    for stat in (*(getattr(each, name) for name in _DETAILS), *each.alphas.values()):
        if stat.why:
            yield reason(say, stat.why.removeprefix("no interval: "))


def _mapped(told: ScoreMap) -> tuple[tuple[str, str, str], ...]:
    return tuple(
        (f"{each.judge:g}", f"{each.people:.2f}", f"{each.low:.3g}–{each.high:.3g}")
        for each in told.shown()
    )
