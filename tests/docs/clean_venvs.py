"""The built wheel in clean virtual environments, as a user installs it.

The wheel is built once per session, and an environment made once per set of extras, with what the
package index has today: pip's ordinary client, no lock.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_TOOLS = {"pip", "setuptools", "wheel"}  # what a new environment has by itself


@dataclass(frozen=True)
class CleanVenv:
    """One environment; `run` starts a program in it."""

    folder: Path

    @property
    def bin(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    def run(
        self, *words: str, cwd: Path, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """With the programs of the environment first on the path, and nothing of this one."""
        path = os.pathsep.join([str(self.bin), os.environ["PATH"]])
        kept = {name: value for name, value in os.environ.items() if _is_neutral(name)}
        return subprocess.run(
            words,
            cwd=cwd,
            env={**kept, "PATH": path, "VIRTUAL_ENV": str(self.folder), **(env or {})},
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def packages(self) -> list[str]:
        """By name, without the tools that every new environment has."""
        listed = self.run("python", "-m", "pip", "list", "--format=json", cwd=self.folder)
        names = [package["name"].lower() for package in json.loads(listed.stdout)]
        return sorted(name for name in names if name not in _TOOLS)

    @property
    def megabytes(self) -> float:
        """All that the environment takes on the disk, with pip and the compiled files."""
        blocks = sum(path.lstat().st_blocks for path in self.folder.rglob("*"))
        return blocks * 512 / 2**20


def _is_neutral(name: str) -> bool:
    ours = name.startswith(("ADJUDGE_", "PYTEST", "OPENAI_", "COV_")) or name in {
        *("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE"),
    }
    return not ours


@dataclass
class CleanVenvs:
    folder: Path
    _made: dict[tuple[str, ...], CleanVenv] = field(default_factory=dict)
    _wheel: Path | None = None

    @property
    def wheel(self) -> Path:
        if self._wheel is None:
            out = self.folder / "wheel"
            command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
            (self._wheel,) = out.glob("adjudge-*.whl")
        return self._wheel

    def with_extras(self, *extras: str, further: tuple[str, ...] = ()) -> CleanVenv:
        """`further` packages are what the user brings along, e.g. pytest."""
        key = (*sorted(extras), "", *sorted(further))
        if key not in self._made:
            made = CleanVenv(self.folder / f"venv{len(self._made)}")
            venv.create(made.folder, with_pip=True)
            wanted = f"{self.wheel}[{','.join(sorted(extras))}]" if extras else str(self.wheel)
            pip = ("python", "-m", "pip", "--disable-pip-version-check", "-q", "install")
            ended = made.run(*pip, wanted, *further, cwd=self.folder)
            if ended.returncode and "CI" not in os.environ:
                pytest.skip(f"the package index cannot be used here: {ended.stderr[-200:]}")
            assert not ended.returncode, ended.stderr
            self._made[key] = made
        return self._made[key]
