"""The same questions answered verdict by verdict, in plain loops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean

from adjudge.analysis.browsing import Query
from adjudge.core.scale import Value
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Verdict
from adjudge.stores import Entry

CRITERIA = ("rating", "polite", "winner", "depth")
ENDS = {"rating": (1, 4), "polite": (0, 1), "depth": (0, 10)}
OPTIONS = ("a", "b", "tie")


class Brute:
    """A run as a list of verdicts, of which the latest of each kind counts."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        latest = {(e.item.id, e.verdict.model, e.verdict.repeat): e for e in entries}
        self.verdicts = [e.verdict for e in latest.values()]
        self.positions = {e.item.id: e.position for e in latest.values()}

    def of(self, item: str, query: Query) -> list[Verdict]:
        return [v for v in self.verdicts if v.item == item and query.model in {None, v.model}]

    def ids(self, query: Query) -> list[str]:
        """Those that the query lets through, in its order."""
        found = [item for item in self.positions if self.holds(item, query)]
        found.sort(key=lambda item: self.positions[item])
        if query.sort == "position":
            return found[::-1] if query.down else found

        def key(item: str) -> tuple[bool, float]:
            by = self.sorted_by(item, query)
            return (by is None, 0.0 if by is None else -by if query.down else by)

        return sorted(found, key=key)

    def holds(self, item: str, query: Query) -> bool:
        given = self.of(item, query)
        if not given:
            return False
        models = {v.model for v in given}
        if query.by_score and not any(self._within(given, model, query) for model in models):
            return False
        if query.outcome and not any(_ended(v, query) for v in given):
            return False
        if query.rule:
            fired = {score.rule for v in given for score in _scores(v, query)} - {None}
            if not (fired if query.rule == "any" else query.rule in fired):
                return False
        if query.disagreement is not None:
            apart = self.apart(item, query)
            return apart is not None and apart >= query.disagreement
        return True

    def _within(self, given: Sequence[Verdict], model: str, query: Query) -> bool:
        assert query.criterion
        value = merged([v for v in given if v.model == model], query.criterion)
        if value is None:
            return False
        if query.value is not None:
            wanted = {"yes": 1.0, "no": 0.0, "good": 3.0}.get(query.value, query.value)
            return value == wanted if isinstance(value, str) else value == float(wanted)
        assert not isinstance(value, str)
        low = -1e9 if query.low is None else query.low
        return low <= value <= (1e9 if query.high is None else query.high)

    def apart(self, item: str, query: Query) -> float | None:
        spreads = []
        for name in (query.criterion,) if query.criterion else CRITERIA:
            scores = [v.scores[name] for v in self.of(item, query)]
            values = [s.value for s in scores if s.value is not None]
            units = [s.unit for s in scores if s.unit is not None]
            if len(values) > 1:
                spreads.append(
                    float(len(set(values)) > 1) if name == "winner" else max(units) - min(units)
                )
        return max((round(spread, 10) for spread in spreads), default=None)

    def sorted_by(self, item: str, query: Query) -> float | None:
        given = self.of(item, query)
        models = sorted({v.model for v in given})
        if query.sort == "disagreement":
            return self.apart(item, query)
        if query.sort == "latency":
            return round(fmean(v.latency_ms for v in given), 10)
        if query.sort == "cost":
            return round(sum(v.usage.cost_usd or 0.0 for v in given), 9)
        if query.sort == "score":
            assert query.criterion
            values = [
                merged([v for v in given if v.model == model], query.criterion) for model in models
            ]
            numbers = [
                float(OPTIONS.index(v)) if isinstance(v, str) else v
                for v in values
                if v is not None
            ]
            return round(fmean(numbers), 10) if numbers else None
        if query.sort == "worst":
            return self._mean_unit(given, models, query)
        sure = []
        for model in models:
            for name in (query.criterion,) if query.criterion else CRITERIA:
                known = [
                    v.scores[name].confidence
                    for v in given
                    if v.model == model and v.scores[name].confidence is not None
                ]
                if known:
                    sure.append(fmean(known))
        return round(fmean(sure), 10) if sure else None

    def _mean_unit(
        self, given: Sequence[Verdict], models: Sequence[str], query: Query
    ) -> float | None:
        """Names have no worst: the ends of the others are those that `made` gives them."""
        units = []
        for model in models:
            for name in (query.criterion,) if query.criterion else CRITERIA:
                value = merged([v for v in given if v.model == model], name)
                if value is not None and not isinstance(value, str):
                    low, high = ENDS[name]
                    units.append((value - low) / (high - low))
        return round(fmean(units), 10) if units else None


def merged(verdicts: Sequence[Verdict], criterion: str) -> float | str | None:
    """The mean over the scored repeats, or the name given most often, None where two were."""
    given: list[Value] = [
        value for v in verdicts if (value := v.scores[criterion].value) is not None
    ]
    if not given:
        return None
    if isinstance(given[0], str):
        counts = Counter(map(str, given))
        (first, most), *others = counts.most_common(2)
        return None if others and others[0][1] == most else first
    return round(fmean(map(float, given)), 10)


def _scores(verdict: Verdict, query: Query) -> list[Score]:
    return [s for name, s in verdict.scores.items() if query.criterion in {None, name}]


def _ended(verdict: Verdict, query: Query) -> bool:
    ended = verdict.scores[query.criterion].outcome if query.criterion else verdict.outcome
    return ended is not Outcome.SCORED if query.outcome == "unscored" else ended == query.outcome
