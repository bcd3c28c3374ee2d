"""Prompts in Python files, as people write them. The file is parsed and never run.

A text may be a constant, an f-string, a sum, a `%` or `.format` call, a template of LangChain or of
`string`, a list of messages. What only running would tell (a loop that adds lines) is named as the
reason why the prompt cannot be imported; a part of a sum is never taken for the whole.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from adjudge.errors import UsageError

from .placeholders import Style
from .prompt_text import FoundPrompt, from_messages
from .python_text import PythonText, called_path, formatted, from_dollars, hole, percent

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
_MESSAGES = {
    "SystemMessage": "system",
    "HumanMessage": "user",
    "UserMessage": "user",
    "SystemMessagePromptTemplate": "system",
    "HumanMessagePromptTemplate": "user",
    "ChatMessageSystem": "system",
    "ChatMessageUser": "user",
}
_LEAST_WORDS = 4  # of a sum that may be a prompt: below that it is a path or a message


@dataclass(slots=True)
class _Scope:
    """The texts that names stand for. A name that gets several values stands for none of them."""

    name: str
    texts: dict[str, PythonText] = field(default_factory=dict)
    outer: _Scope | None = None

    def find(self, name: str) -> PythonText | None:
        if name in self.texts:
            return self.texts[name]
        return self.outer.find(name) if self.outer else None


def python_prompts(text: str, where: str) -> list[FoundPrompt]:
    """Every text of the file that may be a prompt, the constants under their own names first."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(f"{where}: not valid Python: {error}.") from None
    reader = _Reader(_string_templates(tree))
    try:
        reader.body(tree.body, _Scope(""))
    except RecursionError:
        raise UsageError(f"{where}: too deeply nested to be read.") from None
    return reader.prompts()


def _string_templates(tree: ast.Module) -> frozenset[str]:
    """The names under which `string.Template` is imported."""
    return frozenset(
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "string"
        for alias in node.names
        if alias.name == "Template"
    )


class _Reader:
    """Goes through statements in their order and notes each text with its name."""

    def __init__(self, string_templates: frozenset[str]) -> None:
        self._string_templates = string_templates
        self._found: dict[str, FoundPrompt] = {}
        self._used: set[str] = set()  # names of constants that stand inside larger texts

    def prompts(self) -> list[FoundPrompt]:
        return [
            prompt
            for name, prompt in self._found.items()
            if not (name in self._used and "{" not in prompt.text)
        ]

    def body(self, statements: Sequence[ast.stmt], scope: _Scope, *, certain: bool = True) -> None:
        for node in statements:
            self._statement(node, scope, certain=certain)

    def _statement(  # noqa: C901 - a case per kind of statement
        self, node: ast.stmt, scope: _Scope, *, certain: bool
    ) -> None:
        match node:
            case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                inner = _Scope(f"{scope.name}{node.name}.", outer=scope)
                self.body(_without_docstring(node.body), inner)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value, scope, certain=certain)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value, scope, certain=certain)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                self._add(name, value, scope, certain=certain)
            case ast.Return(value=ast.expr() as value):
                self._expression(value, scope.name.rstrip(".") or "return", scope)
            case ast.Expr(value=value) if not isinstance(value, ast.Constant):
                self._expression(value, scope.name.rstrip("."), scope)
            case _:
                for block in ("body", "orelse", "finalbody", "handlers"):
                    for inner_node in getattr(node, block, []):
                        statements = getattr(inner_node, "body", None)
                        if isinstance(inner_node, ast.ExceptHandler) and statements:
                            self.body(statements, scope, certain=False)
                        elif isinstance(inner_node, ast.stmt):
                            self._statement(inner_node, scope, certain=False)

    def _assign(self, target: ast.expr, value: ast.expr, scope: _Scope, *, certain: bool) -> None:
        name = target.id if isinstance(target, ast.Name) else ""
        if isinstance(target, ast.Attribute):
            name = target.attr
        if not name:
            return
        self._expression(value, f"{scope.name}{name}", scope)
        made = self._evaluate(value, scope)
        if isinstance(target, ast.Name):
            known = name in scope.texts
            if made is not None and (certain or not known):
                scope.texts[name] = made if certain else replace(made, problem=_BRANCHES)
            elif known:
                scope.texts.pop(name)

    def _add(self, name: str, value: ast.expr, scope: _Scope, *, certain: bool) -> None:
        before = scope.texts.get(name)
        if before is None:
            return
        added = self._evaluate(value, scope) or hole(value)
        whole = before.plus(added)
        if not certain:
            whole = replace(whole, problem=_BRANCHES)
        scope.texts[name] = whole
        self._note(f"{scope.name}{name}", whole, value.lineno)

    def _expression(self, node: ast.expr, name: str, scope: _Scope) -> None:
        """Notes the text that the expression is, or the texts inside it."""
        messages = self._messages(node, scope)
        if messages:
            prompt = from_messages(name, messages)
            if prompt is not None:
                self._keep(replace(prompt, line=node.lineno))
                return
        made = self._evaluate(node, scope)
        if made is not None:
            self._note(name, made, node.lineno)
            return
        if isinstance(node, ast.Name):
            return
        for key, child in _children(node):
            self._expression(child, f"{name}.{key}" if key and name else key or name, scope)

    def _note(self, name: str, made: PythonText, line: int) -> None:
        if len(made.text.split()) < _LEAST_WORDS and len(made.text) < 10 and made.holes:
            return
        style: Style | None = made.style or ("replace" if made.holes else None)
        self._keep(
            FoundPrompt(name=name, text=made.text, line=line, style=style, problem=made.problem)
        )

    def _keep(self, prompt: FoundPrompt) -> None:
        name, number = prompt.name or "text", 2
        known = self._found.get(name)
        # `prompt += …` and `prompt = prompt.strip()` go on with the same text.
        while known is not None and not prompt.text.startswith(known.text[:40]):
            name, number = f"{prompt.name}.{number}", number + 1
            known = self._found.get(name)
        self._found[name] = replace(prompt, name=name)

    def _messages(self, node: ast.expr, scope: _Scope) -> list[tuple[str, FoundPrompt]]:
        """Roles and texts of a list of messages, or of `ChatPromptTemplate.from_messages(…)`."""
        style: Style | None = None
        if isinstance(node, ast.Call) and called_path(node)[-1:] in (
            ["from_messages"],
            ["ChatPromptTemplate"],
        ):
            style, node = "format", node.args[0] if node.args else node
        if not isinstance(node, ast.List | ast.Tuple):
            return []
        messages = []
        for element in node.elts:
            message = self._message(element, scope)
            if message is None:
                return []
            role, made, line = message
            messages.append(
                (
                    role,
                    FoundPrompt(
                        name=role,
                        text=made.text,
                        line=line,
                        style=made.style or ("replace" if made.holes else style),
                        problem=made.problem,
                    ),
                )
            )
        return messages if any(role in {"system", "user", "human"} for role, _ in messages) else []

    def _message(self, node: ast.expr, scope: _Scope) -> tuple[str, PythonText, int] | None:
        role = ""
        content: ast.expr | None = None
        match node:
            case ast.Dict(keys=keys, values=values):
                parts = {
                    key.value: value
                    for key, value in zip(keys, values, strict=True)
                    if isinstance(key, ast.Constant)
                }
                named = parts.get("role")
                role = str(named.value) if isinstance(named, ast.Constant) else ""
                content = parts.get("content")
            case ast.Tuple(elts=[ast.Constant(value=str() as first), second]):
                role, content = first, second
            case ast.Call():
                *_, name = ["", *called_path(node)]
                holder = next(
                    (part for part in reversed(called_path(node)) if part in _MESSAGES), ""
                )
                role = _MESSAGES.get(holder, "")
                content = _argument(node, "content", "template")
                if name not in {holder, "from_template"}:
                    return None
        if not role or content is None:
            return None
        made = self._evaluate(content, scope) or hole(content)
        return str(role), made, node.lineno

    def _evaluate(  # noqa: PLR0911 - a case per kind of expression
        self, node: ast.expr, scope: _Scope
    ) -> PythonText | None:
        match node:
            case ast.Constant(value=str() as value):
                return PythonText(value)
            case ast.JoinedStr(values=values):
                return self._joined(values, scope)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._sum(left, right, scope)
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                base = self._evaluate(left, scope)
                return percent(base, right) if base else None
            case ast.Name(id=name):
                known = scope.find(name)
                if known is not None:
                    self._used.add(name)
                return known
            case ast.Call():
                return self._call(node, scope)
        return None

    def _joined(self, values: Sequence[ast.expr], scope: _Scope) -> PythonText:
        whole = PythonText("")
        for value in values:
            if isinstance(value, ast.Constant):
                whole = whole.plus(PythonText(str(value.value)))
            elif isinstance(value, ast.FormattedValue):
                inner = self._evaluate(value.value, scope)
                whole = whole.plus(inner or hole(value.value))
        return whole

    def _sum(self, left: ast.expr, right: ast.expr, scope: _Scope) -> PythonText | None:
        """Of a text and an unknown the unknown is a placeholder; two unknowns are no text."""
        one, other = self._evaluate(left, scope), self._evaluate(right, scope)
        if one is None and other is None:
            return None
        return (one or hole(left)).plus(other or hole(right))

    def _call(  # noqa: PLR0911 - a case per kind of call
        self, node: ast.Call, scope: _Scope
    ) -> PythonText | None:
        path = called_path(node)
        last = path[-1] if path else ""
        if isinstance(node.func, ast.Attribute):
            on = node.func.value
            if last in _STRIPS:
                base = self._evaluate(on, scope)
                return base and replace(base, text=_STRIPS[last](base.text))
            if last == "format":
                base = self._evaluate(on, scope)
                return base and formatted(base, node)
            if last == "replace" and len(node.args) == 2:
                base = self._evaluate(on, scope)
                return base and self._replaced(base, node.args, scope)
            if last == "join" and node.args:
                return self._lines(on, node.args[0], scope)
        if last in _DEDENTS and node.args:
            base = self._evaluate(node.args[0], scope)
            return base and replace(base, text=_DEDENTS[last](base.text))
        if last in self._string_templates or path == ["string", "Template"]:
            base = self._evaluate(node.args[0], scope) if node.args else None
            return base and from_dollars(base)
        if last in _TEMPLATES or (
            last == "from_template" and path[-2:-1] and path[-2] in _TEMPLATES
        ):
            content = _argument(node, "template", "template_str", "prompt")
            base = self._evaluate(content, scope) if content is not None else None
            form = _argument(node, "template_format", position=None)
            jinja = isinstance(form, ast.Constant) and form.value == "jinja2"
            return base and replace(base, style=base.style or (None if jinja else "format"))
        return None

    def _lines(self, between: ast.expr, items: ast.expr, scope: _Scope) -> PythonText | None:
        """`"\\n".join([…])` of texts."""
        sign = self._evaluate(between, scope)
        if sign is None or not isinstance(items, ast.List | ast.Tuple) or not items.elts:
            return None
        parts = [self._evaluate(item, scope) for item in items.elts]
        if all(part is None for part in parts):
            return None
        whole: PythonText | None = None
        for item, part in zip(items.elts, parts, strict=True):
            text = part or hole(item)
            whole = text if whole is None else whole.plus(sign).plus(text)
        return whole

    def _replaced(
        self, base: PythonText, arguments: Sequence[ast.expr], scope: _Scope
    ) -> PythonText | None:
        """`.replace("<answer>", answer)` names a placeholder; between texts it is carried out."""
        old = self._evaluate(arguments[0], scope)
        new = self._evaluate(arguments[1], scope)
        if old is None or not old.text:
            return None
        if new is not None:
            return replace(base, text=base.text.replace(old.text, new.text))
        made = hole(arguments[1])
        text = base.text.replace(old.text, made.text)
        return replace(base, text=text, holes=True, style=base.style or "replace")


_BRANCHES = "its text is put together in a loop or under a condition, which only running it tells"


def _children(  # noqa: C901 - a case per kind of expression
    node: ast.expr,
) -> Iterator[tuple[str, ast.expr]]:
    """The expressions inside one, with the key, keyword or place that names each."""
    match node:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                yield str(key.value) if isinstance(key, ast.Constant) else "", value
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            for place, element in enumerate(elements):
                yield str(place), element
        case ast.Call(func=func, args=arguments, keywords=keywords):
            if isinstance(func, ast.Attribute):
                yield "", func.value
            for argument in arguments:
                yield "", argument
            for keyword in keywords:
                yield keyword.arg or "", keyword.value
        case ast.IfExp(body=body, orelse=orelse):
            yield "", body
            yield "", orelse
        case ast.Await(value=value) | ast.Starred(value=value):
            yield "", value


def _argument(node: ast.Call, *names: str, position: int | None = 0) -> ast.expr | None:
    for keyword in node.keywords:
        if keyword.arg in names:
            return keyword.value
    if position is not None and len(node.args) > position:
        return node.args[position]
    return None


def _without_docstring(body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    first = body[0] if body else None
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if documented else body
