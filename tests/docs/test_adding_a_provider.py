"""What docs/adding-a-provider.md shows: the provider is installed, used, and put to the test."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.commands import ADJUDGE
from tests.doubles.acme import KEY, AcmeDouble

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adding-a-provider.md").read_text("utf-8")
[MODULE] = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
[PROJECT] = re.findall(r"^```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
RUN, SUITE = (
    shlex.split(line.removeprefix("$ ")) for line in PAGE.splitlines() if line.startswith("$ ")
)
REPLY = json.dumps(
    {
        "evaluation": "It answers all that was asked.",
        "strengths": ["clear", "short"],
        "weaknesses": ["no source", "no example"],
        "analysis": "Sound.",
        "recommendations": ["Add a source.", "Add an example."],
        "rating": 4,
    }
)


@pytest.fixture
def installed(tmp_path: Path) -> dict[str, str]:
    """The environment of a process that has the page's package on its path."""
    project = tomllib.loads(PROJECT)["project"]
    site = tmp_path / "site"
    info = site / f"adjudge_acme-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (site / "adjudge_acme.py").write_text(MODULE, "utf-8")
    head = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(head, "utf-8")
    [(group, points)] = project["entry-points"].items()
    lines = [f"[{group}]", *(f"{name} = {where}" for name, where in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ADJUDGE_")}
    return {**clean, "PYTHONPATH": str(site), "ACME_API_KEY": KEY, "CI": "1"}


def test_it_is_one_short_file() -> None:
    assert len(MODULE.splitlines()) < 150
    assert not re.findall(r"\bTODO\b|\.\.\.", MODULE)


@pytest.fixture
def adjudge(installed: dict[str, str], tmp_path: Path) -> Callable[..., Any]:
    def run(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [ADJUDGE, *arguments],
            check=False,
            cwd=tmp_path,
            env=installed | more,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


def test_it_is_listed_and_judges(adjudge: Callable[..., Any], tmp_path: Path) -> None:
    row = {"question": "What is Rust?", "answer": "A language."}
    (tmp_path / "answers.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    assert "acme" in json.loads(adjudge("models", "--json").stdout)["providers"]
    with AcmeDouble(lambda body: REPLY) as double:
        ended = adjudge(*RUN[1:], ACME_BASE_URL=double.url)
    assert ended.returncode == 0, ended.stderr
    [verdict] = map(json.loads, (tmp_path / "verdicts.jsonl").read_text("utf-8").splitlines())
    assert (verdict["model"], verdict["scores"]["rating"]["value"]) == ("acme/one", 4)
    assert verdict["usage"]["cost_usd"] is None
    assert len(double.requests) == 1


@pytest.mark.parametrize(
    ("model", "code", "told"), [("acme/one", 1, "set ACME_API_KEY"), ("acme", 2, "write acme/NAME")]
)
def test_what_the_user_did_wrong_is_said_in_a_line(
    adjudge: Callable[..., Any], model: str, code: int, told: str
) -> None:
    asked = ["one", "--judge", "helpfulness", "--set", "question=x", "--set", "answer=y"]
    ended = adjudge(*asked, "-m", model, ACME_API_KEY="")
    assert ended.returncode == code
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr


def test_it_passes_the_conformance_suite(installed: dict[str, str], tmp_path: Path) -> None:
    shutil.copy(ROOT / "tests/docs/acme_case.py", tmp_path / "site/adjudge_acme_case.py")
    command = [sys.executable, *SUITE[1:], "-q", "-p", "no:cacheprovider"]
    ended = subprocess.run(
        command, check=False, cwd=ROOT, env=installed, capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stdout
    passed = re.search(r"(\d+) passed", ended.stdout)
    assert passed
    assert int(passed.group(1)) > 30
