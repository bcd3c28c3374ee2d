"""How findings speak: the reader's language, and what criteria and values are called in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from adjudge.analysis.scores import DIVIDED
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.scale import Binary, Category, Ordinal, Scale, value_range
from adjudge.stats.stat import Stat
from adjudge.strings import Strings, strings_for
from adjudge.strings.numerals import in_language

from . import figures
from .blocks import Table, Text

if TYPE_CHECKING:  # a run that shows no figures needs no numpy
    from adjudge.stats.mean import Bounds

T = TypeVar("T")
_TRUTHS = {"yes": True, "no": False, "1": True, "0": False, "True": True, "False": False}


@dataclass(frozen=True, slots=True)
class Words:
    """`words("common.of", a=1, b=2)` says a string. Criteria go by their `titles`, as `judges` have
    them, or by the names that flags take. What is drawn is `narrow` on a telephone."""

    say: Strings
    titles: bool = True
    narrow: bool = False
    judges: Mapping[str, Judge] = field(default_factory=dict)

    def __call__(self, key: str, **fields: object) -> str:
        return self.say(key, **fields)

    def all(self, section: str, *names: str) -> list[str]:
        """Several strings, such as the head of a table: of one section, or of what is common."""
        keys = (f"{section}.{name}" for name in names)
        common = (f"common.{name}" for name in names)
        return [
            self.say(key if key in self.say else usual)
            for key, usual in zip(keys, common, strict=True)
        ]

    def table(
        self, section: str, entries: Iterable[T], **columns: Callable[[T], Text] | None
    ) -> Table:
        """A row per entry, a column per name, with its title from `all`; one that is None is left
        out."""
        kept = {name: cell for name, cell in columns.items() if cell}
        rows = [[cell(entry) for cell in kept.values()] for entry in entries]
        return Table(self.all(section, *kept), rows)

    def reason(self, why: Reason | None) -> str:
        return self.say.reason(why)

    def missing(self, stat: Stat) -> str:
        """Why a figure or its interval is not there; "" where both are."""
        return self.reason(stat.why.without("no_interval") if stat.why else None)

    def about(self, judges: Mapping[str, Judge]) -> Words:
        """The same about the judges of a run."""
        return replace(self, judges=judges)

    def criterion(self, judge: Judge | str, name: str) -> str:
        """By its title, where the judge is known."""
        known = self.judges.get(judge) if isinstance(judge, str) else judge
        return known.rubric.title(name) if known and self.titles else name

    def grader(self, judge: str, model: str) -> str:
        return self.say("report.grader", judge=judge, model=model)

    def name(self, name: object) -> str:
        """A name as it is; in words where samples were divided between several, or for a Reason."""
        if isinstance(name, Reason):
            return self.reason(name)
        return self.say("common.divided") if name == DIVIDED else str(name)

    def value(self, scale: Scale, value: object) -> str:
        """A level with its label, yes and no in the reader's language, a name as it is.

        Means of several samples lie between the levels and are plain numbers.
        """
        plain = f"{value:g}" if isinstance(value, float) else str(value)
        if isinstance(scale, Binary) and plain in _TRUTHS:
            return self.say("plot.yes" if _TRUTHS[plain] else "plot.no")
        shown = plain if isinstance(scale, Category) else self.figure(plain)
        if isinstance(scale, Ordinal):
            labels = {str(number): level.label for number, level in scale.levels.items()}
            return f"{shown} {labels[plain]}" if plain in labels else shown
        return shown

    def figure(self, text: str) -> str:
        """A text of figures, written as the reader's language does."""
        return in_language(text, self.say.language)

    def count(self, number: float) -> str:
        return self.figure(f"{number:,}")

    def number(self, value: float | str | None, form: str = ".2f") -> str:
        """A name as it is; a dash where there is nothing."""
        return value if isinstance(value, str) else self.figure(figures.number(value, form))

    def plain(self, stat: Stat) -> str:
        return self.figure(figures.plain(stat))

    def on_scale(self, mean: Stat, scale: Scale) -> str:
        """A mean with the end of its scale, of yes and no the share: 3.39 / 5 [3.2, 3.6], 90% yes.
        Names have none, and what lies beyond, as likelihoods do, is on none."""
        ends = value_range(scale)
        if mean.value is None or ends is None or not ends[0] <= mean.value <= ends[1]:
            return self.plain(mean)
        yes = isinstance(scale, Binary)
        figure, bracket, interval = (self.percent if yes else self.plain)(mean).partition(" [")
        end = self.number(ends[1], "g")
        value = self("report.scores.yes_share", share=figure) if yes else f"{figure} / {end}"
        return value + bracket + interval

    def signed(self, stat: Stat) -> str:
        return self.figure(figures.signed(stat))

    def signed_percent(self, stat: Stat) -> str:
        return self.figure(figures.signed_percent(stat))

    def percent(self, stat: Stat) -> str:
        return self.figure(figures.percent(stat))

    def share(self, part: float, whole: float) -> str:
        return self.figure(figures.share(part, whole))

    def usd(self, amount: float) -> str:
        return self.figure(figures.usd(amount))

    def p_value(self, p: float | None) -> str:
        return self.figure(figures.p_value(p))

    def worst_best(self, bounds: Bounds | None) -> str:
        return self.figure(figures.worst_best(bounds))


@cache
def command_line() -> Words:
    """What commands print: English, with the names that their flags take."""
    return Words(strings_for("en"), titles=False)
