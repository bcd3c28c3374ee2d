"""Prompt templates: sandboxed Jinja2, one pass, nothing undefined."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from jinja2 import meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

# What every template may use besides the judge's inputs; docs/judge-files.md explains each.
OWN_NAMES = frozenset(
    {"criteria", "feedback", "flags", "fence_notice", "reply_form", "explain_language"}
    | {"judge_title", "inputs", "phrases"}
)

DEFAULT_SYSTEM = files(__package__).joinpath("default_system.j2").read_text("utf-8")
DEFAULT_PROMPT = files(__package__).joinpath("default_prompt.j2").read_text("utf-8")


class TemplateFailed(Exception):  # noqa: N818 - says what is the case; becomes a DefinitionError
    """A template that reads well but cannot be rendered; `line` is the line within its text."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line, self.problem = line, problem


class _Sandbox(ImmutableSandboxedEnvironment):
    """No way out, and no way to fill the memory by multiplying."""

    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator == "**":
            raise TypeError("** is not available in prompts")
        if not all(isinstance(side, int | float) for side in (left, right)):
            raise TypeError("only numbers can be multiplied in prompts")
        return super().call_binop(context, operator, left, right)


# Not escaped: prompts are plain text. Judged text is fenced instead (fence.py).
_ENVIRONMENT = _Sandbox(
    undefined=jinja2.StrictUndefined,
    autoescape=False,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
# The same item must make the same prompt, or nothing that was asked could be found again.
del _ENVIRONMENT.filters["random"], _ENVIRONMENT.globals["lipsum"]

# Names that Jinja2 keeps for itself; as an input they could not be shown.
RESERVED = frozenset({"loop", "self", "caller", "varargs", "kwargs", "true", "false", "none"}) | (
    frozenset({"and", "or", "not", "in", "is", "if", "else", "for", "recursive", "import", "as"})
)


@cache
def compiled(text: str) -> jinja2.Template:
    return _ENVIRONMENT.from_string(text)


@cache
def names_in(text: str) -> frozenset[str]:
    """The names that a template takes from outside."""
    return frozenset(meta.find_undeclared_variables(_ENVIRONMENT.parse(text)))


def rendered(text: str, names: Mapping[str, object]) -> str:
    """One pass: what stands in `names` is never taken for a template itself."""
    try:
        return compiled(text).render(names)
    except Exception as error:
        raise TemplateFailed(_line_of(error), _in_words(error)) from None


def _line_of(error: BaseException) -> int:
    """Jinja makes the template's own lines part of the traceback."""
    line, at = 1, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == "<template>":
            line = at.tb_lineno
        at = at.tb_next
    return line


def _in_words(error: Exception) -> str:
    said = str(error).rstrip(".")
    if isinstance(error, jinja2.exceptions.SecurityError):
        return f"not allowed in prompts: {said}. Remove it."
    if isinstance(error, jinja2.UndefinedError):
        return f"cannot be filled in: {said}. Check the names and numbers behind the dot or in []."
    return f"cannot be filled in: {said}. Correct or remove this expression."


def problems(text: str, inputs: Sequence[str]) -> list[tuple[int, str]]:
    """Line within the text, and what is wrong there."""
    try:
        tree = _ENVIRONMENT.parse(text)
        compiled(text)
        names = names_in(text)
    except jinja2.TemplateAssertionError as error:
        return [(error.lineno, f"{_said(error)}. Correct the name, or leave it out.")]
    except jinja2.TemplateSyntaxError as error:
        remedy = "Close what is open; to show braces as text, write {{ '{{' }}"
        return [(error.lineno, f"{_said(error)}. {remedy}.")]
    other_files = tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends))
    found = [
        (node.lineno, "a prompt cannot take in other files; write the text here.")
        for node in other_files
    ]
    known = [*inputs, *sorted(OWN_NAMES)]
    for name in sorted(names - set(known)):
        near = difflib.get_close_matches(name, known, 1)
        meant = f" Did you mean `{near[0]}`?" if near else ""
        line = next((node.lineno for node in _uses(tree, name)), 1)
        found.append((line, f"`{name}` is no input.{meant} Inputs: {', '.join(inputs)}."))
    return sorted(found)


def _said(error: jinja2.TemplateSyntaxError) -> str:
    return (error.message or "not valid Jinja2").rstrip(".")


def prints(text: str, name: str) -> bool:
    """Whether {{ … }} somewhere shows this name; a mere {% if name %} does not."""
    if name not in names_in(text):
        return False  # not there, or given another meaning by {% set %}
    outputs = _ENVIRONMENT.parse(text).find_all(nodes.Output)
    return any(True for output in outputs for _ in _uses(output, name))


def _uses(tree: nodes.Node, name: str) -> Iterator[nodes.Name]:
    return (node for node in tree.find_all(nodes.Name) if node.name == name and node.ctx == "load")
