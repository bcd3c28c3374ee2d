"""Prompt templates: sandboxed Jinja2, one pass, nothing undefined."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import cast

import jinja2
from jinja2 import meta, nodes

from adjudge.core.reason import Field, Reason, reason_of
from adjudge.errors import DefinitionError

from .parser_messages import jinja_message
from .parted import parted_names
from .template_sandbox import Sandbox, TooMuch, budget_for

# What every template may use besides the judge's inputs; docs/judge-files.md explains each.
OWN_NAMES = frozenset(
    {"criteria", "feedback", "flags", "fence_notice", "reply_form", "explain_language"}
    | {"judge_title", "inputs", "phrases", "graded_examples"}
)

DEFAULT_SYSTEM = files(__package__).joinpath("default_system.j2").read_text("utf-8")
DEFAULT_PROMPT = files(__package__).joinpath("default_prompt.j2").read_text("utf-8")


class TemplateFailed(Exception):  # noqa: N818 - says what is the case; becomes a DefinitionError
    """A template that reads well but cannot be rendered; `line` is the line within its text."""

    def __init__(self, line: int, problem: Reason) -> None:
        super().__init__(problem)
        self.line, self.problem = line, problem


class BadTemplate(DefinitionError):  # noqa: N818 - a kind of DefinitionError, named by its cause
    @classmethod
    def of(cls, judge: str, key: str, failed: TemplateFailed, item: str) -> BadTemplate:
        """`key` is system, prompt or likelihood."""
        place: dict[str, Field] = {"judge": judge, "text_line": failed.line, "key": key}
        if item:
            return cls(Reason("place.template_item", **place, item=item, why=failed.problem))
        return cls(Reason("place.template", **place, why=failed.problem))

    @property
    def key(self) -> str:
        return str(self.place["key"])

    @property
    def line(self) -> int:
        """Within the text that stands at the key."""
        return int(self.place["text_line"])

    @property
    def problem(self) -> Reason:
        """Without its place."""
        return cast(Reason, self.reason)


_ENVIRONMENT = Sandbox()
_UNTRIMMED = Sandbox(trimmed=False)
# What a name that lies in another file renders to, with whatever stands behind its dot.
_ABSENT = jinja2.ChainableUndefined()
_KEPT = 256  # templates that are kept ready
LONGEST = 1_100_000  # characters; it is sent with every item
_UNKNOWN = 20  # unknown names that are reported
_SIGNS = 5_000  # names, operators, numbers in {{ }} and {% %}; compiling takes long
_LARGEST = 100_000  # whole number that a template may write

# Names that Jinja2 keeps for itself; as an input they could not be shown.
RESERVED = frozenset({"loop", "self", "caller", "varargs", "kwargs", "true", "false", "none"}) | (
    frozenset({"and", "or", "not", "in", "is", "if", "else", "for", "recursive", "import", "as"})
)


@lru_cache(maxsize=_KEPT)
def compiled(text: str, *, trimmed: bool = True) -> jinja2.Template:
    return (_ENVIRONMENT if trimmed else _UNTRIMMED).from_string(text)


@lru_cache(maxsize=4)  # asked for the same text several times when a judge is made; read only
def parsed(text: str) -> nodes.Template:
    return _ENVIRONMENT.parse(text)


@lru_cache(maxsize=_KEPT)
def names_in(text: str) -> frozenset[str]:
    """The names that a template takes from outside."""
    # As meta.find_undeclared_variables, which works constants out, and fails over {{ "a"[1] ~ 2 }}.
    generator = meta.TrackingCodeGenerator(_ENVIRONMENT)
    generator.optimizer = None
    generator.visit(parsed(text))
    return frozenset(generator.undeclared_identifiers)


@lru_cache(maxsize=_KEPT)
def parts_in(text: str) -> frozenset[str]:
    """The names from outside of which a template shows parts: `{{ rows[0] }}`."""
    return parted_names(parsed(text)) & names_in(text)


def rendered(
    text: str, names: Mapping[str, object], absent: Sequence[str] = (), *, trimmed: bool = True
) -> str:
    """One pass: what stands in `names` is never taken for a template itself. Names that are
    `absent` render to nothing. `trimmed` as in `Sandbox`."""
    if absent:
        names = {**dict.fromkeys(absent, _ABSENT), **names}
    try:
        with budget_for(names):
            return _filled(compiled(text, trimmed=trimmed), names)
    except Exception as error:
        raise TemplateFailed(_line_of(error), _why(error)) from None


def _filled(template: jinja2.Template, names: Mapping[str, object]) -> str:
    """As `Template.render`, which takes as long to collect the names as to write the text."""
    environment = template.environment
    known = {**environment.globals, **names}
    context = environment.context_class(environment, known, template.name, template.blocks)
    try:
        return "".join(template.root_render_func(context))
    except Exception:
        environment.handle_exception()


def _line_of(error: BaseException) -> int:
    """Jinja makes the template's own lines part of the traceback."""
    line, at = 1, error.__traceback__
    while at is not None:
        if at.tb_frame.f_code.co_filename == "<template>":
            line = at.tb_lineno
        at = at.tb_next
    return line


def _why(error: Exception) -> Reason:
    why = reason_of(error)
    if isinstance(error, TooMuch):
        return why
    message = why if why.code else jinja_message(str(error))
    if isinstance(error, jinja2.exceptions.SecurityError):
        return Reason("judge.not_allowed", why=message)
    if isinstance(error, jinja2.UndefinedError):
        return Reason("judge.undefined", why=message)
    return Reason("judge.unfilled", why=message)


def problems(
    text: str, inputs: Sequence[str], absent: Sequence[str] = ()
) -> list[tuple[int, Reason]]:
    """Line within the text, and what is wrong there."""
    if len(text) > LONGEST:
        return [(1, Reason("judge.prompt_long", count=len(text), most=LONGEST))]
    try:
        signs = (kind for _, kind, _ in _ENVIRONMENT.lex(text) if kind != "data")
        if any(count > _SIGNS for count, _ in enumerate(signs, 1)):
            return [(1, Reason("judge.prompt_signs", most=_SIGNS))]
        tree = parsed(text)
        compiled(text)
        names = names_in(text)
    except jinja2.TemplateAssertionError as error:
        return [(error.lineno, Reason("judge.unknown_filter", why=_said(error)))]
    except jinja2.TemplateSyntaxError as error:
        return [(error.lineno, Reason("judge.syntax", why=_said(error)))]
    except (RecursionError, SyntaxError, ValueError, OverflowError, MemoryError):
        return [(1, Reason("judge.prompt_deep"))]
    other_files = tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends))
    faults = [(node.lineno, Reason("judge.other_files")) for node in other_files]
    faults += [
        (node.lineno, Reason("judge.large_number", most=_LARGEST))
        for node in tree.find_all(nodes.Const)
        if isinstance(node.value, int) and node.value > _LARGEST
    ]
    known = [*inputs, *sorted(OWN_NAMES)]
    for name in sorted(names - {*known, *absent})[:_UNKNOWN]:
        near = difflib.get_close_matches(name, known, 1)
        why = Reason("judge.unknown_name", name=name, inputs=tuple(inputs))
        if near:
            why = Reason("judge.name_like", name=name, near=near[0], inputs=tuple(inputs))
        faults.append((_first_use(tree, name), why))
    return sorted(faults, key=lambda fault: (fault[0], str(fault[1])))


def _said(error: jinja2.TemplateSyntaxError) -> Reason:
    return jinja_message(error.message or "not valid Jinja2")


def prints(text: str, name: str) -> bool:
    """Whether {{ … }} somewhere shows this name; a mere {% if name %} does not."""
    return name in _printed(text)


@lru_cache(maxsize=_KEPT)
def _printed(text: str) -> frozenset[str]:
    outputs = parsed(text).find_all(nodes.Output)
    shown = {node.name for output in outputs for node in output.find_all(nodes.Name)}
    return names_in(text) & shown  # others are given another meaning by {% set %}


def _first_use(tree: nodes.Node, name: str) -> int:
    """The line on which a name is first used."""
    uses = (node for node in tree.find_all(nodes.Name) if (node.name, node.ctx) == (name, "load"))
    return next((node.lineno for node in uses), 1)
