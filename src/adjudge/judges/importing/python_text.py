"""What a Python expression comes to as a text, and the names of what fills it in.

What only running tells is a hole in the text, written so that no brace of the text itself can be
taken for one: in an f-string, `{{rating}}` is sent as it stands.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from adjudge.core.reason import Reason

from .placeholders import Style
from .roles import sounds_like_input

_PERCENT = re.compile(r"%%|%\((\w+)\)[-+ 0-9.]*[sdrifg]|%[-+ 0-9.]*[sdrifg]")
# Of no script: a hole stands between them.
_HOLE_BEGINS, _HOLE_ENDS, _HOLE_PATH = "\ue001", "\ue002", "\ue003"
# What an expression is called, and its whole path where that says more.
_HOLE = re.compile(f"{_HOLE_BEGINS}(\\w+)(?:{_HOLE_PATH}(\\w+))?{_HOLE_ENDS}")
_FIELD = re.compile(r"\{\{|\}\}|\{(\w*)[^{}]*\}")
_NO_NAME = "text"  # of an expression that names nothing
_POSITIONAL = re.compile(r"\{\{|\}\}|\{(\d*)(?=[!:}])")


_STRIPS: dict[str, Callable[[str], str]] = {
    "strip": str.strip,
    "lstrip": str.lstrip,
    "rstrip": str.rstrip,
}
_DEDENTS: dict[str, Callable[[str], str]] = {
    "dedent": textwrap.dedent,
    "cleandoc": inspect.cleandoc,
}
_TEMPLATES = frozenset(
    ["PromptTemplate", "ChatPromptTemplate", "HumanMessagePromptTemplate", "RichPromptTemplate",
     "SystemMessagePromptTemplate", "AIMessagePromptTemplate", "SelectorPromptTemplate"]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PythonText:
    """What an expression comes to: a text, with holes. `style` is what the code says about its
    placeholders: `PromptTemplate` and `.format` fill in `{name}`."""

    text: str
    style: Style | None = None
    problem: Reason | None = None

    def plus(self, other: PythonText) -> PythonText:
        return PythonText(
            self.text + other.text, self.style or other.style, self.problem or other.problem
        )

    @property
    def holes(self) -> bool:
        return _HOLE_BEGINS in self.text

    def finished(self) -> tuple[str, Style | None]:
        """The text with its holes as placeholders, and the style of these.

        Braces of the text itself that name something to fill in are placeholders too: a later
        `.format` was left to another function. Others stay text.
        """
        if not self.holes:
            return self.text, self.style
        plain = _HOLE.sub("", self.text)
        own = re.findall(r"(?<!\{)\{([^\W\d]\w*)\}(?!\})", plain)
        by_hand = own and not any(sounds_like_input(name) for name in own) and "<<" not in plain
        named = _named_apart(self.text)
        if by_hand and self.style is None:
            return _HOLE.sub(lambda one: f"<<{named(one)}>>", self.text), "doubled"
        return _HOLE.sub(lambda one: f"{{{named(one)}}}", self.text), self.style or "replace"


def _named_apart(text: str) -> Callable[[re.Match[str]], str]:
    """Names for the holes: `answer` and `row["answer"]` of one text are two inputs, so the second
    is called by its path."""
    by_name: dict[str, set[str]] = {}
    for one in _HOLE.finditer(text):
        by_name.setdefault(one[1], set()).add(one[2] or one[1])
    return lambda one: (one[2] or one[1]) if len(by_name[one[1]]) > 1 else one[1]


@dataclass(slots=True)
class Scope:
    """The texts that names stand for. A name that gets several values stands for none of them, and
    so does the parameter of a function, None here."""

    name: str
    texts: dict[str, PythonText | None] = field(default_factory=dict)
    outer: Scope | None = None

    def inside(self, name: str, parameters: ast.arguments | None = None) -> Scope:
        """The scope of a class or a function within; its parameters are not known."""
        known = [] if parameters is None else [*parameters.posonlyargs, *parameters.args]
        known += [] if parameters is None else parameters.kwonlyargs
        return Scope(f"{self.name}{name}.", {parameter.arg: None for parameter in known}, self)

    def owner(self, name: str) -> Scope | None:
        """The scope to which a name belongs."""
        if name in self.texts:
            return self
        return self.outer.owner(name) if self.outer else None


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
    return PythonText(_hole_of(expression_name(node), _path_name(node)))


def _hole_of(name: str, path: str = "") -> str:
    path = f"{_HOLE_PATH}{path}" if path and path != name else ""
    return f"{_HOLE_BEGINS}{name}{path}{_HOLE_ENDS}"


def _path_name(node: ast.expr) -> str:
    """All names on the way to a value: `row.reference["answer"]` → "row_reference_answer"."""
    match node:
        case ast.Attribute(value=value, attr=name):
            path = _path_name(value)
            return name if path in {"", "self", "cls"} else f"{path}_{name}"
        case ast.Subscript(value=value, slice=ast.Constant(value=str())):
            return f"{_path_name(value)}_{expression_name(node)}".strip("_")
        case ast.Subscript(value=value):
            return _path_name(value)
        case ast.Name(id=name):
            return name
    return ""


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
        case ast.IfExp(body=body, test=test, orelse=orelse):
            return _first_name(body, orelse, test)
        case ast.BinOp(left=left, right=right):
            return _first_name(left, right)
        case ast.BoolOp(values=values) | ast.Compare(comparators=values):
            return _first_name(*values)
        case ast.Await(value=value) | ast.Starred(value=value) | ast.FormattedValue(value=value):
            return expression_name(value)
        case ast.GeneratorExp(generators=[first, *_]) | ast.ListComp(generators=[first, *_]):
            return expression_name(first.iter)
        case ast.JoinedStr(values=values):
            inner = next((part for part in values if isinstance(part, ast.FormattedValue)), None)
            return expression_name(inner) if inner else _NO_NAME
    return _NO_NAME


def _first_name(*nodes: ast.expr) -> str:
    """The name of the first of them that has one."""
    return next((name for name in map(expression_name, nodes) if name != _NO_NAME), _NO_NAME)


def _call_name(node: ast.Call) -> str:
    path = called_path(node)
    got = node.args[0] if node.args else None
    if path[-1:] == ["get"] and isinstance(got, ast.Constant) and isinstance(got.value, str):
        return re.sub(r"\W+", "_", got.value).strip("_") or _NO_NAME
    if got is not None and not isinstance(got, ast.Constant):
        return expression_name(got)
    if isinstance(node.func, ast.Attribute) and not isinstance(node.func.value, ast.Constant):
        on = expression_name(node.func.value)
        return on if on not in {"self", "cls"} else node.func.attr
    return path[-1] if path else _NO_NAME


def percent(base: PythonText, right: ast.expr) -> PythonText:
    """`"…%s…" % (a, b)`: the places are named after what fills them."""
    values = list(right.elts) if isinstance(right, ast.Tuple) else [right]
    names = iter([expression_name(value) for value in values])

    def filled(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        return _hole_of(match[1] or next(names, _NO_NAME))

    return replace(base, text=_PERCENT.sub(filled, base.text))


def formatted(base: PythonText, node: ast.Call) -> PythonText:
    """`.format(a, b, c=d)`: fields without a name are named after what fills them."""
    names = [expression_name(value) for value in node.args]
    counted = iter(range(len(names)))

    def named(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        place = int(match[1]) if match[1] else next(counted, -1)
        return f"{{{names[place]}" if 0 <= place < len(names) else match[0]

    text = _POSITIONAL.sub(named, base.text)
    if base.holes:  # an f-string whose braces were doubled for this
        text = _FIELD.sub(lambda match: _hole_of(match[1]) if match[1] else match[0][0], text)
    return replace(base, text=text, style=None if base.holes else "format")


def from_dollars(base: PythonText) -> PythonText:
    """`string.Template`: `$x` and `${x}`, where `$$` stands for one `$`."""

    def filled(match: re.Match[str]) -> str:
        name = match[1] or match[2]
        return _hole_of(name) if name else "$"

    text = re.sub(r"\$\$|\$(?:\{(\w+)\}|([^\W\d]\w*))", filled, base.text)
    return replace(base, text=text)


class Evaluator:
    """Works out texts without running anything; `used` are the names that stood for some."""

    def __init__(self, string_templates: frozenset[str]) -> None:
        self._string_templates = string_templates
        self.used: set[str] = set()

    def evaluate(  # noqa: PLR0911 - a case per kind of expression
        self, node: ast.expr, scope: Scope
    ) -> PythonText | None:
        match node:
            case ast.Constant(value=str() as value):
                return PythonText(value)
            case ast.JoinedStr(values=values):
                return self._joined(values, scope)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._sum(left, right, scope)
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                base = self.evaluate(left, scope)
                return percent(base, right) if base else None
            case ast.Name(id=name):
                owner = scope.owner(name)
                if owner is None:
                    return None
                self.used.add(f"{owner.name}{name}")
                return owner.texts[name]
            case ast.Call():
                return self._call(node, scope)
        return None

    def _joined(self, values: Sequence[ast.expr], scope: Scope) -> PythonText:
        whole = PythonText("")
        for value in values:
            if isinstance(value, ast.Constant):
                whole = whole.plus(PythonText(str(value.value)))
            elif isinstance(value, ast.FormattedValue):
                inner = self.evaluate(value.value, scope)
                whole = whole.plus(inner or hole(value.value))
        return whole

    def _sum(self, left: ast.expr, right: ast.expr, scope: Scope) -> PythonText | None:
        """Of a text and an unknown the unknown is a placeholder; two unknowns are no text."""
        one, other = self.evaluate(left, scope), self.evaluate(right, scope)
        if one is None and other is None:
            return None
        return (one or hole(left)).plus(other or hole(right))

    def _call(  # noqa: PLR0911 - a case per kind of call
        self, node: ast.Call, scope: Scope
    ) -> PythonText | None:
        path = called_path(node)
        last = path[-1] if path else ""
        if isinstance(node.func, ast.Attribute):
            on = node.func.value
            if last in _STRIPS:
                base = self.evaluate(on, scope)
                return base and replace(base, text=_STRIPS[last](base.text))
            if last == "format":
                base = self.evaluate(on, scope)
                return base and formatted(base, node)
            if last == "replace" and len(node.args) == 2:
                base = self.evaluate(on, scope)
                return base and self._replaced(base, node.args, scope)
            if last == "join" and node.args:
                return self._lines(on, node.args[0], scope)
        if last in _DEDENTS and node.args:
            base = self.evaluate(node.args[0], scope)
            return base and replace(base, text=_DEDENTS[last](base.text))
        if last in self._string_templates or path == ["string", "Template"]:
            base = self.evaluate(node.args[0], scope) if node.args else None
            return base and from_dollars(base)
        if last in _TEMPLATES or (
            last == "from_template" and path[-2:-1] and path[-2] in _TEMPLATES
        ):
            content = argument(node, "template", "template_str", "prompt")
            base = self.evaluate(content, scope) if content is not None else None
            return base and replace(base, style=base.style or template_style(node))
        return None

    def _lines(self, between: ast.expr, items: ast.expr, scope: Scope) -> PythonText | None:
        """`"\\n".join([…])` of texts."""
        sign = self.evaluate(between, scope)
        if sign is None or not isinstance(items, ast.List | ast.Tuple) or not items.elts:
            return None
        parts = [self.evaluate(item, scope) for item in items.elts]
        if all(part is None for part in parts):
            return None
        whole: PythonText | None = None
        for item, part in zip(items.elts, parts, strict=True):
            text = part or hole(item)
            whole = text if whole is None else whole.plus(sign).plus(text)
        return whole

    def _replaced(
        self, base: PythonText, arguments: Sequence[ast.expr], scope: Scope
    ) -> PythonText | None:
        """`.replace("<answer>", answer)` names a placeholder; between texts it is carried out."""
        old = self.evaluate(arguments[0], scope)
        new = self.evaluate(arguments[1], scope)
        if old is None or not old.text:
            return None
        if new is not None:
            return replace(base, text=base.text.replace(old.text, new.text))
        made = hole(arguments[1])
        return replace(base, text=base.text.replace(old.text, made.text))


def template_style(node: ast.Call) -> Style | None:
    """How a template of LangChain has its places, as `template_format` says; None for Jinja2."""
    form = argument(node, "template_format", position=None)
    said = form.value if isinstance(form, ast.Constant) else "f-string"
    return "mustache" if said == "mustache" else None if said == "jinja2" else "format"


def argument(node: ast.Call, *names: str, position: int | None = 0) -> ast.expr | None:
    for keyword in node.keywords:
        if keyword.arg in names:
            return keyword.value
    if position is not None and len(node.args) > position:
        return node.args[position]
    return None
