"""A judge that was improved, or not: its worth on held-out labels, and all that was tried."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.calibration import ScoreMap
from adjudge.analysis.improvement import Candidate, Improvement, ImprovementForecast

from ..blocks import Block, Lines, Quote, Section, Table, cut
from ..encode import Shapes, fields
from ..figures import number, p_value, plain, signed
from ..files.rows import Row
from ..words import Words

ROW_ENDINGS = (".csv", ".jsonl", ".json", ".parquet")


def improvement(result: Improvement, words: Words) -> list[Section]:
    """The result first, then how the file changes, then every candidate as a tree."""
    title = words("report.improvement.title", judge=result.judge, model=result.model)
    sections = [Section(title, [*_result(result, words)], "improvement")]
    if result.diff:
        changes = words("report.improvement.diff")
        caption = words("report.improvement.diff_of", number=result.chosen)
        sections.append(Section(changes, [Quote(caption, result.diff, 100_000, code=True)], "diff"))
    sections.append(Section(words("report.improvement.tried"), [_tree(result, words)], "tried"))
    return sections


def _result(result: Improvement, words: Words) -> Iterator[Block]:
    measure = ", ".join(dict.fromkeys(result.measures.values()))
    parts = {"search": len(result.search), "held_out": len(result.held_out)}
    lines = [words("report.improvement.split", seed=result.seed, groups=result.groups, **parts)]
    yield Lines(lines)
    if result.compared is not None:
        compared = result.compared
        head = words.all(
            "report.improvement", "agreement", "before", "after", "difference", "p", "changed"
        )
        changed = words(
            "report.rerun.counts",
            nearer=compared.nearer,
            same=compared.same,
            farther=compared.farther,
        )
        figures = [plain(compared.before), plain(compared.after)]
        figures += [signed(compared.paired.difference), p_value(compared.paired.p)]
        row = [measure, *figures, changed]
        yield Table(head, [row])
    yield Lines([*_conclusions(result, words)])


def _conclusions(result: Improvement, words: Words) -> Iterator[str]:
    if result.better:
        yield words("report.improvement.better")
    else:
        yield words("report.improvement.kept", why=words.reason(result.why))
    if result.maps:
        yield words("report.improvement.mapped", names=", ".join(result.maps))
    if result.compared is not None and result.compared.lost:
        yield words("report.improvement.lost", n=result.compared.lost)
    if result.unused:
        yield words("report.improvement.unused", n=result.unused)
    if result.budget_used_up:
        yield words("report.improvement.used_up")
    spent = "–" if result.spent is None else f"${result.spent:.4g}"
    yield words("report.improvement.spent", calls=result.calls, tokens=result.tokens, spent=spent)


def _tree(result: Improvement, words: Words) -> Table:
    return words.table(
        "report.improvement",
        _in_tree(result.candidates),
        candidate=lambda pair: f"{'  ' * pair[0]}{'└ ' if pair[0] else ''}{pair[1].number}",
        way=lambda pair: words(f"report.improvement.ways.{pair[1].way}"),
        note=lambda pair: cut(pair[1].note, 70),
        items=lambda pair: f"{pair[1].seen:,}",
        first_look=lambda pair: _first_look(pair[1]),
        search_agreement=lambda pair: number(pair[1].agreement),
        chosen=lambda pair: "←" if pair[1].number == result.chosen else "",
    )


def _first_look(candidate: Candidate) -> str:
    if candidate.parent_near is None or candidate.near is None:
        return "–"
    return f"{candidate.parent_near:.2f} → {candidate.near:.2f}"


def _in_tree(candidates: tuple[Candidate, ...]) -> list[tuple[int, Candidate]]:
    """Each below the one it was made from, with its depth."""
    children: dict[int | None, list[Candidate]] = {}
    for candidate in candidates:
        children.setdefault(candidate.parent, []).append(candidate)

    def below(parent: int | None, depth: int) -> Iterator[tuple[int, Candidate]]:
        for candidate in children.get(parent, []):
            yield depth, candidate
            yield from below(candidate.number, depth + 1)

    return list(below(None, 0))


def candidate_line(candidate: Candidate, words: Words) -> str:
    """One candidate while the search continues."""
    caption = number(candidate.agreement) if candidate.agreement is not None else "–"
    way = words(f"report.improvement.ways.{candidate.way}")
    return words(
        "report.improvement.heard",
        number=candidate.number,
        way=way,
        items=candidate.seen,
        agreement=caption,
    )


def foreseen(forecast: ImprovementForecast, words: Words) -> list[Section]:
    """What `--dry-run` shows."""
    cost = "–" if forecast.cost_usd is None else f"${forecast.cost_usd:.4g}"
    rows = [
        [words("report.improvement.labelled"), f"{forecast.items:,}"],
        [words("report.improvement.held_out"), f"{forecast.held_out:,}"],
        [
            words("report.improvement.judge_calls", model=forecast.model),
            f"{forecast.judge_calls:,}",
        ],
        [
            words("report.improvement.writer_calls", model=forecast.writer),
            f"{forecast.writer_calls:,}",
        ],
        [words("common.tokens"), f"{forecast.tokens:,}"],
        [words("report.improvement.cost"), cost],
    ]
    head = words.all("report.improvement", "foreseen", "most")
    return [
        Section(words("report.improvement.forecast", judge=forecast.judge), [Table(head, rows)])
    ]


def candidate_rows(result: Improvement) -> Iterator[Row]:
    """A row per candidate."""
    for candidate in result.candidates:
        yield {
            "number": candidate.number,
            "way": candidate.way,
            "parent": candidate.parent,
            "note": candidate.note,
            "items": candidate.seen,
            "agreement": candidate.agreement,
            "near": candidate.near,
            "parent_near": candidate.parent_near,
            "chosen": candidate.number == result.chosen,
            "guides": dict(candidate.texts.guides),
            "steps": {name: list(steps) for name, steps in candidate.texts.steps.items()},
            "examples": len(candidate.texts.examples),
        }


SHAPES: Shapes = {
    Improvement: {
        **fields("judge", "model", "writer", "seed", "confidence", "measures", "groups"),
        **fields("better", "why", "chosen", "search", "held_out"),
        **fields(before="compared.before", after="compared.after", lost="compared.lost"),
        **fields(difference="compared.paired.difference", p="compared.paired.p"),
        **fields(nearer="compared.nearer", same="compared.same", farther="compared.farther"),
        **fields("candidates", "maps", "diff", "text", "calls", "tokens", "budget_used_up"),
        **fields("unused", spent_usd="spent"),
    },
    Candidate: {
        **fields("number", "way", "parent", "note", "agreement", "near", "parent_near"),
        **fields(items="seen", guides="texts.guides", steps="texts.steps"),
        "examples": "texts.examples",
    },
    ScoreMap: {"scores": lambda learned: learned.shown()},
}
