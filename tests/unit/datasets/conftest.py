from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from adjudge.core.judge import Input

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file of that name and content, text as UTF-8."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def inputs() -> dict[str, Input]:
    """A judge of answers: a question, a judged answer, perhaps a focus."""
    return {
        "question": Input(name="question", title="Question"),
        "answer": Input(name="answer", title="Answer", judged=True),
        "focus": Input(name="focus", title="Focus", required=False),
    }
