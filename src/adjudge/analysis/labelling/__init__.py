"""People label the items of a run: which item comes next, and what they answer."""

from .labels import (
    ImportedLabels,
    LabelPlace,
    complete_by_rater,
    conflicts_of,
    import_labels,
    judge_of,
    keep_labels,
    scales_of,
)
from .queue import LabelOptions, Pick, Queue, picks_for, queue_of
from .session import (
    HELP,
    QUIT,
    SKIP,
    SKIP_ITEM,
    UNDO,
    AnswerKeys,
    LabelSession,
    Question,
    keys_of,
    open_session,
)

__all__ = [
    "HELP",
    "QUIT",
    "SKIP",
    "SKIP_ITEM",
    "UNDO",
    "AnswerKeys",
    "ImportedLabels",
    "LabelOptions",
    "LabelPlace",
    "LabelSession",
    "Pick",
    "Question",
    "Queue",
    "complete_by_rater",
    "conflicts_of",
    "import_labels",
    "judge_of",
    "keep_labels",
    "keys_of",
    "open_session",
    "picks_for",
    "queue_of",
    "scales_of",
]
