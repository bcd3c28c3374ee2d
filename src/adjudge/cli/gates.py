"""The end of a command with gates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from adjudge.errors import GateFailed

from . import flags

if TYPE_CHECKING:
    from adjudge.analysis.gates import Judged


def gate_option(example: str) -> flags.Decorator[Any]:
    """`--gate` with an example of what this command knows."""
    return flags.option(
        "--gate",
        multiple=True,
        metavar="EXPR",
        help=f"Exit 3 unless it holds, e.g. {example}. Repeatable.",
    )


def insist(judged: Sequence[Judged]) -> None:
    """GateFailed when a gate did; to be called last, when everything has been shown."""
    from adjudge.reports.gates import gate_failure  # noqa: PLC0415 - keeps `adjudge --help` quick

    failure = gate_failure(judged)
    if failure:
        raise GateFailed(failure)
