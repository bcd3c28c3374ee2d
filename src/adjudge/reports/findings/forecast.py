"""A forecast for a terminal, and as plain values."""

from __future__ import annotations

from collections.abc import Callable

from adjudge.running import Forecast, ForecastPart
from adjudge.stats.stat import sum_of_known

from ..encode import Json, Shape, fields, shaped
from ..renderers.terminal import table


def forecast_text(forecast: Forecast) -> str:
    rows = [_row(part) for part in forecast.parts]
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
    texts = f"{part.shortened} rows with texts cut to fit" if part.shortened else ""
    calls = f"{part.too_long} calls surely too long for the model" if part.too_long else ""
    return f"{part.judge} on {part.model}: {', '.join(filter(None, (texts, calls)))}."


def _row(part: ForecastPart) -> list[str]:
    cost = "not known" if part.cost_usd is None else f"${part.cost_usd:.4f}"
    return [
        part.judge,
        part.model,
        f"{part.calls:,}",
        f"{part.kept:,}",
        f"{part.input_tokens:,}",
        f"{part.output_tokens:,}",
        cost,
        _time(part.seconds),
    ]


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
