"""What is wrong with a judge file: reasons that name file, line, key and remedy."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from adjudge.core.reason import Reason, reason_of

from . import spec
from .parser_messages import one_of
from .yaml_lines import Document, Path


def placed(document: Document, path: Path, why: Reason, text_line: int = 0) -> Reason:
    """`text_line` is the line within the text that stands at `path`."""
    line, known = document.locate(path)
    if text_line and known in document.texts:
        line = document.texts[known] + text_line - 1
    elif text_line:
        why = Reason("place.text_line", text_line=text_line, why=why)
    key = ".".join(map(str, path))
    if not key:
        return why.in_file(document.file, line)
    return Reason("place.file_key", file=document.file, line=line, key=key, why=why)


def complaint(document: Document, problem: dict[str, Any]) -> Reason:
    """One of pydantic's findings."""
    kind, value = problem["type"], problem.get("input")
    _, path = document.locate(problem["loc"])
    if kind == "missing":
        why = Reason("judge.key_missing", name=str(problem["loc"][-1]))
    elif kind == "extra_forbidden":
        why = _unknown_key(str(path[-1]), path)
    else:
        why = _by_place(path, value) or _by_kind(kind, problem, value)
    return placed(document, path, why)


_LIMITS = (("cap",), ("floor",), ("scores",))


_FORMS = {
    "required": Reason("judge.takes.required"),
    "checklist": Reason("judge.takes.checklist"),
}


def _by_place(path: Path, value: object) -> Reason | None:
    """For the places that take one of several things, which pydantic complains about in turn."""
    what: Reason | None = None
    if path == ("version",):
        what = Reason("judge.takes.version")
    elif path == ("explain_in",):
        what = Reason("judge.takes.language")
    elif path[-2:-1] == ("levels",) and not isinstance(value, str):
        what = Reason("judge.takes.level")
    elif path[:1] == ("criteria",) and path[-1] == "explain":
        what = Reason("judge.takes.explain")
    elif path[:1] == ("criteria",) and path[2:] in {("required",), ("checklist",)}:
        what = _FORMS[str(path[2])]
    elif path[:1] == ("criteria",) and path[2:3] == ("checklist",) and len(path) == 4:
        what = Reason("judge.takes.question")
    elif path[:1] in (("rules",), ("examples",)) and path[-2:-1] in _LIMITS:
        what = Reason("judge.takes.limit")
    elif path[:1] == ("criteria",) and path[-1] == "scale" and not isinstance(value, dict):
        what = Reason("judge.takes.scale")
    return Reason("judge.must_be", what=what, seen=_seen(value)) if what else None


# pydantic's kind of error → what the place takes.
_TAKES: Mapping[str, Reason] = {
    "int_type": Reason("judge.takes.whole"),
    "int_from_float": Reason("judge.takes.whole"),
    "float_type": Reason("judge.takes.number"),
    "finite_number": Reason("judge.takes.finite"),
    "bool_type": Reason("judge.takes.truth"),
    "dict_type": Reason("judge.takes.mapping"),
    "model_type": Reason("judge.takes.part"),
    "list_type": Reason("judge.takes.list"),
}


def _by_kind(kind: str, problem: dict[str, Any], value: object) -> Reason:
    context = problem.get("ctx", {})
    makers: dict[str, Callable[[], Reason]] = {
        "union_tag_invalid": lambda: Reason("judge.no_scale", tag=str(context.get("tag"))),
        "union_tag_not_found": lambda: Reason("judge.scale_type"),
        "string_type": lambda: Reason("judge.no_text", seen=_seen(value)),
        "string_too_short": lambda: Reason("judge.empty_text"),
        "string_pattern_mismatch": lambda: _pattern_help(str(context.get("pattern")), str(value)),
        "literal_error": lambda: _choices(str(context.get("expected")), value),
        "string_unicode": lambda: Reason("judge.half_character"),
        "too_short": lambda: Reason("judge.too_few", n=context.get("min_length")),
        "too_long": lambda: Reason("judge.too_many", n=context.get("max_length")),
        "greater_than_equal": lambda: Reason(
            "judge.too_small", least=context.get("ge"), seen=_seen(value)
        ),
        "value_error": lambda: reason_of(context["error"]),
    }
    if kind in makers:
        return makers[kind]()
    if kind in _TAKES:
        return Reason("judge.must_be", what=_TAKES[kind], seen=_seen(value))
    return Reason("judge.unfit", why=str(problem["msg"]), seen=_seen(value))


def _seen(value: object) -> Reason:
    if value is None:
        return Reason("judge.seen_nothing")
    shown = repr(value)
    return Reason("judge.seen", value=shown if len(shown) <= 60 else shown[:59] + "…")


def _choices(expected: str, value: object) -> Reason:
    options = expected.replace("'", "").replace(" or ", ", ").split(", ")
    fields = {"options": one_of(options), "seen": _seen(value)}
    if near := difflib.get_close_matches(str(value), options, 1):
        return Reason("judge.choice_like", **fields, near=near[0])
    return Reason("judge.choice", **fields)


def _pattern_help(pattern: str, text: str) -> Reason:
    if "{2,3}" in pattern:
        return Reason("judge.no_language", text=text)
    if "\\n" in pattern:
        return Reason("judge.one_line")
    if "." in pattern:
        return Reason("judge.no_dotted_name", text=text)
    return Reason("judge.no_name", text=text)


def _unknown_key(key: str, path: Path) -> Reason:
    known = tuple(_known_keys(path[:-1]))
    if near := difflib.get_close_matches(key, known, 1):
        return Reason("judge.key_like", near=near[0], known=known)
    return Reason("judge.key_unknown", known=known)


_KEYS_OF_FORMS = {
    "evidence": ("from", "least", "required"),
    "checklist": ("questions", "from", "score", "clip", "text", "points", "required"),
    "rubric": ("from", "score", "clip"),
    "claims": ("against", "credit", "required"),
    "errors": ("from", "severities", "categories", "required"),
    "required": ("pass", "cap"),
}


def _known_keys(path: Path) -> list[str]:
    """The keys that the format knows at a place."""
    models: dict[str, type[BaseModel]] = {
        "inputs": spec.InputSpec,
        "feedback": spec.FeedbackSpec,
        "rules": spec.RuleSpec,
        "prepare": spec.PrepareSpec,
        "pair": spec.PairSpec,
        "examples": spec.ExampleSpec,
    }
    model = models.get(str(path[0]) if path else "", spec.JudgeFile)
    if path[:1] == ("overall",):
        return ["from", "over", "pass"]
    if path[:1] == ("criteria",):
        if len(path) > 2 and path[2] in _KEYS_OF_FORMS:
            return [*_KEYS_OF_FORMS[str(path[2])]]
        if len(path) > 3:
            return ["label", "meaning"]
        if len(path) > 2:
            return ["type", "levels", "min", "max", "options"]
        model = spec.CriterionSpec
    return list(model.model_fields)
