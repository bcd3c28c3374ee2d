"""Prompts in Python files, as people write them. The file is parsed and never run.

A text may be a constant, an f-string, a sum, a `%` or `.format` call, a template of LangChain or of
`string`, a list of messages. What only running would tell (a loop that adds lines) is named as the
reason why the prompt cannot be imported; a part of a sum is never taken for the whole.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from .data_prompts import choices_of
from .placeholders import Style
from .prompt_text import FoundPrompt, from_messages
from .python_text import Evaluator, PythonText, Scope, argument, called_path, hole, template_style

_MESSAGES = {
    "SystemMessage": "system",
    "HumanMessage": "user",
    "UserMessage": "user",
    "SystemMessagePromptTemplate": "system",
    "HumanMessagePromptTemplate": "user",
    "ChatMessageSystem": "system",
    "ChatMessageUser": "user",
}
_FROM_STRING = re.compile(r"from\s+string\s+import")
_LEAST_WORDS = 4  # of a sum that may be a prompt: below that it is a path or a message


def python_prompts(text: str, where: str) -> list[FoundPrompt]:
    """Every text of the file that may be a prompt, the constants under their own names first."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        why = Reason("import.malformed", form="Python", why=str(error))
        raise UsageError(why.in_file(where)) from None
    reader = _Reader(_string_templates(tree, text))
    try:
        reader.body(tree.body, Scope(""))
    except RecursionError:
        raise UsageError(Reason("import.too_deep").in_file(where)) from None
    return reader.prompts()


def _string_templates(tree: ast.Module, text: str) -> frozenset[str]:
    """The names under which `string.Template` is imported."""
    if not _FROM_STRING.search(text):
        return frozenset()
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
        self._texts = Evaluator(string_templates)
        self._found: dict[str, FoundPrompt] = {}
        self._returned = 0  # within a return: each is a text of its own

    def prompts(self) -> list[FoundPrompt]:
        """Without constants that only stand inside larger texts. A constant has the system text
        with which it is sent somewhere."""
        systems = {prompt.text: prompt for prompt in self._found.values() if prompt.system}
        return [
            replace(systems.get(prompt.text, prompt), name=name, line=prompt.line)
            for name, prompt in self._found.items()
            if not (name in self._texts.used and not prompt.has_place)
        ]

    def body(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        for node in statements:
            self._statement(node, scope)

    def _statement(  # noqa: C901, PLR0912 - a case per kind of statement
        self, node: ast.stmt, scope: Scope
    ) -> None:
        match node:
            case ast.ClassDef():
                self.body(_without_docstring(node.body), scope.inside(node.name))
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                inner = scope.inside(node.name, node.args)
                for name, default in _defaults(node.args):
                    self._expression(default, f"{inner.name}{name}", scope)
                self.body(_without_docstring(node.body), inner)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._assign(target, value, scope)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign(target, value, scope)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                self._add(name, value, scope)
            case ast.Return(value=ast.expr() as value):
                self._returned += 1
                self._expression(value, scope.name.rstrip(".") or "return", scope)
                self._returned -= 1
            case ast.Expr(value=value) if not isinstance(value, ast.Constant):
                self._expression(value, scope.name.rstrip("."), scope)
            case ast.With(body=body) | ast.AsyncWith(body=body):
                self.body(body, scope)
            case ast.Try():
                self.body([*node.body, *node.orelse], scope)
                for handler in node.handlers:
                    self._perhaps(handler.body, scope)
                self.body(node.finalbody, scope)
            case ast.If(body=body, orelse=rest):
                self._perhaps(body, scope)
                self._perhaps(rest, scope)
            case ast.For(body=body) | ast.AsyncFor(body=body) | ast.While(body=body):
                self._perhaps(body, scope, again=True)
                self._perhaps(node.orelse, scope)
            case ast.Match(cases=cases):
                for branch in cases:
                    self._perhaps(branch.body, scope)

    def _perhaps(
        self, statements: Sequence[ast.stmt], scope: Scope, *, again: bool = False
    ) -> None:
        """What is done under a condition, or `again` and again: what changes there is not known
        afterwards, and a text that is added to there is not whole."""
        before = dict(scope.texts)
        if again:
            scope.texts |= {
                name: replace(text, problem=_BRANCHES) if text else None
                for name, text in before.items()
                if name in _names_added_to(statements)
            }
        self.body(statements, scope)
        for name, text in scope.texts.items():
            if text is None or text == before.get(name):
                continue
            scope.texts[name] = replace(text, problem=_BRANCHES)
            known, whole = before.get(name), f"{scope.name}{name}"
            if known and whole in self._found and text.text.startswith(known.text):
                self._found[whole] = replace(self._found[whole], problem=_BRANCHES)

    def _assign(self, target: ast.expr, value: ast.expr, scope: Scope) -> None:
        name = _target_name(target)
        if not name:
            return
        self._expression(value, f"{scope.name}{name}", scope)
        if isinstance(target, ast.Name):
            scope.texts[name] = self._texts.evaluate(value, scope)

    def _add(self, name: str, value: ast.expr, scope: Scope) -> None:
        before = scope.texts.get(name)
        if before is None:
            return
        whole = before.plus(self._texts.evaluate(value, scope) or hole(value))
        scope.texts[name] = whole
        self._note(f"{scope.name}{name}", whole, value.lineno)

    def _expression(self, node: ast.expr, name: str, scope: Scope) -> None:
        """Notes the text that the expression is, or the texts inside it."""
        if isinstance(node, ast.Name):
            return  # noted where it got its value
        messages = self._messages(node, scope)
        if messages:
            elsewhere = [part.text for role, part in messages if role == "system"
                         and re.fullmatch(r"\{[A-Z_][A-Z0-9_]+\}", part.text)]  # fmt: skip
            prompt = from_messages(name, [one for one in messages if one[1].text not in elsewhere])
            if prompt is not None:
                names = tuple(text.strip("{}") for text in elsewhere)
                note = Reason("import.note.system_elsewhere", names=names)
                self._keep(replace(prompt, line=node.lineno, note=note if names else prompt.note))
                return
        scale = _choices_beside(node)
        made = self._texts.evaluate(node, scope)
        if made is not None:
            self._note(name, made, node.lineno)
            return
        if isinstance(node, ast.Lambda):
            self._expression(node.body, name, scope.inside(name, node.args))
            return
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            self._expression(node.left, name, scope)  # prompt | model | parser
            return
        for key, child in _children(node):
            self._expression(child, f"{name}.{key}" if key and name else key or name, scope)
        if scale:
            self._found = {
                known: replace(prompt, scale=scale) if known.startswith(name) else prompt
                for known, prompt in self._found.items()
            }

    def _note(self, name: str, made: PythonText, line: int) -> None:
        if len(made.text.split()) < _LEAST_WORDS and len(made.text) < 10 and made.holes:
            return
        self._keep(_found(name, made, line))

    def _keep(self, prompt: FoundPrompt) -> None:
        name, number = prompt.name or "text", 2
        known = self._found.get(name)
        # `prompt += …` and `prompt = prompt.strip()` go on with the same text.
        while known is not None and not prompt.text.startswith(
            known.text if self._returned else known.text[:40]
        ):
            name, number = f"{prompt.name}.{number}", number + 1
            known = self._found.get(name)
        self._found[name] = replace(prompt, name=name)

    def _messages(self, node: ast.expr, scope: Scope) -> list[tuple[str, FoundPrompt]]:
        """Roles and texts of a list of messages, or of `ChatPromptTemplate.from_messages(…)`."""
        style: Style | None = None
        if isinstance(node, ast.Call) and called_path(node)[-1:] in (
            ["from_messages"],
            ["ChatPromptTemplate"],
        ):
            style, node = template_style(node), node.args[0] if node.args else node
        if not isinstance(node, ast.List | ast.Tuple):
            return []
        messages = []
        for element in node.elts:
            message = self._message(element, scope)
            if message is None:
                return []
            role, made, line = message
            messages.append((role, _found(role, replace(made, style=made.style or style), line)))
        return messages if any(role in {"system", "user", "human"} for role, _ in messages) else []

    def _message(self, node: ast.expr, scope: Scope) -> tuple[str, PythonText, int] | None:
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
                content = argument(node, "content", "template")
                named = argument(node, "role", position=None)
                if isinstance(named, ast.Constant) and content is not None:
                    role, holder = str(named.value), name
                if name not in {holder, "from_template"}:
                    return None
        if not role or content is None:
            return None
        made = self._texts.evaluate(content, scope) or self._parts(content, scope)
        if made is None:
            return None
        return str(role), made, node.lineno

    def _parts(self, content: ast.expr, scope: Scope) -> PythonText | None:
        """The text of a content that is not one text: its parts, or what only running tells."""
        parts = _in_parts(content)
        if parts is None:
            return hole(content)
        texts = [self._texts.evaluate(part, scope) or hole(part) for part in parts]
        return (
            reduce(lambda one, two: one.plus(PythonText("\n")).plus(two), texts) if texts else None
        )


def _in_parts(content: ast.expr) -> list[ast.expr] | None:
    """`[{"type": "text", "text": …}, …]` → the texts; None for what is no such list."""
    if not isinstance(content, ast.List):
        return None
    records = [dict(_children(part)) for part in content.elts if isinstance(part, ast.Dict)]
    return [record["text"] for record in records if "text" in record]


def _found(name: str, made: PythonText, line: int) -> FoundPrompt:
    text, style = made.finished()
    return FoundPrompt(name=name, text=text, line=line, style=style, problem=made.problem)


def _target_name(target: ast.expr) -> str:
    """`x`, `self.x`, `PROMPTS["x"]` → "x", with the name of the dictionary before it."""
    match target:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value, slice=ast.Constant(value=str() as key)):
            before = _target_name(value)
            return f"{before}.{key}" if before else ""
    return ""


def _names_added_to(statements: Sequence[ast.stmt]) -> set[str]:
    nodes = (inner for statement in statements for inner in ast.walk(statement))
    return {
        node.target.id
        for node in nodes
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    }


def _key_name(key: ast.expr | None) -> str:
    """`"x"`, `Kind.X`, `Kind.X.value` → "x" or "X"."""
    match key:
        case ast.Constant(value=value):
            return str(value)
        case ast.Attribute(value=ast.Attribute() as inner, attr="value" | "name"):
            return _key_name(inner)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _defaults(arguments: ast.arguments) -> Iterator[tuple[str, ast.expr]]:
    """The parameters that have a value of their own."""
    positional = [*arguments.posonlyargs, *arguments.args]
    if arguments.defaults:
        for name, value in zip(
            positional[-len(arguments.defaults) :], arguments.defaults, strict=True
        ):
            yield name.arg, value
    for name, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        if default is not None:
            yield name.arg, default


def _choices_beside(node: ast.expr) -> str:
    """The answers that a call names beside its messages: `choices={"factual": 0, "made up": 1}`."""
    if not isinstance(node, ast.Call):
        return ""
    record: dict[str, object] = {}
    for keyword in node.keywords:
        try:
            record[keyword.arg or ""] = ast.literal_eval(keyword.value)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
    return choices_of(record)


_BRANCHES = Reason("import.branches")


def _children(  # noqa: C901 - a case per kind of expression
    node: ast.expr,
) -> Iterator[tuple[str, ast.expr]]:
    """The expressions inside one, with the key, keyword or place that names each."""
    match node:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                yield _key_name(key), value
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


def _without_docstring(body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    first = body[0] if body else None
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if documented else body
