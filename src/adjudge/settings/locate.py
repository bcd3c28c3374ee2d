"""Where the settings file and `.env` are looked for; docs/configuration.md says it to users."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

# Enough to tell a project that has settings for adjudge, without reading TOML.
_TABLE = re.compile(r"^\s*\[?\s*tool\s*\.\s*adjudge\s*[.\]]", re.MULTILINE)


def settings_file(start: Path) -> Path | None:
    """The nearest `adjudge.toml`, or `pyproject.toml` with `[tool.adjudge]`, from `start` upwards.

    The way ends with the root of a repository (a folder with `.git`) and with the user's home, both
    included. Folders on it where anybody may write are stepped over: a file there could send texts
    and keys to a stranger's server. `start` itself the user has chosen.
    """
    home = _home()
    for folder in (start, *start.parents):
        path = _in(folder) if folder == start or not _anybody_writes(folder) else None
        if path or folder == home or (folder / ".git").exists():
            return path
    return None


def env_file(start: Path) -> Path | None:
    """`.env` in `start`, else beside the settings file; only one is read."""
    settings = settings_file(start)
    folders = [start, *([settings.parent] if settings else [])]
    return next((folder / ".env" for folder in folders if (folder / ".env").is_file()), None)


def working_folder() -> Path | None:
    """None when it has been deleted meanwhile."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def shown(path: Path) -> str:
    """The path as a message names it: short below the working directory, whole elsewhere."""
    here = working_folder()
    return str(path.relative_to(here) if here and path.is_relative_to(here) else path)


def _in(folder: Path) -> Path | None:
    own, project = folder / "adjudge.toml", folder / "pyproject.toml"
    if own.is_file():
        return own
    return project if project.is_file() and _speaks_of_adjudge(project) else None


def _speaks_of_adjudge(project: Path) -> bool:
    try:
        return bool(_TABLE.search(project.read_text("utf-8", errors="replace")))
    except OSError:
        return False


def _anybody_writes(folder: Path) -> bool:
    if os.name != "posix":  # elsewhere the mode does not say who may
        return False
    try:
        return bool(folder.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return True


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:
        return None
