"""May this judge be used? The answer in a few plain sentences, and what to do next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from adjudge.analysis.calibration import CriterionCalibration, GraderCalibration
from adjudge.core.scale import Category
from adjudge.stats.corrected import FEWEST_LABELS
from adjudge.stats.stat import Stat

from .figures import plain
from .reasons import reason
from .strings import Strings, strings_for

# Spearman's correlation, or kappa for names: customary limits, no law.
GOOD, FAIR = 0.6, 0.4
_NOTABLE = 0.02  # share of unscored items worth a sentence
# In the order in which they are told.
STANDINGS = ("good", "person", "fair", "weak", "chance", "few", "unknown")


def trust_words(run: str, part: GraderCalibration, say: Strings | None = None) -> list[str]:
    """Some three to six sentences on one judge and model: in the language of `say` with the titles
    of criteria; without it for the command line, in English with the names that flags take."""
    called = str if say is None else part.grader.judge.rubric.title
    return _Words(run, say or strings_for("en"), called).all(list(part.criteria.values()))


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


class _Words:
    """The sentences about one judge and model of a run, in the language of `say`; `called` tells
    what a criterion is called in them."""

    def __init__(self, run: str, say: Strings, called: Callable[[str], str]) -> None:
        self._run, self._say, self._called = run, say, called

    def all(self, criteria: Sequence[CriterionCalibration]) -> list[str]:
        standings = {each.name: standing(each) for each in criteria}
        lines = list(self._answers(criteria, standings))
        lines += self._uncertain(criteria)
        lines += self._means(criteria)
        lines += self._unscored(criteria)
        return [*lines, self._next(criteria, standings)]

    def _answers(
        self, criteria: Sequence[CriterionCalibration], standings: dict[str, str]
    ) -> Iterator[str]:
        for kind in STANDINGS:
            these = [each for each in criteria if standings[each.name] == kind]
            if these:
                told = (self._told(each, kind, alone=len(these) == 1) for each in these)
                names = self._names(these)
                yield self._say(f"trust.answer.{kind}", names=names, figures=", ".join(told))

    def _told(self, each: CriterionCalibration, kind: str, *, alone: bool) -> str:
        stat = deciding_figure(each)
        if kind == "few":
            told = self._say("trust.labels", n=each.n)
        elif kind == "unknown":
            told = reason(self._say, str(stat.why))
        else:
            told = f"{'kappa' if _named(each) else 'Spearman'} {plain(stat)}"
        return told if alone else f"{self._called(each.name)} {told}"

    def _names(self, criteria: Iterable[CriterionCalibration]) -> str:
        *most, last = [self._called(each.name) for each in criteria]
        return self._say("trust.and", most=", ".join(most), last=last) if most else last

    def _uncertain(self, criteria: Sequence[CriterionCalibration]) -> Iterator[str]:
        """What agreement is worth where people labelled hard items above all."""
        these = [each for each in criteria if _picked(each)]
        for picked, n in dict.fromkeys((each.uncertain, each.n) for each in these):
            names = self._names(each for each in these if (each.uncertain, each.n) == (picked, n))
            kind = "all_picked" if picked == n else "picked"
            yield self._say(f"trust.{kind}", picked=picked, count=n, names=names)

    def _means(self, criteria: Sequence[CriterionCalibration]) -> list[str]:
        """Which mean to report."""
        off = [each for each in criteria if _biased(each.bias)]
        if off:
            parts = [self._off(each, alone=len(off) == 1) for each in off]
            return [self._say("trust.off", parts="; ".join(parts))]
        held = [each for each in criteria if each.means.corrected.stat.value is not None]
        if not held:
            return []
        told = ", ".join(
            f"{self._called(each.name)} {plain(each.means.corrected.stat)}" for each in held
        )
        kind = "no_bias" if all(_unbiased(each.bias) for each in held) else "report"
        return [self._say(f"trust.{kind}", means=told)]

    def _off(self, each: CriterionCalibration, *, alone: bool) -> str:
        bias, stat = each.bias.value or 0.0, each.means.corrected.stat
        way = "higher" if bias > 0 else "lower"
        told = self._say(f"trust.{way}", name=self._called(each.name), by=f"{abs(bias):.2f}")
        if stat.value is None:
            return self._say("trust.no_corrected", told=told)
        return self._say(
            "trust.instead_alone" if alone else "trust.instead",
            told=told,
            corrected=plain(stat),
            raw=plain(Stat(each.means.raw.value)),
        )

    def _unscored(self, criteria: Sequence[CriterionCalibration]) -> list[str]:
        worst = max(criteria, key=lambda each: each.unscored / each.items)
        if worst.unscored / worst.items <= _NOTABLE:
            return []
        name = self._called(worst.name)
        fields = {"unscored": worst.unscored, "items": worst.items, "name": name}
        bounds = worst.means.bounds
        if bounds and bounds.worst is not None and bounds.best is not None:
            ends = {"worst": f"{bounds.worst:.2f}", "best": f"{bounds.best:.2f}"}
            return [self._say("trust.unscored_bounds", **fields, **ends)]
        return [self._say("trust.unscored", **fields)]

    def _next(self, criteria: Sequence[CriterionCalibration], standings: dict[str, str]) -> str:
        """The most useful thing to do."""
        kinds = set(standings.values())
        refused = next((each for each in criteria if _no_random_draw(each)), None)
        if any(each.unscored > each.items / 2 for each in criteria):
            return self._say("trust.next.unscored", run=self._run)
        if "few" in kinds:
            return self._say("trust.next.label", run=self._run)
        if refused is not None:
            return self._say("trust.next.draw", run=self._run, name=self._called(refused.name))
        unknown = next((each for each in criteria if standings[each.name] == "unknown"), None)
        if unknown is not None:
            return self._measurable(unknown)
        if kinds <= {"chance", "weak"}:
            return self._say("trust.next.sharpen")
        return self._use(
            next(each for each in criteria if standings[each.name] not in ("chance", "weak"))
        )

    def _use(self, best: CriterionCalibration) -> str:
        """What to do with a judge that may be used."""
        low = best.means.corrected.stat.low
        if low is None:
            return self._say("trust.next.read")
        return self._say("trust.next.gate", gate=f"{best.name}.corrected>={low:.2g}")

    def _measurable(self, each: CriterionCalibration) -> str:
        """What makes agreement measurable."""
        constant = "judge gave every row" in str(deciding_figure(each).why)
        kind = "constant" if constant else "differ"
        return self._say(f"trust.next.{kind}", run=self._run, name=self._called(each.name))
