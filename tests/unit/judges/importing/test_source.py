from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.judges.importing import ImportQuestion, prompts_of, read_source, read_text

PROMPT = (
    "Rate the answer from 1 to 5 and say in a sentence or two what you think of it.\n{answer}\n"
)
PYTHON = f'''
raise SystemExit("this file must not run")
NAME = "short"
PROMPT: str = {PROMPT!r}
COMPUTED = PROMPT + "more"
ADDED = "one, " + "two"
class Judge:
    template = """{PROMPT}again"""
PROMPTS = {{"a": {PROMPT!r}, "n": 3}}
'''


def test_text_files_are_read_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "p.txt"
    file.write_bytes(b"\xef\xbb\xbfa\r\n{b}  \n\n")
    assert read_source(file).text == "a\r\n{b}  \n\n"


def test_a_text_without_a_file_is_opened_by_what_it_holds() -> None:
    """A prompt as it is sent, JSON around it, or lines of JSON with a prompt in each."""
    assert read_text(PROMPT, "here").text == PROMPT
    record = json.dumps({"name": "short", "prompt_template": PROMPT})
    assert read_text(record, "here").text == PROMPT
    lines = f"{record}\n{json.dumps({'name': 'long', 'prompt_template': PROMPT * 2})}\n"
    assert read_text(lines, "here", "long").text == PROMPT * 2
    with pytest.raises(ImportQuestion, match=r"not there in here\.(?s:.*)--pick NAME: short"):
        read_text(lines.replace("Rate", "Say"), "here", "none")
    with pytest.raises(UsageError, match="--pick short: here is one text"):
        read_text(PROMPT, "here", "short")


def test_python_constants_are_offered_by_name(tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text(PYTHON)
    assert read_source(file, "PROMPT").text == PROMPT
    assert read_source(file, "Judge.template").text == PROMPT + "again"
    assert read_source(file, "template").name == "Judge.template"
    assert read_source(file, "PROMPTS.a").text == PROMPT
    assert read_source(file, "ADDED").text == "one, two"
    with pytest.raises(UsageError, match=r"--pick NAME: PROMPT, COMPUTED, Judge.template\."):
        read_source(file)
    with pytest.raises(UsageError, match="is not there"):
        read_source(file, "OTHER")


def test_the_only_prompt_needs_no_name(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text('{"model": "m", "prompts": {"judge": "%s"}}' % ("word " * 30))
    assert read_source(file).name == "prompts.judge"


def test_an_ambiguous_name_lists_the_full_ones(tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text('{"a": {"x": "one"}, "b": {"x": "two"}}')
    with pytest.raises(UsageError, match=r"(?s)ambiguous .*: a\.x, b\.x"):
        read_source(file, "x")
    with pytest.raises(UsageError, match="no text that looks like a prompt"):
        read_source(file)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("p.py", b"def", "not valid Python"),
        ("p.json", b"{", "not valid JSON"),
        ("p.txt", b"\xff\xfe", "not UTF-8"),
        ("p.txt", b" \n", "is empty"),
    ],
)
def test_files_that_cannot_be_read(name: str, content: bytes, problem: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(UsageError, match=problem):
        read_source(file)
    with pytest.raises(UsageError, match="no such file"):
        read_source(tmp_path / "nothing.txt")


def test_a_text_file_holds_no_names(tmp_path: Path) -> None:
    file = tmp_path / "p.txt"
    file.write_text("x")
    with pytest.raises(UsageError, match="--pick"):
        read_source(file, "X")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", 'P = "Rate from 1 to 5.\\nText: {text}\\nScore:"\n'),
        ("a.json", ('[{"role": "system", "content": "Rate from 1 to 10."},'
                   ' {"role": "user", "content": "Q: {question} A: {answer}"}]')),
    ],
)  # fmt: skip
def test_a_short_prompt_is_taken_where_no_other_text_has_a_place(
    name: str, text: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    assert read_source(file).has_place


def test_a_short_text_that_judges_nothing_is_asked_about(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text('LOG = "took {seconds} s"\n', encoding="utf-8")
    with pytest.raises(UsageError, match="no text that looks like a prompt"):
        read_source(file)


@pytest.mark.parametrize("name", ["a.jsonnet", "a.ts"])
def test_many_texts_of_one_name_are_told_apart(name: str, tmp_path: Path) -> None:
    file = tmp_path / name
    file.write_text("['some words here', 'other words here', 'more words here']", "utf-8")
    assert [prompt.name for prompt in prompts_of(file)] == ["text", "text_2", "text_3"]
