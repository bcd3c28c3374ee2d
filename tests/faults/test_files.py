"""Files and folders that cannot be written."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.commands import ADJUDGE, Command, Ended

REPLAY = ["run", "data.jsonl", "--judge", "helpfulness", "-m", "replay:replies.jsonl"]


@pytest.fixture
def sealed() -> Iterator[Path]:
    """A folder with data that nobody may write to."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data.jsonl").write_text('{"id": "1", "question": "q", "answer": "a"}\n')
        (folder / "replies.jsonl").write_text('{"item": "1", "replies": ["{\\"rating\\": 3}"]}\n')
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)


# Root may write everywhere, unless it gives up that very capability (CAP_DAC_OVERRIDE) first.
AS_ANYONE = """
import ctypes, os, sys
if os.geteuid() == 0 and ctypes.CDLL(None).prctl(24, 1, 0, 0, 0):
    sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
"""


def run_in(folder: Path, *arguments: str) -> Ended:
    command = [sys.executable, "-c", AS_ANYONE, ADJUDGE, *arguments]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ended.returncode == 77:
        pytest.skip("root cannot be kept from writing here")
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def test_a_store_in_a_sealed_folder(sealed: Path) -> None:
    ended = run_in(sealed, *REPLAY)
    assert ended.code == 1
    assert "cannot be made: Permission denied" in ended.err
    assert "--store" in ended.err


def test_a_store_file_in_a_sealed_folder(sealed: Path) -> None:
    ended = run_in(sealed, *REPLAY, "--store", "x.db")
    assert ended.code == 1
    assert "unable to open database file" in ended.err
    assert "--store" in ended.err


def test_results_in_a_sealed_folder(sealed: Path) -> None:
    with tempfile.TemporaryDirectory() as open_to_all:
        store = f"{open_to_all}/x.db"
        ended = run_in(sealed, *REPLAY, "--store", store, "-o", "out.csv")
        assert ended.code == 2  # before anything is spent
        assert "cannot be written to" in ended.err
        assert not Path(store).exists()


def test_a_full_disk_keeps_the_run(adjudge: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """The results cannot be written; the verdicts are in the store all the same."""
    adjudge.write("data.jsonl", [{"id": "1", "question": "q", "answer": "a"}])
    adjudge.write("replies.jsonl", [{"item": "1", "replies": ['{"rating": 3}']}])
    with monkeypatch.context() as full:

        def fsync(_: int) -> None:
            raise OSError(28, "No space left on device")

        full.setattr(os, "fsync", fsync)
        ended = adjudge(*REPLAY, "-o", "out.csv")
    assert ended.code == 1
    assert "No space left on device" in ended.err
    assert sorted(path.name for path in Path().iterdir()) == [
        ".adjudge",
        "data.jsonl",
        "replies.jsonl",
    ]
    assert adjudge("export", "-o", "out.csv").code == 0
    assert Path("out.csv").exists()


def test_data_that_changes_meanwhile(adjudge: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from adjudge.running.engines import LocalEngine

    adjudge.write("data.jsonl", [{"id": "1", "question": "q", "answer": "a"}])
    adjudge.write("replies.jsonl", [{"item": "1", "replies": ['{"rating": 3}']}])
    open_store = LocalEngine.open_store

    def meddling(url: str) -> object:
        adjudge.write("data.jsonl", [{"id": "1", "question": "q", "answer": "other"}])
        return open_store(url)

    monkeypatch.setattr(LocalEngine, "open_store", staticmethod(meddling))
    ended = adjudge(*REPLAY)
    assert ended.code == 2
    assert "the file changed while it was in use" in ended.err
