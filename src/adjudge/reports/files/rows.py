"""A verdict as a row, the same in every export."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

import orjson

from adjudge.core.item import Item
from adjudge.core.reason import Reason
from adjudge.core.score import OverallScore, Quotation, Score, ScorePart
from adjudge.core.verdict import Verdict

Row = dict[str, Any]
COMPACT_ENDINGS = (".csv", ".xlsx", ".jsonl", ".json")  # of files that compact rows can be in
# Called again for each walk: some formats must see all rows before they write the first.
Rows = Callable[[], Iterator[Row]]

# The order of flat columns by the first part of their names; others follow as they come.
_ORDER = (
    *("run", "item", "judge", "fingerprint", "model", "repeat", "outcome", "scores", "overall"),
    *("feedback", "flags", "notes", "cuts", "usage", "attempts", "latency_ms", "reply", "data"),
)


def verdict_row(
    run_id: str,
    verdict: Verdict,
    item: Mapping[str, object] | None = None,
    words: Callable[[Reason], str] = str,
) -> Row:
    """The verdict as plain JSON values.

    `item`, when given, goes along below `data`: the texts or columns that the verdict is about.
    `words` makes the words of reasons and notes; English ones, as files have them, by default.
    Times are whole milliseconds; `cost_usd` is None when the price is not known.
    """
    row: Row = {
        "run": run_id,
        "item": verdict.item,
        "judge": verdict.judge,
        "fingerprint": verdict.fingerprint,
        "model": verdict.model,
        "repeat": verdict.repeat,
        "outcome": verdict.outcome.value,
        "scores": {name: _score(score, words) for name, score in verdict.scores.items()},
        **({"overall": _overall(verdict.overall, words)} if verdict.overall else {}),
        "feedback": {
            name: said if isinstance(said, str) else list(said)
            for name, said in verdict.feedback.items()
        },
        "flags": dict(verdict.flags),
        "notes": [words(note) for note in verdict.notes],
        "cuts": {name: asdict(cut) for name, cut in verdict.cuts.items()},
        "usage": {
            "input_tokens": verdict.usage.input_tokens,
            "output_tokens": verdict.usage.output_tokens,
            "cached_tokens": verdict.usage.cached_tokens,
            "cost_usd": verdict.usage.cost_usd,
        },
        "attempts": verdict.attempts,
        "latency_ms": round(verdict.latency_ms),
        "reply": verdict.reply,
    }
    if item is not None:
        row["data"] = dict(item)
    return row


def _overall(overall: OverallScore, words: Callable[[Reason], str]) -> Row:
    return {
        "outcome": overall.outcome.value,
        "value": overall.value,
        "pass": overall.passed,
        "low": overall.low,
        "high": overall.high,
        "unit": overall.unit,
        "why": words(overall.reason) if overall.reason else None,
        "reason": (overall.reason.code or None) if overall.reason else None,
    }


def quotation_row(quotation: Quotation) -> Row:
    return {
        "quote": quotation.quote,
        "input": quotation.input,
        "start": quotation.start,
        "end": quotation.end,
        "source": quotation.source,
        "found": quotation.supported,
    }


def part_row(part: ScorePart) -> Row:
    """A question with its answer, a claim with its verdict and quotation, or an error."""
    place = quotation_row(part.quotation or Quotation(""))
    if part.category:
        marked = {"error": part.category, "severity": part.verdict or None}
        return {**marked, "points": part.points, **place}
    if part.points is not None:
        return {
            "text": part.text,
            "answer": part.verdict or None,
            "met": {"yes": True, "no": False}.get(part.verdict),
            "points": part.points,
            "required": part.required,
        }
    place["source"] = part.source or place["source"]
    return {"claim": part.text, "verdict": part.verdict or None, **place}


def part_rows(run_id: str, verdict: Verdict) -> Iterator[Row]:
    """A row per part of a score: per question of a checklist, per claim, per error."""
    for name, score in verdict.scores.items():
        for number, part in enumerate(score.parts, 1):
            yield {
                "run": run_id,
                "item": verdict.item,
                "judge": verdict.judge,
                "model": verdict.model,
                "repeat": verdict.repeat,
                "criterion": name,
                "part": number,
                **part_row(part),
            }


class CompactRow(Row):
    """A row for people: id, inputs, a column per score, its explanation, the outcome.

    `units` has, by the column of a score, where it lies on its scale, 0 to 1; None where there is
    no score.
    """

    units: dict[str, float | None]


def compact_row(
    verdict: Verdict, inputs: Mapping[str, object], *, grader: bool, repeat: bool
) -> CompactRow:
    """The verdict with the item's inputs. With the `grader`, judge and model are named; with
    `repeat` the number of the sample. Why there is no score stands in place of an explanation."""
    row = CompactRow({"id": verdict.item})
    if grader:
        row |= {"judge": verdict.judge, "model": verdict.model}
    if repeat:
        row["repeat"] = verdict.repeat
    row.update({name: value for name, value in inputs.items() if name not in row})
    row.units = {}
    for name, score in verdict.scores.items():
        column = f"{name} (score)" if name in row else name
        row[column] = score.value
        row[f"{name} explanation"] = score.explanation if score.value is not None else score.why
        row.units[column] = score.unit if score.value is not None else None
    if verdict.overall is not None:
        row |= {"overall": verdict.overall.value, "pass": verdict.overall.passed}
        row.units["overall"] = verdict.overall.unit
    row["outcome"] = verdict.outcome.value
    return row


def _score(score: Score, words: Callable[[Reason], str]) -> Row:
    language = score.explanation_outcome
    return {
        "outcome": score.outcome.value,
        "value": score.value,
        "raw": score.raw,
        "rule": score.rule,
        "label": score.label,
        "unit": score.unit,
        "distribution": None if score.distribution is None else dict(score.distribution),
        "confidence": score.confidence,
        "mass": score.mass,
        "explanation": score.explanation,
        "explanation_outcome": None if language is None else language.value,
        "why": words(score.reason) if score.reason else None,
        "reason": (score.reason.code or None) if score.reason else None,
        "span": None if score.span is None else list(score.span),
        **_given(
            evidence=[quotation_row(quotation) for quotation in score.evidence],
            parts=[part_row(part) for part in score.parts],
            turns=[{"turn": t.turn, "role": t.role, **_score(t.score, words)} for t in score.turns],
        ),
    }


def _given(**lists: list[Row]) -> Row:
    """What scores of some judges also have."""
    return {name: rows for name, rows in lists.items() if rows}


def item_data(item: Item) -> Row:
    """The item's inputs and then its other columns, for `data` of a row.

    A column that bears the name of an input which another column feeds is `NAME (column)`.
    """
    columns = {
        f"{name} (column)" if name in item.fields else name: value
        for name, value in item.extra.items()
    }
    return {**item.fields, **columns}


def flat(row: Mapping[str, object]) -> Row:
    """The row without nesting: dotted names (`scores.accuracy.value`) and plain cells.

    A list of texts is one text with a bullet per line; distributions, other lists and objects in
    the data are JSON. An empty object has no column.
    """
    return {name: plain_cell(value) for name, value in leaves(row)}


def leaves(row: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """The row without nesting, but with lists and distributions as they are.

    So are objects in the data: each of its columns stays one, whatever the rows hold in it.
    """
    for key, value in row.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and key != "distribution" and prefix != "data.":
            yield from leaves(value, f"{name}.")
        else:
            yield name, value


def plain_cell(value: object) -> object:
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        # A bullet, not a dash: a cell that begins with a dash would be taken for a formula.
        return "\n".join(f"• {part}" for part in value)
    return orjson.dumps(value).decode() if isinstance(value, list | Mapping) else value


def in_order(columns: Iterable[str]) -> list[str]:
    """The columns of a flat row as a row has them, whatever rows came first."""
    return sorted(columns, key=_rank)


def _rank(column: str) -> int:
    section = column.partition(".")[0]
    return _ORDER.index(section) if section in _ORDER else len(_ORDER)
