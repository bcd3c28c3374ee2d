from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.errors import AdjudgeError
from adjudge.reports.files.whole_file import write_whole

# Writes half of a file, says so, and waits.
HALF = """
import sys
from pathlib import Path
from adjudge.reports.files.whole_file import write_whole

def half(out):
    out.write(b"half")
    print("half", flush=True)
    sys.stdin.readline()
    out.write(b" and half")

write_whole(Path(sys.argv[1]), half)
"""


def writing(path: Path) -> subprocess.Popen[str]:
    """A process in the middle of writing."""
    process = subprocess.Popen(
        [sys.executable, "-c", HALF, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "half\n"
    return process


def test_what_a_killed_one_left_is_removed_by_the_next(tmp_path: Path) -> None:
    with writing(tmp_path / "a.csv") as process:
        process.send_signal(signal.SIGKILL)
    assert len(os.listdir(tmp_path)) == 1  # noqa: PTH208 - how many, not which
    write_whole(tmp_path / "b.csv", lambda out: out.write(b"whole"))
    assert [each.name for each in tmp_path.iterdir()] == ["b.csv"]


def test_who_is_still_writing_is_left_alone(tmp_path: Path) -> None:
    with writing(tmp_path / "a.csv") as process:
        write_whole(tmp_path / "b.csv", lambda out: out.write(b"whole"))
        process.communicate("go on\n")
    assert process.returncode == 0
    assert (tmp_path / "a.csv").read_bytes() == b"half and half"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.csv", "b.csv"]


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    other = tmp_path / ".a.csv.12345678.tmp"
    other.touch()
    write_whole(tmp_path / "b.csv", lambda out: out.write(b"whole"))
    assert other.exists()


def test_a_name_as_long_as_names_may_be(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 251 + ".csv")
    write_whole(path, lambda out: out.write(b"whole"))
    assert path.read_bytes() == b"whole"


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(AdjudgeError, match="choose another"):
        write_whole(tmp_path / "gone" / "a.csv", lambda out: out.write(b"whole"))
