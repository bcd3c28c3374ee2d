"""Changes to the text of a judge file, one value at a time: all else in it stays as it was written,
comments too. A form beside the text is made of the values found here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml

from .yaml_lines import Path, composed

# Where entries can be added, with one to begin from: INPUTS are those that the judge requires,
# CRITERION is one of the file.
ENTRIES: Mapping[str, str] = {
    "criteria": """\
new_criterion:
  guide: What is good, what is bad?
  scale: {type: integer, min: 1, max: 5}
""",
    "rules": """\
- id: new-rule
  flag: CRITERION.new_flag
  when: The answer has a serious error.
  cap: {CRITERION: 1}
""",
    "examples": """\
- item: {INPUTS}
  scores: {CRITERION: 1}
""",
}
_SAFE = re.compile(r"[^\W\d_][\w ()/'’.,;!?–-]*", re.UNICODE)
_IN_FLOW = frozenset(",?")


@dataclass(frozen=True, slots=True)
class FileValue:
    """One value of the file: where it is, what it is, and on which line, from 1."""

    path: Path
    text: str
    line: int

    @property
    def address(self) -> str:
        """The path as a form names it."""
        return address_of(self.path)


def address_of(path: Path) -> str:
    return "/".join(str(part).replace("~", "~0").replace("/", "~1") for part in path)


def values(text: str) -> list[FileValue]:
    """Every value of the file in its order; DefinitionError where it is no YAML."""
    return [
        FileValue(path, node.value, node.start_mark.line + 1)
        for path, node, _ in _walk(composed(text))
        if isinstance(node, yaml.ScalarNode)
    ]


def changed(text: str, wanted: Mapping[str, str]) -> str:
    """The text with these values, by their address. What is the same, or not there, stays."""
    for address, value in wanted.items():
        for path, node, parent in _walk(composed(text)):
            if isinstance(node, yaml.ScalarNode) and address_of(path) == address:
                if node.value.rstrip("\n") != value.rstrip("\n"):
                    text = _replaced(text, node, parent, value)
                break
    return text


def added(text: str, section: str) -> str:
    """The text with one more entry in a section, which is begun where there is none."""
    entry = ENTRIES[section]
    every = [value for value in values(text) if len(value.path) > 1]
    criteria = [str(value.path[1]) for value in every if value.path[0] == "criteria"]
    entry = entry.replace("CRITERION", criteria[-1]) if criteria else entry
    inputs = dict.fromkeys(str(value.path[1]) for value in every if value.path[0] == "inputs")
    optional = {
        value.path[1]
        for value in every
        if value.path[2:] == ("required",) and value.text == "false"
    }
    texts = (f"{name}: A text as it comes." for name in inputs if name not in optional)
    entry = entry.replace("INPUTS", ", ".join(texts))
    for path, node, _ in _walk(composed(text)):
        if path == (section,) and isinstance(node, yaml.CollectionNode) and not node.flow_style:
            column = node.start_mark.column
            head, tail = text[: node.end_mark.index].rstrip(), text[node.end_mark.index :]
            lines = "".join(f"{' ' * column}{line}\n" for line in _fresh(entry, node).splitlines())
            return f"{head}\n{lines}{chr(10) if tail.strip() else ''}{tail}"
    lines = "".join(f"  {line}\n" for line in entry.splitlines())
    return f"{text.rstrip()}\n\n{section}:\n{lines}"


def removed(text: str, address: str) -> str:
    """The text without an entry of a list, or without a key and its value."""
    for path, node, parent in _walk(composed(text)):
        if not path or address_of(path) != address or not isinstance(parent, yaml.CollectionNode):
            continue
        start, end = _extent(text, node, parent)
        return text[:start] + text[end:]
    return text


def _fresh(entry: str, node: yaml.CollectionNode) -> str:
    """The entry under a name that the section does not have yet."""
    if not isinstance(node, yaml.MappingNode):
        return entry
    taken, name = {key.value for key, _ in node.value}, entry.partition(":")[0]
    names = (name, *(f"{name}_{n}" for n in range(2, len(taken) + 3)))
    return entry.replace(name, next(fresh for fresh in names if fresh not in taken), 1)


def _walk(root: yaml.Node) -> Iterator[tuple[Path, yaml.Node, yaml.Node | None]]:
    """Every node with its path and what it stands in; one that aliases repeat comes once."""
    seen: set[int] = set()

    def inside(
        node: yaml.Node, path: Path, parent: yaml.Node | None
    ) -> Iterator[tuple[Path, yaml.Node, yaml.Node | None]]:
        if id(node) in seen:
            return
        seen.add(id(node))
        yield path, node, parent
        if isinstance(node, yaml.MappingNode):
            for key, inner in node.value:
                yield from inside(inner, (*path, str(key.value)), node)
        elif isinstance(node, yaml.SequenceNode):
            for place, inner in enumerate(node.value):
                yield from inside(inner, (*path, place), node)

    return inside(root, (), None)


def _replaced(text: str, node: yaml.ScalarNode, parent: yaml.Node | None, value: str) -> str:
    value = value.replace("\r\n", "\n")
    start, end = node.start_mark.index, node.end_mark.index
    in_flow = bool(isinstance(parent, yaml.CollectionNode) and parent.flow_style)
    is_block = node.style in {"|", ">"}
    alone = not text[end:].partition("\n")[0].strip()  # a block would take in a comment behind it
    if is_block or ("\n" in value and alone and not in_flow):
        column = parent.start_mark.column if parent else 0
        lines = [f"{' ' * (column + 2)}{line}".rstrip() for line in value.rstrip("\n").split("\n")]
        # A block ends before what stands on a later line; a plain value in the middle of its own.
        written = "|\n" + "\n".join(lines)
        kept = text[start:end]
        after = "\n" if is_block else ""
        blank = "\n" * max(0, len(kept) - len(kept.rstrip("\n")) - 1) if after else ""
        return text[:start] + written + after + blank + text[end:]
    return text[:start] + _scalar(node, value, in_flow=in_flow) + text[end:]


def _scalar(node: yaml.ScalarNode, value: str, *, in_flow: bool) -> str:
    """As it would be written by hand: plain where that means the same, else in quotes."""
    quoted = json.dumps(value, ensure_ascii=False)
    if node.style is None and node.tag != "tag:yaml.org,2002:str":
        return value if re.fullmatch(r"-?[\w.]+", value) else quoted
    if node.style in {'"', "'"} or not _SAFE.fullmatch(value) or value != value.strip():
        return quoted
    return quoted if in_flow and set(value) & _IN_FLOW else value


def _extent(text: str, node: yaml.Node, parent: yaml.CollectionNode) -> tuple[int, int]:
    """From where to where an entry stands, its key or dash, and the line break behind it."""
    if isinstance(parent, yaml.MappingNode):
        first = next(key for key, inner in parent.value if inner is node).start_mark.index
    else:
        first = node.start_mark.index
    if parent.flow_style:
        end = node.end_mark.index
        comma = re.match(r"\s*,\s*", text[end:])
        return first, end + (comma.end() if comma else 0)
    start = text.rfind("\n", 0, first) + 1
    end = node.end_mark.index
    last = text.rfind("\n", 0, end) + 1
    stop = last if not text[last:end].strip() and last > start else text.find("\n", end) + 1
    return start, stop or len(text)
