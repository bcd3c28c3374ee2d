"""A folder that many machines write to: on a disk that they share, or in object storage.

A file is there as a whole or not at all: on a disk it is written under another name first, waits
until it is on the disk, and is then renamed; object storage shows a file once it is closed.
"""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from adjudge.core.reason import Reason
from adjudge.errors import StoreError, UsageError

_OBJECTS = ("s3", "gcs", "abfs")  # what shows a file once it is closed
_UNFINISHED = "."  # how names begin of files that are being written


class Folder:
    """Names are relative to it, with `/` between their parts. On another machine it is opened
    again, when it is first used, by what is known of the storage there."""

    def __init__(self, place: str) -> None:
        self.place = place.rstrip("/") or "/"
        self._on_disk = None if "://" in self.place else Path(self.place)

    def __reduce__(self) -> tuple[type[Folder], tuple[str]]:
        return Folder, (self.place,)

    @cached_property
    def _there(self) -> tuple[Any, str]:
        """Who reads the storage, and the path that the folder has there."""
        return _file_system(self.place)

    def write(self, name: str, content: bytes) -> None:
        """In the place of a file of that name, where there is one."""
        with self._named_errors(name):
            if self._on_disk is not None:
                _replace(self._on_disk / name, content)
                return
            files, base = self._there
            place = unfinished = f"{base}/{name}"
            if files.type_name not in _OBJECTS:
                folder, _, last = place.rpartition("/")
                unfinished = f"{folder}/{_unfinished(last)}"
                files.create_dir(folder, recursive=True)
            with files.open_output_stream(unfinished) as out:
                out.write(content)
            if unfinished != place:
                files.move(unfinished, place)

    def read(self, name: str) -> bytes | None:
        """None where there is no such file."""
        with self._named_errors(name):
            try:
                if self._on_disk is not None:
                    return (self._on_disk / name).read_bytes()
                files, base = self._there
                with files.open_input_stream(f"{base}/{name}", compression=None) as file:
                    content: bytes = file.read()
                    return content
            except FileNotFoundError:
                return None

    def names(self, below: str = "") -> list[str]:
        """Of all finished files below a folder in it, however deep, in the order of their names."""
        with self._named_errors(below):
            if self._on_disk is not None:
                paths = (self._on_disk / below).rglob("*")
                names = [
                    path.relative_to(self._on_disk).as_posix() for path in paths if path.is_file()
                ]
            else:
                names = self._names_there(below)
        return sorted(name for name in names if not name.split("/")[-1].startswith(_UNFINISHED))

    def clear(self, below: str) -> None:
        """Deletes a folder in it; what somebody else has deleted is gone all the same."""
        with self._named_errors(below):
            if self._on_disk is not None:
                shutil.rmtree(self._on_disk / below, ignore_errors=True)
            else:
                files, base = self._there
                files.delete_dir_contents(f"{base}/{below}", missing_dir_ok=True)

    def _names_there(self, below: str) -> list[str]:
        from pyarrow import fs  # noqa: PLC0415 - slow to load

        files, base = self._there
        where = fs.FileSelector(f"{base}/{below}".rstrip("/"), allow_not_found=True, recursive=True)
        paths = (info.path for info in files.get_file_info(where) if info.type == fs.FileType.File)
        return [path.removeprefix(f"{base}/") for path in paths]

    @contextmanager
    def _named_errors(self, name: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            why = Reason("store.no_file", why=error.strerror or str(error))
            raise StoreError(why.in_file(f"{self.place}/{name}")) from error


def _unfinished(name: str) -> str:
    return f"{_UNFINISHED}{name}-{secrets.token_hex(4)}"


def _replace(path: Path, content: bytes) -> None:
    unfinished = path.with_name(_unfinished(path.name))
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _file_system(place: str) -> tuple[Any, str]:
    from pyarrow import fs  # noqa: PLC0415 - slow to load

    try:
        files, base = fs.FileSystem.from_uri(place)
    except (OSError, ValueError) as error:
        why = Reason("store.no_file", why=str(error))
        raise UsageError(why.at_option("store", place)) from None
    return files, base
