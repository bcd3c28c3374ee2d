"""Files and runs in the working directory, where a store lies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import adjudge

STORE = "s.db"


def write(path: str, rows: Iterable[Mapping[str, object]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    Path(path).write_text("".join(lines), "utf-8")


def run(data: str, judge: str, *replies: str, **options: Any) -> str:
    """Its id; the models replay these files, unless the options name another."""
    chosen = {"model": [f"replay:{name}" for name in replies]} | options
    with closing(adjudge.run(data, judge=judge, store=STORE, **chosen)) as made:
        return made.id
