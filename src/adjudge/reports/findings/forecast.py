"""A forecast for a terminal, and as plain values."""

from __future__ import annotations

from dataclasses import asdict

from adjudge.running import Forecast, ForecastPart

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


def forecast_dict(forecast: Forecast) -> dict[str, object]:
    """The object that `--dry-run --json` prints, with sums over all parts."""
    parts = forecast.parts
    costs = [part.cost_usd for part in parts]
    known = [cost for cost in costs if cost is not None]
    return {
        "run": forecast.run,
        "dry_run": True,
        "rows": forecast.rows,
        "verdicts": forecast.verdicts,
        "already": forecast.already,
        "calls": sum(part.calls for part in parts),
        "kept": sum(part.kept for part in parts),
        "input_tokens": sum(part.input_tokens for part in parts),
        "output_tokens": sum(part.output_tokens for part in parts),
        "cost_usd": sum(known) if len(known) == len(costs) else None,
        "seconds": sum(part.seconds for part in parts),
        "cautions": forecast.cautions,
        "parts": [asdict(part) for part in parts],
    }


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
