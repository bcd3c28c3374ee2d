from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.commands import Command

DOCS = Path(__file__).parents[4] / "docs" / "importing.md"
PROMPT = "Rate the answer from 1 to 5 and explain why you think so.\nQ: {question}\nA: {answer}\n"


def test_the_page_shows_what_is_printed(adjudge: Command) -> None:
    page = DOCS.read_text("utf-8")
    prompt = re.search(r"```text\n(.*?)```", page, re.DOTALL)
    shown = re.search(r"\$ adjudge judges import polite.txt\n(.*?)```", page, re.DOTALL)
    assert prompt
    assert shown
    Path("polite.txt").write_text(prompt[1], "utf-8")
    ended = adjudge("judges", "import", "polite.txt")
    assert (ended.code, ended.out) == (0, shown[1])


def test_the_file_is_a_judge_and_is_never_overwritten(adjudge: Command) -> None:
    Path("p.txt").write_text(PROMPT, "utf-8")
    ended = adjudge("judges", "import", "p.txt", "--name", "mine", "-o", "made")
    assert ended.code == 0
    assert ended.out.endswith(f"written: {Path('made/mine.yaml')}\n")
    assert adjudge("judges", "check", "made/mine.yaml").code == 0
    before = Path("made/mine.yaml").read_bytes()
    again = adjudge("judges", "import", "p.txt", "--name", "mine", "-o", "made")
    assert again.code == 2
    assert "is there already" in again.err
    assert Path("made/mine.yaml").read_bytes() == before


def test_settings_are_reported(adjudge: Command) -> None:
    Path("p.txt").write_text(PROMPT, "utf-8")
    ended = adjudge(
        "judges", "import", "p.txt", "--set", "scale=0-3", "--set", "explain_in=ko", "--harden"
    )
    assert ended.code == 0
    assert re.search(r"scale +0-3\n +as set", ended.out)
    written = Path("p.yaml").read_text("utf-8")
    assert "explain_in: ko" in written
    assert "verbatim" not in written


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.txt"], "no such file"),
        (["p.txt", "--set", "size=3"], "there is no 'size' to set. Known: scale"),
        (["p.txt", "--set", "scale"], "write scale=VALUE"),
        (["p.txt", "--set", "scale=big"], "no scale"),
        (["p.txt", "--name", "Not A Name"], "judge"),
        (["1.txt"], "--name"),
        (["p.txt", "--pick", "X"], "--pick"),
        (["bare.txt"], "found no placeholder"),
    ],
)
def test_wrong_usage_writes_nothing(adjudge: Command, arguments: list[str], said: str) -> None:
    for name in ("p.txt", "1.txt"):
        Path(name).write_text(PROMPT, "utf-8")
    Path("bare.txt").write_text("Rate it from 1 to 5.", "utf-8")
    ended = adjudge("judges", "import", *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert not list(Path().glob("*.yaml"))


def test_a_constant_names_the_judge(adjudge: Command) -> None:
    Path("prompts.py").write_text(f"MY_PROMPT = {PROMPT * 2!r}\n", "utf-8")
    assert adjudge("judges", "import", "prompts.py").code == 0
    assert Path("my_prompt.yaml").is_file()
