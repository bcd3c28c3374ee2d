"""May this judge be used? The answer in a few plain sentences, and what to do next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from adjudge.analysis.calibration import CriterionCalibration, GraderCalibration
from adjudge.core.scale import Category
from adjudge.stats.corrected import FEWEST_LABELS
from adjudge.stats.stat import Stat

from ..blocks import Line
from ..figures import plain
from ..words import Words

# Spearman's correlation, or kappa for names: customary limits, no law.
GOOD, FAIR = 0.6, 0.4
_NOTABLE = 0.02  # share of unscored items worth a sentence
# In the order in which they are told.
TONES = {
    "good": "good",
    "person": "good",
    "fair": "warn",
    "weak": "bad",
    "chance": "bad",
    "few": "",
    "unknown": "",
}
STANDINGS = tuple(TONES)
FIT = ("good", "person")  # standings of a judge that may be used
# The pages that do what a sentence names a command for.
_LINKS = {
    "use.unscored": ("unscored",),
    "use.unscored_bounds": ("unscored",),
    "use.next.unscored": ("unscored",),
    "use.next.label": ("label",),
    "use.next.draw": ("label",),
    "use.next.differ": ("label",),
    "use.next.constant": ("items", "label"),
    "use.next.read": ("items",),
    "use.next.gate": ("keep",),
}


def trust_lines(run: str, part: GraderCalibration, words: Words) -> list[Line]:
    """Some three to six sentences on one judge and model, with the pages where to do what they
    say: unscored, items, label, keep."""
    called = partial(words.criterion, part.grader.judge)
    return _Sentences(run, words, called).all(list(part.criteria.values()))


def standing(each: CriterionCalibration) -> str:
    """How far a criterion can be trusted: one of STANDINGS."""
    stat = deciding_figure(each)
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


def deciding_figure(each: CriterionCalibration) -> Stat:
    """What the standing rests on: Spearman's correlation, of names kappa."""
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


def _picked(each: CriterionCalibration) -> bool:
    return 2 * each.uncertain > each.n


def _biased(bias: Stat) -> bool:
    return bias.low is not None and bias.high is not None and not bias.low <= 0 <= bias.high


def _unbiased(bias: Stat) -> bool:
    """Undefined is not unbiased."""
    return bias.value == 0 or (bias.low is not None and not _biased(bias))


def _no_random_draw(each: CriterionCalibration) -> bool:
    return each.means.draw.looks_random is False or _picked(each)


class _Sentences:
    """The sentences about one judge and model of a run; `called` tells what a criterion is called
    in them."""

    def __init__(self, run: str, words: Words, called: Callable[[str], str]) -> None:
        self._run, self._words, self._called = run, words, called

    def _say(self, key: str, **fields: object) -> str:
        return self._words(key, **fields)

    def _line(self, key: str, **fields: object) -> Line:
        tone = "next" if key.startswith("use.next.") else ""
        return Line(self._words(key, **fields), tone, _LINKS.get(key, ()))

    def all(self, criteria: Sequence[CriterionCalibration]) -> list[Line]:
        standings = {each.name: standing(each) for each in criteria}
        lines = [*self._answers(criteria, standings), *self._uncertain(criteria)]
        lines += [*self._means(criteria), *self._unscored(criteria)]
        return [*lines, self._next(criteria, standings)]

    def _answers(
        self, criteria: Sequence[CriterionCalibration], standings: dict[str, str]
    ) -> Iterator[Line]:
        for kind in STANDINGS:
            these = [each for each in criteria if standings[each.name] == kind]
            if these:
                told = (self._told(each, kind, alone=len(these) == 1) for each in these)
                names = self._names(these)
                yield self._line(f"use.answer.{kind}", names=names, figures=", ".join(told))

    def _told(self, each: CriterionCalibration, kind: str, *, alone: bool) -> str:
        stat = deciding_figure(each)
        if kind == "few":
            told = self._say("use.labels", n=each.n)
        elif kind == "unknown":
            told = self._words.reason(stat.why)
        else:
            told = f"{'kappa' if _named(each) else 'Spearman'} {plain(stat)}"
        return told if alone else f"{self._called(each.name)} {told}"

    def _names(self, criteria: Iterable[CriterionCalibration]) -> str:
        *most, last = [self._called(each.name) for each in criteria]
        return self._say("use.and", most=", ".join(most), last=last) if most else last

    def _uncertain(self, criteria: Sequence[CriterionCalibration]) -> Iterator[Line]:
        """What agreement is worth where people labelled hard items above all."""
        these = [each for each in criteria if _picked(each)]
        for picked, n in dict.fromkeys((each.uncertain, each.n) for each in these):
            names = self._names(each for each in these if (each.uncertain, each.n) == (picked, n))
            kind = "all_picked" if picked == n else "picked"
            yield self._line(f"use.{kind}", picked=picked, count=n, names=names)

    def _means(self, criteria: Sequence[CriterionCalibration]) -> list[Line]:
        """Which mean to report."""
        off = [each for each in criteria if _biased(each.bias)]
        if off:
            parts = [self._off(each, alone=len(off) == 1) for each in off]
            return [self._line("use.off", parts="; ".join(parts))]
        held = [each for each in criteria if each.means.corrected.stat.value is not None]
        if not held:
            return []
        told = ", ".join(
            f"{self._called(each.name)} {plain(each.means.corrected.stat)}" for each in held
        )
        kind = "no_bias" if all(_unbiased(each.bias) for each in held) else "report"
        return [self._line(f"use.{kind}", means=told)]

    def _off(self, each: CriterionCalibration, *, alone: bool) -> str:
        bias, stat = each.bias.value or 0.0, each.means.corrected.stat
        way = "higher" if bias > 0 else "lower"
        told = self._say(f"use.{way}", name=self._called(each.name), by=f"{abs(bias):.2f}")
        if stat.value is None:
            return self._say("use.no_corrected", told=told)
        return self._say(
            "use.instead_alone" if alone else "use.instead",
            told=told,
            corrected=plain(stat),
            raw=plain(Stat(each.means.raw.value)),
        )

    def _unscored(self, criteria: Sequence[CriterionCalibration]) -> list[Line]:
        worst = max(criteria, key=lambda each: each.unscored / each.items)
        if worst.unscored / worst.items <= _NOTABLE:
            return []
        name = self._called(worst.name)
        fields = {"unscored": worst.unscored, "items": worst.items, "name": name}
        bounds = worst.means.bounds
        if bounds and bounds.worst is not None and bounds.best is not None:
            ends = {"worst": f"{bounds.worst:.2f}", "best": f"{bounds.best:.2f}"}
            return [self._line("use.unscored_bounds", **fields, **ends)]
        return [self._line("use.unscored", **fields)]

    def _next(self, criteria: Sequence[CriterionCalibration], standings: dict[str, str]) -> Line:
        """The most useful thing to do."""
        kinds = set(standings.values())
        refused = next((each for each in criteria if _no_random_draw(each)), None)
        if any(each.unscored > each.items / 2 for each in criteria):
            return self._line("use.next.unscored", run=self._run)
        if "few" in kinds:
            return self._line("use.next.label", run=self._run)
        if refused is not None:
            return self._line("use.next.draw", run=self._run, name=self._called(refused.name))
        unknown = next((each for each in criteria if standings[each.name] == "unknown"), None)
        if unknown is not None:
            return self._measurable(unknown)
        if kinds <= {"chance", "weak"}:
            return self._line("use.next.sharpen")
        return self._use(
            next(each for each in criteria if standings[each.name] not in ("chance", "weak"))
        )

    def _use(self, best: CriterionCalibration) -> Line:
        """What to do with a judge that may be used."""
        low = best.means.corrected.stat.low
        if low is None:
            return self._line("use.next.read")
        return self._line("use.next.gate", gate=f"{best.name}.corrected>={low:.2g}")

    def _measurable(self, each: CriterionCalibration) -> Line:
        """What makes agreement measurable."""
        why = deciding_figure(each).why
        constant = why is not None and why.code == "judge_constant"
        kind = "constant" if constant else "differ"
        return self._line(f"use.next.{kind}", run=self._run, name=self._called(each.name))
