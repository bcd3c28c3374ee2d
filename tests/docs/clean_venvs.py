"""The built wheel in clean virtual environments, as a user installs it.

The wheel is built and installed once per session, with what the package index has today: pip's
ordinary client, no lock. An environment with extras is that one and the packages that the wheel's
metadata asks for, linked from where the tests run; `make pythons` installs the extras themselves.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import Distribution, PathDistribution, distribution
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement

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
    def site(self) -> Path:
        return next(self.folder.glob("**/site-packages"))

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
        key = (*sorted(extras), *sorted(further))
        if key not in self._made:
            made = CleanVenv(self.folder / "-".join(("venv", *key)))
            venv.create(made.folder, with_pip=not key)
            if key:
                self._link(made, extras, further)
            else:
                self._install(made)
            self._made[key] = made
        return self._made[key]

    def _install(self, base: CleanVenv) -> None:
        pip = ("python", "-m", "pip", "--disable-pip-version-check", "-q", "install")
        ended = base.run(*pip, str(self.wheel), cwd=self.folder)
        if ended.returncode and "CI" not in os.environ:
            pytest.skip(f"the package index cannot be used here: {ended.stderr[-200:]}")
        assert not ended.returncode, ended.stderr

    def _link(self, made: CleanVenv, extras: tuple[str, ...], further: tuple[str, ...]) -> None:
        base = self.with_extras()
        (ours,) = base.site.glob("adjudge-*.dist-info")
        brought = chain.from_iterable(_wanted(distribution(name), ()) for name in further)
        for package in chain(_wanted(PathDistribution(ours), extras), brought):
            for name in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
                if not (made.site / name).exists():
                    (made.site / name).symlink_to(str(package.locate_file(name)))
        command = (base.bin / "adjudge").read_text("utf-8")
        (made.bin / "adjudge").write_text(command.replace(str(base.folder), str(made.folder)))
        (made.bin / "adjudge").chmod(0o755)


def _wanted(package: Distribution, extras: tuple[str, ...]) -> Iterator[Distribution]:
    """The packages that one with these extras asks for, and those that they ask for."""
    asked = {(package.name, extras): package}
    waiting = list(asked)
    for name, chosen in waiting:  # grows while it is gone through
        for requirement in map(Requirement, asked[name, chosen].requires or ()):
            holds = requirement.marker.evaluate if requirement.marker else lambda _: True
            key = (requirement.name, tuple(sorted(requirement.extras)))
            if key not in asked and any(holds({"extra": extra}) for extra in ("", *chosen)):
                is_ours = requirement.name == package.name
                asked[key] = package if is_ours else distribution(requirement.name)
                waiting.append(key)
    yield from asked.values()
