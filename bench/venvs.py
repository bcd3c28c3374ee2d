"""One venv a peer under build/bench/, made with pip on first use from the pins in peers.toml.

`python bench/venvs.py [NAME ...]` makes them ahead of a run; without names, all of them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parent
BUILD = BENCH.parent / "build" / "bench"


class InstallError(Exception):
    """The packages of a peer could not be installed here."""


@dataclass(frozen=True)
class Peer:
    """A line of peers.toml."""

    name: str
    title: str
    packages: tuple[str, ...]
    share: float = 1.0
    driven_by: str = ""  # the driver's name, where it is not the peer's own

    @property
    def python(self) -> Path:
        return BUILD / self.name / "bin" / "python"

    @property
    def driver(self) -> Path:
        # Not NAME.py: a script's folder comes first, so `import NAME` would find the driver itself.
        return BENCH / "drivers" / f"with_{self.driven_by or self.name}.py"


def peers() -> dict[str, Peer]:
    lines = tomllib.loads((BENCH / "peers.toml").read_text())
    return {
        name: Peer(name, line["title"], tuple(line["packages"]), line.get("share", 1.0))
        for name, line in lines.items()
    }


def ready(peer: Peer) -> bool:
    """Whether its venv is there and was made from the pins as they are now."""
    mark = BUILD / peer.name / "packages.json"
    return mark.exists() and json.loads(mark.read_text()) == list(peer.packages)


def install(peer: Peer) -> None:
    """Makes the venv of `peer` unless it is ready; a failed one is removed and named."""
    if ready(peer):
        return
    folder = BUILD / peer.name
    shutil.rmtree(folder, ignore_errors=True)
    print(f"installing {peer.title}: {' '.join(peer.packages)}", file=sys.stderr, flush=True)
    began = time.monotonic()
    pip = [str(peer.python), "-m", "pip", "--disable-pip-version-check", "-q", "install"]
    for command in ([sys.executable, "-m", "venv", str(folder)], [*pip, *peer.packages]):
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            shutil.rmtree(folder, ignore_errors=True)
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise InstallError(last)
    (folder / "packages.json").write_text(json.dumps(list(peer.packages)))
    print(f"  done in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)


def main() -> int:
    known = peers()
    unknown = set(sys.argv[1:]) - set(known)
    if unknown:
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    failed = False
    for name in sys.argv[1:] or known:
        try:
            install(known[name])
        except InstallError as problem:
            failed = True
            print(f"{name} was not installed: {problem}", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
