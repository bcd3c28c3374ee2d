"""A folder → what in it looks like a judge prompt, and what an import of each would make."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from adjudge.errors import AdjudgeError

from .importer import import_prompt
from .options import Detect, Options
from .prompt_text import FoundPrompt
from .rubric import said_of
from .source import prompts_of

_KINDS = frozenset(
    [
        ".py", ".ipynb", ".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".toml", ".jsonnet",
        ".libsonnet", ".prompty", ".prompt", ".txt", ".md", ".jinja", ".jinja2", ".j2", ".tmpl",
        ".mustache", ".hbs", ".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts",
    ]
)  # fmt: skip
# Folders of other people's code and of caches.
_LEFT_OUT = frozenset(
    ["node_modules", "__pycache__", "venv", "site-packages", "dist", "build", "target"]
)
_LARGEST = 2_000_000


@dataclass(frozen=True, slots=True)
class FoundJudge:
    """A prompt in a file that reads like a judge's; `problem` says why it cannot be imported, and
    `criteria` gives the scale of each criterion where it can."""

    file: Path
    prompt: FoundPrompt
    criteria: dict[str, str] = field(default_factory=dict)
    judged: tuple[str, ...] = ()
    problem: str = ""


def find_judges(folder: Path, detect: Detect) -> Iterator[FoundJudge]:
    """All prompts below a folder that read like a judge's, in the order of their files' names."""
    for file in _files(folder):
        for prompt in prompts_of(file):
            if prompt.likely and prompt.judges:
                judge = _outcome(file, prompt, detect)
                if not judge.problem or prompt.has_place:
                    yield judge


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in _LEFT_OUT and not name.startswith(".")
        )
        for name in sorted(names):
            path = Path(root, name)
            if path.suffix.casefold() in _KINDS and path.stat().st_size <= _LARGEST:
                yield path


def _outcome(file: Path, prompt: FoundPrompt, detect: Detect) -> FoundJudge:
    if prompt.problem:
        return FoundJudge(file, prompt, problem=str(prompt.problem))
    options = Options(name="found", detect=detect, settings=prompt.settings)
    try:
        judge = import_prompt(prompt, options, file.name)
    except AdjudgeError as error:
        return FoundJudge(file, prompt, problem=str(error).partition("\n")[0])
    return FoundJudge(file, prompt, said_of(judge.criteria), judge.judge.judged)
