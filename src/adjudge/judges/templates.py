"""Prompt templates: sandboxed Jinja2, one pass, nothing undefined."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import jinja2
from jinja2 import meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

# What every template may use besides the judge's inputs; docs/judge-files.md explains each.
OWN_NAMES = frozenset(
    {"criteria", "feedback", "flags", "fence_notice", "reply_form", "explain_language"}
    | {"judge_title", "inputs", "phrases"}
)

DEFAULT_SYSTEM = files(__package__).joinpath("default_system.j2").read_text("utf-8")
DEFAULT_PROMPT = files(__package__).joinpath("default_prompt.j2").read_text("utf-8")

# Not escaped: prompts are plain text. Judged text is fenced instead (fence.py).
_ENVIRONMENT = ImmutableSandboxedEnvironment(
    undefined=jinja2.StrictUndefined,
    autoescape=False,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


@cache
def compiled(text: str) -> jinja2.Template:
    return _ENVIRONMENT.from_string(text)


@cache
def names_in(text: str) -> frozenset[str]:
    """The names that a template takes from outside."""
    return frozenset(meta.find_undeclared_variables(_ENVIRONMENT.parse(text)))


def problems(text: str, inputs: Sequence[str]) -> list[tuple[int, str]]:
    """Line within the text, and what is wrong there."""
    try:
        names = names_in(text)
        compiled(text)
    except jinja2.TemplateSyntaxError as error:
        return [(error.lineno, f"{error.message}. To show braces as text, write {{{{ '{{{{' }}}}.")]
    known = [*inputs, *sorted(OWN_NAMES)]
    found = []
    for name in sorted(names - set(known)):
        near = difflib.get_close_matches(name, known, 1)
        meant = f" Did you mean `{near[0]}`?" if near else ""
        line = next((at for at, row in enumerate(text.splitlines(), 1) if name in row), 1)
        found.append((line, f"`{name}` is no input.{meant} Inputs: {', '.join(inputs)}."))
    return found
