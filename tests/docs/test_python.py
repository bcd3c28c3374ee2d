"""docs/python.md runs, in a script and in a notebook; docs/ci.md holds what its servers accept."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_as_a_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks("python.md", "python"):
        exec(compile(block, "python.md", "exec"), names)  # noqa: S102 - our own page
    shown = capsys.readouterr().out
    assert "polite" in shown
    assert "Go away." in shown
    assert shown.splitlines()[-1] == "3.5 True"


@pytest.mark.filterwarnings("default")
def test_as_a_notebook(tmp_path: Path) -> None:
    """From a data frame to a data frame, with what a reader sees of a run."""
    cells = [nbformat.v4.new_code_cell(block) for block in blocks("python.md", "python")]
    cells += [nbformat.v4.new_code_cell(shown) for shown in ("run", "agreement")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    resources = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(notebook, timeout=300, resources=resources).execute()
    first, *_, run, agreement = notebook.cells
    printed = "".join(out.get("text", "") for out in first.outputs)
    assert "data.answer" in printed
    assert any("<progress" in str(out.get("data", {})) for out in first.outputs)
    html = run.outputs[0]["data"]["text/html"]
    assert "<table>" in html
    assert "<svg" in html
    assert "polite" in html
    assert "<table>" in agreement.outputs[0]["data"]["text/html"]


@pytest.mark.parametrize(("number", "schema"), [(0, "github-workflows"), (1, "gitlab-ci")])
def test_the_files_for_ci_fit_their_schemas(number: int, schema: str, tmp_path: Path) -> None:
    import subprocess
    import sys

    file = tmp_path / ".gitlab-ci.yml"
    file.write_text(blocks("ci.md", "yaml")[number])
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    ended = subprocess.run([*command, str(file)], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr


pytest_plugins = ["pytester"]

JUDGE = """
judge: politeness
version: 1
title: Is the reply polite?
language: en
explain_in: any
inputs:
  question: {required: true}
  answer: {required: true, judged: true}
criteria:
  polite: {title: Politeness, guide: Polite, scale: {type: integer, min: 1, max: 5}}
reply: text
"""


def test_the_tests_of_the_page(pytester: pytest.Pytester) -> None:
    (suite,) = blocks("ci.md", "python")
    pytester.makefile(".yaml", judge=JUDGE)
    pytester.makefile(".jsonl", questions='{"id": "card", "question": "By card?"}')
    pytester.makefile(".jsonl", replies='{"item": "q", "replies": ["Politeness: 5"]}')
    fake = "\n\ndef fake(messages):\n    return 'Politeness: 5'\n"
    pytester.makepyfile(test_page=suite.replace('"openai/gpt-4o-mini"', "fake") + fake)
    pytester.runpytest_subprocess("--adjudge-record", "r.jsonl").assert_outcomes(passed=2)
    pytester.runpytest_subprocess("--adjudge-offline", "r.jsonl").assert_outcomes(passed=2)
