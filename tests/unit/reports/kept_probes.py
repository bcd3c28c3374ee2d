"""Probes of a judge as if somebody had made them, to be kept in a store."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.probing import Probed, ProbeFinding, ProbeLimits
from adjudge.analysis.probing.findings import Measure, ProbeSession
from adjudge.core.reason import Reason
from adjudge.stats.stat import Stat

LIMITS = ProbeLimits()
_AT_TOP = Reason("at_top", count=3, total=24)
_MADE: tuple[tuple[str, Measure, Stat, Reason | None], ...] = (
    ("contrast", "unnoticed", Stat(0.125, 0.04, 0.31), None),
    ("repeat", "flip", Stat(0.0, 0.0, 0.14), None),
    ("padding", "gain", Stat(0.08, 0.01, 0.15), _AT_TOP),
    ("instruction", "gain", Stat(0.31, 0.18, 0.44), None),
    ("language", "shift", Stat(-0.06, -0.12, 0.0), None),
)


def probed(
    judge: str, fingerprint: str, *models: str, criteria: tuple[str, ...] = ("rating",)
) -> Probed:
    """Three probes that do no harm, one that may and one that does, each on 24 texts."""
    return Probed(
        judge=judge,
        fingerprint=fingerprint,
        models=models,
        source=Reason("built_in", language="en"),
        language="en",
        items=24,
        limits=LIMITS,
        confidence=0.95,
        findings=tuple(_findings(models, criteria)),
        not_run={"order": Reason("no_pair")},
        runs=(
            ProbeSession(
                run="0123456789ab", about="twins", verdicts=240, unscored=2, tokens=9, usd=0.0
            ),
        ),
    )


def _findings(models: tuple[str, ...], criteria: tuple[str, ...]) -> Iterator[ProbeFinding]:
    for probe, measure, effect, note in _MADE:
        for model in models:
            for criterion in criteria:
                yield ProbeFinding(
                    probe=probe,
                    model=model,
                    criterion=criterion,
                    measure=measure,
                    n=24,
                    unscored=1,
                    effect=effect,
                    limit=getattr(LIMITS, measure),
                    rating=LIMITS.rate(measure, effect, 24),
                    note=note,
                )
