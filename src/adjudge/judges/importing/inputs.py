"""Placeholders → the judge's inputs: names, columns, which is judged, which may be empty."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.judges.templates import OWN_NAMES, RESERVED

from .findings import ImportFindings, ImportQuestion, Words
from .judged import choose_judged
from .naming import label_before, slug, unique
from .options import Options
from .placeholders import Slot

# Far more than any judge shows; a text with more of them is data or code.
MOST_INPUTS = 200
# How far above a placeholder the words about it are sought.
_NEAR = 4000
# At the beginning and the end of the prompt, where its inputs are spoken of.
_TOLD = 30_000

_MAY_BE_EMPTY = re.compile(
    r"\boptional|\b(?:may|can|might|will) be (?:empty|missing|absent|blank)"
    r"|\bif (?:any|given|present)\b"
    r"|tùy chọn|tuỳ chọn|có thể (?:để trống|không có)|nếu có|선택 사항|없을 수|비어 있|있는 경우"
    r"|可选|可能为空|如果有|任意|省略可|空の場合",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Inputs:
    """The inputs by name; `of_slot` gives the input of each placeholder by its offset."""

    titles: dict[str, str] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    of_slot: dict[int, str] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    judged: list[str] = field(default_factory=list)
    optional: list[str] = field(default_factory=list)

    def add(self, name: str, title: str, at: int) -> None:
        self.titles.setdefault(name, title)
        self.columns.setdefault(name, [])
        self.first.setdefault(name, at)
        column = re.sub(r"[\W_]+", "_", title.casefold()).strip("_")
        columns = chain.from_iterable(self.columns.values())
        taken = [*self.titles, *(heading.casefold() for heading in columns)]
        if column not in taken and title.casefold() not in taken:
            self.columns[name].append(title)

    def document(self) -> dict[str, dict[str, object]]:
        """The `inputs` of the judge file."""
        out: dict[str, dict[str, object]] = {}
        for name, title in self.titles.items():
            entry: dict[str, object] = {"title": title.strip() or name}
            entry |= {"required": False} if name in self.optional else {}
            entry |= {"judged": True} if name in self.judged else {}
            entry |= {"columns": self.columns[name]} if self.columns[name] else {}
            out[name] = entry
        return out


def from_slots(text: str, slots: Iterable[Slot]) -> Inputs:
    """Inputs named as the placeholders are; those without a name after the label before them."""
    inputs = Inputs()
    by_title: dict[str, str] = {}
    for slot in slots:
        if slot.name is None:
            continue
        title = slot.name or label_before(text, slot.start)
        name = by_title.get(title) if slot.name else None
        if name is None:
            name = unique(usable(slug(title, fallback="input")), inputs.titles)
            by_title[title] = name
            _refuse_too_many(inputs)
        inputs.of_slot[slot.start] = name
        inputs.add(name, title or name, slot.start)
    return inputs


def from_names(names: Mapping[str, int], written: Mapping[str, str]) -> Inputs:
    """Inputs for names that already stand in a template, with the offset of each; `written` is
    what the prompt calls some of them."""
    inputs = Inputs()
    for name, at in names.items():
        inputs.add(name, written.get(name, name), at)
    return inputs


def _refuse_too_many(inputs: Inputs) -> None:
    if len(inputs.titles) >= MOST_INPUTS:
        raise UsageError(Reason("import.many_inputs", most=MOST_INPUTS))


def usable(name: str) -> str:
    return f"{name}_text" if name in OWN_NAMES | RESERVED else name


def settle(inputs: Inputs, text: str, options: Options, findings: ImportFindings) -> None:
    """Decides which inputs are judged and which may be empty, and tells of all of them.

    Raises UsageError where there is none, as in a template of logic alone.
    """
    if not inputs.titles:
        raise UsageError(Reason("import.inputs"))
    _take_names_in_the_text(inputs, text)
    judged = _known(options.names("judged"), inputs, "judged")
    choice = choose_judged(inputs.titles, inputs.first, text) if not judged else None
    inputs.judged = judged or (list(choice.names) if choice else [])
    for name, at in inputs.first.items():
        findings.read("input", _described(name, inputs), at)
    computed = [name for name in inputs.judged if re.search(r"[.\[]", inputs.titles[name])]
    if judged:
        findings.set("judged", ", ".join(judged))
    elif computed:
        at = inputs.first[computed[0]]
        stands_for = tuple(inputs.titles[name] for name in computed)
        doubt = Reason("import.doubt.computed", expressions=stands_for)
        findings.read("judged", ", ".join(inputs.judged), at, doubt=doubt, key="judged")
    elif choice is None:
        raise ImportQuestion("judged", Reason("import.judged", inputs=tuple(inputs.titles)))
    elif choice.doubt:
        at = inputs.first[choice.names[0]]
        findings.read("judged", ", ".join(choice.names), at, doubt=choice.doubt, key="judged")
    _settle_optional(inputs, text, options, findings)


def _settle_optional(inputs: Inputs, text: str, options: Options, findings: ImportFindings) -> None:
    inputs.optional = _known(options.names("optional"), inputs, "optional")
    if inputs.optional:
        findings.set("may be empty", ", ".join(inputs.optional))
        return
    for name in inputs.titles:
        at = _may_be_empty(name, inputs, text)
        if at is not None:
            inputs.optional.append(name)
            findings.read("may be empty", name, at)
    if not inputs.optional and len(inputs.titles) > 1:
        findings.assume("may be empty", Reason("import.value.no_input"), "optional")


def _described(name: str, inputs: Inputs) -> Words:
    columns = tuple(inputs.columns[name])
    judged = Reason("import.value.judged", name=name) if name in inputs.judged else name
    return Reason("import.value.columns", input=judged, columns=columns) if columns else judged


def _known(names: Sequence[str], inputs: Inputs, key: str) -> list[str]:
    wanted = [slug(name) for name in names]
    for name in wanted:
        if name not in inputs.titles:
            why = Reason("import.no_input", known=tuple(inputs.titles))
            raise UsageError(why.at_option("set", f"{key}={name}"))
    return wanted


def _take_names_in_the_text(inputs: Inputs, text: str) -> None:
    """`user_question` in the instructions is another name of the input `question`."""
    near = f"{text[:_TOLD]}\n{text[-_TOLD:]}" if len(text) > 2 * _TOLD else text
    for word in dict.fromkeys(re.findall(r"\b[a-z]+_[a-z_]*[a-z]\b", near)):
        owners = [name for name in inputs.titles if word.endswith(f"_{name}")]
        if len(owners) == 1 and word not in inputs.titles:
            taken = [column for columns in inputs.columns.values() for column in columns]
            if word not in taken:
                inputs.columns[owners[0]].append(word)


def _may_be_empty(name: str, inputs: Inputs, text: str) -> int | None:
    """Where its own line, the paragraph above that speaks of it, or a Jinja2 `if` says so."""
    tested = re.search(rf"\{{%[-+]?\s*(?:el)?if\s+{name}\b", text)
    if tested:
        return tested.start()
    at = inputs.first[name]
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    said = _MAY_BE_EMPTY.search(text, start, end if end >= 0 else len(text))
    if said:
        return said.start()
    # The paragraph that the placeholder itself begins is no paragraph above.
    if not text.endswith("\n\n", 0, start):
        return None
    above = text[max(0, start - _NEAR) : start].rstrip()
    paragraph = re.split(r"\n\s*\n", above)[-1]
    said = _MAY_BE_EMPTY.search(paragraph)
    if not said or inputs.titles[name].casefold() not in paragraph.casefold():
        return None
    return max(0, start - _NEAR) + len(above) - len(paragraph) + said.start()
