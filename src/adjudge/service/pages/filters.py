"""Numbers, times and values as pages show them: the filters of the templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import jinja2
from jinja2.runtime import Context
from markupsafe import Markup, escape

from adjudge.analysis.scores import DIVIDED
from adjudge.analysis.scores.reader import judges_of
from adjudge.core.judge import Judge
from adjudge.core.label import ADJUDICATED
from adjudge.core.scale import Value, value_range
from adjudge.reports.findings.opening import run_name
from adjudge.reports.words import Words
from adjudge.running import Budget
from adjudge.service.jobs.plan import JobSpec
from adjudge.stores import KeptJob, RunRecord
from adjudge.strings import Strings
from adjudge.strings.numerals import in_language

NONE = "–"


def _by_words(shown: Callable[..., str]) -> Callable[..., str]:
    """The filter that shows a figure as the language of the page writes it."""

    @jinja2.pass_context
    def in_page(context: Context, *values: Any) -> str:
        return shown(Words(context["t"]), *values)

    return in_page


@jinja2.pass_context
def value(context: Context, score: Value | None) -> str:
    """A score's value: names as they are, numbers with at most two decimals; a dash for None.

    DIVIDED, which stands among names, is told in words.
    """
    if score is None:
        return NONE
    if isinstance(score, bool):
        return str(context["t"]("common.yes" if score else "common.no"))
    if score == DIVIDED:
        return str(context["t"]("common.divided"))
    if isinstance(score, float):
        plain = f"{score:.2f}".rstrip("0").rstrip(".") if score % 1 else f"{score:.0f}"
        return in_language(plain, context["language"])
    return str(score)


def usd(words: Words, amount: float | None) -> str:
    """Dollars; a dash where the price is not known."""
    return NONE if amount is None else words.usd(amount)


def duration(seconds: float | None, say: Strings) -> str:
    """A duration: < 0.1 s, 0.8 s, 42 s, 3:07, 2:15:09."""
    if seconds is None:
        return NONE
    if seconds < 60:
        figure = f"{seconds:.{1 if seconds < 10 else 0}f}" if seconds >= 0.1 else "< 0.1"
        return say("common.seconds", n=in_language(figure, say.language))
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def milliseconds(time: float | None, say: Strings) -> str:
    """A short time: 840 ms, 2.1 s."""
    if time is None:
        return NONE
    return f"{time:.0f} ms" if time < 1000 else duration(time / 1000, say)


def _in_words(tell: Callable[[float | None, Strings], str]) -> Callable[..., str]:
    """The filter that says it in the words of the page."""

    @jinja2.pass_context
    def in_words(context: Context, number: float | None) -> str:
        return tell(number, context["t"])

    return in_words


def utc(iso: str) -> str:
    """An ISO time where no `<time>` can stand: 2026-03-01 09:30 UTC."""
    return datetime.fromisoformat(iso).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def moment(iso: str | None) -> Markup:
    """An ISO time in UTC as `<time>`; app.js shows it in the reader's own zone."""
    if not iso:
        return Markup("–")
    at = datetime.fromisoformat(iso).astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(at.isoformat(), escape(utc(iso)))


def seconds_between(start: str, end: str | None) -> float | None:
    """Seconds from one ISO time to another, None while there is no end."""
    if not start or not end:
        return None
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


@jinja2.pass_context
def judge_title(context: Context, judge: Judge) -> str:
    """What the judge asks: in the reader's language where it has a wording in it, or we know its
    title; but not if its title was changed."""
    language, offered = context["language"], context["offered"]
    known = offered.get(judge.name)
    if judge.language == language or known is None or known.title != judge.title:
        return judge.title
    worded = context["wordings"].get(judge.name, {}).get(language)
    key = f"builtin.{judge.name}"
    if worded is None:
        return str(context["t"](key)) if key in context["t"] else judge.title
    return str(offered[worded].title)


@jinja2.pass_context
def called(context: Context, record: RunRecord) -> str:
    """The name by which a reader knows the run."""
    return run_name(record, judges_of(record), Words(context["t"]))


@jinja2.pass_context
def rater_name(context: Context, rater: str) -> str:
    """Whoever labelled, as a reader knows them: labels without a name, and what settles conflicts,
    too."""
    if rater == ADJUDICATED:
        return str(context["t"]("label.adjudicated"))
    return rater or str(context["t"]("report.raters.no_name"))


def raised_budget(job: KeptJob) -> str:
    """What is proposed to a run whose budget is used up: twice as much in all; "" where it had
    none."""
    budget = JobSpec.of(job).options.get("budget")
    return Budget.parse(str(budget)).doubled if budget else ""


FILTERS: Mapping[str, Callable[..., Any]] = {
    "grouped": _by_words(lambda words, count: words.number(count, ",.0f")),
    "value": value,
    "usd": _by_words(usd),
    "share": _by_words(Words.share),
    "duration": _in_words(duration),
    "milliseconds": _in_words(milliseconds),
    "moment": moment,
    "judge_title": judge_title,
    "called": called,
    "rater_name": rater_name,
    "raised_budget": raised_budget,
    "utc": utc,
    "scale_ends": value_range,
    "stat": _by_words(Words.plain),
    "signed": _by_words(Words.signed),
    "figure": _by_words(Words.number),
    "percent": _by_words(Words.percent),
    "p_value": _by_words(Words.p_value),
}
