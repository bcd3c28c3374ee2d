"""What the probes of a judge come to, in plain sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from adjudge.analysis.probing.findings import FEWEST, MEASURES, Finding, Probed, Rating

from .figures import percent, signed
from .strings import Strings

_SHARES = ("flip", "accepted", "unnoticed")
_RATINGS: tuple[Rating, ...] = ("fine", "worrying", "bad", "unclear")


def probe_words(probed: Probed, say: Strings) -> list[str]:
    """How many probes went well, what to do about the others, and what it rests on."""
    return list(_summary(probed, say))


def effect(say: Strings, finding: Finding) -> str:
    """The effect with its interval, and what it is one of: 25% [10%, 50%] changed."""
    shown = percent if finding.measure in _SHARES else signed
    return f"{shown(finding.effect)} {say(f'probe.said.{finding.measure}')}"


def limit(finding: Finding) -> str:
    """The most that the effect may be, written as that is: 10% or 0.05."""
    share = finding.measure in _SHARES
    return f"{100 * finding.limit:g}%" if share else f"{finding.limit:g}"


def who(say: Strings, probed: Probed, finding: Finding) -> str:
    """The probe, and the model where there are several."""
    if len(probed.models) == 1:
        return finding.probe
    return say("probe.by", probe=finding.probe, model=finding.model)


def limits_line(say: Strings, probed: Probed) -> str:
    """The limits that were used, and what the ratings mean."""
    used = {each.measure for each in probed.findings}
    limits = ", ".join(
        f"{say(f'probe.said.{name}')} {getattr(probed.limits, name):g}"
        for name in MEASURES
        if name in used
    )
    confidence = f"{probed.confidence:.0%}"
    return say("probe.limits", limits=limits, confidence=confidence, fewest=FEWEST)


def _summary(probed: Probed, say: Strings) -> Iterator[str]:
    deciding = probed.deciding()
    counts = Counter(each.rating for each in deciding)
    ordered = [
        say("probe.count", count=counts[name], rating=say(f"probe.rating.{name}"))
        for name in _RATINGS
    ]
    what = "probes" if len(probed.models) == 1 else "findings"
    yield say(f"probe.{what}", count=len(deciding), ratings=", ".join(ordered))
    for each in deciding:
        if each.rating in ("bad", "worrying"):
            yield say(
                "probe.found",
                who=who(say, probed, each),
                rating=say(f"probe.rating.{each.rating}"),
                does=say(f"probe.does.{each.probe}"),
                advice=say(f"probe.advice.{each.probe}"),
            )
    yield _conclusion(probed, say, counts, len(deciding))
    unscored = sum(each.unscored for each in probed.runs)
    if unscored:
        total = sum(each.verdicts for each in probed.runs)
        yield say("probe.unscored", unscored=unscored, total=total)
    if probed.stopped:
        yield say("probe.stopped")
    yield say("probe.kept", runs=", ".join(each.run for each in probed.runs))


def _conclusion(probed: Probed, say: Strings, counts: Counter[Rating], findings: int) -> str:
    if counts["unclear"] == findings:
        if any(each.unscored for each in probed.runs):
            return say("probe.all_unscored")
        return say("probe.too_few", fewest=FEWEST)
    if counts["bad"]:
        return say("probe.mend")
    if counts["worrying"] or counts["unclear"]:
        return say("probe.more")
    return say("probe.nothing_against")
