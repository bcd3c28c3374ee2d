"""What a Python expression comes to as a text, and the names of what fills it in."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

from .placeholders import Style

_PERCENT = re.compile(r"%%|%\((\w+)\)[-+ 0-9.]*[sdrifg]|%[-+ 0-9.]*[sdrifg]")
_POSITIONAL = re.compile(r"\{\{|\}\}|\{(\d*)(?=[!:}])")


@dataclass(frozen=True, slots=True)
class PythonText:
    """What an expression comes to: a text in which `{name}` stands for what only running tells.

    `holes` says whether there are any; `style` is what the code says about the placeholders."""

    text: str
    style: Style | None = None
    holes: bool = False
    problem: str = ""

    def plus(self, other: PythonText) -> PythonText:
        return PythonText(
            self.text + other.text,
            self.style or other.style,
            self.holes or other.holes,
            self.problem or other.problem,
        )


def called_path(node: ast.Call) -> list[str]:
    """`a.b.c(…)` → ["a", "b", "c"]; what is no plain path begins with nothing."""
    names: list[str] = []
    func: ast.expr = node.func
    while isinstance(func, ast.Attribute):
        names.append(func.attr)
        func = func.value
    if isinstance(func, ast.Name):
        names.append(func.id)
    return names[::-1]


def hole(node: ast.expr) -> PythonText:
    return PythonText(f"{{{expression_name(node)}}}", holes=True)


def expression_name(  # noqa: C901, PLR0911 - a case per kind of expression
    node: ast.expr,
) -> str:
    """What an expression is called: `row["answer"]`, `item.answer`, `fix(answer)` → "answer"."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value, slice=ast.Constant(value=str() as key)):
            return re.sub(r"\W+", "_", key).strip("_") or expression_name(value)
        case ast.Subscript(value=value):
            return expression_name(value)
        case ast.Call():
            return _call_name(node)
        case ast.IfExp(body=body):
            return expression_name(body)
        case ast.BinOp(left=left) | ast.BoolOp(values=[left, *_]):
            return expression_name(left)
        case ast.Await(value=value) | ast.Starred(value=value) | ast.FormattedValue(value=value):
            return expression_name(value)
        case ast.GeneratorExp(generators=[first, *_]) | ast.ListComp(generators=[first, *_]):
            return expression_name(first.iter)
        case ast.JoinedStr(values=values):
            inner = next((part for part in values if isinstance(part, ast.FormattedValue)), None)
            return expression_name(inner) if inner else "text"
    return "text"


def _call_name(node: ast.Call) -> str:
    path = called_path(node)
    got = node.args[0] if node.args else None
    if path[-1:] == ["get"] and isinstance(got, ast.Constant) and isinstance(got.value, str):
        return re.sub(r"\W+", "_", got.value).strip("_") or "text"
    if got is not None and not isinstance(got, ast.Constant):
        return expression_name(got)
    if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Constant):
        on = expression_name(node.func.value)
        return on if on not in {"self", "cls"} else node.func.attr
    return path[-1] if path else "text"


def percent(base: PythonText, right: ast.expr) -> PythonText:
    """`"…%s…" % (a, b)`: the places are named after what fills them."""
    values = list(right.elts) if isinstance(right, ast.Tuple) else [right]
    names = iter([expression_name(value) for value in values])

    def filled(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        return f"{{{match[1] or next(names, 'text')}}}"

    return replace(base, text=_PERCENT.sub(filled, base.text), holes=True, style="replace")


def formatted(base: PythonText, node: ast.Call) -> PythonText:
    """`.format(a, b, c=d)`: fields without a name are named after what fills them."""
    names = [expression_name(value) for value in node.args]
    counted = iter(range(len(names)))

    def named(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        place = int(match[1]) if match[1] else next(counted, -1)
        return f"{{{names[place]}" if 0 <= place < len(names) else match[0]

    style: Style = "replace" if base.holes else "format"
    return replace(base, text=_POSITIONAL.sub(named, base.text), style=style)


def from_dollars(base: PythonText) -> PythonText:
    """`string.Template`: `$x` and `${x}`, where `$$` stands for one `$`."""

    def filled(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return f"{{{name}}}" if name else "$"

    text = re.sub(r"\$\$|\$(?:\{(\w+)\}|([^\W\d]\w*))", filled, base.text)
    return replace(base, text=text, holes=True, style="replace")
