"""What a run came to: what was judged, how verdicts ended, the scores and how they are spread, by
column too, the rules that fired, what it cost, and the items that did worst."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from adjudge.analysis.browsing import CriterionOverview, RunOverview, SliceMean, Slices
from adjudge.core.judge import Judge
from adjudge.core.scale import Binary, Category
from adjudge.stats.stat import Stat

from ..blocks import Block, Cell, Lines, Plot, Section, Table, Text
from ..plots import charts
from ..words import Words
from .gathering import Combined, RunFindings
from .panel import panel
from .ranking import ranking
from .repeats import repeats
from .spread import several_graders, spread_of, titled, which_criterion


def judged(runs: Sequence[RunFindings], words: Words) -> Section:
    """What was judged by whom, when, and for how much: a column per run."""
    facts = [_facts(run, words) for run in runs]
    names = list(dict.fromkeys(name for column in facts for name in column))
    letters = ["A", "B"][: len(runs)] if len(runs) > 1 else [""]
    rows = [[name, *(column.get(name, "–") for column in facts)] for name in names]
    return Section(words("report.judged.heading"), [Table(["", *letters], rows)])


def _facts(run: RunFindings, words: Words) -> dict[str, str]:
    record, overview = run.record, run.overview
    manifest = record.manifest
    rows, bad, data = (
        words.count(record.rows),
        words.count(record.bad_rows),
        manifest.data_hash[:16],
    )
    tokens = {
        "tokens_in": words.count(overview.tokens_in),
        "tokens_out": words.count(overview.tokens_out),
    }
    facts = {
        "run": f"{record.title} ({record.id})" if record.manifest.name else record.id,
        "state": words(f"state.{record.state}"),
        "judge": "; ".join(_judge(run, name, words) for name in manifest.judges),
        "model": ", ".join(manifest.models),
        "data": f"{manifest.data} ({words('report.judged.data_hash', fingerprint=data)})",
        "rows": words("report.judged.bad_rows", rows=rows, bad=bad) if record.bad_rows else rows,
        "verdicts": words.count(overview.verdicts),
        "cut": words("report.judged.cut_told", n=words.count(overview.cut)) if overview.cut else "",
        "started": moment(record.started),
        "ended": moment(record.ended or ""),
        "tokens": words("report.judged.tokens_told", **tokens),
        "cost": _cost(overview.cost_usd, words),
        "latency": "; ".join(_latencies(run, words)),
        "tags": ", ".join(f"{name}={value}" for name, value in manifest.tags.items()),
    }
    names = words.all("report.judged", *facts)
    return {name: text for name, text in zip(names, facts.values(), strict=True) if text}


def _judge(run: RunFindings, name: str, words: Words) -> str:
    version = run.judges[name].version if name in run.judges else "?"
    fingerprint = run.record.manifest.judges[name][:16]
    note = words("report.judged.fingerprint", fingerprint=fingerprint)
    if name in run.judges and run.judges[name].drafted:
        note += f"; {words('report.judged.drafted', model=run.judges[name].drafted)}"
    return f"{name} {version} ({note})"


def moment(written: str) -> str:
    """A kept time for people; "" where there is none."""
    if not written:
        return ""
    return datetime.fromisoformat(written).strftime("%Y-%m-%d %H:%M:%S UTC")


def _cost(usd: float | None, words: Words) -> str:
    """In US dollars, where the price is known."""
    if usd is None:
        return words("report.judged.unknown_cost")
    return words("report.judged.usd", usd=words.number(usd, ".4f"))


def _latencies(run: RunFindings, words: Words) -> Iterator[str]:
    graders = run.overview.graders
    for grader in graders:
        if grader.latency_median_ms is None or grader.latency_p95_ms is None:
            continue
        times = {"median": grader.latency_median_ms, "p95": grader.latency_p95_ms}
        seconds = {name: words.number(time / 1000, ".2f") for name, time in times.items()}
        text = words("report.judged.latency_told", **seconds)
        yield f"{grader.model}: {text}" if len(graders) > 1 else text


def scores(
    overview: RunOverview, words: Words, *, samples: bool, spread: bool = True
) -> Iterator[Block]:
    """Outcomes first: they say what the means rest on. `samples`: each item was judged several
    times. Without `spread`, how the scores are spread is shown elsewhere."""
    if not overview.verdicts:
        yield Lines([words("report.scores.none")])
        return
    head = words.all("report.outcomes", "outcome", "verdicts", "share")
    rows: list[list[Text]] = [
        [
            Cell(words(f"outcome.{name}"), link="outcome", fields={"outcome": name}),
            words.count(count),
            words.number(count / overview.verdicts, ".1%"),
        ]
        for name, count in overview.outcomes.items()
        if count
    ]
    yield Section(words("report.outcomes.heading"), [Table(head, rows)], "outcomes")
    criteria = overview.criteria
    drawn = partial(charts.means_chart, words, criteria)
    ordered = any(criterion.mean.value is not None for criterion in criteria)
    yield Section(
        words("report.scores.heading"),
        [
            _scores_table(criteria, words, samples=samples),
            Lines([*_score_notes(criteria, words, samples=samples)]),
            *([Plot(drawn, name="means", alt=words("run.means_alt"))] if ordered else []),
            *([spread_of(criteria, words)] if spread else []),
        ],
        "means",
    )


def _scores_table(criteria: Sequence[CriterionOverview], words: Words, *, samples: bool) -> Table:
    """With several `samples` an item, what is counted in samples says so: means count items."""
    several = several_graders(criteria)
    names = ["criterion", "mean", "items", "unscored", "bounds", "sd", "capped"]
    if samples:
        names[3], names[6] = "unscored_samples", "capped_samples"
    head = words.all("report.judged", "judge", "model") if several else []
    rows = []
    for criterion in criteria:
        row: list[Text] = [criterion.judge, criterion.model] if several else []
        code = "" if criterion.title == criterion.criterion else criterion.criterion
        row.append(
            Cell(criterion.title, code=code, link="criterion", fields=which_criterion(criterion))
        )
        row += [mean_text(criterion, words), words.count(criterion.items)]
        row.append(_unscored(criterion, words))
        ends = words.worst_best(criterion.bounds if criterion.unscored_items else None)
        rows.append(
            [*row, ends, words.number(criterion.sd), words.count(sum(criterion.rules.values()))]
        )
    return Table([*head, *words.all("report.scores", *names)], rows)


def mean_text(criterion: CriterionOverview, words: Words) -> str:
    """The mean on its scale; of names, their shares."""
    if not isinstance(criterion.scale, Category):
        return mean_words(criterion, words)
    counts, items = {bar.label: bar.count for bar in criterion.distribution}, criterion.items or 1
    if criterion.divided:
        counts[words("common.divided")] = criterion.divided
    return ", ".join(
        f"{name} {words.number(count / items, '.0%')}" for name, count in counts.items()
    )


def mean_words(criterion: CriterionOverview, words: Words, *, bare: bool = False) -> str:
    """The mean with the end of its scale, of yes and no the share: 3.39 / 5 [3.20, 3.58], 90% yes.
    The corrected one comes first, the judge's own beside it; `bare` leaves intervals out."""
    mean = criterion.corrected or criterion.mean
    shown = Stat(mean.value) if bare else mean
    text = words.on_scale(shown, criterion.scale) if criterion.on_scale else words.plain(shown)
    if criterion.corrected is None:
        return text
    share = criterion.on_scale and isinstance(criterion.scale, Binary)
    raw = (words.percent if share else words.plain)(Stat(criterion.mean.value))
    return words("report.scores.corrected", corrected=text, raw=raw)


def _unscored(criterion: CriterionOverview, words: Words) -> str:
    """How many scores are missing, and why: 3 (2 unreadable, 1 refused); behind that, how many do
    not apply."""
    missing = _counted(criterion.unscored, words)
    if not criterion.not_applicable:
        return missing
    return f"{missing}; {_counted({'not_applicable': criterion.not_applicable}, words, bare=True)}"


def _counted(counts: Mapping[str, int], words: Words, *, bare: bool = False) -> str:
    total = sum(counts.values())
    if not total:
        return "0"
    named = ", ".join(
        words("outcome.counted", n=words.count(count), name=words(f"outcome.{name}"))
        for name, count in counts.items()
    )
    return named if bare else f"{words.count(total)} ({named})"


def _score_notes(
    criteria: Sequence[CriterionOverview], words: Words, *, samples: bool
) -> Iterator[str]:
    if any(criterion.bounds and criterion.unscored_items for criterion in criteria):
        yield words("report.scores.bounds_told")
    if samples:
        yield words("report.scores.repeats_told")
    for criterion in criteria:
        if why := criterion.correction:
            kind = "correction" if criterion.corrected else "no_correction"
            why_words = words.reason(why)
            yield words(f"report.scores.{kind}", criterion=criterion.title, why=why_words)
        if count := criterion.wrong_language:
            yield words("report.scores.wrong_language", criterion=criterion.title, n=count)
        if count := criterion.unsupported:
            yield words("report.scores.unsupported", criterion=criterion.title, n=count)


def slices(column: Slices, overview: RunOverview, words: Words) -> Section:
    """A table with a row per value of the column, and a plot per criterion."""
    criteria = [criterion for criterion in overview.criteria if criterion.items]
    several = len(overview.graders) > 1
    title = words("report.slices.heading", column=column.column)
    if not criteria:
        return Section(title, [Lines([words("report.slices.none")])])
    rows: list[list[Text]] = [
        [
            charts.slice_name(words, part),
            words.count(part.items),
            *(_slice_mean(part.means.get(_key(which)), which, words) for which in criteria),
        ]
        for part in column.values
    ]
    titles = [
        titled(which, several=several) if words.titles else which.criterion for which in criteria
    ]
    head = [column.column, words("common.items"), *titles]
    plots = [
        Plot(
            partial(charts.slices_chart, words, column, which),
            words.grader(which.judge, which.model) if several else "",
            "slices",
            {"column": column.column, **which_criterion(which)},
            words("run.slices_alt", criterion=which.title, column=column.column),
        )
        for which in criteria
        if any(_has_mean(part.means.get(_key(which))) for part in column.values)
    ]
    return Section(title, [Table(head, rows), *plots])


def _key(which: CriterionOverview) -> tuple[str, str, str]:
    return which.judge, which.model, which.criterion


def _has_mean(part: SliceMean | None) -> bool:
    return part is not None and part.mean.value is not None


def _slice_mean(part: SliceMean | None, which: CriterionOverview, words: Words) -> str:
    if part is None:
        return "–"
    shares = (
        f"{words.name(name)} {words.number(count / part.n, '.0%')}"
        for name, count in part.names.items()
    )
    of_slice = replace(which, mean=part.mean, corrected=None)
    mean = ", ".join(shares) if part.names else mean_words(of_slice, words)
    if not part.unscored:
        return mean
    return words("report.slices.cell", mean=mean, unscored=part.unscored)


def rules(overview: RunOverview, judges: Mapping[str, Judge], words: Words) -> Iterator[Section]:
    """Which rule changed how many scores of which criterion; nothing where none fired."""
    several = len(overview.graders) > 1
    rows = []
    for grader in overview.graders:
        when = {rule.id: rule.when for rule in judges[grader.judge].rubric.rules}
        for criterion in grader.criteria:
            for rule, count in criterion.rules.items():
                name = Cell(rule, link="rule", fields={"rule": rule})
                row: list[Text] = [name, criterion.title, words.count(count), when.get(rule, "")]
                rows.append([*row, grader.model] if several else row)
    if rows:
        head = words.all("report.rules", "rule", "criterion", "times", "when")
        head += [words("common.model")] if several else []
        yield Section(words("report.rules.heading"), [Table(head, rows)], "rules")


def costs(overview: RunOverview, words: Words) -> Section:
    """What each judge and model took."""
    table = words.table(
        "report.costs",
        overview.graders,
        judge=lambda grader: grader.judge,
        model=lambda grader: grader.model,
        tokens_in=lambda grader: words.count(grader.tokens_in),
        tokens_out=lambda grader: words.count(grader.tokens_out),
        cost=lambda grader: _cost(grader.cost_usd, words),
        median=lambda grader: _seconds(grader.latency_median_ms, words),
        p95=lambda grader: _seconds(grader.latency_p95_ms, words),
    )
    return Section(words("report.costs.heading"), [table], "costs")


def _seconds(milliseconds: float | None, words: Words) -> str:
    if milliseconds is None:
        return "–"
    return words("report.costs.seconds", seconds=words.number(milliseconds / 1000, ".2f"))


def combined(findings: Combined, words: Words) -> Iterator[Section]:
    """What several verdicts on an item come to."""
    if findings.repeats is not None:
        yield repeats(findings.repeats, words)
    if findings.panel is not None:
        yield panel(findings.panel, words, members=False)
    if findings.ranking is not None:
        yield replace(ranking(findings.ranking, words), title=words("report.ranking.heading"))
