"""The figures of verdicts packed into bytes of fixed places, so that a run can be read as arrays.

Pages filter, sort and count a hundred thousand verdicts while somebody waits; their JSON would take
seconds to read. Words (criteria, rules, names of a category) are hashes here: their reader
knows the judge, and with it every possible word.

A block holds the figures of many verdicts: four bytes with the length of a JSON text, that text,
`[[judge, model, repeat, bytes per verdict, [item, …]], …]`, and then their bytes in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from struct import Struct

import orjson

from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict

from .codec import encode
from .records import Entry, Facts

# By name and type code, the same for `struct` and numpy; little-endian, without gaps.
# `cost` is in USD and `latency` in milliseconds; NaN where one is not known.
HEAD = (
    ("position", "I"),
    ("outcome", "B"),
    ("tokens_in", "I"),
    ("tokens_out", "I"),
    ("cost", "d"),
    ("latency", "d"),
)
# `value` is 1 and 0 for yes and no, the code of a name, NaN for none; `rule` is 0 for none.
CELL = (
    ("criterion", "Q"),
    ("value", "d"),
    ("unit", "d"),
    ("confidence", "d"),
    ("rule", "Q"),
    ("outcome", "B"),
)
# An outcome is its place here, plus `WRONG_LANGUAGE` for an explanation in the wrong one, or
# `UNSUPPORTED` for one whose quotations are not in the texts. Kept in stores: a new outcome goes to
# the end.
OUTCOMES = (
    Outcome.SCORED,
    Outcome.UNREADABLE,
    Outcome.OUT_OF_RANGE,
    Outcome.WRONG_LANGUAGE,
    Outcome.REFUSED,
    Outcome.TRUNCATED,
    Outcome.TOO_LONG,
    Outcome.PROVIDER_ERROR,
    Outcome.BUDGET_STOPPED,
    Outcome.NOT_APPLICABLE,
    Outcome.UNSUPPORTED,
    Outcome.VOID,
)
WRONG_LANGUAGE, UNSUPPORTED = 128, 64
# Plus this for a verdict whose model did not see all of a text (`Verdict.cuts`).
CUT = 128

_NAN = math.nan
_MOST = 2**32 - 1  # of what type code I holds
_OF_EXPLANATION = {Outcome.WRONG_LANGUAGE: WRONG_LANGUAGE, Outcome.UNSUPPORTED: UNSUPPORTED}
_PLACES: dict[str, int] = {outcome: place for place, outcome in enumerate(OUTCOMES)}
_MARKED = {_PLACES[Outcome.NOT_APPLICABLE]: math.inf, _PLACES[Outcome.VOID]: -math.inf}
_HEAD_CODES = "".join(code for _, code in HEAD)
_CELL_CODES = "".join(code for _, code in CELL)


@lru_cache(maxsize=4096)
def code_of(word: str) -> int:
    """48 bits of the word: a float holds them exactly, and no two words of a judge share them."""
    return int.from_bytes(blake2b(word.encode(errors="replace"), digest_size=6).digest(), "big")


def packed(position: int, verdict: Verdict) -> bytes:
    """A HEAD, then a CELL for each criterion; the item is at this position of the data."""
    usage, scores = verdict.usage, verdict.measures
    cost = usage.cost_usd
    figures: list[float] = [
        position,
        _PLACES[verdict.outcome] | (CUT if verdict.cuts else 0),
        _fitting(usage.input_tokens),
        _fitting(usage.output_tokens),
        _NAN if cost is None else cost,
        verdict.latency_ms,
    ]
    for name, score in scores.items():
        value, unit, sure, rule = score.value, score.unit, score.confidence, score.rule
        figures += (
            code_of(name),
            _NAN if value is None else code_of(value) if isinstance(value, str) else value,
            _NAN if unit is None else unit,
            _NAN if sure is None else sure,
            0 if rule is None else code_of(rule),
            _PLACES[score.outcome]
            if score.explanation_outcome is None
            else _PLACES[score.outcome] | _OF_EXPLANATION[score.explanation_outcome],
        )
    return _layout(len(scores)).pack(*figures)


def _fitting(count: int) -> int:
    """Stores from before counts were checked hold some that no place is wide enough for."""
    return min(max(count, 0), _MOST)


Key = tuple[str, str, int, str]  # judge, model, repeat, item


def block(verdicts: Mapping[Key, bytes]) -> bytes:
    groups: dict[tuple[str, str, int, int], tuple[list[str], list[bytes]]] = {}
    for (judge, model, repeat, item), cells in verdicts.items():
        group = groups.setdefault((judge, model, repeat, len(cells)), ([], []))
        group[0].append(item)
        group[1].append(cells)
    head = encode([(*by, items) for by, (items, _) in groups.items()])
    figures = [verdict for _, cells in groups.values() for verdict in cells]
    return b"".join((len(head).to_bytes(4, "little"), head, *figures))


def figures_by_key(entries: Iterable[Entry]) -> dict[Key, bytes]:
    return {
        (verdict.judge, verdict.model, verdict.repeat, verdict.item): packed(position, verdict)
        for position, _, verdict in entries
    }


def facts_of(entries: Iterable[Entry]) -> list[Facts]:
    """The figures of verdicts that no store has."""
    return [facts for facts, _ in groups_of(block(figures_by_key(entries)))]


def groups_of(content: bytes) -> Iterator[tuple[Facts, int]]:
    """The verdicts of a block, with how many bytes each has."""
    at = 4 + int.from_bytes(content[:4], "little")
    whole = memoryview(content)
    for judge, model, repeat, width, items in orjson.loads(whole[4:at]):
        end = at + width * len(items)
        yield Facts(judge, model, repeat, items, whole[at:end]), width
        at = end


def figures_of(facts: Facts) -> Iterator[tuple[tuple[int, ...], Sequence[float]]]:
    """Of each verdict, the codes of its criteria and their values: infinite where one does not
    apply, minus infinite where it is void."""
    width = len(facts.cells) // len(facts.items)
    criteria = (width - _layout(0).size) // (_layout(1).size - _layout(0).size)
    head, cell = len(HEAD), len(CELL)
    for row in _layout(criteria).iter_unpack(facts.cells):
        values: Sequence[float] = row[head + 1 :: cell]
        ended = row[head + cell - 1 :: cell]
        if not _MARKED.keys().isdisjoint(ended):
            pairs = zip(values, ended, strict=True)
            values = [_MARKED.get(end, value) for value, end in pairs]
        yield row[head::cell], values


def merged(blocks: Iterable[bytes]) -> dict[Key, bytes]:
    """All verdicts of the blocks, each as the last block that has it."""
    verdicts: dict[Key, bytes] = {}
    for content in blocks:
        for (judge, model, repeat, items, cells), width in groups_of(content):
            for n, item in enumerate(items):
                verdicts[judge, model, repeat, item] = bytes(cells[n * width : (n + 1) * width])
    return verdicts


@cache
def _layout(criteria: int) -> Struct:
    return Struct("<" + _HEAD_CODES + _CELL_CODES * criteria)
