"""Prompts in JSON, JSON lines, YAML, TOML, jsonnet, notebooks and below front matter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.judges.importing import read_source

HEAD = "Rate the answer from 1 to 5 and say in one sentence what you think of it."
USER = "Question: {question}\nAnswer: {answer}\nNow write your rating on a line of its own, please."


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_system_prompt_and_template_of_one_record(tmp_path: Path) -> None:
    record = {"name": "single", "type": "x", "system_prompt": HEAD, "prompt_template": USER}
    found = read_source(written(tmp_path, "p.json", json.dumps(record)))
    assert (found.system, found.text) == (HEAD, USER)


def test_json_lines_are_offered_by_their_names(tmp_path: Path) -> None:
    records = [
        {"name": name, "system_prompt": f"{name}: {HEAD}", "prompt_template": USER} for name in "ab"
    ]
    path = written(tmp_path, "p.jsonl", "".join(json.dumps(record) + "\n" for record in records))
    with pytest.raises(UsageError, match=r"NAME: a.prompt_template, b.prompt_template\."):
        read_source(path)
    assert read_source(path, "b").system == f"b: {HEAD}"


def test_a_list_of_one_text_is_that_text(tmp_path: Path) -> None:
    record = {"system_prompt": HEAD, "prompt_template": [USER]}
    found = read_source(written(tmp_path, "p.json", json.dumps(record)))
    assert (found.system, found.text) == (HEAD, USER)


def test_a_conversation_of_a_system_text_alone(tmp_path: Path) -> None:
    found = read_source(written(tmp_path, "p.prompty", f"---\nname: x\n---\nsystem:\n{USER}\n"))
    assert (found.system, found.text) == ("", USER)


def test_the_only_text_that_judges_needs_no_name(tmp_path: Path) -> None:
    record = {"about": "word " * 40, "prompt": f"{HEAD} {USER}", "more": "other words " * 40}
    assert read_source(written(tmp_path, "p.json", json.dumps(record))).name == "prompt"


def test_messages(tmp_path: Path) -> None:
    messages = [{"role": "system", "content": HEAD}, {"role": "user", "content": USER}]
    found = read_source(written(tmp_path, "p.json", json.dumps(messages)))
    assert (found.system, found.text) == (HEAD, USER)


YAML = f"""
fact:
  prompt: |-
    {HEAD}
    {{completion}}
  choice_strings: ABC
  input_outputs:
    input: completion
"""


def test_a_file_of_settings_wants_the_name(tmp_path: Path) -> None:
    path = written(tmp_path, "p.yaml", YAML)
    with pytest.raises(UsageError, match=r"--pick NAME: fact\.prompt\."):
        read_source(path)
    found = read_source(path, "fact.prompt")
    assert found.text == f"{HEAD}\n{{completion}}"
    assert found.settings == {"scale": "A/B/C"}


def test_front_matter_is_never_sent(tmp_path: Path) -> None:
    text = f"---\nname: x\nmodel:\n  api: chat\n---\nsystem:\n{HEAD}\nuser:\n{USER}\n"
    found = read_source(written(tmp_path, "p.prompty", text))
    assert (found.system, found.text) == (HEAD, USER)
    plain = read_source(written(tmp_path, "p.md", f"---\ntitle: x\n---\n{USER}\n"))
    assert plain.text == f"{USER}\n"


def test_role_tags_and_messages_in_a_text_file(tmp_path: Path) -> None:
    tags = f'---\nmodel: m\n---\n{{{{role "system"}}}}\n{HEAD}\n{{{{role "user"}}}}\n{USER}\n'
    messages = [{"role": "system", "content": HEAD}, {"role": "user", "content": USER}]
    for name, text in (("p.prompt", tags), ("p.txt", json.dumps(messages))):
        found = read_source(written(tmp_path, name, text))
        assert (found.system, found.text) == (HEAD, USER)
    text = f'{{"rating": 3}} is how you reply. {USER}'
    assert read_source(written(tmp_path, "q.txt", text)).text == text


def test_a_line_of_dashes_is_no_front_matter(tmp_path: Path) -> None:
    text = f"---\nJust a line.\n---\n{USER}\n"
    assert read_source(written(tmp_path, "p.txt", text)).text == text


def test_the_block_of_a_page_about_a_prompt(tmp_path: Path) -> None:
    inner = f'{HEAD}\n{USER}\n```json\n{{"rating": 3}}\n```\n'
    page = f"# Tone\n\nHow we use it.\n\n## The prompt\n\n```markdown\n{inner}```\n\nMore words.\n"
    found = read_source(written(tmp_path, "p.md", page))
    assert (found.name, found.text, found.line) == ("The prompt", inner, 8)
    assert "not sent" in str(found.note)


@pytest.mark.parametrize(
    "page",
    [
        f"{HEAD}\n```\n{USER}\n```\nContext: {{context}}\n",  # places on both sides
        f'{HEAD}\n{USER}\n```json\n{{"rating": 3}}\n```\n',
        f"{HEAD}\n```\n{{answer}}\n```\n",
        f"Grade and score: {HEAD}{HEAD}{HEAD}\n```\nRate the answer. {USER}\n```\n",
    ],
)
def test_a_prompt_with_a_block_in_it_is_one_text(page: str, tmp_path: Path) -> None:
    assert read_source(written(tmp_path, "p.md", page)).text == page


def test_toml_and_jsonnet(tmp_path: Path) -> None:
    path = written(tmp_path, "p.toml", f'[judge]\nprompt = """{USER}"""\n')
    assert read_source(path, "judge.prompt").text == USER
    block = "".join(f"    {line}\n" for line in USER.splitlines())
    path = written(tmp_path, "p.jsonnet", f"{{\n  template: |||\n{block}  |||,\n}}\n")
    assert read_source(path, "template").text == USER + "\n"


def test_a_notebook(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": [HEAD]},
        {"cell_type": "code", "source": ["%pip install x\n", f"P = {USER!r}\n"]},
    ]
    path = written(tmp_path, "p.ipynb", json.dumps({"cells": cells}))
    assert read_source(path).text == USER


@pytest.mark.parametrize(
    ("name", "kind"),
    [("p.go", "another language"), ("p.docx", "Word"), ("p.ini", "settings")],
)
def test_what_cannot_be_opened_is_named(name: str, kind: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=kind):
        read_source(written(tmp_path, name, "x"))
