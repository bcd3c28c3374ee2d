"""Numbers, times and values as pages show them: the filters of the templates."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
import yaml
from jinja2.runtime import Context
from markupsafe import Markup, escape

from adjudge.analysis.scores import DIVIDED
from adjudge.analysis.scores.reader import judges_of
from adjudge.core.judge import Judge
from adjudge.core.scale import Value, value_range
from adjudge.reports.figures import number, p_value, percent, plain, share, signed
from adjudge.reports.figures import usd as dollars
from adjudge.reports.findings.opening import run_name
from adjudge.reports.words import Words
from adjudge.stores import RunRecord
from adjudge.strings import Strings

NONE = "–"


def grouped(count: float) -> str:
    """A whole number in groups of three: 12,345."""
    return f"{count:,.0f}"


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
        return f"{score:.2f}".rstrip("0").rstrip(".") if score % 1 else f"{score:.0f}"
    return str(score)


def usd(amount: float | None) -> str:
    """Dollars; a dash where the price is not known."""
    return NONE if amount is None else dollars(amount)


def duration(seconds: float | None, say: Strings) -> str:
    """A duration: 0.8 s, 42 s, 3:07, 2:15:09."""
    if seconds is None:
        return NONE
    if seconds < 60:
        return say("common.seconds", n=f"{seconds:.{1 if seconds < 10 else 0}f}")
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


@cache
def builtin_title(name: str) -> str:
    """The title that the judge of this name has in the package."""
    text = files("adjudge.judges.builtin").joinpath(f"{name}.yaml").read_text("utf-8")
    return str(yaml.safe_load(text)["title"])


@jinja2.pass_context
def judge_title(context: Context, judge: Judge) -> str:
    """What the judge asks: of a built-in one in the reader's language, unless its title was changed
    or is in that language already."""
    key = f"builtin.{judge.name}"
    if judge.language == context["language"] or key not in context["t"]:
        return judge.title
    return str(context["t"](key)) if judge.title == builtin_title(judge.name) else judge.title


@jinja2.pass_context
def called(context: Context, record: RunRecord) -> str:
    """The name by which a reader knows the run."""
    return run_name(record, judges_of(record), Words(context["t"]))


FILTERS: Mapping[str, Callable[..., Any]] = {
    "grouped": grouped,
    "value": value,
    "usd": usd,
    "share": share,
    "duration": _in_words(duration),
    "milliseconds": _in_words(milliseconds),
    "moment": moment,
    "judge_title": judge_title,
    "called": called,
    "utc": utc,
    "scale_ends": value_range,
    "stat": plain,
    "signed": signed,
    "figure": number,
    "percent": percent,
    "p_value": p_value,
}
