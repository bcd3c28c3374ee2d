"""The 200,000 replies of Chiang & Lee's study of G-Eval, judged by `adjudge run` once per mode.

A mode is a run: 360 items, four aspects, and all twenty replies of the mode whose figures are
published; of the others as many as `ADJUDGE_GEVAL_REPLIES` says, five by default. The runs go on
side by side while tests look at those that have ended.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections import defaultdict
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path

from tests.commands import ADJUDGE
from tests.replay.recorded import Row, present, recorded

REPLIES, ITEMS = "geval_topicalchat_replies", "topicalchat_items"
PRESENT = present(REPLIES) and present(ITEMS)
SCALES = {
    "naturalness": (1, 3),
    "coherence": (1, 3),
    "engagingness": (1, 3),
    "groundedness": (0, 1),
}
MODES = (
    "geval",
    "geval_no_auto_cot",
    "llm_eval_no_cot",
    "rate_explain",
    "rate_explain_auto_cot",
    "analyze_rate",
    "analyze_rate_auto_cot",
)


def replies_of(mode: str) -> int:
    """How many replies per item and aspect are judged."""
    return 20 if mode == "geval" else int(os.environ.get("ADJUDGE_GEVAL_REPLIES", "5"))


@cache
def rows_of() -> dict[str, dict[str, dict[str, Row]]]:
    """By mode, aspect and item."""
    rows: dict[str, dict[str, dict[str, Row]]] = defaultdict(lambda: defaultdict(dict))
    for row in recorded(REPLIES):
        mode = row["mode"]
        row["replies"] = row["replies"][: replies_of(mode)]
        rows[mode][row["aspect"]][row["item_id"]] = row
    return rows


@cache
def contexts() -> dict[str, int]:
    return {row["item_id"]: row["context_id"] for row in recorded(ITEMS)}


class JudgedModes:
    """The folders in which modes were judged; all of them are begun with the first that is wanted,
    as many at once as there are processors."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pool = ThreadPoolExecutor(os.cpu_count())
        self._runs: dict[str, Future[Path]] = {}

    def of(self, mode: str) -> Path:
        """A working directory with the run, and with what people said in people.jsonl."""
        if not self._runs:
            first_wanted = sorted(MODES, key=lambda each: each != mode)
            self._runs = {each: self._pool.submit(self._judged, each) for each in first_wanted}
        return self._runs[mode].result()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _judged(self, mode: str) -> Path:
        folder = self._folder / mode
        folder.mkdir()
        _write_files(folder, mode)
        command = ["run", "data.jsonl", "--judge", "geval.yaml", "-m", "replay:replies.jsonl"]
        # 256 at once make fewer, larger commits.
        ended = subprocess.run(
            [ADJUDGE, *command, "--repeat", str(replies_of(mode)), "-j", "256", "--quiet"],
            cwd=folder,
            env={name: value for name, value in os.environ.items() if "ADJUDGE" not in name},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout.decode()
        return folder


def _write_files(folder: Path, mode: str) -> None:
    aspects = rows_of()[mode]
    each = [(aspect, item, row) for aspect, rows in aspects.items() for item, row in rows.items()]
    _write(
        folder / "replies.jsonl",
        [{"item": item, "criterion": name, "replies": row["replies"]} for name, item, row in each],
    )
    _write(
        folder / "people.jsonl",
        [{"item": item, "criterion": name, "value": row["human"]} for name, item, row in each],
    )
    items = sorted({item for _, item, _ in each})
    _write(
        folder / "data.jsonl",
        [{"id": item, "context_id": contexts()[item], "answer": "…"} for item in items],
    )
    (folder / "geval.yaml").write_text(json.dumps(_judge()), "utf-8")  # JSON is YAML


def _write(path: Path, rows: list[Row]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def _judge() -> Row:
    """The scales are `number`: some replies say 2.5, which the published means count."""
    scales = {
        name: {"type": "number", "min": low, "max": high} for name, (low, high) in SCALES.items()
    }
    return {
        "judge": "geval",
        "version": 1,
        "title": "What do the recorded replies say?",
        "language": "en",
        "explain_in": "any",
        "reply": "text",
        "ask": "each",
        "inputs": {"answer": {"judged": True}},
        "criteria": {
            name: {"guide": "How good is it?", "explain": False, "scale": scale}
            for name, scale in scales.items()
        },
    }
