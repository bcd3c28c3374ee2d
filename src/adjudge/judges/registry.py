"""Finds judges by name or file."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from importlib.resources import files
from pathlib import Path

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from .load import load_text, read_text, text_from, text_of


@cache
def _packaged() -> dict[str, str]:
    """Name → YAML text, of the built-in judges and of those that installed packages bring.

    A package brings judges by an entry point of the group `adjudge.judges` that names a package
    holding `NAME.yaml` files, and `NAME.LANG.yaml` for further wordings, which are called
    `NAME/LANG`. Built-in names cannot be taken over.
    """
    texts: dict[str, str] = {}
    packages = [entry.value for entry in metadata.entry_points(group="adjudge.judges")]
    for package in [*packages, "adjudge.judges.builtin"]:
        for file in files(package).iterdir():
            if file.name.endswith(".yaml"):
                name, _, language = file.name.removesuffix(".yaml").partition(".")
                key = f"{name}/{language}" if language else name
                texts[key] = file.read_text("utf-8")
    return dict(sorted(texts.items()))


def names(*, worded: bool = False) -> list[str]:
    """Of the judges in their own languages; `worded`: also `NAME/LANG` of their other wordings."""
    return [name for name in _packaged() if worded or "/" not in name]


@cache
def wordings(name: str) -> tuple[str, ...]:
    """The languages that a judge asks in, its own first; `NAME/LANG` names each."""
    texts = _packaged()
    own = load_text(texts[name], name).language
    others = (key.partition("/") for key in texts)
    return (own, *(language for base, _, language in others if language and base == name))


def starter(name: str) -> str:
    """The text of a commented judge to begin with."""
    return files("adjudge.judges").joinpath("new.yaml").read_text("utf-8").replace("NAME", name)


JudgeLike = str | Path | Judge | Mapping[str, object]


def source(judge: JudgeLike) -> tuple[str, str]:
    """What to call the judge's source in messages, and its text.

    A judge is a name, a file, a dict with what a file would hold, or a Judge that was loaded.
    """
    if isinstance(judge, Judge):
        text = text_of(judge)
        if text is None:
            raise UsageError(Reason("judge.changed", name=judge.name))
        return f"{judge.name}.yaml", text
    if isinstance(judge, Mapping):
        return str(judge.get("judge") or "judge"), text_from(judge)
    if not isinstance(judge, str | Path):
        raise UsageError(Reason("judge.no_judge", kind=type(judge).__name__))
    return _named_source(str(judge))


def _named_source(name_or_file: str) -> tuple[str, str]:
    packaged = _packaged()
    base, _, language = name_or_file.partition("/")
    by_language = language and name_or_file not in packaged and base in packaged
    if by_language and load_text(packaged[base], base).language == language:
        name_or_file = base  # it is in that language by itself
    if name_or_file in packaged:
        return f"{name_or_file}.yaml", packaged[name_or_file]
    path = Path(name_or_file)
    if path.suffix in {".yaml", ".yml"} or path.exists():
        return name_or_file, read_text(path)
    near = difflib.get_close_matches(name_or_file, packaged, 1)
    known = tuple(names())
    if near:
        raise UsageError(Reason("judge.like", name=name_or_file, near=near[0], known=known))
    raise UsageError(Reason("judge.unknown", name=name_or_file, known=known))


def get(judge: JudgeLike) -> Judge:
    """The checked judge; UsageError for an unknown name, DefinitionError for a bad file."""
    file, text = source(judge)
    return load_text(text, file)
