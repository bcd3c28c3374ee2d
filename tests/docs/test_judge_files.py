"""What docs/judge-files.md and docs/judges.md show is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from adjudge.core.item import Item
from adjudge.errors import DefinitionError
from adjudge.judges import registry, templates
from adjudge.judges.load import load_text
from adjudge.judges.render import Renderer
from adjudge.judges.spec import JudgeFile

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "judge-files.md").read_text("utf-8")
JUDGES = (ROOT / "docs" / "judges.md").read_text("utf-8")
FEATURES = (ROOT / "docs" / "evidence" / "built-in-judges.md").read_text("utf-8")

EXAMPLES = re.findall(r"^```yaml\n(judge: .*?)^```", PAGE, re.MULTILINE | re.DOTALL)
SCALES = re.findall(r"^\| `(\{type: .*?\})` \|", PAGE, re.MULTILINE)
ERRORS = re.findall(r"^p\.yaml, .*$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("text", EXAMPLES, ids=lambda text: text.split()[1])
def test_every_example_is_a_sound_judge(text: str) -> None:
    judge = load_text(text, "example.yaml")
    assert Renderer(judge, b"s").prompts(Item("1", dict.fromkeys(judge.inputs, "x")))


@pytest.mark.parametrize("scale", SCALES)
def test_every_scale_is_sound(scale: str) -> None:
    text = EXAMPLES[0].replace("{type: integer, min: 1, max: 5}", scale)
    assert scale in text
    assert load_text(text, "example.yaml")


def test_the_page_has_what_it_should() -> None:
    assert len(EXAMPLES) == 7
    assert len(SCALES) == 5
    assert len(ERRORS) >= 9


def test_every_key_and_every_name_is_explained() -> None:
    for key in JudgeFile.model_fields:
        assert re.search(rf"^{key}:", PAGE, re.MULTILINE), key
    for name in templates.OWN_NAMES:
        assert f"| `{name}` |" in PAGE, name


# The change to the first example, with a rule and a prompt added, that brings each error.
BASE = (
    EXAMPLES[0]
    + "rules:\n  - id: insult\n    flag: politeness.insult\n    when: It insults.\n"
    + "    cap: {politeness: 2}\nreply: text\n"
    + "prompt: |\n  Look.\n  {{ question }}\n  {{ answer }}\n"
)
WRONG = [
    ("reply: text", "likelihood: '{{ given[0].text }} In short:'\nreply: text"),
    ("guide:", "giude:"),
    ("min: 1, max: 5", "min: 5, max: 1"),
    ("cap: {politeness: 2}", "cap: {politeness: 9}"),
    ("question: {required: true}", "question: {required: yes}"),
    ("version: 1", "version: 1\nversion: 2"),
    ("guide: Does", "guide: Look: does"),
    ("{{ answer }}", "{{ anwser }}\n  {{ answer }}"),
    ("{{ answer }}", "{{ answer }}\n  {{ criteria[7].title }}"),
    ("  {{ answer }}\n", ""),
]


@pytest.mark.parametrize(("change", "shown"), list(zip(WRONG, ERRORS, strict=True)))
def test_every_error_is_said_as_the_page_shows_it(change: tuple[str, str], shown: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        load_text(BASE.replace(*change), "p.yaml")
    assert shown in str(caught.value).splitlines()


def test_every_test_that_the_table_names_exists() -> None:
    files = {"B": "tests/unit/judges/test_builtin.py", "R": "tests/unit/judges/test_render.py"}
    named = re.findall(r"`((?:[BR]|tests/[\w/]+\.py)(?:::[\w\[\]]+)*)`", FEATURES)
    assert len(named) > 40
    for each in named:
        file, *parts = each.split("::")
        path = ROOT / files.get(file, file)
        assert path.exists(), each
        text = path.read_text("utf-8")
        for part in parts:
            assert re.search(rf"(?:def|class) {part.partition('[')[0]}\b", text), each


def test_every_built_in_judge_has_its_chapter() -> None:
    for name in registry.names():
        assert f"\n## {name}\n" in JUDGES
