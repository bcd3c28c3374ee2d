from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.commands import Command
from tests.ptys import OnTerminal

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


def test_a_question_is_an_error_that_names_its_setting(adjudge: Command) -> None:
    Path("p.txt").write_text("Say how good it is.\nA: {answer}\n", "utf-8")
    ended = adjudge("judges", "import", "p.txt")
    assert ended.code == 2
    assert "--set scale=" in ended.err
    assert "Traceback" not in ended.err


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


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("Look at the answer.\nQ: {question}\nA: {answer}\n", "scale"),
        ("Rate it from 1 to 5.\n{question}\n{history}\n{rubric}\n", "judged"),
        ("Rate the answer from 1 to 5.\n<answer>\n", "style"),
    ],
)
def test_a_question_names_the_setting_that_answers_it(
    adjudge: Command, text: str, key: str
) -> None:
    Path("p.txt").write_text(text, "utf-8")
    ended = adjudge("judges", "import", "p.txt")
    assert ended.code == 2
    assert f"--set {key}=" in ended.err or "--placeholders" in ended.err
    assert not Path("p.yaml").exists()


def test_on_a_terminal_it_is_asked(adjudge: Command) -> None:
    texts = [f"Judge it, part {n}. Look at the whole answer to it.\\n{{answer}}\\n" for n in "ab"]
    Path("p.py").write_text(f"A = '{texts[0] * 2}'\nB = '{texts[1] * 2}'\n", "utf-8")
    with OnTerminal("judges", "import", "p.py", folder=adjudge.folder) as screen:
        screen.expect("pick:")
        screen.press("B\n")
        screen.expect("scale:")
        screen.press("large\n")
        screen.expect("scale:")
        screen.press("1-7\n")
        screen.expect("written: b.yaml")
        assert screen.ended() == 0
    assert "max: 7" in Path("b.yaml").read_text("utf-8")


def test_a_constant_names_the_judge(adjudge: Command) -> None:
    Path("prompts.py").write_text(f"MY_PROMPT = {PROMPT * 2!r}\n", "utf-8")
    assert adjudge("judges", "import", "prompts.py").code == 0
    assert Path("my_prompt.yaml").is_file()


def test_replies_in_hand_are_read_and_nothing_is_written(adjudge: Command) -> None:
    Path("p.txt").write_text(PROMPT, "utf-8")
    Path("one.txt").write_text("It is short.\n\nScore: 4", "utf-8")
    ended = adjudge("judges", "import", "p.txt", "--try", "one.txt")
    assert ended.code == 0
    assert ended.out.endswith("reply 1: score: 4\n")
    assert not Path("p.yaml").exists()
    Path("many.jsonl").write_text('{"reply": "Score: 2.5"}\n{"reply": "Score: 9"}\n', "utf-8")
    many = json.loads(adjudge("judges", "import", "p.txt", "--try", "many.jsonl", "--json").out)
    assert [each["score"]["value"] for each in many["replies"]] == [2.5, None]
    assert many["written"] is None


def test_a_file_of_replies_that_is_none(adjudge: Command) -> None:
    Path("p.txt").write_text(PROMPT, "utf-8")
    Path("bad.jsonl").write_text("{}\n", "utf-8")
    ended = adjudge("judges", "import", "p.txt", "--try", "bad.jsonl")
    assert ended.code == 2
    assert "per line" in ended.err


def test_findings_as_json(adjudge: Command) -> None:
    Path("p.txt").write_text("Rate the answer out of 10.\nAnswer: {answer}\n", "utf-8")
    told = json.loads(adjudge("judges", "import", "p.txt", "--json").out)
    assert told["written"] == "p.yaml"
    scales = [each for each in told["findings"] if each["what"] == "scale"]
    assert [(each["certainty"], each["sure"], each["set"]) for each in scales] == [
        ("likely", False, "scale")
    ]
    assert scales[0]["line"] == 1
    assert scales[0]["words"] == "Rate the answer out of 10."
    assert "lowest" in scales[0]["doubt"]


def test_a_folder_is_looked_through(adjudge: Command) -> None:
    Path("repo/node_modules").mkdir(parents=True)
    Path("repo/judge.py").write_text(
        'import os\n\nJUDGE_PROMPT = """You grade answers. Rate the answer to the question on a'
        ' scale of 1 to 5 and explain your score.\nQ: {question}\nA: {answer}"""\n',
        "utf-8",
    )
    Path("repo/vague.txt").write_text(
        "You are an evaluator. Please judge how good the following answer is, and give a verdict"
        " on it in your own words.\n\nAnswer: {answer}\n",
        "utf-8",
    )
    Path("repo/notes.md").write_text("# Notes\n\nWe like to score goals. " * 9, "utf-8")
    Path("repo/node_modules/x.py").write_text(Path("repo/judge.py").read_text("utf-8"), "utf-8")
    found = json.loads(adjudge("judges", "find", "repo", "--json").out)
    assert [Path(each["file"]).name for each in found] == ["judge.py", "vague.txt"]
    assert (found[0]["line"], found[0]["name"]) == (3, "JUDGE_PROMPT")
    assert found[0]["criteria"] == {"score": "number from 1 to 5"}
    assert "no scale was found" in found[1]["problem"]
    shown = adjudge("judges", "find", "repo").out
    assert shown.endswith("2 look like judge prompts; 1 can be imported as they are.\n")
