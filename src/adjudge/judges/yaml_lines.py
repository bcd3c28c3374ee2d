"""YAML to plain values, remembering the line of every key.

Only the types of YAML 1.2's core schema are resolved: `no` and `on` are words here, since they are
the language code of Norwegian and a likely name of an option.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml

from adjudge.errors import DefinitionError

Path = tuple[str | int, ...]

# Aliases may repeat nodes; this many are far beyond any judge and far below a memory bomb.
_MOST_NODES = 50_000


class _Loader(yaml.SafeLoader):
    """SafeLoader with the resolvers below instead of YAML 1.1's."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - as the base class declares it


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", "~nN"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+\.[0-9]*)([eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first)
    )
_Loader.yaml_implicit_resolvers.setdefault("", []).append(
    ("tag:yaml.org,2002:null", re.compile("^$"))
)


@dataclass(frozen=True, slots=True)
class Document:
    """The values of a file, and the line on which each key or list entry stands."""

    file: str
    values: object
    lines: dict[Path, int]

    def locate(self, path: Path) -> tuple[int, Path]:
        """The line of the deepest part of `path` that the file holds, and that part."""
        found: Path = ()
        for part in path:
            if (*found, part) in self.lines:
                found = (*found, part)
        return self.lines.get(found, 1), found


def parse(text: str, file: str) -> Document:
    """Raises DefinitionError naming file and line for broken YAML and repeated keys."""
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise DefinitionError(
            f"{file}, line {line}: not valid YAML: {error.problem}."
            f" Check the indentation, and put texts with ': ' or '#' into quotes or a | block."
        ) from None
    except yaml.YAMLError as error:
        raise DefinitionError(f"{file}: not valid YAML: {error}") from None
    if node is None:
        raise DefinitionError(
            f"{file}: the file is empty. `adjudge judges new NAME` writes a start."
        )
    builder = _Builder(loader, file)
    values = builder.build(node, ())
    return Document(file, values, builder.lines)


class _Builder:
    def __init__(self, loader: _Loader, file: str) -> None:
        self.loader, self.file = loader, file
        self.lines: dict[Path, int] = {}
        self.nodes = 0

    def build(self, node: yaml.Node, path: Path) -> object:
        self.nodes += 1
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        if self.nodes > _MOST_NODES:
            raise DefinitionError(f"{self.file}, line {line}: too large for a judge file.")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(entry, (*path, at)) for at, entry in enumerate(node.value)]
        return self.loader.construct_object(node)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[object, object]:
        out: dict[object, object] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise DefinitionError(f"{self.file}, line {line}: a key must be a plain word.")
            key = self.loader.construct_object(key_node)
            if key in out:
                raise DefinitionError(
                    f"{self.file}, line {line}: the key {key!r} stands here twice. Remove one."
                )
            self.lines[(*path, key)] = line
            out[key] = self.build(value_node, (*path, key))
        return out
