"""The samples of each item made one, and how far they lie apart.

numpy is loaded only for runs that have several samples an item.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from adjudge.core.scale import Value
from adjudge.core.verdict import Verdict
from adjudge.stats.spread import Spread, spread
from adjudge.stores.records import RunRecord, ScoreRow


@dataclass(frozen=True, slots=True)
class ItemSpread:
    """One item by one judge and model: of `samples` verdicts, what each criterion came to."""

    item: str
    judge: str
    model: str
    samples: int
    criteria: Mapping[str, Spread]


@dataclass(frozen=True, slots=True)
class Stability:
    """One criterion by one judge and model, over `items` with two scored samples or more.

    `flipping` counts those whose samples differ; the other figures are means over items, None where
    there are none, and `sd` also for names.
    """

    judge: str
    model: str
    criterion: str
    items: int
    flipping: int
    flip_rate: float | None
    entropy: float | None
    sd: float | None


@dataclass(frozen=True, slots=True)
class Repeats:
    """`samples` were taken of at most `most`; the others were not needed where the run stops early
    (`stopped_early`), else they are still to come."""

    samples: int
    most: int
    stopped_early: bool
    criteria: tuple[Stability, ...]


def item_spreads(verdicts: Iterable[Verdict]) -> Iterator[ItemSpread]:
    """Every item by every judge and model; `verdicts` are in the order of the data."""

    def owner(verdict: Verdict) -> tuple[str, str, str]:
        return verdict.item, verdict.judge, verdict.model

    for (item, judge, model), some in groupby(verdicts, owner):
        given = list(some)
        criteria = {name: spread(_values(given, name)) for name in given[0].scores}
        yield ItemSpread(item, judge, model, len(given), criteria)


def _values(verdicts: Iterable[Verdict], name: str) -> list[Value]:
    scores = (verdict.scores[name] for verdict in verdicts)
    return [score.value for score in scores if score.value is not None]


def repeats_of(record: RunRecord, scores: Iterable[ScoreRow]) -> Repeats | None:
    """How stable the verdicts of a run are; None where each item is judged once."""
    settings, manifest = record.manifest.settings, record.manifest
    repeat = settings.get("repeat", 1)
    if not isinstance(repeat, int) or repeat < 2:
        return None
    found: dict[tuple[str, str, str], _Column] = {}
    items: dict[str, int] = {}
    samples = 0
    for row in scores:
        samples += 1
        place = items.setdefault(row.item, len(items))
        for name, value in row.values.items():
            key = (row.judge, row.model, name)
            if key not in found:
                found[key] = _Column()
            if value is not None:
                found[key].add(place, value)
    return Repeats(
        samples,
        most=record.rows * len(manifest.judges) * len(manifest.models) * repeat,
        stopped_early=settings.get("stop") == "stable" and record.state == "finished",
        criteria=tuple(column.stability(*key) for key, column in found.items()),
    )


@dataclass(slots=True)
class _Column:
    """The values of a criterion while they stream by, 16 bytes each."""

    places: array[int] = field(default_factory=lambda: array("q"))
    values: array[float] = field(default_factory=lambda: array("d"))
    names: dict[str, int] = field(default_factory=dict)

    def add(self, place: int, value: Value) -> None:
        self.places.append(place)
        if isinstance(value, str):
            value = self.names.setdefault(value, len(self.names))
        self.values.append(value)

    def stability(self, judge: str, model: str, criterion: str) -> Stability:
        from adjudge.stats.spreads import spreads  # noqa: PLC0415 - loads numpy

        each = spreads(self.places, self.values)
        items = len(each.n)
        return Stability(
            judge,
            model,
            criterion,
            items,
            flipping=int((each.flip_rate > 0).sum()),
            flip_rate=float(each.flip_rate.mean()) if items else None,
            entropy=float(each.entropy.mean()) if items else None,
            sd=float(each.sd.mean()) if items and not self.names else None,
        )
