"""YAML to plain values, remembering the line of every key.

Only the types of YAML 1.2's core schema are resolved: `no` and `on` are words here, since they are
the language code of Norwegian and a likely name of an option.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import yaml

from adjudge.core.reason import Reason
from adjudge.errors import DefinitionError

from .parser_messages import yaml_message

Path = tuple[str | int, ...]

# Far beyond any judge, and read in less than a second. Aliases may repeat nodes, so that these are
# counted once more when the values are made.
_MOST_NODES, _MOST_CHARACTERS = 20_000, 1_300_000


_LONG_LINE = re.compile(r"[^\n\r\x85\u2028\u2029\0]{400,}(?=[^\n\r\x85\u2028\u2029\0])")
_EMPTY = re.compile(r"\n{2,}+")


class _Loader(yaml.SafeLoader):
    """SafeLoader with the resolvers below instead of YAML 1.1's."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - as the base class declares it

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._nodes = 0
        self._literal = False

    def scan_plain(self) -> yaml.ScalarToken:
        """In YAML 1.2 a question mark within words is a sign like any other, also in {} and []."""
        if not self.flow_level:
            return super().scan_plain()
        self.peek = self._peek_plain  # type: ignore[method-assign]  # for this scalar alone
        try:
            return super().scan_plain()
        finally:
            del self.peek

    def _peek_plain(self, index: int = 0) -> str:
        sign = yaml.SafeLoader.peek(self, index)
        return "_" if sign == "?" else sign

    def scan_block_scalar(self, style: str) -> yaml.ScalarToken:
        self._literal = style == "|"
        return super().scan_block_scalar(style)

    def scan_block_scalar_breaks(self, indent: int) -> tuple[list[str], yaml.Mark]:
        """Whole lines of a | block at once: sign by sign a megabyte takes seconds."""
        at_start = self._literal and not self.column
        empty = _EMPTY.match(self.buffer, self.pointer) if at_start else None
        if empty:
            self.index, self.pointer = self.index + len(empty[0]), empty.end()
            self.line += len(empty[0])
        breaks, mark = super().scan_block_scalar_breaks(indent)
        breaks[:0] = [empty[0]] if empty else []
        if self._literal and self.column == indent:
            lines = _whole_lines(indent).match(self.buffer, self.pointer)
            if lines and lines[0]:
                breaks.append(lines[0].replace("\n" + " " * indent, "\n"))
                self.index += len(lines[0])
                self.pointer = lines.end()
                self.line += lines[0].count("\n")
                mark = self.get_mark()
            breaks += self._long_line()
        return breaks, mark

    def scan_block_scalar_indentation(self) -> tuple[list[str], int, yaml.Mark]:
        breaks, most, mark = super().scan_block_scalar_indentation()
        return breaks + (self._long_line() if self._literal else []), most, mark

    def _long_line(self) -> list[str]:
        """All but the end of a long line at once; the column stays where the line begins."""
        line = _LONG_LINE.match(self.buffer, self.pointer)
        if line is None:
            return []
        self.index, self.pointer = self.index + len(line[0]), line.end()
        return [line[0]]

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        self._nodes += 1
        if self._nodes > _MOST_NODES:
            raise YamlTooLarge(self.get_mark().line + 1)
        return super().compose_node(parent, index)


@lru_cache(maxsize=16)
def _whole_lines(indent: int) -> re.Pattern[str]:
    """Lines with words, each followed by another one that begins at the same place or behind it."""
    word = r"[^\n\r\x85\u2028\u2029\0]"
    # Not possessive as a whole: Python 3.11.0 to 3.11.4 keep half of a last turn that fails.
    return re.compile(rf"(?:{word}++\n++ {{{indent}}}(?={word}))*")


class YamlTooLarge(Exception):  # noqa: N818 - says what is the case; becomes a DefinitionError
    """There are more nodes than in any judge file; `line` is where they are too many."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", "~nN"),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first)
    )
_Loader.yaml_implicit_resolvers.setdefault("", []).append(
    ("tag:yaml.org,2002:null", re.compile("^$"))
)
# 010 is ten here, as people mean it, not eight as in YAML 1.1.
_Loader.add_constructor("tag:yaml.org,2002:int", lambda _, node: int(node.value))
_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "map", "seq")
)


@dataclass(frozen=True, slots=True)
class Document:
    """The values of a file, and the line on which each key or list entry stands.

    `texts` holds, for every text, the line on which its first line stands, where its lines are
    lines of the file (a | block, or a text on one line).
    """

    file: str
    values: object
    lines: dict[Path, int]
    texts: dict[Path, int]

    def locate(self, path: Path) -> tuple[int, Path]:
        """The line of the deepest part of `path` that the file holds, and that part."""
        known: Path = ()
        for part in path:
            if (*known, part) in self.lines:
                known = (*known, part)
        return self.lines.get(known, 1), known


def parse(text: str, file: str) -> Document:
    """Raises DefinitionError naming file and line for broken YAML and repeated keys."""
    loader, node = _composed(text, file)
    builder = _Builder(loader, file)
    values = builder.build(node, ())
    return Document(file, values, builder.lines, builder.texts)


def composed(text: str, file: str = "judge.yaml") -> yaml.Node:
    """The nodes of the text, each with its place; DefinitionError for broken YAML."""
    return _composed(text, file)[1]


def _composed(text: str, file: str) -> tuple[_Loader, yaml.Node]:
    if len(text) > _MOST_CHARACTERS:
        why = Reason("judge.too_long", count=len(text), most=_MOST_CHARACTERS)
        raise DefinitionError(why.in_file(file))
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = str(error.problem)
        why = Reason("judge.yaml", problem=yaml_message(problem), remedy=_remedy(problem))
        raise DefinitionError(why.in_file(file, line)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        sign = f"U+{ord(text[error.position]):04X}"
        raise DefinitionError(Reason("judge.invisible", sign=sign).in_file(file, line)) from None
    except YamlTooLarge as error:
        raise DefinitionError(Reason("judge.too_large").in_file(file, error.line)) from None
    except RecursionError:
        raise DefinitionError(Reason("judge.too_deep").in_file(file)) from None
    if node is None:
        raise DefinitionError(Reason("judge.empty").in_file(file))
    return loader, node


def _remedy(problem: str) -> Reason:
    if "\\t" in problem:
        return Reason("yaml.use_spaces")
    if "another document" in problem:
        return Reason("yaml.one_judge")
    if "alias" in problem:
        return Reason("yaml.quote_star")
    return Reason("yaml.check")


class _Builder:
    def __init__(self, loader: _Loader, file: str) -> None:
        self.loader, self.file = loader, file
        self.lines: dict[Path, int] = {}
        self.texts: dict[Path, int] = {}
        self.nodes = 0
        self._open: list[yaml.Node] = []

    def build(self, node: yaml.Node, path: Path) -> object:
        self.nodes += 1
        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        if self.nodes > _MOST_NODES:
            raise DefinitionError(Reason("judge.too_large").in_file(self.file, line))
        if any(node is outer for outer in self._open):
            raise DefinitionError(Reason("judge.own_alias").in_file(self.file, line))
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        self._open.append(node)
        built: object = (
            self._mapping(node, path)
            if isinstance(node, yaml.MappingNode)
            else [self.build(entry, (*path, at)) for at, entry in enumerate(node.value)]
        )
        self._open.pop()
        return built

    def _scalar(self, node: yaml.ScalarNode, path: Path) -> object:
        line = node.start_mark.line + 1
        if node.style == "|":
            self.texts[path] = line + 1
        elif node.end_mark.line == node.start_mark.line:
            self.texts[path] = line
        try:
            if node.tag not in _TAGS:
                raise ValueError(node.tag)  # noqa: TRY301 - the same error as for a wrong value
            return self.loader.construct_object(node)
        except (ValueError, KeyError):
            shown = node.value if len(node.value) <= 40 else node.value[:40] + "…"
            raise DefinitionError(
                Reason("judge.no_value", text=shown).in_file(self.file, line)
            ) from None

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[object, object]:
        out: dict[object, object] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise DefinitionError(Reason("judge.key_not_plain").in_file(self.file, line))
            key = self._scalar(key_node, (*path, "?"))
            if not isinstance(key, str | int) or isinstance(key, bool):
                raise DefinitionError(
                    Reason("judge.key_no_text", text=key_node.value).in_file(self.file, line)
                )
            if key in out:
                raise DefinitionError(Reason("judge.key_twice", key=key).in_file(self.file, line))
            self.lines[(*path, key)] = line
            out[key] = self.build(value_node, (*path, key))
        return out
