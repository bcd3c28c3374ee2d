"""What the benchmarks share: the stub as a process, and a run of the real command."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from venvs import BENCH, BUILD

SCRATCH = BUILD / "scratch"
ADJUDGE = str(Path(sys.executable).with_name("adjudge"))


class Stub:
    """`with Stub() as stub:` a running stub; `setup` begins its counts anew."""

    def __enter__(self) -> Stub:
        command = [sys.executable, str(BENCH / "stub.py")]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None  # noqa: S101 - it was asked for
        self.address = self._process.stdout.readline().strip()
        if not self.address:
            raise SystemExit("the stub did not start")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.terminate()
        self._process.wait()

    def base(self, form: str) -> str:
        """The base URL at which the stub answers in that form."""
        return f"{self.address}/{form}/v1"

    def setup(self, **settings: float) -> None:
        self._call("/setup", json.dumps(settings).encode())

    def stats(self) -> dict[str, Any]:
        return self._call("/stats")

    def _call(self, path: str, body: bytes | None = None) -> dict[str, Any]:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(self.address + path, body, timeout=30) as answer:
            told: dict[str, Any] = json.load(answer)
            return told


@contextmanager
def scratch(name: str) -> Iterator[Path]:
    """An empty folder on the disk of the repository, gone afterwards."""
    folder = SCRATCH / f"{name}-{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def judging(base: str, concurrency: int, *more: str) -> list[str]:
    """The command that judges data.jsonl of the working directory, with its durable store.

    Replies in the form `helpfulness` are for the built-in judge; else one that is asked for a
    rating and a reason, as the peers are.
    """
    judge = "helpfulness" if "/helpfulness/" in base else str(BENCH / "judge.yaml")
    return [
        *(ADJUDGE, "run", "data.jsonl", "--judge", judge, "-m", "openai/stub"),
        *("--base-url", base, "-j", str(concurrency), "--store", "runs.db"),
        *("--no-progress", "--json", *more),
    ]


def verdicts(folder: Path) -> Iterator[dict[str, Any]]:
    """The verdicts of the latest run in the store of `folder`, as the export has them."""
    command = [ADJUDGE, "export", "latest", "--store", "runs.db", "-o", "verdicts.jsonl"]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    with (folder / "verdicts.jsonl").open() as lines:
        yield from map(json.loads, lines)


def stop(process: subprocess.Popen[Any]) -> None:
    """kill -9, and nothing of it left."""
    process.send_signal(signal.SIGKILL)
    process.wait()


def wait_for(stub: Stub, answers: int, process: subprocess.Popen[Any], limit: float) -> None:
    """Until the stub has given that many answers."""
    until = time.monotonic() + limit
    while stub.stats()["answers"] < answers:
        if process.poll() is not None:
            raise SystemExit("the run ended before it could be killed: take more rows")
        if time.monotonic() > until:
            raise SystemExit(f"fewer than {answers} answers within {limit:.0f} s")
        time.sleep(0.01)
