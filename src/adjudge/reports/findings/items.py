"""Items in full, the worst first; and what `adjudge show` tells beside the table of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from adjudge.analysis.browsing import RunIndex, Slices
from adjudge.analysis.comparison import StoredRun
from adjudge.core.judge import Judge
from adjudge.core.score import Score
from adjudge.core.verdict import Verdict

from ..blocks import Block, Lines, Quote, Section, Table, cut
from ..encode import Json, encode
from ..files.rows import verdict_row
from ..words import Words
from .gathering import ItemInFull, lowest_items, unscored_items
from .overview import slices as slice_section

_LONGEST = 1500  # characters of a text that is shown
_EXPLAINED = 600
_MOST_VERDICTS = 12  # of one item


def run_details(
    source: StoredRun, words: Words, columns: Sequence[str], worst: int
) -> tuple[list[Block], Json]:
    """The means per value of each of the columns, and so many of the worst items: as blocks, and as
    plain values."""
    record, store = source
    index = RunIndex(record, store)
    words = words.about(index.judges)
    sliced = [index.slices(column) for column in columns]
    page: list[Block] = [slice_section(column, index.overview(), words) for column in sliced]
    items = WorstItems(index.judges, lowest_items(index, worst), unscored_items(index, worst))
    page += worst_items(items, words)
    content: Json = {}
    if columns:
        content["slices"] = [part for column in sliced for part in _slices(column)]
    if worst:
        content["worst"] = [_item(record.id, item) for item in items.lowest]
        content["worst_unscored"] = [_item(record.id, item) for item in items.unscored]
    return page, content


def _slices(column: Slices) -> Iterator[Json]:
    for part in column.values:
        value = {"column": column.column, "value": part.value, "others": part.rest}
        for (judge, model, criterion), mean in part.means.items():
            by = {"judge": judge, "model": model, "criterion": criterion}
            yield {**value, "items": part.items, **by, **encode(mean)}


def _item(run: str, item: ItemInFull) -> Json:
    entries = item.entries
    verdicts = [verdict_row(run, entry.verdict) for entry in entries]
    first = entries[0].item
    return {"item": first.id, "unit": item.unit, "data": dict(first.fields), "verdicts": verdicts}


@dataclass(frozen=True, slots=True)
class WorstItems:
    """The items that did worst, the lowest first, and those without a score. `judges` are those of
    the run, by name."""

    judges: Mapping[str, Judge]
    lowest: Sequence[ItemInFull]
    unscored: Sequence[ItemInFull]


def worst_items(items: WorstItems, words: Words) -> Iterator[Section]:
    """Each item in full: its texts, scores and explanations."""
    if items.lowest:
        lead = Lines([words("report.worst.told")])
        shown = _items(items.judges, items.lowest, words)
        yield Section(words("report.worst.heading"), [lead, *shown])
    if items.unscored:
        shown = _items(items.judges, items.unscored, words)
        yield Section(words("report.worst.unscored"), [*shown])


def _items(
    judges: Mapping[str, Judge], items: Sequence[ItemInFull], words: Words
) -> Iterator[Section]:
    for place, shown in enumerate(items, 1):
        item = shown.entries[0].item
        blocks: list[Block] = []
        if shown.unit is not None:
            blocks.append(Lines([words("report.worst.mean", unit=words.number(shown.unit, ".2f"))]))
        blocks += [Quote(name, text, _LONGEST) for name, text in item.fields.items()]
        verdicts = [entry.verdict for entry in shown.entries[:_MOST_VERDICTS]]
        blocks.append(_verdicts(judges, verdicts, words))
        yield Section(words("report.worst.item", place=place, item=cut(item.id, 120)), blocks)


def _verdicts(judges: Mapping[str, Judge], verdicts: Sequence[Verdict], words: Words) -> Table:
    several = len(verdicts) > 1
    ruled = any(score.rule for verdict in verdicts for score in verdict.scores.values())
    names = ("score", "raw", "explanation") if ruled else ("score", "explanation")
    head = [words("common.judge")] if several else []
    head += [words("common.criterion"), *words.all("report.worst", *names)]
    rows = []
    for verdict in verdicts:
        by = {"judge": verdict.judge, "model": verdict.model, "repeat": verdict.repeat + 1}
        first = [words("report.worst.by", **by)] if several else []
        for name, score in verdict.scores.items():
            cells = _score(judges, verdict, name, score, words)
            row = [words.criterion(verdict.judge, name), *(cells[column] for column in names)]
            rows.append([*first, *row])
    return Table(head, rows)


def _score(
    judges: Mapping[str, Judge], verdict: Verdict, name: str, score: Score, words: Words
) -> dict[str, str]:
    scale = judges[verdict.judge].rubric.measures[name].scale
    value = words(f"outcome.{score.outcome.value}")
    if score.value is not None:
        value = words.value(scale, score.value)
    raw = ""
    if score.rule is not None and score.raw is not None:
        raw = words("report.worst.ruled", raw=words.value(scale, score.raw), rule=score.rule)
    said = " ".join(filter(None, (score.why, score.explanation)))
    return {"score": value, "raw": raw, "explanation": cut(said, _EXPLAINED)}
