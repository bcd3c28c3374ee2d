"""What the items have in common where judge and people differ most: a column's value, a rule that
fired, words in explanations and in the texts themselves."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.analysis.scores.reader import cell_text
from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.scale import Binary, Category, Number, Scale, value_range
from adjudge.core.verdict import Verdict
from adjudge.stats.arrays import Bools, Floats
from adjudge.stats.multiplicity import holm
from adjudge.stats.unpaired import rank_sums

from .findings import Pattern, PatternKind

_LEAST = 3  # items that make a pattern
_LONGEST = 60  # characters of a column's value: what is longer is a text, not a kind of item
_MOST_COMMON = 0.6  # share of the items from which on a word says nothing
_SAME = 0.8  # overlap of their items from which on two words are one pattern
_BINS = 5  # of a scale of numbers, for cells
_KEPT = 12  # patterns that are told per kind
_WORDS = 2_000  # of each kind of text that are looked at, the most frequent first
# Words as they are; Korean ones also by their beginnings, since they take endings; of Chinese and
# Japanese, which have no spaces, every two and three neighbouring characters.
_TOKEN = re.compile(r"[\uac00-\ud7af]+|[\u3040-\u30ff\u3400-\u9fff]+|[^\W\d_][^\W_'-]+")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """An item with all verdicts on it."""

    item: Item
    verdicts: tuple[Verdict, ...]

    def by(self, judge: str, model: str) -> Verdict | None:
        """The first of a judge and model: its explanation stands for the repeats."""
        own = (one for one in self.verdicts if (one.judge, one.model) == (judge, model))
        return next(own, None)


@dataclass(frozen=True, slots=True)
class _Set:
    """The items that have one thing in common."""

    kind: PatternKind
    name: str
    value: str
    members: Bools


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSample:
    """One criterion of one judge and model, an entry per item that has both a score and a label:
    `values` has people's value and the judge's, `apart` how far they are apart on 0-1, `differ`
    whether that is enough to count."""

    items: Sequence[LabelledItem]
    judge: Judge
    model: str
    criterion: str
    values: Floats
    apart: Floats
    differ: Bools


def patterns_of(sample: LabelledSample) -> tuple[Pattern, ...]:
    """The clearest first: those whose differences are larger than elsewhere, then the cells."""
    items, judge, criterion, values = sample.items, sample.judge, sample.criterion, sample.values
    scale = judge.rubric.measures[criterion].scale
    bias = None if isinstance(scale, Category) else values[:, 1] - values[:, 0]
    own = [item.by(judge.name, sample.model) for item in items]
    fields = {name for item in items for name in item.item.fields}
    judged = {name for name, spec in judge.inputs.items() if spec.judged}

    def explained(at: int) -> str:
        score = own[at].scores.get(criterion) if own[at] else None  # type: ignore[union-attr]
        return (score.explanation or "") if score else ""

    def written(at: int) -> str:
        return " ".join(items[at].item.fields.get(name, "") for name in sorted(fields))

    families: list[Iterable[_Set]] = [
        _slices(items, judged),
        _rules(own, criterion),
        _words("explanation", len(items), explained),
        _words("text", len(items), written),
    ]
    patterns = [
        p for sets in families for p in _tested(list(sets), sample.apart, sample.differ, bias)
    ]
    patterns.sort(key=lambda pattern: (pattern.p, pattern.share_elsewhere - pattern.share))
    return (*patterns, *_cells(scale, values, sample.differ, bias))


def _slices(items: Sequence[LabelledItem], judged: set[str]) -> Iterator[_Set]:
    """A set per short value of each column; judged texts are no columns."""
    cells: dict[str, dict[str, list[int]]] = {}
    for at, labelled in enumerate(items):
        item = labelled.item
        inputs = ((name, text) for name, text in item.fields.items() if name not in judged)
        for name, value in (*item.extra.items(), *inputs):
            if value is not None and len(text := cell_text(value)) <= _LONGEST:
                cells.setdefault(name, {}).setdefault(text, []).append(at)
    for name, values in cells.items():
        for value, places in values.items():
            yield _Set("slice", name, value, _members(places, len(items)))


def _rules(verdicts: Sequence[Verdict | None], criterion: str) -> Iterator[_Set]:
    fired: dict[str, list[int]] = {}
    for at, verdict in enumerate(verdicts):
        score = verdict.scores.get(criterion) if verdict else None
        if score and score.rule:
            fired.setdefault(score.rule, []).append(at)
    for rule, places in fired.items():
        yield _Set("rule", rule, "", _members(places, len(verdicts)))


def _words(kind: PatternKind, size: int, text_at: Callable[[int], str]) -> Iterator[_Set]:
    """A set per word; the most frequent ones that are not nearly everywhere."""
    places: dict[str, list[int]] = {}
    for at in range(size):
        for word in sorted(_tokens(text_at(at))):
            places.setdefault(word, []).append(at)
    most = _MOST_COMMON * size
    known = {word: at for word, at in places.items() if _LEAST <= len(at) <= most}
    ranked = Counter({word: len(at) for word, at in known.items()}).most_common(_WORDS)
    for word, _ in ranked:
        yield _Set(kind, word, "", _members(known[word], size))


def _tokens(text: str) -> set[str]:
    tokens: set[str] = set()
    for run in _TOKEN.findall(text.casefold()):
        if _HANGUL.match(run):
            tokens |= {run[:n] for n in (2, 3, len(run)) if 2 <= n <= len(run)}
        elif _UNSPACED.match(run):
            tokens |= {run[at : at + n] for n in (2, 3) for at in range(len(run) - n + 1)}
        elif len(run) > 2:
            tokens.add(run)
    return tokens


def _members(places: Sequence[int], size: int) -> Bools:
    members = np.zeros(size, dtype=np.bool_)
    members[list(places)] = True
    return members


def _tested(
    sets: Sequence[_Set], apart: Floats, differ: Bools, bias: Floats | None
) -> Iterator[Pattern]:
    """The sets of one kind with larger differences than elsewhere, the clearest first."""
    kept = [one for one in sets if _LEAST <= one.members.sum() <= len(apart) - _LEAST]
    if not kept:
        return
    p = rank_sums(apart, np.stack([one.members for one in kept]))
    adjusted = holm(p)
    # Of words in the same texts the longest names the pattern.
    longest_first = np.array([-len(one.name) for one in kept])
    shown: list[tuple[Bools, Pattern, list[str]]] = []
    for at in np.lexsort((longest_first, p)).tolist():
        one = kept[at]
        inside, outside = differ[one.members], differ[~one.members]
        if np.isnan(p[at]) or inside.mean() <= outside.mean():
            continue
        twin = next((also for members, _, also in shown if _overlap(members, one.members)), None)
        if twin is not None:
            twin.append(f"{one.name}={one.value}" if one.kind == "slice" else one.name)
            continue
        if len(shown) < _KEPT:
            shown.append((one.members, _pattern(one, differ, bias, float(adjusted[at])), []))
    for _, pattern, also in shown:
        yield _with_twins(pattern, also)


def _overlap(a: Bools, b: Bools) -> bool:
    return int((a & b).sum()) >= _SAME * int((a | b).sum())


def _pattern(one: _Set, differ: Bools, bias: Floats | None, p: float | None) -> Pattern:
    inside = one.members
    return Pattern(
        kind=one.kind,
        name=one.name,
        value=one.value,
        items=int(inside.sum()),
        differ=int(differ[inside].sum()),
        items_elsewhere=int((~inside).sum()),
        differ_elsewhere=int(differ[~inside].sum()),
        bias=None if bias is None else float(bias[inside].mean()),
        p=p,
    )


def _with_twins(pattern: Pattern, also: Sequence[str]) -> Pattern:
    apart = [name for name in also if name not in pattern.name]
    return replace(pattern, also=tuple(apart[:5]))


def _cells(scale: Scale, values: Floats, differ: Bools, bias: Floats | None) -> Iterator[Pattern]:
    """What people gave and the judge gave in its place, the most frequent first."""
    names = [(_level(scale, people), _level(scale, judge)) for people, judge in values.tolist()]
    counts = Counter(
        name for name, is_apart in zip(names, differ.tolist(), strict=True) if is_apart
    )
    for (people, judge), _ in counts.most_common(_KEPT):
        members = np.array([name == (people, judge) for name in names])
        one = _Set("cell", "", f"{people} → {judge}", members)
        yield _pattern(one, differ, bias, None)


def _level(scale: Scale, value: float) -> str:
    """A name, the nearest level, or a fifth of a scale of numbers."""
    if isinstance(scale, Category):
        return scale.options[int(value)]
    if isinstance(scale, Binary):
        return "yes" if value >= 0.5 else "no"
    if isinstance(scale, Number):
        low, high = value_range(scale) or (0.0, 1.0)
        width = (high - low) / _BINS
        at = min(int((value - low) / width), _BINS - 1)
        return f"{low + at * width:g}–{low + (at + 1) * width:g}"
    return f"{np.floor(value + 0.5):g}"
