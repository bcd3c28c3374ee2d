"""`.env`: keys and defaults that are not typed again in every shell.

Taken over are the variables that adjudge can make use of, and only where the real environment has
none of that name. Values stand as written: `$` means nothing. Read once in a process.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from adjudge.core.reason import Reason, unread
from adjudge.errors import UsageError

from . import locate

# Sets where .env is not wanted at all.
OFF = "ADJUDGE_NO_DOTENV"
_NO = frozenset({"", "0", "false", "f", "no", "n", "off"})

NETWORK = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class DotEnv:
    """What came out of a file: the variables taken from it with their lines. Never their values."""

    path: Path
    lines: Mapping[str, int] = field(default_factory=dict)

    def origin(self, name: str) -> str | None:
        """`.env, line 3` for a variable that came from there."""
        line = self.lines.get(name)
        return f"{locate.shown(self.path)}, line {line}" if line else None


_read: dict[Path, DotEnv] = {}
_reading = Lock()


def load(providers: Callable[[], Iterable[str]]) -> DotEnv | None:
    """Puts `.env` into the environment; None when there is none, or it is switched off.

    `providers` names the providers that there are; it is called only if there is a file. UsageError
    names the line that cannot be read, and not what it holds.
    """
    start = locate.working_folder()
    if start is None or os.environ.get(OFF, "").casefold() not in _NO:
        return None
    path = locate.env_file(start)
    if path is None:
        return None
    with _reading:
        if path not in _read:
            _read[path] = _take(path, providers())
        return _read[path]


def concerns(name: str, providers: Iterable[str]) -> bool:
    """Whether adjudge can make use of the variable.

    Its own, those that begin with a provider's name (`OPENAI_…` for `openai`), proxies and
    certificates.
    """
    ours = ("adjudge", *providers)
    prefixes = tuple(f"{owner.upper().replace('-', '_')}_" for owner in ours)
    return name.startswith(prefixes) or name.upper() in NETWORK


def _take(path: Path, providers: Iterable[str]) -> DotEnv:
    known = tuple(providers)
    lines, values = {}, {}
    for name, value, line in _variables(path):
        if value and concerns(name, known) and name not in os.environ:
            lines[name], values[name] = line, value  # the last one counts, as in a shell
    os.environ.update(values)
    return DotEnv(path, lines)


def _variables(path: Path) -> Iterator[tuple[str, str, int]]:
    """Names, values and lines; all of the file is checked before the environment changes."""
    import io  # noqa: PLC0415 - only where there is a file

    from dotenv.parser import parse_stream  # noqa: PLC0415

    for binding in parse_stream(io.StringIO(_text(path))):
        written = binding.original.string
        line = binding.original.line + written[: len(written) - len(written.lstrip())].count("\n")
        if not binding.error and binding.key is None:
            continue  # a comment, or blank lines
        name, value = binding.key or "", binding.value
        if binding.error or value is None or not _VARIABLE.fullmatch(name) or "\0" in value:
            # Not even the name is shown: where the line is garbled it may be a part of the key.
            raise UsageError(
                Reason("settings.dotenv_line", off=OFF).in_file(locate.shown(path), line)
            )
        yield name, value, line


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise UsageError(
            Reason("settings.dotenv", why=error.strerror, off=OFF).in_file(locate.shown(path))
        ) from None
    except UnicodeDecodeError as error:
        raise UsageError(unread(error).in_file(locate.shown(path))) from None
