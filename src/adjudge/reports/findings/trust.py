"""May this judge be used? The answer in a few plain sentences, and what to do next."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from adjudge.analysis.calibration import CriterionCalibration, GraderCalibration
from adjudge.core.scale import Category
from adjudge.stats.ppi import FEWEST_LABELS
from adjudge.stats.stat import Stat

from ..blocks import Line
from ..words import Words

# Spearman's correlation, or kappa for names: customary limits, no law.
GOOD, FAIR = 0.6, 0.4
_NOTABLE = 0.02  # share of unscored items worth a sentence
# In the order in which they are told.
TONES = {
    "good": "good",
    "person": "good",
    "fair": "warn",
    "unsure": "",
    "weak": "bad",
    "chance": "bad",
    "few": "",
    "unknown": "",
}
STANDINGS = tuple(TONES)
FIT = ("good", "person")  # standings of a judge that may be used
REFUSED = ("weak", "chance")  # and of one that may not
# The pages that do what a sentence names a command for.
_LINKS = {
    "use.unscored": ("unscored",),
    "use.unscored_bounds": ("unscored",),
    "use.next.unscored": ("unscored",),
    "use.next.label": ("label",),
    "use.next.more": ("label",),
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
    return _Sentences(shlex.quote(run), words, called).all(list(part.criteria.values()))


def standing(criterion: CriterionCalibration) -> str:
    """How far a criterion can be trusted: one of STANDINGS."""
    stat = deciding_figure(criterion)
    if criterion.n < FEWEST_LABELS:
        return "few"
    if stat.value is None or (criterion.chance is not None and stat.low is None):
        return "unknown"
    if criterion.chance is None and stat.value >= GOOD:
        return "good"
    if criterion.chance is None and _like_a_person(criterion, stat):
        return "person"
    fair = criterion.chance is None and stat.value >= FAIR
    by_chance = stat.low is not None and stat.low <= 0  # of ranks: values may tell more
    kind = _no(criterion, stat)
    return "fair" if fair and not (by_chance and kind == "unsure") else kind


def _no(criterion: CriterionCalibration, stat: Stat) -> str:
    """Or that it cannot be told yet: the interval holds a yes and a no."""
    if stat.low is not None and stat.high is not None and stat.low < FAIR and stat.high >= GOOD:
        return "unsure"
    return "weak" if criterion.chance is None else "chance"


def labels_to_tell(criterion: CriterionCalibration) -> int:
    """About how many more labels it takes until the interval does not hold both a yes and a no, if
    agreement stays as it is: an interval narrows with the root of their number. At least ten, in
    tens, and no more than there are items without a label: 0 where all have one."""
    return min(_labels_needed(criterion), criterion.items - criterion.n)


def _labels_needed(criterion: CriterionCalibration) -> int:
    """The same, however many items there are."""
    stat = deciding_figure(criterion)
    if stat.value is None or stat.low is None or stat.high is None:
        return FEWEST_LABELS
    reach = max(stat.value - FAIR, GOOD - stat.value)
    further = criterion.n * (((stat.high - stat.low) / 2 / reach) ** 2 - 1)
    return 10 * max(1, math.ceil(further / 10))


def deciding_figure(criterion: CriterionCalibration) -> Stat:
    """What the standing rests on: Spearman's correlation, of names kappa."""
    return criterion.kappa if _named(criterion) else criterion.spearman


def _named(criterion: CriterionCalibration) -> bool:
    return isinstance(criterion.scale, Category)


def _like_a_person(criterion: CriterionCalibration, stat: Stat) -> bool:
    """At least as close to people as one of them is to the others.

    The kappa of names leaves out what people are divided on, where they agree least; so the judge
    is set beside each rater alone, as they are beside each other.
    """
    if criterion.raters is None or stat.value is None:
        return False
    if not _named(criterion):
        among = criterion.raters.ceiling.leave_one_out["spearman"]
        return among.value is not None and stat.value >= among.value
    among = criterion.raters.ceiling.pairwise["kappa"]
    alone = [
        agreement.kappa.value
        for agreement in criterion.raters.judge
        if agreement.kappa.value is not None
    ]
    return among.value is not None and bool(alone) and sum(alone) / len(alone) >= among.value


def _picked(criterion: CriterionCalibration) -> bool:
    return 2 * criterion.uncertain > criterion.n


def _biased(bias: Stat) -> bool:
    return bias.low is not None and bias.high is not None and not bias.low <= 0 <= bias.high


def _unbiased(bias: Stat) -> bool:
    """Undefined is not unbiased."""
    return bias.value == 0 or (bias.low is not None and not _biased(bias))


def _no_random_draw(criterion: CriterionCalibration) -> bool:
    return criterion.means.draw.looks_random is False or _picked(criterion)


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
        standings = {criterion.name: standing(criterion) for criterion in criteria}
        lines = [*self._answers(criteria, standings), *self._uncertain(criteria)]
        # A judge that must not be used has no mean to report: what is corrected rests on people.
        usable = [criterion for criterion in criteria if standings[criterion.name] not in REFUSED]
        refused = [criterion for criterion in criteria if standings[criterion.name] in REFUSED]
        lines += [*self._means(usable), *self._people_alone(refused), *self._unscored(criteria)]
        return [*lines, self._next(criteria, standings)]

    def _answers(
        self, criteria: Sequence[CriterionCalibration], standings: dict[str, str]
    ) -> Iterator[Line]:
        for kind in STANDINGS:
            these = [criterion for criterion in criteria if standings[criterion.name] == kind]
            if these:
                figures = (
                    self._figure(criterion, kind, alone=len(these) == 1) for criterion in these
                )
                names = self._names(these)
                yield self._line(f"use.answer.{kind}", names=names, figures=", ".join(figures))

    def _figure(self, criterion: CriterionCalibration, kind: str, *, alone: bool) -> str:
        stat = deciding_figure(criterion)
        if kind == "few":
            text = self._say("use.labels", n=criterion.n)
        elif kind == "unknown":
            text = self._words.reason(stat.why)
        else:
            text = f"{'kappa' if _named(criterion) else 'Spearman'} {self._words.plain(stat)}"
        return text if alone else f"{self._called(criterion.name)} {text}"

    def _names(self, criteria: Iterable[CriterionCalibration]) -> str:
        *most, last = [self._called(criterion.name) for criterion in criteria]
        return self._say("use.and", most=", ".join(most), last=last) if most else last

    def _uncertain(self, criteria: Sequence[CriterionCalibration]) -> Iterator[Line]:
        """What agreement is worth where people labelled hard items above all."""
        these = [criterion for criterion in criteria if _picked(criterion)]
        for picked, n in dict.fromkeys((criterion.uncertain, criterion.n) for criterion in these):
            names = self._names(
                criterion
                for criterion in these
                if (criterion.uncertain, criterion.n) == (picked, n)
            )
            kind = "all_picked" if picked == n else "picked"
            yield self._line(f"use.{kind}", picked=picked, count=n, names=names)

    def _means(self, criteria: Sequence[CriterionCalibration]) -> list[Line]:
        """Which mean to report."""
        off = [criterion for criterion in criteria if _biased(criterion.bias)]
        if off:
            parts = [self._off(criterion, alone=len(off) == 1) for criterion in off]
            return [self._line("use.off", parts="; ".join(parts))]
        held = [
            criterion for criterion in criteria if criterion.means.corrected.stat.value is not None
        ]
        if not held:
            return []
        means = ", ".join(
            f"{self._called(criterion.name)} {self._corrected(criterion)}" for criterion in held
        )
        kind = "no_bias" if all(_unbiased(criterion.bias) for criterion in held) else "report"
        return [self._line(f"use.{kind}", means=means)]

    def _people_alone(self, criteria: Sequence[CriterionCalibration]) -> list[Line]:
        """What may be said of criteria on which the judge must not be used."""
        held = [
            criterion for criterion in criteria if criterion.means.corrected.stat.value is not None
        ]
        if not held:
            return []
        means = (
            f"{self._called(criterion.name)} {self._corrected(criterion)}" for criterion in held
        )
        return [self._line("use.people_alone", names=self._names(held), means=", ".join(means))]

    def _off(self, criterion: CriterionCalibration, *, alone: bool) -> str:
        bias, stat = criterion.bias.value or 0.0, criterion.means.corrected.stat
        way = "higher" if bias > 0 else "lower"
        text = self._say(
            f"use.{way}", name=self._called(criterion.name), by=self._words.number(abs(bias), ".2f")
        )
        if stat.value is None:
            return self._say("use.no_corrected", told=text)
        return self._say(
            "use.instead_alone" if alone else "use.instead",
            told=text,
            corrected=self._corrected(criterion),
            raw=self._words.plain(Stat(criterion.means.raw.value)),
        )

    def _corrected(self, criterion: CriterionCalibration) -> str:
        return self._words.on_scale(criterion.means.corrected.stat, criterion.scale)

    def _unscored(self, criteria: Sequence[CriterionCalibration]) -> list[Line]:
        worst = max(criteria, key=lambda criterion: criterion.unscored / criterion.items)
        if worst.unscored / worst.items <= _NOTABLE:
            return []
        name = self._called(worst.name)
        fields = {"unscored": worst.unscored, "items": worst.items, "name": name}
        bounds = worst.means.bounds
        if bounds and bounds.worst is not None and bounds.best is not None:
            ends = {
                "worst": self._words.number(bounds.worst, ".2f"),
                "best": self._words.number(bounds.best, ".2f"),
            }
            return [self._line("use.unscored_bounds", **fields, **ends)]
        return [self._line("use.unscored", **fields)]

    def _next(self, criteria: Sequence[CriterionCalibration], standings: dict[str, str]) -> Line:
        """The most useful thing to do."""
        kinds = set(standings.values())
        refused = next((criterion for criterion in criteria if _no_random_draw(criterion)), None)
        if any(criterion.unscored > criterion.items / 2 for criterion in criteria):
            return self._line("use.next.unscored", run=self._run)
        if "few" in kinds or "unsure" in kinds:
            return self._label(
                [criterion for criterion in criteria if standings[criterion.name] == "unsure"],
                few="few" in kinds,
            )
        if refused is not None:
            return self._line("use.next.draw", run=self._run, name=self._called(refused.name))
        unknown = next(
            (criterion for criterion in criteria if standings[criterion.name] == "unknown"), None
        )
        if unknown is not None:
            return self._measurable(unknown)
        if kinds <= set(REFUSED):
            return self._line("use.next.sharpen")
        return self._use(
            next(criterion for criterion in criteria if standings[criterion.name] not in REFUSED)
        )

    def _label(self, unsure: Sequence[CriterionCalibration], *, few: bool) -> Line:
        """How many labels it takes to tell, where that can be estimated."""
        if few:
            return self._line("use.next.label", run=self._run)
        more = max(map(labels_to_tell, unsure))
        if not more:
            return self._line("use.next.judge", count=max(map(_labels_needed, unsure)))
        return self._line("use.next.more", run=self._run, n=more)

    def _use(self, best: CriterionCalibration) -> Line:
        """What to do with a judge that may be used."""
        low = best.means.corrected.stat.low
        if low is None:
            return self._line("use.next.read")
        return self._line("use.next.gate", gate=f"{best.name}.corrected>={low:.2g}")

    def _measurable(self, criterion: CriterionCalibration) -> Line:
        """What makes agreement measurable."""
        why = deciding_figure(criterion).why
        constant = why is not None and why.code == "judge_constant"
        kind = "constant" if constant else "differ"
        return self._line(f"use.next.{kind}", run=self._run, name=self._called(criterion.name))
