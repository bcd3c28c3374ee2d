"""The packages of requirements.lock as they are installed here, with what their metadata says."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
LOCK, PROJECT = ROOT / "requirements.lock", ROOT / "pyproject.toml"
EXTRAS = ("web", "parquet", "embedded", "postgres")  # what the lock is resolved with

# Classifiers and short texts in the old field `License`, as SPDX names them.
_SPDX = {
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}


@dataclass(frozen=True)
class Package:
    """`name` is in its normal form."""

    name: str
    installed: Distribution

    @property
    def version(self) -> str:
        return self.installed.version

    @cached_property
    def licence(self) -> str:
        """An SPDX expression where the metadata gives or allows one, else its own words."""
        told = self.installed.metadata
        if expression := told.get("License-Expression"):
            return expression
        classified = [
            each.rsplit(" :: ", 1)[1]
            for each in told.get_all("Classifier") or ()
            if each.startswith("License :: ") and each.count(" :: ") > 1
        ]
        if classified:
            return " AND ".join(_SPDX.get(each, each) for each in classified)
        first = (told.get("License") or "not said").strip().split("\n", 1)[0]
        return _SPDX.get(first, first)

    def needs(self, extras: Iterable[str] = ()) -> Iterator[Requirement]:
        """What it asks for on this platform, with these extras of it."""
        for line in self.installed.requires or ():
            required = Requirement(line)
            if _counts(required, extras):
                yield required


def _counts(required: Requirement, extras: Iterable[str]) -> bool:
    marker = required.marker
    return marker is None or any(marker.evaluate({"extra": each}) for each in ("", *extras))


def locked(lock: Path = LOCK) -> dict[str, Package]:
    """By name, those that the lock wants on this platform; `SystemExit` where one is not there."""
    found = {}
    for line in lock.read_text("utf-8").splitlines():
        if not re.match(r"[A-Za-z0-9]", line):
            continue  # a hash, or a comment
        required = Requirement(line.rstrip(" \\"))
        if not _counts(required, ()):
            continue
        name = canonicalize_name(required.name)
        try:
            found[name] = Package(name, distribution(name))
        except PackageNotFoundError:
            raise SystemExit(
                f"{name} of {lock.name} is not installed: run `make test` once"
            ) from None
    return found


def at_run_time(packages: Mapping[str, Package]) -> dict[str, Package]:
    """Those that a user's installation has: without the tools that build it."""
    project = tomllib.loads(PROJECT.read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *(f"adjudge[{extra}]" for extra in EXTRAS)]
    due = [Requirement(line) for line in asked]
    found: dict[str, Package] = {}
    while due:
        required = due.pop()
        name = canonicalize_name(required.name)
        if name == "adjudge":  # an extra that is made of others
            for extra in required.extras:
                due += map(Requirement, project["optional-dependencies"][extra])
            continue
        if not _counts(required, ()) or name not in packages:
            continue
        new = name not in found
        found[name] = packages[name]
        if new or required.extras:
            needed = packages[name].needs(required.extras)
            due += [each for each in needed if canonicalize_name(each.name) not in found]
    return dict(sorted(found.items()))
