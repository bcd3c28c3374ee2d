"""`adjudge reread`: what today's reader makes of the replies that a run has kept."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from . import flags
from .output import print_json

if TYPE_CHECKING:
    from adjudge.core.score import Score
    from adjudge.run_handle import Run
    from adjudge.running import Change, Reread


@click.command("reread")
@click.argument("run", default="latest")
@flags.out_option(
    "Also write the new verdicts; the ending chooses the format: .jsonl .json .csv .xlsx"
    " .parquet .md .html .xml (JUnit)."
)
@flags.option("--dry-run", is_flag=True, help="Show what would change; write nothing.")
@flags.store_option
@flags.json_option
def command(run: str, out: tuple[str, ...], dry_run: bool, store: str, as_json: bool) -> None:
    """Read the stored replies of RUN again with the present reader; no model is asked.

    RUN is an id, a name, `latest`, `latest~1` or `tag:k=v`. It is read by the judge that was kept
    with it. The new verdicts replace the old ones; those without a kept reply stay as they are.
    """
    from adjudge.reports.files import check_path
    from adjudge.run_handle import open_run

    if dry_run and out:
        raise UsageError(Reason("command.dry_run_out"))
    for path in out:
        check_path(Path(path))
    with closing(open_run(run, store=store)) as opened:
        result = opened.reread(dry_run=dry_run)
        for path in out:
            opened.export(path)
        _show(opened, result, out, as_json=as_json)


def _show(run: Run, result: Reread, out: tuple[str, ...], *, as_json: bool) -> None:
    from adjudge.reports.findings.run import run_table, summary_dict

    if as_json:
        after = summary_dict(run.record, run.summary_after(result))
        print_json(after | {"reread": _as_dict(result), "files": list(out)})
        return
    click.echo(_changes(result))
    click.echo(f"\n{run_table(run.record, run.summary_after(result))}")
    for path in out:
        click.echo(f"written: {path}")


def _as_dict(result: Reread) -> dict[str, object]:
    from adjudge.reports.encode import fields, shaped

    counts = fields("dry_run", "verdicts", "without_reply", "changed", values_changed="values")
    return shaped(result, counts) | {
        "outcomes": [
            {"old": old, "new": new, "count": count}
            for (old, new), count in result.outcomes.items()
        ],
        "examples": [_example(change) for change in result.examples],
        "fingerprints": {
            judge: {"old": old, "new": new} for judge, (old, new) in result.fingerprints.items()
        },
    }


def _example(change: Change) -> dict[str, object]:
    from adjudge.reports.encode import fields, shaped

    score = fields("outcome", "value")
    shown = shaped(change, fields("item", "judge", "model", "repeat", "criterion"))
    return shown | {"old": shaped(change.old, score), "new": shaped(change.new, score)}


def _changes(result: Reread) -> str:
    """The changes for reading, the counts before the examples."""
    from adjudge.reports.renderers.terminal import table

    lines = [f"read again: {result.verdicts} verdicts, no model call made"]
    if result.without_reply:
        lines.append(f"{result.without_reply} of them without a reply: left as they are")
    changed = "would change" if result.dry_run else "changed"
    moves = [f"{count} {old} → {new}" for (old, new), count in sorted(result.outcomes.items())]
    listed = f" ({', '.join(moves)})" if moves else ""
    lines.append(f"verdicts that {changed}: {result.changed}{listed}")
    lines.append(f"values that {changed}: {result.values}")
    lines += [
        f"{judge}: reader, rules or wording differ from then (fingerprint {old}, now {new})"
        for judge, (old, new) in result.fingerprints.items()
    ]
    if result.examples:
        rows = [_row(change) for change in result.examples]
        lines.append("\n" + table(["for example, item", "criterion", "was", "now"], rows))
    if result.dry_run:
        lines.append("\nDry run: nothing was written. The run would look like this:")
    return "\n".join(lines)


def _row(change: Change) -> list[str]:
    item = f"{change.item}, repeat {change.repeat}" if change.repeat else change.item
    return [item, change.criterion, _value(change.old), _value(change.new)]


def _value(score: Score) -> str:
    return score.outcome.value if score.value is None else str(score.value)
