"""What the list of runs tells of each, in a few words."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.analysis.browsing.overview import CriterionOverview, RunOverview

from .figures import NONE, share, usd

_CRITERIA = 5  # told of each run; its page has the others


@dataclass(frozen=True, slots=True)
class RunFigures:
    """As texts for a page. `means` are titles of criteria with their mean, one a judge and model
    with a slash between; `more` counts the criteria left out. `cost` is None where the price is
    not known."""

    means: tuple[tuple[str, str], ...]
    more: int
    unscored: str
    cost: str | None


def figures_of(overview: RunOverview) -> RunFigures:
    means: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    for grader in overview.graders:
        for each in grader.criteria:
            means.setdefault(each.criterion, []).append(_mean(each))
            titles.setdefault(each.criterion, each.title)
    told = [(titles[name], " / ".join(each)) for name, each in means.items()]
    unscored, verdicts = overview.unscored, overview.verdicts
    return RunFigures(
        tuple(told[:_CRITERIA]),
        max(0, len(told) - _CRITERIA),
        f"{unscored:,} ({share(unscored, verdicts)})" if unscored else "0",
        None if overview.cost_usd is None else usd(overview.cost_usd),
    )


def _mean(each: CriterionOverview) -> str:
    """Of names, the shares of the two most frequent."""
    if each.mean.value is not None:
        return f"{each.mean.value:.2f}"
    frequent = sorted(each.distribution, key=lambda bar: -bar.count)[:2]
    shares = (f"{bar.label} {share(bar.count, each.items)}" for bar in frequent if bar.count)
    return ", ".join(shares) or NONE
