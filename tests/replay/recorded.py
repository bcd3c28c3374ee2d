"""Recorded replies from ../shared/data, put through judge files and `replay:` as a user would."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import adjudge

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
ABSENT = "the recorded replies lie in ../shared/data, which is not here"

Row = dict[str, Any]


def present(name: str) -> bool:
    return _path(name).is_file()


def recorded(name: str) -> list[Row]:
    with gzip.open(_path(name), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _path(name: str) -> Path:
    return DATA / f"{name}.jsonl.gz"


def judged(
    folder: Path,
    scale: Mapping[str, Any],
    replies: Mapping[str, Sequence[str]],
    *,
    criterion: str = "quality",
    repeat: int = 1,
) -> list[Row]:
    """The scores of the replies, by a judge with one criterion that asks for text.

    Each row has `item`, `repeat`, and the fields of its score.
    """
    folder.mkdir(parents=True, exist_ok=True)
    judge, data, replay = folder / "judge.yaml", folder / "data.jsonl", folder / "replies.jsonl"
    judge.write_text(json.dumps(_judge(criterion, scale)), encoding="utf-8")  # JSON is YAML
    _write(data, ({"id": item, "answer": "as recorded"} for item in replies))
    _write(replay, ({"item": item, "replies": list(each)} for item, each in replies.items()))
    run = adjudge.run(
        data,
        judge=str(judge),
        model=f"replay:{replay}",
        store=str(folder / "store.db"),
        concurrency=256,  # fewer, larger commits
        repeat=repeat,
    )
    try:
        return [
            {"item": row["item"], "repeat": row["repeat"], **row["scores"][criterion]}
            for row in run.rows()
        ]
    finally:
        run.close()


def _judge(criterion: str, scale: Mapping[str, Any]) -> Row:
    return {
        "judge": "recorded",
        "version": 1,
        "title": "What do the recorded replies say?",
        "language": "en",
        "explain_in": "any",
        "reply": "text",
        "inputs": {"answer": {"judged": True}},
        "criteria": {criterion: {"guide": "How good is it?", "explain": False, "scale": scale}},
    }


def _write(path: Path, rows: Any) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
