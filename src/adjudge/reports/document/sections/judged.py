"""What was judged by whom, when, and for how much."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from adjudge.stores.records import RunRecord

from ...page import Heading, Table
from ...strings import Strings
from ..blocks import Part, Tongue
from ..findings import RunFindings


def judged(runs: Sequence[RunFindings], tongue: Tongue) -> Iterator[Part]:
    """A table of facts, a column a run."""
    say = tongue.say
    facts = [_facts(run, say) for run in runs]
    names = list(dict.fromkeys(name for each in facts for name in each))
    letters = ["A", "B"][: len(runs)] if len(runs) > 1 else [""]
    yield Heading(say("report.judged.heading"), tongue.level)
    dash = say("report.dash")
    yield Table(["", *letters], [[name, *(f.get(name, dash) for f in facts)] for name in names])


def _facts(run: RunFindings, say: Strings) -> dict[str, str]:
    record, overview = run.record, run.overview
    manifest = record.manifest
    told = {
        "run": record.id,
        "state": say(f"state.{record.state}"),
        "judge": "; ".join(_judge(run, name, mark, say) for name, mark in manifest.judges.items()),
        "model": ", ".join(manifest.models),
        "data": f"{manifest.data} ({_mark(say, 'data_hash', manifest.data_hash)})",
        "rows": _rows(record, say),
        "verdicts": f"{overview.verdicts:,}",
        "cut": say("report.judged.cut_told", n=f"{overview.cut:,}") if overview.cut else "",
        "started": moment(record.started),
        "ended": moment(record.ended or ""),
        "tokens": say(
            "report.judged.tokens_told",
            tokens_in=f"{overview.tokens_in:,}",
            tokens_out=f"{overview.tokens_out:,}",
        ),
        "cost": cost(overview.cost_usd, say),
        "latency": "; ".join(_latencies(run, say)),
        "tags": _tags(manifest.tags),
    }
    return {say(f"report.judged.{key}"): text for key, text in told.items() if text}


def _judge(run: RunFindings, name: str, mark: str, say: Strings) -> str:
    version = run.judges[name].version if name in run.judges else "?"
    return f"{name} {version} ({_mark(say, 'fingerprint', mark)})"


def _mark(say: Strings, key: str, fingerprint: str) -> str:
    return say(f"report.judged.{key}", fingerprint=fingerprint[:16])


def _rows(record: RunRecord, say: Strings) -> str:
    rows = f"{record.rows:,}"
    if not record.bad_rows:
        return rows
    return say("report.judged.bad_rows", rows=rows, bad=f"{record.bad_rows:,}")


def moment(written: str) -> str:
    """A kept time for people; "" where there is none."""
    if not written:
        return ""
    return datetime.fromisoformat(written).strftime("%Y-%m-%d %H:%M:%S UTC")


def cost(usd: float | None, say: Strings) -> str:
    """In US dollars, where the price is known."""
    if usd is None:
        return say("report.judged.unknown_cost")
    return say("report.judged.usd", usd=f"{usd:.4f}")


def _latencies(run: RunFindings, say: Strings) -> Iterator[str]:
    graders = run.overview.graders
    for each in graders:
        if each.latency_median_ms is None or each.latency_p95_ms is None:
            continue
        told = say(
            "report.judged.latency_told",
            median=f"{each.latency_median_ms / 1000:.2f}",
            p95=f"{each.latency_p95_ms / 1000:.2f}",
        )
        yield f"{each.model}: {told}" if len(graders) > 1 else told


def _tags(tags: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in tags.items())
