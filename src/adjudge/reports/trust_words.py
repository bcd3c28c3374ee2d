"""May this judge be used? The answer in a few plain sentences, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from adjudge.analysis.calibration import CriterionCalibration, GraderCalibration
from adjudge.stats.corrected import FEWEST_LABELS
from adjudge.stats.stat import Stat

from .figures import plain

# Spearman's correlation, or kappa for names: customary limits, no law.
GOOD, FAIR = 0.6, 0.4
_NOTABLE = 0.02  # share of unscored items worth a sentence
_ANSWERS = {
    "good": "Yes for {names}: the judge orders answers much as people do ({figures}).",
    "person": "Yes for {names}: the judge agrees with people as they do with each other"
    " ({figures}).",
    "fair": "For averages, not for single items: {names}. The judge follows people roughly"
    " ({figures}).",
    "weak": "Hardly for {names}: the judge follows people only a little ({figures}).",
    "chance": "No for {names}: the judge is not shown to be better than chance ({figures}).",
    "few": "Not known yet for {names}: too few labels to tell ({figures}).",
}


def trust_words(run: str, part: GraderCalibration) -> list[str]:
    """Three to five sentences on one judge and model."""
    criteria = list(part.criteria.values())
    standings = {each.name: standing(each) for each in criteria}
    lines = list(_answers(criteria, standings))
    lines += _means(criteria)
    lines += _unscored(criteria)
    return [*lines, _next(run, criteria, standings)]


def standing(each: CriterionCalibration) -> str:
    """How far a criterion can be trusted: a key of the answers above."""
    stat = _figure(each)
    vague = each.chance is not None and stat.value is not None and stat.low is None
    if each.n < FEWEST_LABELS or vague:
        return "few"
    if each.chance is not None or stat.value is None:
        return "chance"
    if stat.value >= GOOD:
        return "good"
    if _like_a_person(each, stat):
        return "person"
    return "fair" if stat.value >= FAIR else "weak"


def _figure(each: CriterionCalibration) -> Stat:
    return each.spearman if each.means.bounds is not None else each.kappa


def _like_a_person(each: CriterionCalibration, stat: Stat) -> bool:
    """At least as close to people as one of them is to the others."""
    if each.raters is None or stat.value is None:
        return False
    name = "spearman" if each.means.bounds is not None else "kappa"
    among = each.raters.ceiling.leave_one_out[name]
    return among.value is not None and stat.value >= among.value


def _answers(criteria: Sequence[CriterionCalibration], standings: dict[str, str]) -> Iterator[str]:
    for kind, sentence in _ANSWERS.items():
        these = [each for each in criteria if standings[each.name] == kind]
        if these:
            figures = ", ".join(_told(each, kind, alone=len(these) == 1) for each in these)
            yield sentence.format(names=_names(these), figures=figures)


def _told(each: CriterionCalibration, kind: str, *, alone: bool) -> str:
    name = "" if alone else f"{each.name} "
    if kind == "few":
        return f"{name}{each.n} {'label' if each.n == 1 else 'labels'}"
    title = "Spearman" if each.means.bounds is not None else "kappa"
    stat = _figure(each)
    return f"{name}{title} {plain(stat)}" if stat.value is not None else f"{name}{stat.why}"


def _names(criteria: Iterable[CriterionCalibration]) -> str:
    *most, last = [each.name for each in criteria]
    return f"{', '.join(most)} and {last}" if most else last


def _means(criteria: Sequence[CriterionCalibration]) -> list[str]:
    """Which mean to report."""
    off = [each for each in criteria if _biased(each.bias)]
    lines = []
    if off:
        parts = [_off(each, alone=len(off) == 1) for each in off]
        lines.append(f"The raw mean is off: the judge grades {'; '.join(parts)}.")
    held = [each for each in criteria if each.means.corrected.stat.value is not None]
    if held and not off:
        told = ", ".join(f"{each.name} {plain(each.means.corrected.stat)}" for each in held)
        lines.append(f"No bias shows on these labels; the corrected mean to report: {told}.")
    return lines


def _biased(bias: Stat) -> bool:
    return bias.low is not None and bias.high is not None and not bias.low <= 0 <= bias.high


def _off(each: CriterionCalibration, *, alone: bool) -> str:
    bias, stat = each.bias.value or 0.0, each.means.corrected.stat
    way = "higher" if bias > 0 else "lower"
    told = f"{each.name} {abs(bias):.2f} {way} than people"
    if stat.value is None:
        return f"{told}, and no corrected mean can be given"
    report = "report the corrected mean" if alone else "report"
    return f"{told}, {report} {plain(stat)} instead of {plain(Stat(each.means.raw.value))}"


def _unscored(criteria: Sequence[CriterionCalibration]) -> list[str]:
    worst = max(criteria, key=lambda each: each.unscored / each.items)
    if worst.unscored / worst.items <= _NOTABLE:
        return []
    bounds = worst.means.bounds
    reach = ""
    if bounds and bounds.worst is not None and bounds.best is not None:
        reach = f": its mean could lie anywhere from {bounds.worst:.2f} to {bounds.best:.2f}"
    told = f"{worst.unscored} of {worst.items} items have no score for {worst.name}{reach}."
    return [f"{told} See why with adjudge show."]


def _next(run: str, criteria: Sequence[CriterionCalibration], standings: dict[str, str]) -> str:
    """The most useful thing to do."""
    kinds = set(standings.values())
    refused = next((each for each in criteria if each.means.draw.looks_random is False), None)
    if any(each.unscored > each.items / 2 for each in criteria):
        return f"Next: find out why so many items have no score: adjudge show {run}."
    if "few" in kinds:
        return f"Next: label more items, drawn at random: adjudge label {run} --pick random."
    if refused is not None:
        return (
            f"Next: the labels for {refused.name} are no random draw, so label one:"
            f" adjudge label {run} --pick random."
        )
    if kinds <= {"chance", "weak"}:
        return (
            "Next: sharpen the rubric or take a stronger model, and calibrate again with the same"
            " labels."
        )
    best = next(each for each in criteria if standings[each.name] not in ("chance", "weak"))
    low = best.means.corrected.stat.low
    if low is None:
        return "Next: read the items on which the judge and people differ most: adjudge show."
    gate = f"{best.name}.corrected>={low:.2g}"
    return f"Next: hold later runs of this judge and model to it: adjudge run … --gate '{gate}'."
