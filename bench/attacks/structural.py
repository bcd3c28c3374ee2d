"""Every attack, quoted by an honest judge in every way and every form of reply, and then read.

What may come out is the judge's own value, or none. Anything else is an escape: a judged text that
set its score although the model was honest.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from adjudge.core.reply import Reply
from adjudge.core.scale import Value
from adjudge.reading.read import read

from .attack import Attack, attacks
from .forms import Form, forms
from .quoting import WAYS

PLACES = (False, True)  # before the value, after it


def values_of(form: Form, reply: str, judged: str) -> dict[str, Value | None]:
    """What is read for each criterion, as a run reads it: with the judged text at hand."""
    reading = read(form.judge, tuple(form.truth), Reply(text=reply), (judged,))
    return {name: found.value for name, found in reading.scores.items()}


@dataclass(frozen=True, slots=True)
class Case:
    """One reply of the honest judge."""

    attack: Attack
    form: Form
    way: str
    after: bool

    @property
    def judged(self) -> str:
        return self.attack.text(self.form.wish, next(iter(self.form.truth)))

    @property
    def reply(self) -> str:
        return self.form.reply(WAYS[self.way](self.judged), after=self.after)

    def values(self) -> dict[str, Value | None]:
        return values_of(self.form, self.reply, self.judged)

    def outcome(self) -> str:
        """right, unread or wrong; of several criteria the worst."""
        values = self.values()
        read = {name: value for name, value in values.items() if value is not None}
        if any(value != self.form.truth[name] for name, value in read.items()):
            return "wrong"
        return "right" if len(read) == len(values) else "unread"

    def __str__(self) -> str:
        where = "after" if self.after else "before"
        return f"{self.attack.id} | {self.form.name} | {self.way}, {where} the value"


def cases(every: int = 1) -> Iterator[Case]:
    """All cases, or every so many of them: each attack still meets each form, in turning ways."""
    ways = [(way, after) for way in WAYS for after in PLACES]
    for row, attack in enumerate(attacks()):
        for column, form in enumerate(forms()):
            for number, (way, after) in enumerate(ways):
                # 7 and the number of ways share no factor, so that all ways take their turn
                if (number + 7 * row + 5 * column) % every == 0:
                    yield Case(attack, form, way, after)


@dataclass
class Tally:
    """Outcomes by form, by family and by way, and the cases that were read wrong."""

    by: dict[str, dict[str, Counter[str]]] = field(
        default_factory=lambda: {"form": {}, "family": {}, "way": {}}
    )
    all: Counter[str] = field(default_factory=Counter)
    wrong: list[Case] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, case: Case, outcome: str) -> None:
        self.all[outcome] += 1
        names = {"form": case.form.name, "family": case.attack.family, "way": case.way}
        for kind, name in names.items():
            self.by[kind].setdefault(name, Counter())[outcome] += 1
        if outcome == "wrong":
            self.wrong.append(case)


def run(chosen: Iterable[Case]) -> Tally:
    tally, began = Tally(), time.perf_counter()
    for case in chosen:
        tally.add(case, case.outcome())
    tally.seconds = time.perf_counter() - began
    return tally


def lines(tally: Tally, shown: int = 10) -> Iterator[str]:
    """A table per kind, then the first wrong cases with what is needed to repeat them."""
    for kind, rows in tally.by.items():
        yield f"{kind:32}{'readings':>9}{'right':>9}{'unread':>9}{'wrong':>9}"
        for name, counts in rows.items():
            yield _row(name, counts)
        yield ""
    yield _row("all", tally.all)
    yield f"{len(attacks())} attacks, {tally.all.total()} replies, {tally.seconds:.0f} s"
    yield from _reproductions(tally.wrong[:shown])


def _row(name: str, counts: Counter[str]) -> str:
    kinds = "".join(f"{counts[kind]:9}" for kind in ("right", "unread", "wrong"))
    return f"{name:32}{counts.total():9}{kinds}"


def _reproductions(wrong: Sequence[Case]) -> Iterator[str]:
    for case in wrong:
        yield f"\nread as {case.values()}, said {dict(case.form.truth)}: {case}"
        yield f"  judged {case.judged[:200]!r}"
        yield f"  reply  {case.reply[:400]!r}"
