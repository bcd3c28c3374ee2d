"""Finds the placeholders of a prompt, in the style in which it was written.

A file has one style. Which one it is decides what its other braces mean: in a text for Python's
`str.format`, `{{` stands for one brace; in a text whose `{x}` are merely replaced, for two.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Literal, cast

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from .findings import Words
from .naming import slug
from .roles import sounds_like_input
from .words import EXPLANATIONS, SCORES

Style = Literal[
    "format",
    "replace",
    "mustache",
    "jinja",
    "dollar",
    "bare",
    "percent",
    "doubled",
    "braced",
    "angle",
    "square",
    "none",
]

_NAME = r"[^\W\d][\w.\-]*(?: [\w.\-]+){0,4}"
_MUSTACHE = re.compile(rf"\{{\{{\{{\s*({_NAME})\s*\}}\}}\}}|\{{\{{&?\s*\$?({_NAME})\s*\}}\}}")
# {x}, {x.y}, {messages[-1]["content"]}
_SUBSCRIPT = r"(?:\[[^\[\]\n{}]{1,40}\])"
_SINGLE = re.compile(rf"(?<!\{{)\{{({_NAME}{_SUBSCRIPT}*(?:\.\w+)?)\}}(?!\}})")
# What str.format takes behind a name: {score:.1f}, {answer!r}; but not {score: 1-5}.
_SPEC = r"(?:![rsa])?(?::[<>^=]?\d*,?(?:\.\d+)?[sdfgen%]?)?"
_FORMAT = re.compile(rf"\{{\{{|\}}\}}|\{{({_NAME}{_SUBSCRIPT}*|\d*){_SPEC}\}}")
_ALONE = re.compile(rf"(?<!\{{)\{{(?:{_NAME}{_SUBSCRIPT}*|\d*){_SPEC}\}}(?!\}})")
# ${x}, and what JavaScript computes there: ${x ?? "none"}, ${rows.join(", ")}
_DOLLAR = re.compile(r"\$\{\s*([^{}\n]{1,160}?)\s*\}")
_DOUBLED = re.compile(rf"<<\s?({_NAME})\s?>>")
_BRACED = re.compile(rf"(?<!\{{)\{{\$({_NAME})\}}(?!\}})")
# $x, as shells and string.Template have it; only where a name is one that inputs have.
_BARE = re.compile(r"(?<![\w$])\$([^\W\d]\w*)")
# A bare %s may be part of a word or of "100%sure"; one with a name is always meant.
_PERCENT = re.compile(r"%%|%\(([^()\n]+)\)[sd]|%\{([^\W\d]\w*)\}|(?<![\w%])%[sd](?![^\W\d_])")
# By hand; they are taken only where the user says so, since tags and notes look the same.
_ANGLE = re.compile(rf"<({_NAME})>")
_SQUARE = re.compile(rf"(?<!\[)\[({_NAME})\](?![\](])")
# As long as a tag may be: an opening without an end must not be sought through the whole text.
_LOGIC = re.compile(
    r"\{%.{0,300}?%\}|\{#.{0,300}?#\}|\{\{[#^/!].{0,300}?\}\}|\{\{\s{0,9}else\s{0,9}\}\}", re.DOTALL
)
_FILTERED = re.compile(r"\{\{-?\s*\w+(?:\.\w+)*\s*(?:\||\[)[^{}]*\}\}|\{\{-?\s*_\w*\.\w+\s*-?\}\}")

_MOST = 50_000  # placeholders and escapes; a prompt has a few

SAID: Mapping[str, Words] = {
    "format": Reason("import.value.format"),
    "replace": Reason("import.value.replace"),
    "mustache": "{{x}} (mustache, Handlebars)",
    "jinja": Reason("import.value.jinja"),
    "dollar": "${x}",
    "bare": "$x",
    "percent": Reason("import.value.percent"),
    "doubled": "<<x>>",
    "braced": "{$x}",
    "angle": Reason("import.value.as_set", shape="<x>"),
    "square": Reason("import.value.as_set", shape="[x]"),
    "none": Reason("import.value.none"),
}


@dataclass(frozen=True, slots=True)
class Slot:
    """A place in the text: a placeholder, or an escape such as `{{` that stands for `text`.

    `name` is None for an escape and "" for a placeholder without a name (%s, {}).
    """

    start: int
    end: int
    name: str | None
    text: str = ""


def find_style(text: str) -> Style:  # noqa: PLR0911 - a case a style
    """The style that fits the text; "none" when it has no placeholder."""
    if _is_jinja(text):
        return "jinja"
    singles = list(_SINGLE.finditer(text))
    signs = {text[max(0, match.start() - 1)] for match in singles}
    if signs in ({"$"}, {"%"}):
        return "dollar" if signs == {"$"} else "percent"
    mustache = _MUSTACHE.search(text)
    if not singles and not mustache and (_BRACED.search(text) or _DOUBLED.search(text)):
        return "braced" if _BRACED.search(text) else "doubled"
    percent = (
        "%" in text and not mustache and any(match[0] != "%%" for match in _PERCENT.finditer(text))
    )
    if percent and all(slug(match[1]) in SCORES | EXPLANATIONS for match in singles):
        return "percent"  # a {score} beside %s is the form of the reply
    if _is_for_format(text) and not (mustache and _has_none_alone(text)):
        return "format"
    if mustache:
        return "mustache"
    bare = any(sounds_like_input(match[1]) for match in _BARE.finditer(text))
    return "replace" if singles else "bare" if bare else "none"


def _is_jinja(text: str) -> bool:
    logic = re.search(r"\{%[-+]?\s*(?:if|for|set|endif|endfor|raw)\b", text)
    return bool(logic or _FILTERED.search(text))


def _is_for_format(text: str) -> bool:
    """Whether str.format would fill this text in: it has fields, and no brace that would fail."""
    rest = _FORMAT.sub("", text)
    # {{{x}}} alone is mustache: a str.format text has some {x} that stands by itself.
    return "{" not in rest and "}" not in rest and bool(_ALONE.search(text))


def _has_none_alone(text: str) -> bool:
    """Whether no name stands in single braces: a `{}` beside {{question}} is a sign, no place."""
    return all(match[0] == "{}" for match in _ALONE.finditer(text))


def escaped_json(text: str) -> bool:
    """Whether a text without placeholders shows JSON in doubled braces, as str.format needs it."""
    rest = re.sub(r"\{\{|\}\}", "", text)
    return bool(re.search(r"\{\{\s*[\"']", text)) and "{" not in rest and "}" not in rest


def find_slots(text: str, style: Style, kept: Iterable[str] = ()) -> list[Slot]:
    """All placeholders and escapes in their order; those named in `kept` stay text."""
    pattern = {
        "format": _FORMAT,
        "replace": _SINGLE,
        "mustache": _MUSTACHE,
        "dollar": _DOLLAR,
        "bare": _BARE,
        "percent": _PERCENT,
        "doubled": _DOUBLED,
        "braced": _BRACED,
        "angle": _ANGLE,
        "square": _SQUARE,
        "jinja": None,
        "none": None,
    }[style]
    if pattern is None:
        return []
    slots = [_slot(match) for match in islice(pattern.finditer(text), _MOST + 1)]
    if len(slots) > _MOST:
        raise UsageError(Reason("import.many_signs", most=_MOST))
    left = set(kept)
    return [slot for slot in slots if slot.name is None or slot.name not in left]


def _slot(match: re.Match[str]) -> Slot:
    escape = {"{{": "{", "}}": "}", "%%": "%"}.get(match[0])
    if escape:
        return Slot(match.start(), match.end(), None, escape)
    name = next((group for group in match.groups() if group), "")
    if match.re is _DOLLAR:
        name = expression_name(name)
    return Slot(match.start(), match.end(), "" if name.isdigit() else name.strip())


def expression_name(written: str) -> str:
    """What an expression of JavaScript is called: x for `x ?? "none"`, `JSON.stringify(x)`."""
    called = re.match(r"(?:await\s+)?[A-Za-z_$][\w.]*\(\s*([A-Za-z_][\w.]*)", written)
    method = re.match(r"([A-Za-z_$][\w.?]*?)\??\.\w+\(", written)
    if method and method[1] not in {"JSON", "Math", "Object"}:
        return method[1].replace("?", "")
    if called:
        return called[1]
    path = re.match(rf"{_NAME}{_SUBSCRIPT}*(?:\??\.[\w]+)*", written)
    return path[0].replace("?", "") if path else "input"


def refuse_computed(text: str, slots: Iterable[Slot]) -> None:
    """Raises UsageError for a ${ … } that holds texts of its own: only the program can tell it."""
    known = {slot.start for slot in slots}
    for match in re.finditer(r"\$\{", text):
        if match.start() not in known:
            line = text.count("\n", 0, match.start()) + 1
            shown = text[match.start() : match.start() + 40].partition("\n")[0]
            raise UsageError(Reason("import.computed", line=line, text=shown))


def unescapes(text: str) -> list[Slot]:
    """The doubled braces of a str.format text that has no placeholder."""
    return [slot for slot in map(_slot, _FORMAT.finditer(text)) if slot.name is None]


def others(text: str, style: Style) -> list[str]:
    """What looks like a placeholder of another style and stays text, as it is written."""
    patterns = {"mustache": _MUSTACHE, "dollar": _DOLLAR, "percent": _PERCENT, "replace": _SINGLE}
    begins = {"mustache": "{{", "dollar": "${", "percent": "%", "replace": "{"}
    kin = {"format": {"replace"}, "jinja": {"mustache"}, "dollar": {"dollar", "replace"}}.get(
        style, {style}
    )
    signs = [
        match[0]
        for name, pattern in patterns.items()
        if begins[name] in text and name not in kin and style not in {"none", "angle", "square"}
        for match in pattern.finditer(text)
        if match[0] != "%%"
    ]
    return list(dict.fromkeys(signs))


def by_hand(text: str) -> tuple[Style, list[str]] | None:
    """<x> or [x] that may be placeholders, with the style that takes them: those with a name that
    texts to judge by have. None where there are none."""
    for style, pattern in (("angle", _ANGLE), ("square", _SQUARE)):
        signs = dict.fromkeys(
            match[0] for match in pattern.finditer(text) if sounds_like_input(match[1])
        )
        if signs:
            return cast("Style", style), list(signs)[:5]
    return None


def refuse_logic(text: str) -> None:
    """Raises UsageError for Handlebars blocks, which a judge's template says differently."""
    block = _LOGIC.search(text)
    if block:
        line = text.count("\n", 0, block.start()) + 1
        raise UsageError(Reason("import.logic", line=line, block=block[0]))
