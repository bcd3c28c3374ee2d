"""The law of importing: what is sent is the text with the values put in, whatever the text."""

from __future__ import annotations

import string
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from adjudge.core.item import Item
from adjudge.errors import UsageError
from adjudge.judges.importing import Options, import_prompt
from adjudge.judges.render import Renderer

# Every example loads a whole judge.
few = settings(max_examples=40)

NAMES = ("question", "answer", "context")
# What could trip the template, the YAML or the line ends, among letters of all kinds.
TRICKY = st.sampled_from(
    ["{", "}", "{{", "}}", "{%", "%}", "{#", "#}", "%", "$", "\n", "\r\n", "\r", "\t", "  \n", " ",
     "'", '"', "\\", "|", ": ", "- ", "#", "\x85", "\u2028", "\ufeff", "\x00", "\x7f", "😀", "점"]
)  # fmt: skip
ANY_TEXT = st.lists(TRICKY | st.text(max_size=6), max_size=8).map("".join)
VALUES = st.fixed_dictionaries(dict.fromkeys(NAMES, ANY_TEXT))
SETTINGS = {"scale": "1-5", "language": "en", "reply": "text", "criteria": "score"}


def _sent(text: str, style: str, values: dict[str, str]) -> str:
    options = Options(
        name="law", detect=lambda _: "en", settings={**SETTINGS, "style": style}, marks="angle"
    )
    judge = import_prompt(text, options).judge
    assume(judge.ask == "together")
    [prompt] = Renderer(judge, b"secret").prompts(Item("1", values))
    return prompt.messages[-1].content


@st.composite
def _prompts(draw: st.DrawFn, spell: Callable[[str], str], place: str) -> tuple[str, list[str]]:
    """A text with all three placeholders, and its literal pieces before they were spelled."""
    pieces = [draw(ANY_TEXT) for _ in range(4)]
    text = "".join(
        spell(piece) + place.replace("NAME", name)
        for piece, name in zip(pieces, NAMES, strict=False)
    )
    return text + spell(pieces[3]), pieces


def _doubled(piece: str) -> str:
    return piece.replace("{", "{{").replace("}", "}}")


@few
@given(_prompts(_doubled, "{NAME}"), VALUES)
def test_str_format(prompt: tuple[str, list[str]], values: dict[str, str]) -> None:
    text, _ = prompt
    assert _sent(text, "format", values) == text.format(**values)


@few
@given(_prompts(lambda piece: piece.replace("%", "%%"), "%(NAME)s "), VALUES)
def test_percent(prompt: tuple[str, list[str]], values: dict[str, str]) -> None:
    text, pieces = prompt
    assume(not any(piece[-1:].isalnum() or piece.endswith(("_", "%")) for piece in pieces))
    assert _sent(text, "percent", values) == text % values


@few
@given(_prompts(lambda piece: piece.replace("$", ""), "${NAME}"), VALUES)
def test_dollar(prompt: tuple[str, list[str]], values: dict[str, str]) -> None:
    text, _ = prompt
    assert _sent(text, "dollar", values) == string.Template(text).substitute(values)


def _without_braces(piece: str) -> str:
    return piece.replace("{", "").replace("}", "")


@pytest.mark.parametrize("place", ["{{NAME}}", "{{ NAME }}", "{{{NAME}}}"])
def test_mustache(place: str) -> None:
    @few
    @given(_prompts(_without_braces, place), VALUES)
    def law(prompt: tuple[str, list[str]], values: dict[str, str]) -> None:
        text, pieces = prompt
        plain = [_without_braces(piece) for piece in pieces]
        expected = "".join(
            piece + values.get(name, "") for piece, name in zip(plain, (*NAMES, ""), strict=True)
        )
        assert _sent(text, "mustache", values) == expected

    law()


@few
@given(_prompts(_without_braces, "{NAME}"), VALUES, st.sampled_from(["", '{"score": {"a": 1}}']))
def test_replaced(prompt: tuple[str, list[str]], values: dict[str, str], sample: str) -> None:
    text, pieces = prompt
    plain = [_without_braces(piece) for piece in pieces]
    expected = "".join(
        piece + values.get(name, "") for piece, name in zip(plain, (*NAMES, ""), strict=True)
    )
    assert _sent(text + sample, "replace", values) == expected + sample


@few
@given(ANY_TEXT)
def test_any_text_imports_or_says_why_not(text: str) -> None:
    options = Options(name="law", detect=lambda _: "en", settings={"scale": "1-5"})
    try:
        imported = import_prompt(text, options)
    except UsageError:
        return
    assert imported.judge.verbatim
