"""The column names that are understood without `--map`, and when two names are the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

_ANSWERS = (
    "system_answer",
    "agent_answer",
    "answer",
    "generated_response",
    "response",
    "actual_output",
    "output",
    "completion",
)

# For each input the names of columns that may feed it, best first. Names that stand for many
# things ("input", "output") come late, so that a plainer column goes first.
KNOWN_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "question": ("user_question", "question", "user_input", "query", "prompt", "input"),
    "answer": _ANSWERS,
    "reference": (
        "true_answer",
        "reference_answer",
        "reference",
        "ground_truth",
        "expected_output",
        "expected",
    ),
    "source": ("source_text", "source", "document", "article", "input"),
    "response": ("generated_response", "response", "summary", *_ANSWERS),
    "context": ("context",),
    "focus": ("focus", "evaluation_focus"),
    # Not model_a and model_b: in published comparisons these name the models, not the answers.
    "answer_a": (
        "answer_a",
        "response_a",
        "output_a",
        "completion_a",
        "answer_1",
        "response_1",
        "output_1",
    ),
    "answer_b": (
        "answer_b",
        "response_b",
        "output_b",
        "completion_b",
        "answer_2",
        "response_2",
        "output_2",
    ),
}

ID_COLUMNS = ("id", "item", "item_id", "question_id", "qid", "uid", "idx")

_GAPS = re.compile(r"[\s_-]+")


def normal(name: str) -> str:
    """The name without case, with one `_` for any run of spaces, `-` and `_`."""
    return _GAPS.sub("_", unicodedata.normalize("NFC", name).strip().casefold())
