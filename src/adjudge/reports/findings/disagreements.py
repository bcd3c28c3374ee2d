"""Where judge and people differ: what the items have in common, each of them, and unlikely
labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adjudge.analysis.disagreement import (
    ClauseQuestions,
    CriterionDisagreements,
    Disagreement,
    Disagreements,
    Pattern,
    SlipTrial,
)
from adjudge.core.score import Quotation

from ..blocks import Block, Cell, Lines, Quote, Section, Table, cut
from ..encode import Shapes, fields
from ..files.rows import Row, quotation_row
from ..words import Words

ROW_ENDINGS = (".csv", ".jsonl", ".json", ".parquet")
_SHOWN_PATTERNS = 8
_CLEAR = 0.05  # p below which a pattern is worth a look; JSON has the others too
_SHOWN_CELLS = 6


def disagreements(finding: Disagreements, words: Words, *, most: int = 10) -> list[Section]:
    """A section per judge, model and criterion, with the `most` items that differ most."""
    return [
        Section(
            words(
                "report.disagreements.title",
                judge=grader.judge,
                model=grader.model,
                criterion=words.criterion(grader.judge, name),
            ),
            [*_criterion(criterion, words, most)],
            f"disagreements-{at}-{name}",
        )
        for at, grader in enumerate(finding.graders)
        for name, criterion in grader.criteria.items()
    ]


def _criterion(criterion: CriterionDisagreements, words: Words, most: int) -> Iterator[Block]:
    counts = {"differ": criterion.differ, "share": words.percent(criterion.share)}
    lines = [words("report.disagreements.counts", n=criterion.n, **counts)]
    lines += [words("report.disagreements.lost", n=criterion.lost)] if criterion.lost else []
    if criterion.split:
        lines.append(words("report.people.split", criterion=criterion.name, count=criterion.split))
    agreed = criterion.n and not criterion.differ
    lines += [words("report.disagreements.none")] if agreed else []
    yield Lines(lines)
    if criterion.differ:
        yield _patterns(criterion, words)
        yield _cells(criterion, words)
        yield _worst(criterion, words, most)
    if criterion.questions is not None:
        yield _clauses(criterion.questions, words)
    yield _suspects(criterion, words)


def _clauses(questions: ClauseQuestions, words: Words) -> Section:
    title = words("report.disagreements.clauses")
    if questions.why is not None:
        why = words.reason(questions.why)
        return Section(title, [Lines([words("report.disagreements.clauses_none", why=why)])])
    counts = {"model": questions.model, "clauses": f"{questions.clauses:,}"}
    table = words.table(
        "report.disagreements",
        questions.unclear,
        question=lambda one: one.question,
        clause=lambda one: one.clause,
        part=lambda one: words(f"report.disagreements.parts.{one.part}"),
        because=lambda one: ", ".join(cut(item, 60) for item in one.items) or "–",
    )
    lead = words("report.disagreements.clauses_told", n=questions.shown, **counts)
    return Section(title, [Lines([lead]), table])


def _patterns(criterion: CriterionDisagreements, words: Words) -> Section:
    title = words("report.disagreements.patterns")
    patterns = [one for one in criterion.patterns if one.p is not None and one.p < _CLEAR]
    if not patterns:
        return Section(title, [Lines([words("report.disagreements.no_patterns")])])
    table = words.table(
        "report.disagreements",
        patterns[:_SHOWN_PATTERNS],
        pattern=_pattern_name,
        where=lambda pattern: words(f"report.disagreements.kind.{pattern.kind}"),
        differ=lambda pattern: _rate(words, pattern.differ, pattern.items),
        elsewhere=lambda pattern: _rate(words, pattern.differ_elsewhere, pattern.items_elsewhere),
        bias=lambda pattern: words.number(pattern.bias, "+.2f"),
        p=lambda pattern: words.p_value(pattern.p),
    )
    return Section(title, [Lines([words("report.disagreements.patterns_told")]), table])


def _pattern_name(pattern: Pattern) -> str:
    shown = f"{pattern.name}={pattern.value}" if pattern.kind == "slice" else pattern.name
    return cut(f"{shown} ({', '.join(pattern.also)})" if pattern.also else shown, 80)


def _rate(words: Words, hits: int, items: int) -> str:
    return words.figure(f"{hits:,}/{items:,} ({hits / items:.0%})") if items else "–"


def _cells(criterion: CriterionDisagreements, words: Words) -> Section:
    cells = [pattern for pattern in criterion.patterns if pattern.kind == "cell"][:_SHOWN_CELLS]
    rows = [[cell.value, words.count(cell.differ)] for cell in cells]
    head = [words("report.disagreements.kind.cell"), words("common.items")]
    return Section(words("report.disagreements.cells"), [Table(head, rows)])


def _worst(criterion: CriterionDisagreements, words: Words, most: int) -> Section:
    shown = criterion.worst[:most]
    table = words.table(
        "report.disagreements",
        shown,
        item=lambda one: _item(one.item),
        people=lambda one: words.value(criterion.scale, _rounded(one.people)),
        judge=lambda one: words.value(criterion.scale, one.judge),
        difference=lambda one: words.number(one.difference, "+.2f"),
        rule=lambda one: one.rule or "–",
        raters=lambda one: _values(criterion, one.raters, words),
    )
    blocks: list[Block] = [table]
    for one in shown:
        blocks += _quotes(one, words)
    if len(criterion.worst) > most:
        further = words("report.disagreements.further", n=len(criterion.worst) - most)
        blocks.append(Lines([further]))
    return Section(words("report.disagreements.worst"), blocks)


def _rounded(value: object) -> object:
    """The mean of several raters need not be told to six digits."""
    return round(value, 2) if isinstance(value, float) else value


def _item(item: str) -> Cell:
    return Cell(cut(item, 60), link="item", fields={"id": item})


def _quotes(one: Disagreement, words: Words) -> Iterator[Block]:
    silent = words("report.compared.silent")
    yield Quote(words("report.disagreements.said", item=one.item), one.explanation or silent)
    for quoted in one.evidence:
        key = "evidence" if quoted.supported else "no_evidence"
        yield Quote(words(f"report.disagreements.{key}", item=one.item), quoted.quote)
    for rater, comment in one.comments.items():
        yield Quote(words("report.disagreements.comment", rater=rater, item=one.item), comment)


def _values(criterion: CriterionDisagreements, values: Mapping[str, object], words: Words) -> str:
    shown = ((rater, words.value(criterion.scale, value)) for rater, value in values.items())
    return ", ".join(f"{rater}: {value}" if rater else value for rater, value in shown) or "–"


def _suspects(criterion: CriterionDisagreements, words: Words) -> Section:
    title = words("report.disagreements.suspects")
    if criterion.slip_trial is None:
        why = words.reason(criterion.no_suspects)
        return Section(title, [Lines([words("report.disagreements.suspects_unknown", why=why)])])
    lead = "suspects_told" if criterion.suspects else "no_suspects"
    lines = [
        words(f"report.disagreements.{lead}"),
        *trial_lines(criterion.slip_trial, len(criterion.suspects), words),
    ]
    if not criterion.suspects:
        return Section(title, [Lines(lines)])
    table = words.table(
        "report.disagreements",
        criterion.suspects,
        item=lambda one: _item(one.item),
        rater=lambda one: one.rater or "–",
        label=lambda one: words.value(criterion.scale, one.label),
        judge=lambda one: "–" if one.judge is None else words.value(criterion.scale, one.judge),
        other_raters=lambda one: _values(criterion, one.other_raters, words),
        sided=lambda one: words("common.of", a=one.with_judge, b=one.judges),
        probability=lambda one: words.number(one.probability, ".0%"),
    )
    return Section(title, [Lines(lines), table])


def trial_lines(trial: SlipTrial, listed: int, words: Words) -> Iterator[str]:
    """What came of labels that were changed on purpose, and what that says of the list."""
    if not trial.changed:
        return
    share = f"{trial.recall:.0%}"
    yield words("report.disagreements.trial", n=trial.changed, found=trial.recovered, share=share)
    yield words("report.disagreements.expected", n=listed, slips=round(trial.expected))
    if trial.expected < listed / 2:
        yield words("report.disagreements.untrusted")
    elif trial.recall < 0.5:
        yield words("report.disagreements.missed")


def disagreement_rows(finding: Disagreements) -> Iterator[Row]:
    """A row per item, judge, model and criterion that differs, worst first."""
    for grader in finding.graders:
        for name, criterion in grader.criteria.items():
            suspect = {(label.item, label.rater) for label in criterion.suspects}
            for one in criterion.worst:
                yield {
                    "run": finding.run,
                    "item": one.item,
                    "judge": grader.judge,
                    "model": grader.model,
                    "criterion": name,
                    "label": one.people,
                    "score": one.judge,
                    "difference": one.difference,
                    "rule": one.rule,
                    "explanation": one.explanation,
                    "evidence": [quotation_row(quoted) for quoted in one.evidence],
                    "raters": dict(one.raters),
                    "comments": dict(one.comments),
                    "others": dict(one.others),
                    "likely_slips": _slips(one, suspect),
                    "texts": dict(one.texts),
                }


def _slips(one: Disagreement, suspect: set[tuple[str, str]]) -> list[str]:
    return [rater for rater in one.raters if (one.item, rater) in suspect]


SHAPES: Shapes = {
    Quotation: fields("quote", "input", "start", "end", "source", found="supported"),
    CriterionDisagreements: {
        **fields("n", "lost", "split", "differ", "share", "patterns"),
        **fields(items="worst", likely_slips="suspects", no_slips="no_suspects"),
        "slip_trial": "slip_trial",
        **fields("questions"),
    },
}
