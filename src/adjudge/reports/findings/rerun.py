"""A judge that somebody edited: its agreement with people before and after, on the same items."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.improvement import Rerun
from adjudge.analysis.improvement.rerun import BETTER
from adjudge.analysis.improvement.sample import BeforeAfter

from ..blocks import Block, Lines, Section
from ..words import Words


def rerun(finding: Rerun, words: Words) -> list[Section]:
    """What follows for each criterion, then the figures."""
    judge = finding.judges[0]
    head = [words("report.rerun.aside" if finding.aside else "report.rerun.seen", n=finding.items)]
    lines = [
        words(
            f"report.rerun.{_standing(one.compared)}",
            criterion=words.criterion(judge, name),
            before=words.plain(one.compared.before),
            after=words.plain(one.compared.after),
        )
        for name, one in finding.criteria.items()
    ]
    table = words.table(
        "report.rerun",
        finding.criteria.items(),
        criterion=lambda pair: words.criterion(judge, pair[0]),
        measure=lambda pair: words(f"report.rerun.measures.{pair[1].measure}"),
        items=lambda pair: words.count(pair[1].compared.paired.n),
        before=lambda pair: words.plain(pair[1].compared.before),
        after=lambda pair: words.plain(pair[1].compared.after),
        difference=lambda pair: words.signed(pair[1].compared.paired.difference),
        p=lambda pair: words.p_value(pair[1].compared.paired.p),
        moved=lambda pair: words(
            "report.rerun.counts",
            nearer=pair[1].compared.nearer,
            same=pair[1].compared.same,
            farther=pair[1].compared.farther,
        ),
    )
    blocks: list[Block] = [Lines(lines), table, Lines([*head, *_left_out(finding, words)])]
    return [Section(words("report.rerun.title"), blocks, "rerun")]


def _standing(compared: BeforeAfter) -> str:
    paired = compared.paired
    if paired.p is None or paired.difference.value is None or paired.p >= BETTER:
        return "undecided"
    return "better" if paired.difference.value > 0 else "worse"


def _left_out(finding: Rerun, words: Words) -> Iterator[str]:
    lost = max(one.compared.lost for one in finding.criteria.values())
    if lost:
        yield words("report.rerun.lost", n=lost)
    for why in finding.left_out.values():
        yield f"{words.reason(why)}."
