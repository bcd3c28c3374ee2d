"""How verdicts and findings show themselves at a prompt and in a notebook.

Their classes are nouns of lower layers, which know nothing of pages. The Python front calls `show`
for a class when it first returns one: from then on its objects show the blocks of reports.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from adjudge.core.verdict import Verdict

from .blocks import Block, Table
from .findings.run import verdict_text
from .renderers.notebook import as_cell

Composed = Callable[[Any], Iterable[Block]]


def show(kind: type, composed: Composed, words: Callable[[Any], str] | None = None) -> None:
    """Gives a class its `repr` and its HTML. `words` makes the first where blocks do not."""

    def as_words(self: object) -> str:
        from .renderers.terminal import as_text  # noqa: PLC0415

        return words(self) if words else as_text(list(composed(self))).strip("\n")

    def as_html(self: object) -> str:
        return as_cell(composed(self))

    kind.__repr__ = as_words  # type: ignore[assignment,method-assign]
    kind._repr_html_ = as_html  # type: ignore[attr-defined]


def show_verdicts() -> None:
    show(Verdict, _verdict, verdict_text)


def show_calibrations() -> None:
    from adjudge.analysis.calibration.findings import Calibration  # noqa: PLC0415

    from .findings.calibration import calibration  # noqa: PLC0415 - loads numpy
    from .words import command_line  # noqa: PLC0415

    show(Calibration, lambda finding: calibration(finding, command_line()))


def show_comparisons() -> None:
    from adjudge.analysis.comparison.findings import Comparison  # noqa: PLC0415

    from .findings.comparison import comparison  # noqa: PLC0415 - loads numpy
    from .words import command_line  # noqa: PLC0415

    show(Comparison, lambda finding: comparison(finding, command_line()))


def show_rankings() -> None:
    from adjudge.analysis.ranking.findings import Ranking  # noqa: PLC0415

    from .findings.ranking import ranking  # noqa: PLC0415 - loads numpy
    from .words import command_line  # noqa: PLC0415

    show(Ranking, lambda finding: [ranking(finding, command_line())])


def _verdict(verdict: Verdict) -> list[Block]:
    rows = [
        [
            name,
            "–" if score.value is None else str(score.value),
            score.label or "",
            score.outcome.value,
            score.explanation or score.why or "",
        ]
        for name, score in verdict.scores.items()
    ]
    head = ["criterion", "value", "label", "outcome", "explanation"]
    return [Table([f"{verdict.judge} by {verdict.model}", *head[1:]], rows)]
