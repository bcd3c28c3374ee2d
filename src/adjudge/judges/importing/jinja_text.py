"""A prompt that is a Jinja2 template: it stays as it is, and its names become inputs.

Parts of an input (`{{ messages[-1].content }}`) stay too, see `judges.parted`. Three things are
written otherwise: names with capitals, which no input may have; fields of one object
(`{{ row.question }}` beside `{{ row.answer }}`), which are inputs of their own; and `\\r`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import jinja2
from jinja2 import nodes

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.judges import templates

from .naming import slug, unique

# {{ row.answer }}: one field of an object, and nothing more.
_FIELD = re.compile(
    r"(?P<open>\{\{[-+]?\s*)(?P<root>[A-Za-z]\w*)\.(?P<field>[A-Za-z]\w*)(?=[\s|}-])"
)
_BLOCK = re.compile(r"\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_BOUNDARY = "\ue000"  # between system and user text while names change; of no script
JINJA_TAG = re.compile(r"\{[{%][^{}%]{0,300}[}%]\}")


@dataclass(frozen=True, slots=True)
class JinjaText:
    """The template, where the user's text begins in it, its inputs by name with the offset of each,
    what the prompt calls those that are written otherwise, and the names that lie in another file.
    """

    text: str
    system_end: int
    first: dict[str, int]
    written: dict[str, str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()


def read_jinja(text: str, system_end: int = 0) -> JinjaText:
    """Raises UsageError for what is no template, or has a name that no input can have."""
    tree = _parsed(text)
    written: dict[str, str] = {}
    marked = f"{text[:system_end]}{_BOUNDARY}{text[system_end:]}"
    head, _, rest = _small_names(_named_fields(marked, tree, written), written).partition(_BOUNDARY)
    text, system_end = head + rest, len(head)
    tree, names = _parsed(text), templates.names_in(text) - templates.OWN_NAMES
    absent = {name for name in names if name.startswith("_")}
    absent |= {name for name in names if _switches_only(tree, name, absent)}
    wrong = sorted(name for name in names - absent if not re.fullmatch(r"[a-z][a-z0-9_]*", name))
    if wrong:
        raise UsageError(Reason("import.odd_names", names=tuple(wrong)))
    first = _places(text, names - absent)
    return JinjaText(text, system_end, first, written, tuple(sorted(absent)))


def _places(text: str, names: frozenset[str]) -> dict[str, int]:
    """Where each name first stands in a tag, those that are shown before those that are tested."""
    shown: dict[str, int] = {}
    tested: dict[str, int] = {}
    for tag in JINJA_TAG.finditer(text):
        for word in re.findall(r"\w+", tag[0]):
            (shown if tag[0][1] == "{" else tested).setdefault(word, tag.start())
    places = {name: shown.get(name, tested.get(name, 0)) for name in names}
    return dict(sorted(places.items(), key=lambda entry: (entry[1], entry[0])))


def _parsed(text: str) -> nodes.Template:
    try:
        return templates.parsed(text)
    except jinja2.TemplateSyntaxError as error:
        why = Reason("import.no_jinja", line=error.lineno, why=error.message)
        raise UsageError(why) from None


def _named_fields(text: str, tree: nodes.Template, written: dict[str, str]) -> str:
    """Fields of an object of which several are shown, each under its own name."""
    own = {node.name for node in tree.find_all(nodes.Name) if node.ctx == "store"} | {"loop"}
    fields: dict[str, dict[str, str]] = {}
    for match in _FIELD.finditer(text):
        if match["root"] not in own | templates.OWN_NAMES:
            fields.setdefault(match["root"], {})[match["field"]] = ""
    known = set(templates.names_in(text))
    for root, names in fields.items():
        if len(names) > 1:
            for name in names:
                names[name] = unique(slug(name, fallback="input"), known)
                known.add(names[name])
                written[names[name]] = f"{root}.{name}"

    def named(match: re.Match[str]) -> str:
        name = fields.get(match["root"], {}).get(match["field"])
        return f"{match['open']}{name}" if name else match[0]

    return _FIELD.sub(named, text) if written else text


def _small_names(text: str, written: dict[str, str]) -> str:
    """Names with capitals in small letters, wherever a tag holds them."""
    for name in templates.names_in(text):
        if name != name.lower() and name[0].isalpha():
            small = slug(name)
            written[small] = name
            text = JINJA_TAG.sub(lambda tag: re.sub(rf"\b{name}\b", small, tag[0]), text)  # noqa: B023 - used at once
    return text


def _switches_only(tree: nodes.Template, name: str, absent: set[str]) -> bool:
    """Whether a name does nothing but switch on what lies in another file."""
    uses = sum(node.name == name for node in tree.find_all(nodes.Name))
    switches = (
        branch
        for branch in tree.find_all(nodes.If)
        if not branch.elif_ and not branch.else_ and set(_shown(branch)) <= {*absent, ""}
    )
    tests = sum(node.name == name for branch in switches for node in _names(branch.test))
    return bool(absent) and uses == tests


def _names(node: nodes.Node) -> Iterator[nodes.Name]:
    if isinstance(node, nodes.Name):
        yield node
    yield from node.find_all(nodes.Name)


def _shown(branch: nodes.If) -> Iterator[str]:
    """The names and the texts that a branch shows."""
    for statement in branch.body:
        yield from (node.name for node in statement.find_all(nodes.Name))
        yield from (node.data.strip() for node in statement.find_all(nodes.TemplateData))


def for_trimming(text: str) -> str:
    """The same template for an environment that trims blocks (see `judges.template_sandbox`)."""

    def kept(tag: re.Match[str]) -> str:
        opened = re.sub(r"\A\{([%#])(?![-+])", r"{\1+", tag[0])
        return re.sub(r"(?<![-+])([%#])\}\Z", r"+\1}", opened)

    return _BLOCK.sub(kept, text)


def with_returns(text: str) -> str:
    """Jinja2 makes \\n of every \\r\\n and \\r that stands in a template."""
    return text.replace("\r", "{{ '\\r' }}")
