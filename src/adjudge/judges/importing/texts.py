"""The text of a prompt → its templates and inputs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import cast, get_args

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.judges import templates

from . import placeholders, write
from .findings import ImportFindings, ImportQuestion
from .inputs import MOST_INPUTS, Inputs, from_names, from_slots, usable
from .jinja_text import JINJA_TAG, read_jinja, with_returns
from .naming import slug, unique
from .options import Options
from .placeholders import Slot, Style
from .sections import PromptSection, find_sections
from .words import SCORES

_HEADING = re.compile(
    r"^[#* \t\d.)]*(?:the )?(?:inputs?\b|(?:dữ liệu )?đầu vào\b|입력|输入|入力|eingabe)"
    r"[^\n]{0,40}$",
    re.IGNORECASE | re.MULTILINE,
)
_ENTRY = re.compile(
    r"^(?P<before>[ \t]*+(?:(?:[-*•]|\d+[.)])[ \t]*+)?)(?P<label>\**[^\n:：*\[\]{}]{1,40}\**)"
    r"(?P<colon>\**[:：]\**)(?P<rest>[^\n]*)$"
)


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
    jinja: bool = False
    absent: tuple[str, ...] = ()
    masked: str = ""  # `plain`, with other signs for the braces of placeholders


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
    doubt = Reason("import.doubt.left_as_text", shapes=tuple(left[:5])) if left else ""
    findings.read(
        "placeholders",
        placeholders.SAID[style],
        named[0].start,
        doubt=doubt,
        key="style" if doubt else "",
    )
    shaped = [text[s.start : s.end] for s in named if re.search(r"[!:]", text[s.start : s.end])]
    if shaped and style == "format":
        findings.note("placeholders", Reason("import.note.shaped", shapes=tuple(shaped[:5])))
    doubtful = [name for slot in named if (name := slot.name) and slug(name) in SCORES]
    for name in dict.fromkeys(doubtful):
        findings.note("placeholders", Reason("import.note.part_of_reply", name=name))
    taken = Taken(text, _plain(text, slots), from_slots(text, slots))
    taken.masked = _masked(taken.plain, [(slot.start, slot.end) for slot in named])
    taken.sections = find_sections(taken.plain, slots)
    if taken.sections:
        count = Reason("import.value.sections", count=len(taken.sections))
        findings.read("sections", count, taken.sections[0].start)
    _fill(taken, slots, findings, system_end)
    _tell_of_system(taken, findings)
    return taken


def _style(text: str, options: Options) -> Style:
    setting = options.get("style")
    if setting is None:
        return placeholders.find_style(text)
    if setting not in get_args(Style):
        why = Reason("import.no_style", known=tuple(get_args(Style)))
        raise UsageError(why.at_option("set", f"style={setting}"))
    return cast("Style", setting)


def _plain(text: str, slots: Sequence[Slot]) -> str:
    # "{{" → " {" and "}}" → "} ": offsets and lines stay.
    escapes = [
        (slot.start, slot.end, f"{slot.text:>2}" if slot.text == "{" else f"{slot.text} ")
        for slot in slots
        if slot.name is None
    ]
    return _with(text.replace("\r", " "), escapes)


def _masked(text: str, places: Iterable[tuple[int, int]]) -> str:
    """The text with ‹ and › for the braces of placeholders: what is left are those of samples."""
    return _with(text, ((at, end, text[at:end].translate(_BRACES)) for at, end in places))


def _with(text: str, changes: Iterable[tuple[int, int, str]]) -> str:
    """The text with other words from offset to offset; the changes are in order."""
    parts, last = list[str](), 0
    for start, end, said in changes:
        parts += (text[last:start], said)
        last = end
    return "".join((*parts, text[last:]))


_BRACES = str.maketrans("{}%#", "‹››‹")


def _fill(taken: Taken, slots: Sequence[Slot], findings: ImportFindings, system_end: int) -> None:
    """The template of the whole, or one a section."""
    if system_end:
        taken.sections = []
        before = [slot for slot in slots if slot.start < system_end]
        behind = [slot for slot in slots if slot.start >= system_end]
        taken.system = _cut(taken, before, 0, system_end).removesuffix("\n\n")
        if not any(slot.name is not None for slot in before):
            taken.prompt = _cut(taken, behind, system_end, len(taken.text))
            return
    if not taken.sections:
        taken.prompt = write.template(taken.text, slots, taken.inputs.of_slot)
        return
    for section in taken.sections:
        held = [slot for slot in slots if section.start <= slot.start < section.end]
        taken.prompts.append(_cut(taken, held, section.start, section.end))
    before = [slot for slot in slots if slot.start < taken.sections[0].start]
    head = taken.text[: taken.sections[0].start]
    if _is_more_than_a_title(head):
        shared = _cut(taken, before, 0, len(head))
        taken.prompts = [shared + prompt for prompt in taken.prompts]
        findings.note("sections", Reason("import.note.head"))


def _tell_of_system(taken: Taken, findings: ImportFindings) -> None:
    """A system text that shows the item is sent in one message with the user's: a system message
    is the same for all items."""
    first = " ".join(taken.system.split())[:40]
    if taken.system and taken.prompt.startswith(taken.system):
        taken.system = ""
        findings.note("prompt", Reason("import.note.one_message", first=first))
    elif taken.system:
        findings.note("prompt", Reason("import.note.two_messages", first=first))


def _is_more_than_a_title(head: str) -> bool:
    return any(row.strip() and not row.lstrip().startswith("#") for row in head.split("\n"))


def _cut(taken: Taken, slots: Sequence[Slot], start: int, end: int) -> str:
    """The template of a part of the text."""
    moved = [Slot(s.start - start, s.end - start, s.name, s.text) for s in slots]
    names = {at - start: name for at, name in taken.inputs.of_slot.items()}
    return write.template(taken.text[start:end], moved, names)


def _described(text: str, findings: ImportFindings, system_end: int) -> Taken:
    """A prompt without a placeholder: it becomes the system prompt, and the item follows."""
    described = _find_described(_plain(text, []))
    if described is None or system_end:
        marks = placeholders.by_hand(text)
        if marks is None:
            raise UsageError(Reason("import.inputs"))
        raise ImportQuestion("style", Reason("import.marks", style=marks[0], marks=tuple(marks[1])))
    slots = placeholders.unescapes(text) if placeholders.escaped_json(text) else []
    findings.read("placeholders", Reason("import.value.described"), described.at)
    findings.note("prompt", Reason("import.note.inputs_follow"))
    if slots:
        findings.note("braces", Reason("import.note.braces"))
    system = write.template(text, slots, {})
    return Taken(text, _plain(text, slots), described.inputs, system, described.prompt)


@dataclass(frozen=True, slots=True)
class Described:
    """Inputs that a prompt describes under "Input format" instead of leaving places for them.

    Such a prompt is a system prompt, and the item follows it in the user's message.

    The inputs, the template of the user's message, and where the heading stands.
    """

    inputs: Inputs
    prompt: str
    at: int


def _find_described(text: str) -> Described | None:
    """The first section about the input that lists labels; None when there is none."""
    for heading in _HEADING.finditer(text):
        inputs, rows = _entries(text, heading.end() + 1)
        if rows:
            return Described(inputs, "\n".join(rows), heading.start())
    return None


def _entries(text: str, start: int) -> tuple[Inputs, list[str]]:
    inputs, rows, at = Inputs(), list[str](), start
    while at < len(text) and len(rows) <= MOST_INPUTS:
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else len(text)]
        entry = _ENTRY.match(line)
        if entry and not line.lstrip().startswith("#"):
            title = entry["label"].strip("* ")
            name = unique(usable(slug(title, fallback="input")), inputs.titles)
            inputs.add(name, title, at)
            label = write.literal(f"{entry['before']}{entry['label']}{entry['colon']}")
            rows.append(f"{label} {{{{ {name} }}}}")
        elif line.strip():
            break
        at += len(line) + 1
    return inputs, rows


def _jinja(text: str, findings: ImportFindings, system_end: int) -> Taken:
    jinja = read_jinja(text, system_end)
    findings.text = jinja.text
    for name, expression in jinja.written.items():
        findings.note("input", Reason("import.note.stands_for", name=name, expression=expression))
    if jinja.written:
        written = tuple(jinja.written.values())[:5]
        findings.note("prompt", Reason("import.note.renamed", names=written))
    if jinja.absent:
        findings.note("prompt", Reason("import.note.absent", names=tuple(jinja.absent)))
    first = min(jinja.first.values(), default=0)
    findings.read("placeholders", placeholders.SAID["jinja"], first)
    taken = Taken(jinja.text, jinja.text, from_names(jinja.first, jinja.written))
    taken.masked = _masked(jinja.text, [tag.span() for tag in JINJA_TAG.finditer(jinja.text)])
    taken.jinja, taken.absent = True, jinja.absent
    taken.prompt = with_returns(jinja.text)
    if jinja.system_end:
        taken.system = with_returns(jinja.text[: jinja.system_end].removesuffix("\n\n"))
        if not templates.names_in(taken.system) - {*jinja.absent}:
            taken.prompt = with_returns(jinja.text[jinja.system_end :])
    _tell_of_system(taken, findings)
    return taken
