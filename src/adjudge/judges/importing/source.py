"""A file → the prompt in it. Files are read, never run."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from adjudge.core.reason import Reason, unread
from adjudge.errors import UsageError

from .data_prompts import (
    block_prompts,
    json_line_prompts,
    json_prompts,
    jsonnet_prompts,
    notebook_code,
    role_prompt,
    toml_prompts,
    without_front_matter,
    yaml_prompts,
)
from .prompt_text import FoundPrompt, pick_prompt, several, with_systems
from .python_prompts import python_prompts
from .script_prompts import script_prompts

Opener = Callable[[str, str], list[FoundPrompt]]

# Files that hold prompts by name.
_OPENERS: Mapping[str, Opener] = {
    ".py": python_prompts,
    ".ipynb": lambda text, where: python_prompts(notebook_code(text, where), where),
    ".json": json_prompts,
    ".jsonl": json_line_prompts,
    ".ndjson": json_line_prompts,
    ".yaml": yaml_prompts,
    ".yml": yaml_prompts,
    ".toml": toml_prompts,
    ".jsonnet": jsonnet_prompts,
    ".libsonnet": jsonnet_prompts,
    **dict.fromkeys((".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts"), script_prompts),
}
# Files of settings: a text among them is taken for the prompt only where it is named.
_SETTINGS = frozenset({".yaml", ".yml", ".toml", ".jsonnet", ".libsonnet", ".jsonl", ".ndjson"})
_PAGES = frozenset({".md", ".mdx", ".markdown"})
_REFUSED = {
    Reason("import.kind_program"): (
        ".java", ".kt", ".scala", ".go", ".rs", ".rb", ".php", ".cs", ".c", ".cc", ".cpp", ".swift",
        ".r", ".sh", ".lua", ".dart", ".ex", ".exs", ".vue",
    ),
    Reason("import.kind_document"): (".doc", ".docx", ".odt"),
    Reason("import.kind_pdf"): (".pdf",),
    Reason("import.kind_table"): (".xlsx", ".xls", ".ods", ".csv", ".tsv", ".parquet"),
    Reason("import.kind_page"): (".html", ".htm"),
    Reason("import.kind_archive"): (".zip", ".gz", ".tar", ".7z"),
    Reason("import.kind_pickle"): (".pkl", ".pickle"),
    Reason("import.kind_image"): (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp"),
    Reason("import.kind_settings"): (".ini", ".cfg", ".properties", ".env", ".po", ".strings"),
}  # fmt: skip


def read_source(path: Path, pick: str | None = None) -> FoundPrompt:
    """The prompt in a file; `pick` names one of those in a file that holds them by name.

    Line ends are kept as they are. Raises UsageError when there is no text or more than one.
    """
    kind = path.suffix.casefold()
    _refuse_by_kind(path, kind)
    text = _read(path)
    if kind in _OPENERS:
        prompts = _opened(kind, text, path)
        if pick is None and kind in _SETTINGS:
            return _only_if_named(prompts, path)
        return pick_prompt(prompts, pick, str(path))
    blocks = block_prompts(without_front_matter(text)[0]) if kind in _PAGES else []
    if blocks:
        prompt = pick_prompt(blocks, pick, str(path))
        return replace(prompt, note=Reason("import.note.block"))
    return read_text(text, str(path), pick)


def read_text(text: str, where: str, pick: str | None = None) -> FoundPrompt:
    """The prompt in a text that no file's ending tells the form of: it may be JSON that holds one,
    or several by name."""
    if re.match(r"\s*[\[{]\s*[{\"]", text):
        for opener in (json_prompts, json_line_prompts):
            records: list[FoundPrompt] = []
            with suppress(UsageError):  # a prompt may begin like JSON and be none
                records = with_systems(opener(text, where))
            if records:
                return pick_prompt(records, pick, where)
    body, _ = without_front_matter(text)
    if pick:
        why = Reason("import.one_text", file=where, endings=tuple(_OPENERS))
        raise UsageError(why.at_option("pick", pick))
    if not body.strip():
        raise UsageError(Reason("import.empty").in_file(where))
    return role_prompt(body, "") or FoundPrompt(name="", text=body)


def prompts_of(path: Path) -> list[FoundPrompt]:
    """All texts of a file that may be prompts; a file of plain text is one. For looking through a
    folder: what cannot be read has none."""
    kind = path.suffix.casefold()
    try:
        text = _read(path)
        if kind in _OPENERS:
            return _opened(kind, text, path)
        return [read_source(path)]
    except UsageError:
        return []


def _opened(kind: str, text: str, path: Path) -> list[FoundPrompt]:
    """The prompts of a file that holds them by name.

    Its syntax tree has a million objects, none of them garbage: looking for some takes longer than
    all else.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return with_systems(_OPENERS[kind](text, str(path)))
    finally:
        if collects:
            gc.enable()


def _only_if_named(prompts: list[FoundPrompt], path: Path) -> FoundPrompt:
    """In a file of settings the user names the prompt, also where only one text looks like it;
    unless the whole file is that prompt: its system and its user text stand at the top."""
    likely = [prompt for prompt in prompts if prompt.likely]
    places = [prompt for prompt in likely if prompt.has_place and prompt.judges]
    if len(places) == 1 and places[0].system and "." not in places[0].name:
        return pick_prompt(prompts, places[0].name, str(path))
    if len(likely) != 1:
        raise several(likely or prompts, str(path))
    raise several(likely, str(path), Reason("import.pick.settings", where=str(path)))


def _refuse_by_kind(path: Path, kind: str) -> None:
    what = next((said for said, endings in _REFUSED.items() if kind in endings), None)
    if what and path.exists():
        raise UsageError(Reason("import.unopened", what=what).in_file(path))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError(Reason("import.no_file").in_file(path)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(unread(error).in_file(path)) from None
