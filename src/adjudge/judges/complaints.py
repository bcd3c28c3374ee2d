"""What is wrong with a judge file, in words that name file, line, key and remedy."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from . import spec
from .yaml_lines import Document, Path

_SCALES = "ordinal, integer, number, binary or category"


def placed(document: Document, path: Path, text: str, text_line: int = 0) -> str:
    """One line; `text_line` is the line within the text that stands at `path`."""
    line, found = document.locate(path)
    if text_line and found in document.texts:
        line = document.texts[found] + text_line - 1
    elif text_line:
        text = f"line {text_line} of the text: {text}"
    key = ".".join(map(str, path))
    return f"{document.file}, line {line}{', ' if key else ''}{key}: {text}"


def complaint(document: Document, problem: dict[str, Any]) -> str:
    """One of pydantic's findings."""
    kind, given = problem["type"], problem.get("input")
    _, found = document.locate(problem["loc"])
    if kind == "missing":
        key = problem["loc"][-1]
        return placed(document, found, f"the key `{key}` is missing. Add `{key}: …`.")
    if kind == "extra_forbidden":
        return placed(document, found, _unknown_key(str(found[-1]), found))
    text = _by_place(found, given) or _by_kind(kind, problem, given)
    return placed(document, found, text if text.endswith("?") else f"{text}.")


def _by_place(path: Path, given: object) -> str | None:
    """For the places that take one of several things, which pydantic complains about in turn."""
    what: str | None = None
    if path == ("version",):
        what = "a whole number or a text in quotes"
    elif path == ("explain_in",):
        what = "a language code (en, ko, vi, …) or any"
    elif path[-2:-1] == ("levels",) and not isinstance(given, str):
        what = "a label, e.g. `1: terrible`, or `{label: …, meaning: …}`; numbers need quotes"
    elif path[:1] == ("criteria",) and path[-1] == "explain":
        what = "true, false or the name of a feedback section"
    elif path[:1] == ("rules",) and {"cap", "floor"} & set(path[-2:-1]):
        what = "a value of the scale"
    elif path[:1] == ("criteria",) and path[-1] == "scale" and not isinstance(given, dict):
        what = "a scale, e.g. `{type: integer, min: 1, max: 5}`"
    return f"must be {what}, {_not(given)}" if what else None


def _by_kind(kind: str, problem: dict[str, Any], given: object) -> str:
    context = problem.get("ctx", {})
    written: dict[str, Callable[[], str]] = {
        "union_tag_invalid": lambda: f"{context.get('tag')!r} is no scale; type is {_SCALES}",
        "union_tag_not_found": lambda: f"the scale has no type; add `type:` {_SCALES}",
        "string_type": lambda: f"must be a text, {_not(given)}; put it into quotes",
        "string_too_short": lambda: "must not be empty; write something or remove the key",
        "string_pattern_mismatch": lambda: _pattern_help(str(context.get("pattern")), given),
        "literal_error": lambda: _choices(str(context.get("expected")), given),
        "string_unicode": lambda: "holds half of a character; write the character itself",
        "too_short": lambda: f"needs at least {_entries(context.get('min_length'))}",
        "too_long": lambda: f"takes at most {_entries(context.get('max_length'))}",
        "value_error": lambda: str(problem["msg"]).removeprefix("Value error, "),
    }
    if kind in written:
        return written[kind]()
    wanted = {
        "int_type": "a whole number",
        "int_from_float": "a whole number",
        "float_type": "a number",
        "finite_number": "a finite number",
        "bool_type": "true or false, without quotes",
        "dict_type": "a mapping, one `name: …` a line",
        "model_type": "a mapping, e.g. `{title: …}` or, for nothing special, `{}`",
        "list_type": "a list, e.g. `[…]` or one `- …` a line",
    }
    if kind in wanted:
        return f"must be {wanted[kind]}, {_not(given)}"
    return f"{problem['msg']}, {_not(given)}"


def _not(given: object) -> str:
    if given is None:
        return "but nothing stands there (# begins a comment)"
    shown = repr(given)
    return f"not {shown if len(shown) <= 60 else shown[:59] + '…'}"


def _entries(count: object) -> str:
    return f"{count} {'entry' if count == 1 else 'entries'}"


def _choices(expected: str, given: object) -> str:
    options = expected.replace("'", "").replace(" or ", ", ").split(", ")
    near = difflib.get_close_matches(str(given), options, 1)
    meant = f". Did you mean `{near[0]}`?" if near else ""
    return f"must be {' or '.join(options)}, {_not(given)}{meant}"


def _pattern_help(pattern: str, given: object) -> str:
    if "{2,3}" in pattern:
        return f"{given!r} is no language code; write e.g. en, ko, vi"
    if "\\n" in pattern:
        return "must stand on one line"
    dot = " and one dot" if "." in pattern else ""
    return f"{given!r} is no name here; use small letters, digits and _{dot}, a letter first"


def _unknown_key(key: str, path: Path) -> str:
    known = _known_keys(path[:-1])
    near = difflib.get_close_matches(key, known, 1)
    meant = f" Did you mean `{near[0]}`?" if near else ""
    return f"unknown key.{meant} Known here: {', '.join(known)}."


def _known_keys(path: Path) -> list[str]:
    """The keys that the format knows at a place."""
    models: dict[str, type[BaseModel]] = {
        "inputs": spec.InputSpec,
        "feedback": spec.FeedbackSpec,
        "rules": spec.RuleSpec,
        "prepare": spec.PrepareSpec,
        "pair": spec.PairSpec,
    }
    model = models.get(str(path[0]) if path else "", spec.JudgeFile)
    if path[:1] == ("criteria",):
        if len(path) > 3:
            return ["label", "meaning"]
        if len(path) > 2:
            return ["type", "levels", "min", "max", "options"]
        model = spec.CriterionSpec
    return list(model.model_fields)
