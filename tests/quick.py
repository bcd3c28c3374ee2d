"""`make test-quick`: the tests nearest to the change at hand, for a minute and a bit.

The change is what differs from `main`, or from the commit before on `main` itself, with what is not
committed yet. First come the tests that mirror a changed file, then the others in the order of how
many imports lie between them and the change; slow tests are left out. At most MOST files are
collected, after SECONDS no further test begins, and what was not begun is counted.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SECONDS = 55.0  # the last files, and the start of the workers, take the rest of ninety
MOST = 60  # two cores run no more in the time, and to collect all takes half of it


def changed_files() -> list[Path]:
    """Relative to the root; deleted files too, since what imported them is near."""
    on_main = _git("rev-parse", "--abbrev-ref", "HEAD") == ["main"]
    base = "HEAD~1" if on_main else _git("merge-base", "HEAD", "main")[0]
    committed = _git("diff", "--name-only", base)
    untracked = _git("ls-files", "--others", "--exclude-standard")
    return [Path(name) for name in dict.fromkeys((*committed, *untracked))]


def _git(*arguments: str) -> list[str]:
    ended = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return ended.stdout.splitlines()


def module_of(file: Path) -> str:
    """The module that a file is, or whose package it belongs to: "adjudge.core.scale"."""
    parts = file.with_suffix("").parts if file.suffix == ".py" else file.parent.parts
    named = parts[1:] if parts[:1] == ("src",) else parts
    return ".".join(named[:-1] if named[-1:] == ("__init__",) else named)


@cache
def imports_of(file: Path) -> frozenset[str]:
    """Modules, and perhaps names in them, that the file imports anywhere in its text."""
    module = module_of(file)
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / file).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.rsplit(".", node.level - 1)[0] if node.level else ""
            base = ".".join(filter(None, (above, node.module or "")))
            found.update((base, *(f"{base}.{alias.name}" for alias in node.names)))
    return frozenset(found)


def by_distance(changed: list[Path]) -> list[Path]:
    """The test files that the change can reach, the nearest first."""
    files = [Path(name) for name in _git("ls-files", "src/*.py", "tests/*.py", "bench/*.py")]
    files += [file for file in changed if file.suffix == ".py" and file not in files]
    files = [file for file in files if (ROOT / file).exists()]
    importers: dict[str, set[str]] = defaultdict(set)
    for file in files:
        for name in imports_of(file):
            importers[name].add(module_of(file))
    distance = {module_of(file): 0 for file in changed}
    reached = list(distance)
    for module in reached:  # grows while it is gone through
        for importer in sorted(importers[module]):
            if importer not in distance:
                distance[importer] = distance[module] + 1
                reached.append(importer)
    tests = {file for file in files if file.name.startswith("test_")}
    near = [file for file in tests if module_of(file) in distance]
    if any(file.suffix == ".md" for file in changed):
        near += [file for file in tests if file.parts[1] == "docs" and file not in near]
    own = tuple(name for file in changed for name in mirrors_of(file))
    return sorted(
        near,
        key=lambda file: (
            not str(file).startswith(own),
            distance.get(module_of(file), 0),
            file,
        ),
    )


def mirrors_of(file: Path) -> tuple[str, ...]:
    """How the names of the tests of a source file begin; of a test its own name."""
    if file.parts[:2] != ("src", "adjudge"):
        return (str(file),)
    folder = Path("tests/unit", *file.parts[2:-1])
    return (f"{folder}/test_{file.stem.strip('_')}", f"{folder.parent}/test_{folder.name}.py")


class TimeLimit:
    """Ends the session after SECONDS; what has begun by then is counted to its end."""

    def __init__(self, began: float) -> None:
        self.began = began
        self.files: set[str] = set()
        self.stopped = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.files.add(report.nodeid.partition("::")[0])

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logfinish(self) -> None:
        self.stopped = self.stopped or time.monotonic() - self.began > SECONDS
        if self.stopped:
            # The loop that gives tests to the workers looks at this alone.
            workers = self.session.config.pluginmanager.getplugin("dsession")
            workers.shouldstop = f"{SECONDS:.0f} s are over"

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self.session = session


def main() -> int:
    limit = TimeLimit(time.monotonic())
    near = by_distance(changed_files())
    files = near[:MOST]
    if not files:
        print("no test is near the change")  # noqa: T201 - a command
        return 0
    sys.path.insert(0, str(ROOT))  # as python -m pytest has it: for bench and supply
    flags = ["-n", "3", "--dist", "loadfile", "--no-loadscope-reorder", "-q"]
    flags += ["-m", "not slow and not cluster"]
    code = pytest.main([*flags, "--maxfail", "10", *map(str, files)], plugins=[limit])
    if limit.session.testsfailed:
        return int(code)
    left = len(near) - len(limit.files)
    rest = f"{left} of {len(near)} test files near the change were not begun; make test runs all"
    print(rest if left else "all test files near the change were run")  # noqa: T201
    return 0 if limit.stopped else int(code)


if __name__ == "__main__":
    sys.exit(main())
