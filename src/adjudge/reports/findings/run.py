"""A run, an item and a forecast for a terminal, and as plain values."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from adjudge.core.item import Item
from adjudge.core.prompt import Prompt
from adjudge.core.reply import Usage
from adjudge.core.score import SETTLED, Outcome, OverallScore, Quotation, Score
from adjudge.core.verdict import Verdict
from adjudge.stats.stat import sum_of_known

from ..blocks import Table
from ..encode import Json, Shape, fields, shaped
from ..figures import number
from ..renderers.terminal import WIDTH, one_line, printable, table

if TYPE_CHECKING:
    from adjudge.analysis.scores import CriterionSummary, Summary
    from adjudge.running import Forecast, ForecastPart
    from adjudge.stores import RunRecord


def runs_table(records: Sequence[RunRecord]) -> Table:
    """A row per run, by the name that people gave it."""
    head = ["run", "state", "started (UTC)", "rows", "judge", "model", "data", "cost", "tags"]
    return Table(head, [_listed(record) for record in records])


def _listed(record: RunRecord) -> list[str]:
    manifest, cost = record.manifest, record.cost_usd
    return [
        record.title,
        record.state,
        record.started[:19].replace("T", " "),
        str(record.rows),
        " ".join(manifest.judges),
        " ".join(manifest.models),
        manifest.data,
        "not known" if cost is None else f"${cost:.4f}",
        " ".join(f"{name}={value}" for name, value in manifest.tags.items()),
    ]


def criteria_table(record: RunRecord, summary: Summary) -> Table:
    """A row per judge, model and criterion: means with what went unscored beside them."""
    criteria = summary.criteria.values()
    several = len({(criterion.judge, criterion.model) for criterion in criteria}) > 1
    repeat = record.manifest.settings.get("repeat")
    sampled = isinstance(repeat, int) and repeat > 1
    head = ["judge", "model"] if several else []
    counted = ["items", "samples scored", "unscored"] if sampled else ["scored", "unscored"]
    head += ["criterion", *counted, "mean", "sd", "notes"]
    rows = []
    for criterion in criteria:
        row = [criterion.judge, criterion.model] if several else []
        row += [criterion.criterion, *([str(criterion.items)] if sampled else [])]
        row += [str(criterion.tally.scored), str(criterion.tally.unscored.total())]
        rows.append([*row, number(criterion.mean), number(criterion.sd), _notes(criterion)])
    return Table(head, rows)


def run_title(record: RunRecord) -> str:
    """What judged what: a line."""
    judges, models = " ".join(record.manifest.judges), " ".join(record.manifest.models)
    return one_line(
        f"run {record.title} ({record.state}): {judges} on {record.manifest.data} by {models}"
    )


def run_table(record: RunRecord, summary: Summary) -> str:
    """A run in one table, with what it judged and what it has spent."""
    tally, shown = summary.tally, criteria_table(record, summary)
    counts = ", ".join(f"{count} {name}" for name, count in tally.outcomes.most_common())
    bad = f"; {record.bad_rows} bad rows skipped" if record.bad_rows else ""
    lines = [run_title(record), table(shown.head, shown.rows)]
    lines.append(f"{summary.verdicts} verdicts: {counts}{bad}")
    if tally.cut:
        lines.append(
            f"cut before judging: {tally.cut_characters:,} characters of the texts of"
            f" {tally.cut} verdicts; `cuts` of each row and its item page say which"
        )
    if spent := spent_text(summary.usage):
        if any(source.get("method") == "likelihood" for source in record.sources.values()):
            # What the texts of a likelihood share is read once.
            tokens = evaluated_tokens(summary.usage)
            spent += (
                f"; tokens evaluated: {tokens:,}, {tokens / summary.verdicts:,.1f} per judgment"
            )
        lines.append(f"spent: {spent}")
    return "\n".join(lines)


def evaluated_tokens(usage: Usage) -> int:
    """Tokens of the prompts that the model had to read, because it had not read them before."""
    return usage.input_tokens - usage.cached_tokens


def spent_text(usage: Usage) -> str:
    """Tokens and what they cost; empty when there were none."""
    if not (usage.input_tokens or usage.output_tokens):
        return ""
    cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
    cost = "price not known" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"
    doubt = (
        "; some counts are not the provider's, see the notes of verdicts" if usage.doubts else ""
    )
    return f"{usage.input_tokens:,} tokens in{cached}, {usage.output_tokens:,} out, {cost}{doubt}"


def _notes(criterion: CriterionSummary) -> str:
    tally = criterion.tally
    parts = [f"{count} {name}" for name, count in tally.unscored.most_common()]
    parts += [f"{name} {count / criterion.items:.0%}" for name, count in criterion.shares.items()]
    if tally.capped:
        parts.append(f"{tally.capped} by rule")
    if tally.sampled:
        parts.append(f"{tally.sampled} by samples, without probabilities")
    if tally.not_applicable:
        parts.append(f"{tally.not_applicable} not applicable")
    if tally.unsupported:
        parts.append(f"{tally.unsupported} with quotations that are not in the texts")
    if tally.wrong_language:
        parts.append(f"{tally.wrong_language} explained in the wrong language")
    return ", ".join(parts)


_RECORD: Shape = {
    **fields(
        run="id",
        name="manifest.name",
        state="state",
        data="manifest.data",
        judges="manifest.judges",
    ),
    **fields(models="manifest.models", rows="rows", bad_rows="bad_rows"),
}
_CRITERION: Shape = {
    **fields("judge", "model", "criterion", "items", scored="tally.scored"),
    **fields(unscored="tally.unscored", mean="mean", sd="sd", shares="shares"),
    **fields(changed_by_rule="tally.capped", by_samples="tally.sampled"),
    **fields(wrong_language="tally.wrong_language", unsupported="tally.unsupported"),
    "not_applicable": "tally.not_applicable",
}
_USAGE: Shape = {
    **fields("input_tokens", "output_tokens", "cached_tokens"),
    "evaluated_tokens": evaluated_tokens,
    **fields("cost_usd", "doubts"),
}
_SUMMARY: Shape = {
    **fields("verdicts", "outcomes", "unscored"),
    "means": lambda summary: summary.means(),
    "criteria": lambda summary: [shaped(part, _CRITERION) for part in summary.criteria.values()],
    "usage": lambda summary: shaped(summary.usage, _USAGE),
    "attempts": "tally.attempts",
    "cuts": fields(verdicts="tally.cut", characters="tally.cut_characters"),
}


def summary_dict(record: RunRecord, summary: Summary) -> Json:
    """The object that `--json` prints."""
    return shaped(record, _RECORD) | shaped(summary, _SUMMARY)


def reasons(verdicts: Iterable[Verdict]) -> str:
    """Why verdicts are unscored, the commonest reason first."""
    counted: Counter[str] = Counter()
    example: dict[str, str] = {}
    for verdict in verdicts:
        for name, score in verdict.scores.items():
            if score.outcome not in SETTLED:
                reason = f"{score.outcome}: {score.why}"[:200]
                counted[reason] += 1
                example.setdefault(reason, f"item {verdict.item}, {name}")
    rows = [[str(count), example[reason], reason] for reason, count in counted.most_common(10)]
    return "\n" + table(["times", "first at", "unscored because"], rows) if rows else ""


def item_text(item: Item) -> str:
    fields = [f"{name}:\n{_indented(text)}" for name, text in item.fields.items()]
    return f"item {one_line(item.id)}\n" + "\n".join(fields)


def verdict_text(verdict: Verdict) -> str:
    """One verdict for reading."""
    head = one_line(f"{verdict.judge} by {verdict.model}")
    head += f", repeat {verdict.repeat}" if verdict.repeat else ""
    lines = [f"{head}: {verdict.outcome}"]
    for name, score in verdict.scores.items():
        lines.append(f"  {name}: {_score(score)}")
        if score.explanation and score.explanation not in map(_joined, verdict.feedback.values()):
            lines.append(_indented(score.explanation, "    "))
        lines += [f"    {one_line(line)}" for line in _beside(score)]
    if verdict.overall is not None:
        lines.append(f"  overall: {_overall(verdict.overall)}")
    for name, text in verdict.feedback.items():
        lines += [f"  {name}:", _indented(_joined(text, "- "), "    ")]
    lines += [f"  note: {one_line(str(note))}" for note in verdict.notes]
    lines += [f"  cut: {one_line(line)}" for line in _cuts(verdict)]
    usage = verdict.usage
    lines.append(
        f"  {usage.input_tokens} tokens in ({usage.cached_tokens} cached, {evaluated_tokens(usage)}"
        f" evaluated), {usage.output_tokens} out, requests: {verdict.attempts},"
        f" {verdict.latency_ms / 1000:.1f} s"
    )
    return "\n".join(lines)


def _cuts(verdict: Verdict) -> Iterator[str]:
    """What of the texts the model did not see."""
    for name, cut in verdict.cuts.items():
        for part in cut.parts:
            begins = f", begins {part.begins!r}" if part.begins else ""
            times = f"{part.count} × " if part.count > 1 else ""
            yield f"{name}: {times}{part.kind}, {part.length:,} characters{begins}"
        if cut.left_out:
            yield f"{name}: {cut.left_out:,} characters in its middle: it was too long"


def _score(score: Score) -> str:
    if score.outcome is Outcome.NOT_APPLICABLE:
        return "does not apply"
    if score.value is None:
        return f"no score, {score.outcome} ({one_line(score.why or '')})"
    text = f"{score.value}" + (f" ({score.label})" if score.label else "")
    return f"{text}, was {score.raw} before the rule {score.rule}" if score.rule else text


def _beside(score: Score) -> Iterator[str]:
    """The quotations of a score, and the parts that it is made of."""
    for quotation in score.evidence:
        yield f"quotes {_place(quotation)}: {quotation.quote}"
    for place, part in enumerate(score.parts, 1):
        points = "" if part.points is None else f" ({part.points:g} points)"
        yield f"{place}. {part.text}: {part.verdict or 'no answer'}{points}"
        if part.quotation is not None:
            yield f"   quotes {_place(part.quotation)}: {part.quotation.quote}"


def _place(quotation: Quotation) -> str:
    if not quotation.supported:
        return "what is not in the texts"
    source = f" {quotation.source}" if quotation.source else ""
    return f"{quotation.input}{source}, {quotation.start} to {quotation.end}"


def _overall(overall: OverallScore) -> str:
    said = "no score" if overall.value is None else f"{overall.value}"
    if overall.passed is not None:
        said += ", passes" if overall.passed else ", does not pass"
    return f"{said} ({one_line(str(overall.reason))})" if overall.reason else said


def _joined(text: str | tuple[str, ...], bullet: str = "") -> str:
    return text if isinstance(text, str) else "\n".join(f"{bullet}{entry}" for entry in text)


def _indented(text: str, indent: str = "  ") -> str:
    """Wrapped and indented, line by line."""
    wrapped = []
    for line in printable(text).split("\n"):
        wrapped += textwrap.wrap(line, WIDTH, initial_indent=indent, subsequent_indent=indent) or [
            ""
        ]
    return "\n".join(wrapped)


def prompt_text(prompt: Prompt) -> str:
    what = " ".join(filter(None, (prompt.criterion, prompt.order)))
    parts = [f"[{message.role}]\n{message.content}" for message in prompt.messages]
    return printable("\n".join([f"--- prompt{' ' + what if what else ''} ---", *parts]))


def reply_text(verdict: Verdict) -> str:
    lines = []
    for call in verdict.calls:
        what = " ".join(filter(None, (call.criterion, call.order)))
        for at, reply in enumerate(call.replies):
            if at:
                lines.append(f"--- asked again ---\n{call.questions[at - 1]}")
            lines.append(f"--- reply{' ' + what if what else ''} ---\n{reply}")
        if call.error:
            lines.append(f"--- error{' ' + what if what else ''} ---\n{call.error}")
    return printable("\n".join(lines))


def forecast_text(forecast: Forecast) -> str:
    rows = [_forecast_row(part) for part in forecast.parts]
    head = ["judge", "model", "calls", "kept", "tokens in", "tokens out", "cost", "time"]
    done = f", {forecast.already} of them done" if forecast.already else ""
    what = f"{forecast.verdicts} verdicts on {forecast.rows} rows{done}"
    lines = [f"run {forecast.run} would make {what}; nothing was sent", table(head, rows)]
    if any(part.calls and not part.measured for part in forecast.parts):
        lines.append(
            "Tokens out and time are a rule of thumb: no earlier verdict of this judge and model"
            " is in the store."
        )
    lines += [_lengths(part) for part in forecast.parts if part.too_long or part.shortened]
    lines += forecast.cautions
    if any(part.cost_usd is None for part in forecast.parts):
        lines.append("The price is not known: give it with --price in=…,out=… to see the cost.")
    return "\n".join(lines)


def _total(name: str) -> Callable[[Forecast], float]:
    return lambda forecast: sum(getattr(part, name) for part in forecast.parts)


_FORECAST: Shape = {
    "run": "run",
    "dry_run": lambda _: True,
    **fields("rows", "verdicts", "already"),
    **{name: _total(name) for name in ("calls", "kept", "input_tokens", "output_tokens")},
    "cost_usd": lambda forecast: sum_of_known([part.cost_usd for part in forecast.parts]),
    "seconds": _total("seconds"),
    **fields("cautions", "parts"),
}


def forecast_dict(forecast: Forecast) -> Json:
    """The object that `--dry-run --json` prints, with sums over all parts."""
    return shaped(forecast, _FORECAST)


def _lengths(part: ForecastPart) -> str:
    texts = f"rows with texts cut to fit: {part.shortened}" if part.shortened else ""
    calls = f"calls that are too long for the model: {part.too_long}" if part.too_long else ""
    return f"{part.judge} on {part.model}: {', '.join(filter(None, (texts, calls)))}."


def _forecast_row(part: ForecastPart) -> list[str]:
    cost = "not known" if part.cost_usd is None else f"${part.cost_usd:.4f}"
    counts = (part.calls, part.kept, part.input_tokens, part.output_tokens)
    counted = (f"{count:,}" for count in counts)
    return [part.judge, part.model, *counted, cost, _time(part.seconds)]


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
