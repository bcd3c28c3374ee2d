from __future__ import annotations

import pytest
import yaml

from adjudge.errors import DefinitionError
from adjudge.judges.yaml_lines import parse


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("False", False),
        ("", None),
        ("~", None),
        ("null", None),
        ("010", 10),
        ("-3", -3),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("2024-01-01", "2024-01-01"),
        ("1e1", 10.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1.0e-2", 0.01),
        (".inf", ".inf"),
        ("=", "="),
        ("'1'", "1"),
        ("!!str 1", "1"),
    ],
)
def test_values_are_those_of_yaml_1_2(written: str, value: object) -> None:
    read = parse(f"key: {written}\n", "f.yaml").values
    assert read == {"key": value}
    assert isinstance(read, dict)
    assert type(read["key"]) is type(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "f.yaml: the file is empty. `adjudge judges new NAME`"),
        ("# only a comment\n", "f.yaml: the file is empty."),
        ("a: 1\n---\nb: 2\n", "f.yaml, line 2: not valid YAML: but found another document. A file"),
        ("a:\n\tb: 1\n", "f.yaml, line 2: not valid YAML: found character '\\t'"),
        ("a: {b: 1\nc: 2\n", "f.yaml, line 2: not valid YAML: "),
        ("a: b: c\n", "f.yaml, line 1: not valid YAML: mapping values are not allowed here."),
        ("a: {{ b }} c\n", "f.yaml, line 1: not valid YAML: "),
        (
            "a: {{ b }}\n",
            "f.yaml, line 1: a key must be a plain word. Put texts that begin with {{",
        ),
        (
            "a: *b\n",
            "f.yaml, line 1: not valid YAML: found undefined alias 'b'. A text that begins",
        ),
        ("a: 1\nb: 2\na: 3\n", "f.yaml, line 3: the key 'a' is here twice. Remove one."),
        ("a:\n  b: 1\n  b: 1\n", "f.yaml, line 3: the key 'b' is here twice."),
        ("a: &x [*x]\n", "f.yaml, line 1: an alias (*name) contains itself."),
        ("a: \0\n", "f.yaml, line 1: the invisible character U+0000 cannot stand in YAML."),
        ("a: 1\nb: x\x07\n", "f.yaml, line 2: the invisible character U+0007"),
        ("a: !foo 1\n", "f.yaml, line 1: '1' cannot be read as a value. Remove the tag"),
        ("a: !!int abc\n", "f.yaml, line 1: 'abc' cannot be read"),
        ("a: !!python/name:os.system x\n", "f.yaml, line 1: 'x' cannot be read"),
        ("a: !!timestamp 2024-01-01\n", "f.yaml, line 1: '2024-01-01' cannot be read"),
        ("a: " + "9" * 5000 + "\n", "f.yaml, line 1: '9999"),
        ("true: 1\n", "f.yaml, line 1: 'true' is not a text here. As a key, put it into quotes."),
        ("~: 1\n", "f.yaml, line 1: '~' is not a text here."),
        ("[a]: 1\n", "f.yaml, line 1: a key must be a plain word."),
        ("a: " + "[" * 3000 + "]" * 3000, "f.yaml: nested too deeply"),
    ],
)
def test_broken_files_are_told_with_line_and_remedy(text: str, said: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        parse(text, "f.yaml")
    assert str(caught.value).startswith(said)


def test_python_objects_are_never_made() -> None:
    read = parse("a: !!python/object/apply:os.system ['exit 3']\n", "f.yaml").values
    assert read == {"a": ["exit 3"]}


def test_a_bomb_of_aliases_is_refused() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    with pytest.raises(DefinitionError, match="too large for a judge file"):
        parse("\n".join(rows), "f.yaml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\n" * 100_000, "f.yaml, line 10000: too large for a judge file."),
        ("# " + "x" * 1_300_000, "f.yaml: too large for a judge file: 1,300,002 characters"),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_read(text: str, said: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        parse(text, "f.yaml")
    assert str(caught.value).startswith(said)


def test_lines_of_keys_and_of_texts() -> None:
    read = parse("a: 1\nb:\n  - c: |\n      one\n      two\n  - d: >\n      e\n      f\n", "f.yaml")
    assert read.locate(("b", 0, "c")) == (3, ("b", 0, "c"))
    assert read.locate(("b", 0, "union-member", "zz")) == (3, ("b", 0))
    assert read.texts[("b", 0, "c")] == 4
    assert ("b", 1, "d") not in read.texts  # the lines of a folded text are not those of the file


def test_a_question_mark_in_braces_is_a_sign_like_any_other() -> None:
    """As YAML 1.2 has it; version 1.1 begins a key there."""
    text = "a: {guide: Is it polite?, why: Or ?not, last: ok?}\nb: [Really?, {c: d?}]\n"
    assert parse(text, "x").values == {
        "a": {"guide": "Is it polite?", "why": "Or ?not", "last": "ok?"},
        "b": ["Really?", {"c": "d?"}],
    }
    assert parse("{? a : 1}", "x").values == {"a": 1}


@pytest.mark.parametrize("style", ["|", "|-", "|+", ">", "|2"])
def test_blocks_are_read_as_yaml_reads_them(style: str) -> None:
    text = f"a: {style}\n  one\n\n\n    two\n  \n  three\n\n\nb: 1\n"
    assert parse(text, "f.yaml").values == yaml.safe_load(text)


@pytest.mark.parametrize("sign", ["", "-", "+", "2"])
@pytest.mark.parametrize("length", [399, 400, 401, 5_000])
def test_long_lines_are_read_as_yaml_reads_them(sign: str, length: int) -> None:
    line = "x y" * (length // 3) + "z" * (length % 3)
    for rows in (
        f"  {line}\n",
        f"  a\n  {line}\n",
        f"  {line}\n  b\n\n",
        f"    {line}\n  {line}\n",
    ):
        text = f"a: |{sign if '    ' not in rows else '2'}\n{rows}b: 1\n"
        document = parse(text, "f.yaml")
        assert document.values == yaml.safe_load(text)
        assert document.lines["b",] == text.count("\n")
