"""The search for a better judge: candidates are made in several ways and judge the items that the
search may see. What is held out is not here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.analysis.calibration.pairs import LabelledPairs
from adjudge.analysis.calibration.score_map import ScoreMap, learn_map
from adjudge.core.judge import GradedExample, Judge
from adjudge.core.reason import Reason
from adjudge.core.scale import Category, Integer, Ordinal, Scale, Value, value_range
from adjudge.core.verdict import Verdict
from adjudge.judges.examples import terms
from adjudge.judges.rewrite import JudgeTexts, check_frame, rewritten, texts_of
from adjudge.judges.writer import JudgedExample, guide_prompt, proposal
from adjudge.stats.arrays import Floats

from .asking import Asker
from .findings import Candidate, Way
from .sample import Sample, Values

BATCH = 8  # items that a new guide is written from, and tried on first
KINDS = ("balanced", "hard", "diverse")
Hear = Callable[[Candidate], None]


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate with what it says of all items of the search."""

    candidate: Candidate
    values: Values


class JudgeSearch:
    """The candidates so far. `tries` is how many guides are written at most, `shots` how many
    examples are shown."""

    def __init__(
        self, base: Judge, sample: Sample, asker: Asker, *, seed: int, tries: int, shots: int
    ) -> None:
        self.base, self.sample, self.asker = base, sample, asker
        self.seed, self.tries, self.shots = seed, tries, shots
        self.criteria = tuple(sample.scales)
        self.candidates: list[Candidate] = []
        self.maps: dict[str, ScoreMap] = {}
        self.asked = self.unused = 0  # questions to the writer, and replies without a guide
        self.hear: Hear | None = None
        self._whole: dict[int, Judged] = {}

    @property
    def best(self) -> Judged:
        """The one that agrees most; of equals the first."""
        return max(
            self._whole.values(),
            key=lambda one: (one.candidate.agreement or 0.0, -one.candidate.number),
        )

    def add(self, way: Way, parent: int | None, texts: JudgeTexts, note: str = "") -> Candidate:
        """A new candidate that judged nothing yet; only its texts may differ from the base."""
        check_frame(self.base, rewritten(self.base, texts))
        new = Candidate(number=len(self.candidates), way=way, parent=parent, texts=texts, note=note)
        self.candidates.append(new)
        return new

    def judge(self, texts: JudgeTexts) -> Judge:
        return rewritten(self.base, texts)

    async def try_whole(self, candidate: Candidate) -> Judged | None:
        """Judges all items with it; None where the budget does not reach."""
        verdicts = await self.asker.judge(self.judge(candidate.texts), self.sample.items)
        if any(verdict.outcome == "budget_stopped" for verdict in verdicts):
            self.note(candidate, verdicts)
            return None
        return self.settle(candidate, self.sample.values(verdicts), len(verdicts))

    def settle(self, candidate: Candidate, values: Values, seen: int) -> Judged:
        """Keeps what a candidate that judged all items is worth."""
        near = float(self.sample.closeness(values).mean())
        done = replace(candidate, seen=seen, agreement=self.sample.agreement(values), near=near)
        self._replace(done)
        self._whole[done.number] = Judged(done, values)
        return self._whole[done.number]

    def note(self, candidate: Candidate, verdicts: Sequence[Verdict]) -> None:
        """Keeps how many of the items a candidate judged that did not come to judge all."""
        seen = sum(verdict.outcome != "budget_stopped" for verdict in verdicts)
        self._replace(replace(candidate, seen=max(seen, candidate.seen)))

    def compare(self, candidate: Candidate, near: float, parent_near: float, seen: int) -> None:
        """Keeps how near a new guide came on the items that it was tried on first."""
        if self.candidates[candidate.number].agreement is None:
            self._replace(replace(candidate, near=near, parent_near=parent_near, seen=seen))

    def _replace(self, candidate: Candidate) -> None:
        known, self.candidates[candidate.number] = self.candidates[candidate.number], candidate
        news = (candidate.seen, candidate.agreement) != (known.seen, known.agreement)
        if self.hear is not None and news:
            self.hear(candidate)

    # the ways

    async def start(self) -> None:
        await self.try_whole(self.add("base", None, texts_of(self.base, self.criteria)))

    async def variants(self, others: Mapping[str, Judge]) -> None:
        """Guides, steps and examples of other judges, in the frame of the base."""
        for file, other in others.items():
            texts = variant_texts(other, self.criteria)
            await self.try_whole(self.add("variants", 0, texts, file))

    async def examples(self) -> None:
        """Graded items, chosen in three ways, for the best candidate so far."""
        best = self.best
        for kind in KINDS:
            if self.asker.used_up:
                return
            chosen = choose_examples(kind, self.sample, best.values, self.shots, self.seed)
            shown = tuple(_graded(self.sample, self.base, at) for at in chosen)
            texts = replace(best.candidate.texts, examples=shown)
            await self.try_whole(self.add("examples", best.candidate.number, texts, kind))

    def map(self) -> None:
        """The best candidate's scores, moved by a rising map; each item by one that was learned
        without it."""
        best = self.best
        values, maps = dict(best.values), {}
        for name, scale in self.sample.scales.items():
            learned = learned_map(self.sample, best.values, name, self.seed)
            if isinstance(learned, Reason):
                continue
            both = np.isfinite(values[name]) & np.isfinite(self.sample.human[name])
            moved = values[name].copy()
            moved[both] = on_levels(scale, self.sample.human[name][both] - learned.fitted.residuals)
            values[name], maps[name] = moved, learned
        if maps:
            number = best.candidate.number
            new = self.add("map", number, best.candidate.texts, ", ".join(maps))
            self.settle(new, values, best.candidate.seen)
            self.maps = maps

    async def propose(
        self, parent: Candidate, criterion: str, batch: Sequence[int]
    ) -> Candidate | None:
        """A guide that the writer makes after it has seen these items; None where it makes none."""
        judge = self.judge(parent.texts)
        verdicts = await self.asker.judge(judge, [self.sample.items[at] for at in batch])
        shown = [
            self._shown(at, verdict, criterion) for at, verdict in zip(batch, verdicts, strict=True)
        ]
        secret = self.asker.secret
        prompt = guide_prompt(self.base, criterion, parent.texts, shown, secret)
        self.asked += 1
        raw = await self.asker.write(replace(prompt, sample=self.asked))
        made = proposal(raw, shown, secret)
        if made is None or raw is None:
            self.unused += not self.asker.used_up
            return None
        texts = parent.texts.with_criterion(criterion, *made)
        again = next((one for one in self.candidates if one.texts == texts), None)
        if again is not None:  # other items may show that it is better after all
            return again
        note = " ".join(str(raw.get("diagnosis", "")).split())[:300]
        return self.add("rewrite", parent.number, texts, note)

    def _shown(self, at: int, verdict: Verdict, criterion: str) -> JudgedExample:
        item, scale = self.sample.items[at], self.sample.scales[criterion]
        score = verdict.scores.get(criterion)
        said = "–" if score is None or score.value is None else scale.write(score.value)
        people = written(scale, float(self.sample.human[criterion][at]))
        why = (score.explanation or "") if score else ""
        comments = self.sample.comments.get(item.id, ())
        fields = {name: text for name, text in item.fields.items() if name in self.base.inputs}
        return JudgedExample(fields, said, people, why, comments)


def variant_texts(other: Judge, criteria: tuple[str, ...]) -> JudgeTexts:
    return replace(texts_of(other, criteria), examples=other.examples)


def longest_examples(sample: Sample, judge: Judge, count: int) -> tuple[GradedExample, ...]:
    """As many as a candidate may show, of the longest items: no choice makes a longer prompt."""
    order = sorted(range(len(sample.items)), key=lambda at: -len(_text(sample, at)))
    return tuple(_graded(sample, judge, at) for at in order[:count])


def learned_map(sample: Sample, values: Values, name: str, seed: int) -> ScoreMap | Reason:
    """The rising map from the judge's scores to people's labels, as calibrating keeps it."""
    judge, human = values[name], sample.human[name]
    both = np.isfinite(judge) & np.isfinite(human)
    none = np.empty(0)
    pairs = LabelledPairs(
        judge=judge[both],
        human=human[both],
        fit=np.ones(int(both.sum()), dtype=np.bool_),
        groups=sample.groups[both],
        others=none,
        groups_of_others=None,
        lost=0,
        recorded=False,
        places=np.flatnonzero(both),
    )
    return learn_map(pairs, sample.scales[name], seed)


def on_levels(scale: Scale, values: Floats) -> Floats:
    """Values within the scale, and on its levels where it has some."""
    ends = value_range(scale)
    inside = values if ends is None else np.clip(values, *ends)
    levels = scale.values()
    if not levels:
        return np.asarray(inside)
    known = np.array([float(level) for level in levels])
    return np.asarray(known[np.abs(inside[:, None] - known).argmin(axis=1)])


def choose_examples(kind: str, sample: Sample, values: Values, count: int, seed: int) -> list[int]:
    """Which items to show. `balanced`: all labels in turn, by lot; `hard`: the same, those that the
    judge is furthest from first; `diverse`: each as unlike those before it as can be."""
    chance = np.random.default_rng([seed, KINDS.index(kind)])
    name = next(iter(sample.scales))
    human = sample.human[name]
    known = [int(at) for at in np.flatnonzero(np.isfinite(human))]
    order = [known[at] for at in chance.permutation(len(known))]
    count = min(count, max(1, len(known) // 4))
    if kind == "diverse":
        return _diverse([set(terms(_text(sample, at))) for at in order], order, count)
    if kind == "hard":
        near = sample.closeness(values)
        order.sort(key=lambda at: near[at])
    levels: dict[float, list[int]] = {}
    for at in order:
        levels.setdefault(float(np.round(human[at])), []).append(at)
    queues = [levels[level] for level in sorted(levels)]
    turns = [queue[turn] for turn in range(len(order)) for queue in queues if turn < len(queue)]
    return turns[:count]


def _text(sample: Sample, at: int) -> str:
    return "\n".join(sample.items[at].fields.values())


def _diverse(words: Sequence[set[str]], order: Sequence[int], count: int) -> list[int]:
    def alike(one: set[str], other: set[str]) -> float:
        return len(one & other) / (len(one | other) or 1)

    chosen = [0]
    while len(chosen) < count:
        rest = [at for at in range(len(order)) if at not in chosen]
        chosen.append(min(rest, key=lambda at: max(alike(words[at], words[c]) for c in chosen)))
    return [order[at] for at in chosen]


def _graded(sample: Sample, judge: Judge, at: int) -> GradedExample:
    item = sample.items[at]
    scores = {
        name: value_of(scale, float(sample.human[name][at]))
        for name, scale in sample.scales.items()
        if np.isfinite(sample.human[name][at])
    }
    fields = {name: text for name, text in item.fields.items() if name in judge.inputs}
    comments = sample.comments.get(item.id)
    why = {next(iter(scores)): comments[0]} if comments and len(scores) == 1 else {}
    return GradedExample(item=fields, scores=scores, explanations=why)


def value_of(scale: Scale, value: float) -> Value:
    """People's value as the scale has it: the nearest level where several people's mean lies
    between two."""
    if isinstance(scale, Category):
        return scale.options[int(value)]
    if isinstance(scale, Integer | Ordinal):
        return scale.read(int(np.floor(value + 0.5)))
    levels = scale.values()
    return scale.read(bool(value >= 0.5) if levels else float(value))


def written(scale: Scale, value: float) -> str:
    return "–" if np.isnan(value) else scale.write(value_of(scale, value))
