"""The reference pages: Python from signatures and docstrings, HTTP from its OpenAPI description,
and the judge file from its JSON Schema."""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import adjudge
from adjudge.judges.spec import JudgeFile
from adjudge.service.app import create_app
from adjudge.service.options import ServeOptions

_PARAMETER = re.compile(r"^ {0,4}((?:\w+, )*\w+): (.*(?:\n {4,}\S.*)*)", re.MULTILINE)
_HEAD = "# {title}\n\n`make docs` writes this page from the code.\n"
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def python_page() -> str:
    """Every public name of `adjudge`: functions with their parameters, then classes."""
    named = {name: getattr(adjudge, name) for name in adjudge.__all__}
    functions = {name: part for name, part in named.items() if inspect.isroutine(part)}
    parts = [
        _HEAD.format(title="Python reference"),
        "Each function with an `a` in front is async.\n",
    ]
    parts += ["## Functions\n", *(_function(name, part) for name, part in functions.items())]
    parts.append("## Classes\n")
    parts += [_class(name, part) for name, part in named.items() if name not in functions]
    return "\n".join(parts)


def _function(name: str, function: Any) -> str:
    signature = inspect.signature(function)
    told = inspect.getdoc(function) or ""
    said = _parameters(told)
    further = _keyword_words()
    lines = [f"### adjudge.{name}\n", f"{_summary(told)}\n"]
    lines += ["| parameter | type | default | |", "| --- | --- | --- | --- |"]
    for parameter in signature.parameters.values():
        words = said.get(parameter.name) or further.get(parameter.name, "")
        lines.append(
            f"| `{parameter.name}` | {_code(_type(parameter.annotation))} |"
            f" {_default(parameter.default)} | {_cell(words)} |"
        )
    lines.append(f"\nReturns {_code(_type(signature.return_annotation))}.\n")
    return "\n".join(lines)


def _parameters(told: str) -> dict[str, str]:
    """`judge, model: one or several` says it of both."""
    said: dict[str, str] = {}
    for names, words in _PARAMETER.findall(told):
        for name in names.split(", "):
            said[name] = " ".join(words.split())
    return said


def _summary(told: str) -> str:
    return _PARAMETER.split(told, maxsplit=1)[0].strip()


def _keyword_words() -> dict[str, str]:
    """What the keyword classes say under each of their names."""
    said: dict[str, str] = {}
    for module in ("adjudge.running.options", "adjudge.api"):
        source = inspect.getsource(sys.modules[module])
        for found in ast.walk(ast.parse(source)):
            if isinstance(found, ast.ClassDef):
                said |= {name: words for name, words in _attribute_words(found) if words}
    return said


def _attribute_words(found: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for line, after in zip(found.body, [*found.body[1:], None], strict=True):
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            words = after.value.value if is_text and isinstance(after, ast.Expr) else ""  # type: ignore[attr-defined]
            yield line.target.id, " ".join(str(words).split())


def _class(name: str, part: Any) -> str:
    lines = [f"### adjudge.{name}\n", f"{(inspect.getdoc(part) or '').strip()}\n"]
    if isinstance(part, type) and issubclass(part, enum.Enum):
        return "\n".join([*lines, ", ".join(f"`{member.value}`" for member in part), ""])
    if dataclasses.is_dataclass(part):
        lines += ["| field | type |", "| --- | --- |"]
        for field in dataclasses.fields(part):
            if not field.name.startswith("_"):
                lines.append(f"| `{field.name}` | {_code(_type(field.type))} |")
        lines.append("")
    elif hasattr(part, "__required_keys__"):
        said = _keyword_words()
        lines += ["| keyword | type | |", "| --- | --- | --- |"]
        for key, hint in part.__annotations__.items():
            lines.append(f"| `{key}` | {_code(_type(hint))} | {_cell(said.get(key, ''))} |")
        lines.append("")
    lines += _members(part)
    return "\n".join(lines)


def _members(part: type) -> list[str]:
    """Its own methods and properties, with their first sentence."""
    rows = []
    for name, member in vars(part).items():
        getter = getattr(member, "fget", None) or getattr(member, "func", None)  # of a property
        target = getter or member
        target = target.__func__ if isinstance(target, classmethod | staticmethod) else target
        if name.startswith("_") or not inspect.isfunction(target):
            continue
        shape = name if getter else f"{name}{_short(target)}"
        words = (inspect.getdoc(target) or "").partition("\n\n")[0]
        rows.append(f"- `{shape}`" + (f": {_cell(words)}" if words else ""))
    return [*rows, ""] if rows else []


def _short(function: Any) -> str:
    names = [name for name in inspect.signature(function).parameters if name != "self"]
    return f"({', '.join(names)})"


def _type(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    if hasattr(annotation, "__forward_arg__"):
        return str(annotation.__forward_arg__)
    return (
        annotation
        if isinstance(annotation, str)
        else getattr(annotation, "__name__", str(annotation))
    )


def _default(default: Any) -> str:
    if default is inspect.Parameter.empty:
        return "required"
    if default is ... or "<factory>" in repr(default):
        return ""
    return _code(_ADDRESS.sub("", repr(default)))


def _code(text: str) -> str:
    return f"`{text}`".replace("|", "\\|") if text else ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def http_page() -> str:
    """Every path of the service with its parameters, bodies and answers."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(ServeOptions(store=str(Path(folder) / "store.db")))
        described = app.openapi()
        app.state.service.store.close()
    parts = [_HEAD.format(title="HTTP reference"), f"{described['info'].get('description', '')}\n"]
    for path, methods in described["paths"].items():
        parts += [_operation(method, path, what) for method, what in methods.items()]
    parts.append("## Schemas\n")
    for name, schema in sorted(described["components"]["schemas"].items()):
        parts.append(_schema(name, schema, level=3))
    return "\n".join(parts)


def _operation(method: str, path: str, what: Mapping[str, Any]) -> str:
    lines = [f"## {method.upper()} {path}\n", f"{what.get('summary', '')}\n"]
    if what.get("description"):
        lines.append(f"{what['description'].strip()}\n")
    if what.get("parameters"):
        lines += ["| parameter | in | type | |", "| --- | --- | --- | --- |"]
        for parameter in what["parameters"]:
            words = _cell(parameter.get("description", ""))
            needed = "required. " if parameter.get("required") else ""
            kind = _code(_shape(parameter.get("schema", {})))
            row = (f"`{parameter['name']}`", parameter["in"], kind, f"{needed}{words}")
            lines.append(f"| {' | '.join(row)} |")
        lines.append("")
    for kind, content in what.get("requestBody", {}).get("content", {}).items():
        lines.append(f"Body, `{kind}`: {_code(_shape(content.get('schema', {})))}\n")
    lines += ["| status | answer |", "| --- | --- |"]
    for status, answer in what.get("responses", {}).items():
        shapes = [_shape(c.get("schema", {})) for c in answer.get("content", {}).values()]
        shown = ", ".join(_code(shape) for shape in dict.fromkeys(shapes) if shape)
        lines.append(f"| {status} | {_cell(answer.get('description', ''))} {shown} |")
    return "\n".join([*lines, ""])


def judge_page() -> str:
    """Every key of a judge file."""
    schema = JudgeFile.model_json_schema()
    definitions = schema.pop("$defs", {})
    head = "What the keys are for, with examples: [judge files](judge-files.md). As JSON Schema:"
    parts = [_HEAD.format(title="Judge file reference"), f"{head} `adjudge judges schema`.\n"]
    parts.append(_schema("The file", schema, level=2))
    parts += [_schema(name, part, level=2) for name, part in sorted(definitions.items())]
    return "\n".join(parts)


def _schema(name: str, schema: Mapping[str, Any], level: int) -> str:
    lines = [f"{'#' * level} {name}\n"]
    if schema.get("description"):
        lines.append(f"{' '.join(schema['description'].split())}\n")
    if "properties" not in schema:
        return "\n".join([*lines, f"{_code(_shape(schema))}\n"])
    lines += ["| key | type | default | |", "| --- | --- | --- | --- |"]
    for key, part in schema["properties"].items():
        default = "required" if key in schema.get("required", ()) else ""
        if "default" in part and part["default"] is not None:
            default = _code(repr(part["default"]))
        words = _cell(part.get("description", ""))
        lines.append(f"| `{key}` | {_code(_shape(part))} | {default} | {words} |")
    return "\n".join([*lines, ""])


def _shape(schema: Mapping[str, Any]) -> str:
    """A type in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " | ".join(dict.fromkeys(_shape(part) for part in schema[several]))
    if "enum" in schema or "const" in schema:
        return " | ".join(repr(value) for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_shape(schema.get('items', {})) or 'any'}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_shape(schema['additionalProperties']) or 'any'}"
    return str(schema.get("type", "any"))
