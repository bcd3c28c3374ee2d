"""The Python front is typed keyword by keyword, for editors, `help()` and mypy."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import adjudge
from adjudge import api, trust
from adjudge.analysis.calibration import CalibrateOptions
from adjudge.analysis.comparison import CompareOptions
from adjudge.analysis.panel import PanelOptions
from adjudge.analysis.probing.probe import ProbeOptions
from adjudge.analysis.ranking import RankOptions
from adjudge.reports.report import ReportOptions
from adjudge.running.options import RunKeywords, RunOptions

ROOT = Path(__file__).parents[2]
FUNCTIONS = sorted(
    {
        found
        for module in (adjudge, api, trust)
        for name in getattr(module, "__all__", vars(module))
        if inspect.isfunction(found := getattr(module, name))
        and found.__module__ in ("adjudge.api", "adjudge.trust", "adjudge.run_handle")
        and not found.__name__.startswith("_")
    },
    key=lambda found: found.__name__,
)
ASYNC = [found for found in FUNCTIONS if inspect.iscoroutinefunction(found)]
TOOLS = {"blocking", "spelled_out", "listed", "using"}


def test_the_front_is_found() -> None:
    names = {found.__name__ for found in FUNCTIONS}
    assert {"run", "arun", "judge", "ajudge", "calibrate", "open_run", "assert_judged"} <= names
    assert len(ASYNC) >= 6


@pytest.mark.parametrize(
    "found", [each for each in FUNCTIONS if each.__name__ not in TOOLS], ids=lambda f: f.__name__
)
def test_every_keyword_is_typed(found: Any) -> None:
    signature = inspect.signature(found)
    assert found.__doc__
    assert signature.return_annotation not in (inspect.Signature.empty, "Any")
    for parameter in signature.parameters.values():
        assert parameter.kind is not inspect.Parameter.VAR_KEYWORD, parameter
        assert parameter.annotation not in (inspect.Parameter.empty, "Any"), parameter


@pytest.mark.parametrize("name", sorted(set(adjudge.__all__) & {f.__name__ for f in FUNCTIONS}))
def test_every_keyword_has_a_line_of_documentation(name: str) -> None:
    front = getattr(adjudge, name)
    own = set(inspect.signature(front).parameters)
    if front.__module__ == "adjudge.api":  # the keywords that runs share say it themselves
        own -= get_type_hints(api.ProbeKeywords, vars(api)).keys()
    lines = re.findall(r"^    (\w+(?:, \w+)*): \w", front.__doc__, re.MULTILINE)
    told = {word for line in lines for word in line.split(", ")}
    assert own <= told


@pytest.mark.parametrize("found", ASYNC, ids=lambda f: f.__name__)
def test_twins_have_one_signature(found: Any) -> None:
    twin = getattr(api, found.__name__.removeprefix("a"))
    assert not inspect.iscoroutinefunction(twin)
    assert inspect.signature(twin) == inspect.signature(found)
    assert twin.__doc__ == found.__doc__
    assert twin.__name__ == found.__name__.removeprefix("a")


def test_keywords_are_the_options() -> None:
    assert get_type_hints(RunKeywords) == get_type_hints(RunOptions)
    own = get_type_hints(api.ProbeKeywords, vars(api)).keys() - get_type_hints(RunKeywords).keys()
    assert own == {field.name for field in fields(ProbeOptions)}


@pytest.mark.parametrize(
    ("front", "options"),
    [
        (trust.calibrate, CalibrateOptions),
        (trust.panel, PanelOptions),
        (trust.compare, CompareOptions),
        (trust.rank, RankOptions),
        (trust.report, ReportOptions),
    ],
)
def test_defaults_are_those_of_the_options(front: Any, options: Any) -> None:
    parameters = inspect.signature(front).parameters
    for field in fields(options):
        if field.name == "gates":
            continue  # written as `gate`, in words
        assert parameters[field.name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[field.name].default == field.default, field.name


def test_an_unknown_keyword_is_refused() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        adjudge.run("data.jsonl", judge="helpfulness", colour="red")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        adjudge.rank("latest", colour="red")  # type: ignore[call-arg]


CHECKED = """
import adjudge

async def wait() -> None:
    (await adjudge.arun("d", judge="j", repeat=3)).mean("m")
    await adjudge.arun("d", judge="j", repaet=3)  # wrong
    await adjudge.ajudge("j", {}, budget="5usd")  # wrong

adjudge.run("d", judge="j", repeat=3, tags={"a": "b"}, method="expected")
adjudge.judge("j", {"question": "?"}, model="m", explain_in="ko").scores
adjudge.probe("j", only=["order"], repeat=3)
adjudge.run("d", judge="j", repaet=3)  # wrong
adjudge.run("d", judge="j", repeat="3")  # wrong
adjudge.run("d", judge="j", method="guess")  # wrong
adjudge.judge("j", {}, colour="red")  # wrong
adjudge.assert_judged({}, judge="j", at_least={}, colour="red")  # wrong
adjudge.probe("j", onyl=["order"])  # wrong
adjudge.calibrate("r", labls="f.csv")  # wrong
adjudge.compare("a", "b", detect="much")  # wrong
adjudge.report("r", "o.html", worst=5, colour="red")  # wrong
"""


def test_mypy_finds_wrong_keywords(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "checked.py").write_text(CHECKED)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    command += ["--config-file", str(ROOT / "pyproject.toml"), str(tmp_path / "checked.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    told = {int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line}
    lines = CHECKED.splitlines()
    assert told == {at for at, line in enumerate(lines, 1) if line.endswith("# wrong")}, done.stdout
