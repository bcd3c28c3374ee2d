"""The text of a prompt → its templates and inputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast, get_args

import jinja2

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.judges import templates

from . import placeholders, template
from .described import find_described
from .findings import ImportFindings, ImportQuestion
from .inputs import Inputs, from_names, from_slots
from .naming import slug
from .options import Options
from .placeholders import Slot, Style
from .sections import PromptSection, find_sections
from .words import SCORES


@dataclass(slots=True)
class Taken:
    """A prompt taken apart. `plain` is its text for inference, of the same length, with single
    braces where doubled ones stand for them and \\n for every line end."""

    text: str
    plain: str
    inputs: Inputs
    system: str = ""
    prompt: str = ""
    sections: list[PromptSection] = field(default_factory=list)
    prompts: list[str] = field(default_factory=list)


def take_apart(text: str, options: Options, findings: ImportFindings, system_end: int = 0) -> Taken:
    """Raises UsageError when there is no place for a text to judge. `system_end` is where the
    user's text begins, behind a system text."""
    style = _style(text, options)
    if style == "jinja":
        return _jinja(text, findings, system_end)
    if style == "mustache":
        placeholders.refuse_logic(text)
    slots = placeholders.find_slots(text, style, options.names("text"))
    if style == "dollar":
        placeholders.refuse_computed(text, slots)
    named = [slot for slot in slots if slot.name is not None]
    if not named:
        return _described(text, findings, system_end)
    left = placeholders.others(text, style)
    doubt = f"{', '.join(left[:5])} is left as text" if left else ""
    findings.read(
        "placeholders",
        placeholders.SAID[style],
        named[0].start,
        doubt=doubt,
        key="style" if doubt else "",
    )
    shaped = [text[s.start : s.end] for s in named if re.search(r"[!:]", text[s.start : s.end])]
    if shaped and style == "format":
        findings.note("placeholders", f"{', '.join(shaped[:5])}: the text is put in as it is")
    doubtful = [name for slot in named if (name := slot.name) and slug(name) in SCORES]
    for name in dict.fromkeys(doubtful):
        findings.note("placeholders", f"{name} may be part of the reply; if so: --set text={name}")
    taken = Taken(text, _plain(text, slots), from_slots(text, slots))
    taken.sections = find_sections(taken.plain, slots)
    if taken.sections:
        count = (
            f"{len(taken.sections)} prompts under headings, each a criterion asked in its own call"
        )
        findings.read("sections", count, taken.sections[0].start)
    _fill(taken, slots, findings, system_end)
    _tell_of_system(taken, findings)
    return taken


def _style(text: str, options: Options) -> Style:
    setting = options.get("style")
    if setting is None:
        return placeholders.find_style(text)
    if setting not in get_args(Style):
        known = ", ".join(get_args(Style))
        raise UsageError(f"--set style={setting}: there is no such style (styles: {known}).")
    return cast("Style", setting)


def _plain(text: str, slots: Sequence[Slot]) -> str:
    out = list(text.replace("\r", " "))
    for slot in slots:
        if slot.name is None:
            # "{{" → " {" and "}}" → "} ": offsets and lines stay.
            out[slot.start : slot.end] = f"{slot.text:>2}" if slot.text == "{" else f"{slot.text} "
    return "".join(out)


def _fill(taken: Taken, slots: Sequence[Slot], findings: ImportFindings, system_end: int) -> None:
    """The template of the whole, or one a section."""
    if system_end:
        taken.sections = []
        before = [slot for slot in slots if slot.start < system_end]
        behind = [slot for slot in slots if slot.start >= system_end]
        taken.system = _cut(taken, before, 0, system_end).removesuffix("\n\n")
        taken.prompt = _cut(taken, behind, system_end, len(taken.text))
        return
    if not taken.sections:
        taken.prompt = template.template(taken.text, slots, taken.inputs.of_slot)
        return
    for section in taken.sections:
        held = [slot for slot in slots if section.start <= slot.start < section.end]
        taken.prompts.append(_cut(taken, held, section.start, section.end))
    before = [slot for slot in slots if slot.start < taken.sections[0].start]
    head = taken.text[: taken.sections[0].start]
    if _is_more_than_a_title(head):
        shared = _cut(taken, before, 0, len(head))
        taken.prompts = [shared + prompt for prompt in taken.prompts]
        findings.note("sections", "the text above the first heading stands in every prompt")


def _tell_of_system(taken: Taken, findings: ImportFindings) -> None:
    if taken.system:
        first = " ".join(taken.system.split())[:40]
        findings.note("prompt", f"“{first}…” is sent as the system message, the rest as the user's")


def _is_more_than_a_title(head: str) -> bool:
    return any(row.strip() and not row.lstrip().startswith("#") for row in head.split("\n"))


def _cut(taken: Taken, slots: Sequence[Slot], start: int, end: int) -> str:
    """The template of a part of the text."""
    moved = [Slot(s.start - start, s.end - start, s.name, s.text) for s in slots]
    names = {at - start: name for at, name in taken.inputs.of_slot.items()}
    return template.template(taken.text[start:end], moved, names)


def _described(text: str, findings: ImportFindings, system_end: int) -> Taken:
    """A prompt without a placeholder: it becomes the system prompt, and the item follows."""
    described = find_described(_plain(text, []))
    if described is None or system_end:
        marks = placeholders.by_hand(text)
        if marks is None:
            raise UsageError(Reason("import.inputs"))
        raise ImportQuestion("style", Reason("import.marks", style=marks[0], marks=tuple(marks[1])))
    slots = placeholders.unescapes(text) if placeholders.escaped_json(text) else []
    findings.read("placeholders", "none; inputs as this section describes", described.at)
    findings.note(
        "prompt", "the text is the system prompt; the inputs follow in the user's message"
    )
    if slots:
        findings.note("braces", "the sample's {{ and }} become { and }, as str.format sends them")
    system = template.template(text, slots, {})
    return Taken(text, _plain(text, slots), described.inputs, system, described.prompt)


# {{ x.y }}, {{ messages[-1]["content"] }}: an expression in the place of a text.
_EXPRESSION = re.compile(
    r"\{\{-?\s*(?P<root>[A-Za-z_]\w*)(?P<path>(?:\.\w+|\[[^\[\]{}\n]{1,40}\])+)\s*-?\}\}"
)
_PARTIAL = re.compile(r"\{\{-?\s*(?P<name>_\w*(?:\.\w+)+)\s*-?\}\}")
_TAG = re.compile(r"\{[{%][^{}%]{0,300}[}%]\}")
_EMPTY_IF = re.compile(r"\{%[-+]?\s*if\s+[^%{}]{1,80}%\}\s*\{%[-+]?\s*endif\s*[-+]?%\}")


def _without_partials(text: str, findings: ImportFindings) -> str:
    """{{ _fragments.x }} stands for a text that lies in another file."""
    names = dict.fromkeys(match["name"] for match in _PARTIAL.finditer(text))
    if names:
        said = f"{', '.join(names)} lies in another file and is left out; put it in by hand"
        findings.note("prompt", said)
    return _EMPTY_IF.sub("", _PARTIAL.sub("", text)) if names else text


def _name_expressions(text: str, written: dict[str, str]) -> str:
    """Expressions become inputs that are named after them: messages[-1]["content"] → messages.
    `written` takes up what each name stands for."""
    paths: dict[str, list[str]] = {}
    looped = set(re.findall(r"\{%[-+]?\s*for\s+(?:\w+\s*,\s*)?(\w+)\s+in\b", text)) | {"loop"}
    tested = set(re.findall(r"\{%[-+]?\s*(?:el)?(?:if|for)\b[^%]*?(\w+)[^%]*%\}", text))
    for match in _EXPRESSION.finditer(text):
        if match["path"] not in paths.setdefault(match["root"], []):
            paths[match["root"]].append(match["path"])

    def named(match: re.Match[str]) -> str:
        root, path = match["root"], match["path"]
        if root in looped:
            return match[0]
        alone = len(paths[root]) == 1 and root not in tested
        name = slug(root if alone else f"{root}{path}".replace("[", "_").replace(".", "_"))
        written[name] = f"{root}{path}"
        return f"{{{{ {name} }}}}"

    return _EXPRESSION.sub(named, text)


def _renamed(text: str, name: str) -> str:
    def small(tag: re.Match[str]) -> str:
        return re.sub(rf"\b{name}\b", slug(name), tag[0])

    return _TAG.sub(small, text)


def _small_names(text: str, names: Iterable[str], written: dict[str, str]) -> str:
    """Names with capitals, which no input may have, in small letters, wherever a tag holds them."""
    for name in names:
        if re.fullmatch(r"[A-Za-z]\w*", name) and name != name.lower():
            written[slug(name)] = name
            text = _renamed(text, name)
    return text


def _names_in(text: str) -> frozenset[str]:
    try:
        return templates.names_in(template.jinja_with_its_blanks(text))
    except jinja2.TemplateSyntaxError as error:
        raise UsageError(
            f"line {error.lineno}: not valid Jinja2: {error.message}. Correct it, or say what the"
            " braces are with --set style=format, mustache, replace or none."
        ) from None


def _jinja(text: str, findings: ImportFindings, system_end: int) -> Taken:
    written: dict[str, str] = {}
    head = _name_expressions(_without_partials(text[:system_end], findings), written)
    rest = _name_expressions(_without_partials(text[system_end:], findings), written)
    capitals = [name for name in _names_in(head + rest) if name != name.lower()]
    head, rest = (_small_names(part, capitals, written) for part in (head, rest))
    text, system_end = head + rest, len(head)
    findings.text = text
    for name, expression in written.items():
        findings.note("input", f"{name} stands for {expression}")
    if written:
        findings.note("prompt", f"names these otherwise: {', '.join(list(written.values())[:5])}")
    prompt = template.jinja_with_its_blanks(text)
    names = _names_in(text)
    bad = sorted(name for name in names if not re.fullmatch(r"[a-z][a-z0-9_]*", name))
    if bad:
        raise UsageError(
            f"{', '.join(bad)}: an input's name is written in small letters, digits and _; rename"
            " it in the template."
        )
    at = {name: re.search(rf"\b{name}\b", text) for name in names}
    first = {name: match.start() for name, match in at.items() if match}
    inputs = from_names(dict(sorted(first.items(), key=lambda pair: pair[1])), written)
    findings.read("placeholders", placeholders.SAID["jinja"], min(first.values(), default=0))
    if system_end:
        system = template.jinja_with_its_blanks(text[:system_end].removesuffix("\n\n"))
        prompt = template.jinja_with_its_blanks(text[system_end:])
        taken = Taken(text, text, inputs, system=system, prompt=prompt)
        _tell_of_system(taken, findings)
        return taken
    return Taken(text, text, inputs, prompt=prompt)
