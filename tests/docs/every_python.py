"""`make pythons`: the wheel on every Python from 3.11 to 3.14 that this machine has.

Each gets a clean environment with the base install, and judges the tutorial's answers; then the
extras, with a calibration and a report. Pythons are looked for on the path and below ~/.pyenv and
~/.local/share/uv. Those that are not here are named.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
TUTORIAL = ROOT / "examples" / "tutorial"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
_PLACES = ("~/.pyenv/versions/{}*/bin", "~/.local/share/uv/python/cpython-{}*/bin")


def found(version: str) -> str | None:
    if on_path := _works(shutil.which(f"python{version}")):
        return on_path
    for place in _PLACES:
        pattern = Path(place.format(version)).expanduser()
        for folder in sorted(Path(pattern.anchor).glob(str(pattern.relative_to(pattern.anchor)))):
            if program := _works(str(folder / f"python{version}")):
                return program
    return None


def _works(program: str | None) -> str | None:
    """A shim of pyenv is there for versions that are not."""
    if program is None or not Path(program).exists():
        return None
    ended = subprocess.run(
        [program, "-c", "import venv, ensurepip"], capture_output=True, check=False
    )
    return program if ended.returncode == 0 else None


def tried(program: str, wheel: Path, folder: Path) -> str:
    """The table that a run on this Python prints; raises where a step fails."""
    subprocess.run([program, "-m", "venv", str(folder)], check=True)
    pip = [str(folder / "bin/python"), "-m", "pip", "--disable-pip-version-check", "-q", "install"]
    subprocess.run([*pip, str(wheel)], check=True, stderr=subprocess.DEVNULL)
    command = [str(folder / "bin/adjudge"), "run", str(TUTORIAL / "answers.csv")]
    command += [
        "--judge",
        str(TUTORIAL / "judge.yaml"),
        "-m",
        f"replay:{TUTORIAL / 'replies.jsonl'}",
    ]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    extras = f"{wheel}[embedded,hub,parquet,postgres,trust,web]"
    subprocess.run([*pip, extras], check=True, stderr=subprocess.DEVNULL)
    calibrate = [command[0], "calibrate", "latest", "--labels", str(TUTORIAL / "labels.csv")]
    report = [command[0], "report", "latest", "-o", "report.html"]
    for words in (calibrate, report):
        subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    return ended.stdout


def main() -> int:
    failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        builder = ROOT / ".venv/bin/python"
        build = [str(builder if builder.exists() else sys.executable), "-m", "hatchling", "build"]
        out = Path(scratch) / "wheel"
        subprocess.run(
            [*build, "-t", "wheel", "-d", str(out)], cwd=ROOT, check=True, capture_output=True
        )
        (wheel,) = out.glob("*.whl")
        for version in VERSIONS:
            program = found(version)
            if program is None:
                sys.stdout.write(f"Python {version}: not on this machine\n")
                continue
            try:
                table = tried(program, wheel, Path(scratch) / version)
            except subprocess.CalledProcessError as error:
                failed += 1
                sys.stdout.write(f"Python {version}: FAILED, {error}\n{error.stderr or ''}\n")
                continue
            good = "accuracy   189     3         4.04" in table
            failed += not good
            sys.stdout.write(f"Python {version}: {'ok' if good else 'other figures'} ({program})\n")
    return int(bool(failed))


if __name__ == "__main__":
    os.environ.pop("PYTHONPATH", None)
    sys.exit(main())
