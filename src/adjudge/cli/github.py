"""What GitHub Actions shows of a run: annotations, and a summary of the job.

Annotations are lines on stderr that the runner reads; the summary is a file that it names. Nothing
happens anywhere else.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from adjudge.run_handle import Run


def tell_github(run: Run) -> None:
    """An error per gate that failed, a warning per criterion with rows that went unscored, and the
    summary of the job."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    for line in annotations_of(run):
        click.echo(line, err=True)
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(run.summary_markdown() + "\n")


def annotations_of(run: Run) -> Iterator[str]:
    from adjudge.reports.findings.gates import gate_failure

    for result in run.gates:
        failure = gate_failure([result])
        if failure:
            yield _command("error", "adjudge gate", failure)
    for name, missing, samples in run.unscored():
        yield _command("warning", "adjudge", f"{name}: {missing} of {samples} went unscored")


def _command(kind: str, title: str, message: str) -> str:
    return f"::{kind} title={_escaped(title)}::{_escaped(message)}"


def _escaped(text: str) -> str:
    """As the runner wants it: a line break would end the command, and so would what follows."""
    for sign, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(sign, code)
    return text
