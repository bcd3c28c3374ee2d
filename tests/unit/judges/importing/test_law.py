"""The law of importing: what is sent is the text with the values put in, whatever the text."""

from __future__ import annotations

import string
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from adjudge.core.item import Item
from adjudge.errors import DefinitionError, UsageError
from adjudge.judges.importing import Options, import_prompt
from adjudge.judges.load import load_text
from adjudge.judges.render import Renderer
from adjudge.reading import detect_language

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
    options = Options(name="law", detect=lambda _: "en", settings={**SETTINGS, "style": style})
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
@given(_prompts(lambda piece: piece.replace("%", "%%"), "%(NAME)s"), VALUES)
def test_percent(prompt: tuple[str, list[str]], values: dict[str, str]) -> None:
    text, _ = prompt
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


# What prompts are made of, so that an arbitrary text meets every way of reading one.
WORDS = st.sampled_from(
    ["Rate it from 1 to 5.", "Explain why.", "\n1: bad\n2: good\n", "## Depth\n", "# Title\n",
     'Return JSON {"score": 3, "reason": "…"}', "[[A]] or [[B]]", "Score: ",
     "Input:\n- Answer: x\n", "yes or no", "1. **Strengths**: List 2-3.\n", "Provide:\n",
     "in Korean", "Tone (1-3)", "score ≤ 5", 'either "good" or "bad"', "\nContext (optional): ",
     "0 if wrong, 1 if right", "점수: ", "{'분': 1}"]
)  # fmt: skip
SPELLINGS = ["{NAME}", "{{NAME}}", "{{ NAME }}", "{{{NAME}}}", "${NAME}", "%(NAME)s", "%s", "{}"]


@st.composite
def _any_prompts(draw: st.DrawFn) -> str:
    spelled = draw(st.sampled_from(SPELLINGS))
    places = st.sampled_from([spelled.replace("NAME", name) for name in NAMES])
    parts = st.lists(WORDS | places | TRICKY | st.text(max_size=5), max_size=14)
    return draw(parts.map("".join))


def _filled(text: str, style: str, values: dict[str, str]) -> str | None:
    """What the usual tool for a style makes of the text; None where that tool refuses it."""
    try:
        if style.startswith("{x}, where"):
            return text.format(**values)
        if style.startswith("%s"):
            return text % values
    except (ValueError, KeyError, IndexError, TypeError):
        return None
    spellings = {
        "{x};": ["{NAME}"],
        "${x}": ["${NAME}"],
        "{{x}} ": ["{{{NAME}}}", "{{NAME}}", "{{ NAME }}"],
    }
    for start, ways in spellings.items():
        if style.startswith(start):
            for way in ways:
                for name, value in values.items():
                    text = text.replace(way.replace("NAME", name), value)
            # Where braces run into each other, no tool tells which of them belong together.
            return None if "{" in text or "}" in text else text
    return None


@settings(max_examples=300)
@given(_any_prompts(), st.sampled_from(["en", "ko"]))
def test_any_text_imports_to_the_letter_or_says_why_not(text: str, language: str) -> None:
    try:
        imported = import_prompt(text, Options(name="law", detect=lambda _: language))
    except (UsageError, DefinitionError):
        return
    judge = load_text(imported.text, "law.yaml")
    assert judge == imported.judge
    assert judge.verbatim
    values = {name: f"⟦{at}⟧" for at, name in enumerate(judge.inputs)}
    prompts = Renderer(judge, b"secret").prompts(Item("1", values))
    if judge.ask == "each" or judge.system:
        return  # the parts of such a text are held by tests of their own
    style = next(str(each.value) for each in imported.findings.all if each.what == "placeholders")
    if set(judge.inputs) <= set(NAMES) and "%s" not in text and "{}" not in text:
        expected = _filled(text, style, values)
        assert expected in {None, prompts[0].messages[-1].content}


MONSTERS = {
    "words": "word " * 39_000,
    "digits": "1" * 50_000,
    "escapes": "{{" * 5000 + "}}" * 5000,
    "braces": "{ " * 30_000,
    "line ends": "a\r\n" * 20_000,
    "inputs": "Input\n" * 20_000,
    "tags": "{% " * 20_000,
    "caps": "score <= 5\n" * 10_000,
    "marks": "[[" * 20_000,
    "quotes": '"' * 50_000,
}


@pytest.mark.parametrize("name", MONSTERS)
def test_monstrous_texts(name: str) -> None:
    text = MONSTERS[name] + "\nRate it from 1 to 5: {answer}\n"
    options = Options(name="law", detect=detect_language, settings={"language": "en"})
    imported = import_prompt(text, options)
    [prompt] = Renderer(imported.judge, b"secret").prompts(Item("1", {"answer": "⟦0⟧"}))
    escaped = text.replace("{{", "{").replace("}}", "}") if name == "escapes" else text
    assert prompt.messages[-1].content == escaped.replace("{answer}", "⟦0⟧")


def test_too_many_placeholders_are_refused() -> None:
    text = "Rate it from 1 to 5.\n" + "".join(f"{{field_{at}}}\n" for at in range(300))
    with pytest.raises(UsageError, match="more than 200 different placeholders"):
        import_prompt(text, Options(name="law", detect=lambda _: "en"))


def test_a_prompt_with_a_whole_dataset_in_it_is_refused() -> None:
    text = "Rate {answer} from 1 to 5.\n" + "word " * 220_000
    with pytest.raises(UsageError, match="1,100,027 characters; at most 1,100,000 are allowed"):
        import_prompt(text, Options(name="law", detect=lambda _: "en"))


def test_half_a_character_is_refused() -> None:
    with pytest.raises(UsageError, match="surrogate"):
        import_prompt(
            "Rate \ud83d from 1 to 5: {answer}", Options(name="x", detect=detect_language)
        )
