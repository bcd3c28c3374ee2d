"""A file → the text of the prompt in it. Python and JSON files are read, never run."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from adjudge.errors import UsageError

# Shorter texts are keys, file names and labels.
_SHORTEST_PROMPT = 80


@dataclass(frozen=True, slots=True)
class Source:
    """A prompt's text and, where it was one of a file's constants, the constant's name."""

    text: str
    constant: str = ""


def read_source(path: Path, pick: str | None = None) -> Source:
    """The prompt in a file; `pick` names one of the texts of a Python or JSON file.

    Line ends are kept as they are. Raises UsageError when there is no text or more than one.
    """
    text = _read(path)
    kind = path.suffix.casefold()
    if kind == ".py":
        return _picked(dict(_python_texts(text, path)), pick, path)
    if kind == ".json":
        return _picked(dict(_json_texts(text, path)), pick, path)
    if pick:
        raise UsageError(f"--pick {pick}: {path} is one text; only .py and .json files hold names.")
    if not text.strip():
        raise UsageError(f"{path}: is empty; there is no prompt to import.")
    return Source(text)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such file.") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 (byte {error.start}). Save it as UTF-8.") from None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}.") from None


def _python_texts(text: str, path: Path) -> Iterator[tuple[str, str]]:
    """The string constants that are given a name, in a class or function also by its name."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise UsageError(f"{path}: not valid Python: {error}.") from None
    yield from _assigned(tree.body, "")


def _assigned(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, str]]:
    for node in body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _assigned(node.body, f"{prefix}{node.name}.")
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        value = getattr(node, "value", None)
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(value, ast.expr):
                yield from _literal(f"{prefix}{target.id}", value)


def _literal(name: str, value: ast.expr) -> Iterator[tuple[str, str]]:
    """A text, also one in a dict or list, by the path to it; what must be computed is left out."""
    try:
        yield from _leaves(_added(value) or ast.literal_eval(value), name)
    except (ValueError, TypeError, RecursionError):
        return


def _added(value: ast.expr) -> str | None:
    """A text in one piece, or in several with a + between them."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        left, right = _added(value.left), _added(value.right)
        return None if left is None or right is None else left + right
    return None


def _json_texts(text: str, path: Path) -> Iterator[tuple[str, str]]:
    try:
        yield from _leaves(json.loads(text), "")
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: not valid JSON: {error}.") from None


def _leaves(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict | list | tuple):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in pairs:
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))


def _picked(texts: dict[str, str], pick: str | None, path: Path) -> Source:
    """The text named; where none is named, the only one that looks like a prompt."""
    if pick is None:
        likely = {name: text for name, text in texts.items() if _like_a_prompt(text)}
        if len(likely) == 1:
            name, text = next(iter(likely.items()))
            return Source(text, name)
        offered = likely or texts
        said = "several prompts" if likely else "no text that looks like a prompt"
        listed = ", ".join(list(offered)[:60]) or "none"
        raise UsageError(f"{path}: holds {said}. Name one with --pick NAME: {listed}.")
    fitting = [name for name in texts if name == pick] or [
        name for name in texts if name.rpartition(".")[2] == pick
    ]
    if len(fitting) == 1:
        return Source(texts[fitting[0]], fitting[0])
    listed = ", ".join(fitting or list(texts)[:60]) or "none"
    problem = "is ambiguous" if fitting else "is not there"
    raise UsageError(f"--pick {pick}: {problem} in {path}. It holds: {listed}.")


def _like_a_prompt(text: str) -> bool:
    spaced = len(text.split()) >= 12 or bool(re.search(r"[\u3040-\u30ff\u4e00-\u9fff]{10}", text))
    return len(text) >= _SHORTEST_PROMPT and spaced
