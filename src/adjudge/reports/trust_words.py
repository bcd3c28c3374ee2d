"""May this judge be used? The answer in a few plain sentences, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from adjudge.analysis.calibration import CriterionCalibration, GraderCalibration
from adjudge.core.scale import Category
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
    "unknown": "Not known yet for {names}: agreement with people cannot be measured ({figures}).",
}


def trust_words(run: str, part: GraderCalibration) -> list[str]:
    """Some three to six sentences on one judge and model."""
    criteria = list(part.criteria.values())
    standings = {each.name: standing(each) for each in criteria}
    lines = list(_answers(criteria, standings))
    lines += _uncertain(criteria)
    lines += _means(criteria)
    lines += _unscored(criteria)
    return [*lines, _next(run, criteria, standings)]


def standing(each: CriterionCalibration) -> str:
    """How far a criterion can be trusted: a key of the answers above."""
    stat = _figure(each)
    if each.n < FEWEST_LABELS:
        return "few"
    if stat.value is None or (each.chance is not None and stat.low is None):
        return "unknown"
    if each.chance is not None:
        return "chance"
    if stat.value >= GOOD:
        return "good"
    if _like_a_person(each, stat):
        return "person"
    return "fair" if stat.value >= FAIR else "weak"


def _figure(each: CriterionCalibration) -> Stat:
    return each.kappa if _named(each) else each.spearman


def _named(each: CriterionCalibration) -> bool:
    return isinstance(each.scale, Category)


def _like_a_person(each: CriterionCalibration, stat: Stat) -> bool:
    """At least as close to people as one of them is to the others.

    The kappa of names leaves out what people are divided on, where they agree least; so the judge
    is set beside each rater alone, as they are beside each other.
    """
    if each.raters is None or stat.value is None:
        return False
    if not _named(each):
        among = each.raters.ceiling.leave_one_out["spearman"]
        return among.value is not None and stat.value >= among.value
    among = each.raters.ceiling.pairwise["kappa"]
    alone = [told.kappa.value for told in each.raters.judge if told.kappa.value is not None]
    return among.value is not None and bool(alone) and sum(alone) / len(alone) >= among.value


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
    title, stat = "kappa" if _named(each) else "Spearman", _figure(each)
    if kind == "unknown":
        return f"{name}{stat.why}"
    return f"{name}{title} {plain(stat)}"


def _names(criteria: Iterable[CriterionCalibration]) -> str:
    *most, last = [each.name for each in criteria]
    return f"{', '.join(most)} and {last}" if most else last


def _uncertain(criteria: Sequence[CriterionCalibration]) -> Iterator[str]:
    """What agreement is worth where people labelled hard items above all."""
    these = [each for each in criteria if _picked(each)]
    for picked, n in dict.fromkeys((each.uncertain, each.n) for each in these):
        names = _names(each for each in these if (each.uncertain, each.n) == (picked, n))
        share = f"All {n}" if picked == n else f"{picked} of {n}"
        yield (
            f"Caution: {share} labelled items for {names} were picked as uncertain; agreement on"
            " all items may be another, mostly better."
        )


def _picked(each: CriterionCalibration) -> bool:
    return 2 * each.uncertain > each.n


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
        lines.append(
            f"No bias shows on these labels; the corrected mean to report: {told}."
            if all(_unbiased(each.bias) for each in held)
            else f"The corrected mean to report: {told}."
        )
    return lines


def _biased(bias: Stat) -> bool:
    return bias.low is not None and bias.high is not None and not bias.low <= 0 <= bias.high


def _unbiased(bias: Stat) -> bool:
    """Undefined is not unbiased."""
    return bias.value == 0 or (bias.low is not None and not _biased(bias))


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
    refused = next((each for each in criteria if _no_random_draw(each)), None)
    if any(each.unscored > each.items / 2 for each in criteria):
        return f"Next: find out why so many items have no score: adjudge show {run}."
    if "few" in kinds or refused is not None:
        why = "label more items, drawn at random"
        if refused is not None and "few" not in kinds:
            why = f"the labels for {refused.name} are no random draw, so label one"
        return f"Next: {why}: adjudge label {run} --pick random."
    unknown = next((each for each in criteria if standings[each.name] == "unknown"), None)
    if unknown is not None:
        return _measurable(run, unknown)
    if kinds <= {"chance", "weak"}:
        return (
            "Next: sharpen the rubric or take a stronger model, and calibrate again with the same"
            " labels."
        )
    return _use(next(each for each in criteria if standings[each.name] not in ("chance", "weak")))


def _use(best: CriterionCalibration) -> str:
    """What to do with a judge that may be used."""
    low = best.means.corrected.stat.low
    if low is None:
        return "Next: read the items on which the judge and people differ most: adjudge show."
    gate = f"{best.name}.corrected>={low:.2g}"
    return f"Next: hold later runs of this judge and model to it: adjudge run … --gate '{gate}'."


def _no_random_draw(each: CriterionCalibration) -> bool:
    return each.means.draw.looks_random is False or _picked(each)


def _measurable(run: str, each: CriterionCalibration) -> str:
    """What makes agreement measurable."""
    label = f"adjudge label {run} --pick random"
    if "judge gave every row" in str(_figure(each).why):
        return (
            f"Next: see whether the judge gives all items the same {each.name}: adjudge show {run};"
            f" if so, sharpen the rubric, else label more items, drawn at random: {label}."
        )
    return f"Next: label more items for {each.name}, drawn at random, until they differ: {label}."
