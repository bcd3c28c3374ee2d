"""The judge's mean beside the one that people would give."""

from __future__ import annotations

from collections.abc import Sequence

from ..figures import plain
from .intervals import FULL, HOLLOW, limits, mark, rows_on
from .lettering import fitted
from .rows import CorrectedRow, Span
from .sheet import Frame, Key, Sheet, drawn, room_for
from .words import PlotWords

_STEP = 44
_APART = 0.19


def corrected_plot(rows: Sequence[CorrectedRow], words: PlotWords, span: Span | None = None) -> str:
    """Two marks a row: hollow for the judge's mean, full for the corrected one."""
    labels = [fitted(row.label, 32) for row in rows]
    told = [plain(row.written[1]) for row in rows]
    beneath = [plain(row.written[0]) for row in rows]
    height, right = _STEP * max(len(rows), 1), room_for([*told, *beneath], 600)
    frame = Frame.between(room_for(labels), right, height, 66)

    def draw(sheet: Sheet) -> None:
        low, high = limits([each for row in rows for each in (row.raw, row.corrected)], span, ())
        rows_on(sheet, labels, ["" for _ in rows])
        sheet.axes.set_xlim(low, high)
        for at, row in enumerate(rows):
            for stat, text, place, hollow in (
                (row.raw, beneath[at], at - _APART, True),
                (row.corrected, told[at], at + _APART, False),
            ):
                mark(sheet, place, stat, hollow=hollow)
                sheet.beside(place, text)
        sheet.legend([Key(HOLLOW, words.raw), Key(FULL, words.corrected)])

    return drawn(words, frame, draw)
