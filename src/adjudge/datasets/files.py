"""The files that DATA stands for where many machines read it: on a disk that all of them have, or
in object storage."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.core.reason import Reason
from adjudge.errors import DataError, UsageError

from .base import Source
from .sources import Data, format_for, known_endings, open_data
from .textfile import GZIP_ENDING, encodings_read

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_PIECE = 1 << 20  # bytes that are fetched at once
_SAVED = ("dataset_info.json", "dataset_dict.json", "state.json")  # by Hugging Face datasets
_MAGIC = frozenset("*?[")


@dataclass(frozen=True, slots=True, kw_only=True)
class DataFile:
    """One of the files of DATA. `path` is absolute, or an address; `shown` is its name in messages.
    `part` picks a table in it. `alone`: it is the only one. `most` rows of it are read, None for
    all."""

    number: int
    path: str
    shown: str
    part: str | None = None
    alone: bool = True
    most: int | None = None


def files_of(name: str) -> list[DataFile]:
    """All files of a path, a folder, a pattern or an address, in the order of their names."""
    if name == "-":
        raise UsageError(Reason("file.stdin_elsewhere"))
    places: list[tuple[str, str | None]]
    if is_address(name):
        places = [(path, None) for path in _at_address(name)]
    elif Path(name).is_dir() and not any(Path(name, saved).exists() for saved in _SAVED):
        places = [(str(path), None) for path in _in_folder(Path(name))]
    else:
        places = [(str(source.path), source.part) for source, _ in open_data(name).files]
    alone = len(places) == 1
    return [
        DataFile(
            number=number,
            path=path if is_address(path) else str(Path(path).absolute()),
            shown=Path(path).name if alone else path,
            part=part,
            alone=alone,
        )
        for number, (path, part) in enumerate(places)
    ]


def encodings_of(files: Iterable[DataFile]) -> dict[str, str]:
    """What files of this machine are read in where that is not UTF-8; see CheckedData."""
    here = (file for file in files if not is_address(file.path))
    sources = (Source(Path(file.path), file.part, shown=file.shown) for file in here)
    return encodings_read(source for source in sources if format_for(source.path).packable)


@contextmanager
def opened_file(file: DataFile) -> Iterator[Data]:
    """Its rows; what lies elsewhere is fetched into a file here for as long as it is open."""
    with _here(file) as path:
        source = Source(path, file.part, shown=file.shown)
        yield Data(file.shown, ((source, format_for(path)),), alone=file.alone)


@contextmanager
def _here(file: DataFile) -> Iterator[Path]:
    if not is_address(file.path):
        yield Path(file.path)
        return
    files, path = file_system(file.path)
    with tempfile.TemporaryDirectory(prefix="adjudge-") as folder:
        copy = Path(folder, Path(path).name)
        try:
            with files.open_input_stream(path, compression=None) as there, copy.open("wb") as here:
                while piece := there.read(_PIECE):
                    here.write(piece)
        except OSError as error:
            raise DataError(Reason("file.not_fetched", why=str(error)).in_file(file.path)) from None
        yield copy


def is_address(name: str) -> bool:
    """`s3://…`, `gs://…` and whatever else is no path."""
    return "://" in name


def file_system(address: str) -> tuple[FileSystem, str]:
    """Who reads the address, and the path that it has there."""
    from pyarrow import fs  # noqa: PLC0415 - slow to load

    try:
        files, path = fs.FileSystem.from_uri(address)
    except (OSError, ValueError) as error:
        raise UsageError(Reason("file.address", why=str(error)).in_file(address)) from None
    return files, path


def _at_address(address: str) -> list[str]:
    # What is no letter of an address (`*`) is not taken as one.
    base = address
    while _MAGIC & set(base):
        base = base.rpartition("/")[0]
    files, path = file_system(base)
    pattern = path + address.removeprefix(base)
    places = _listed(files, path, address)
    names = [name for name in places if name == path or _wanted(name, path, pattern)]
    if not names:
        raise DataError(Reason("file.no_match").in_file(address))
    before = base.removesuffix(path)
    return [before + name for name in names]


def _listed(files: Any, path: str, address: str) -> Sequence[str]:
    from pyarrow import fs  # noqa: PLC0415 - slow to load

    try:
        info = files.get_file_info(path)
        if info.type == fs.FileType.File:
            return [path]
        inside = files.get_file_info(fs.FileSelector(path, allow_not_found=True, recursive=True))
    except OSError as error:
        raise DataError(Reason("file.not_fetched", why=str(error)).in_file(address)) from None
    return sorted(file.path for file in inside if file.type == fs.FileType.File)


def _wanted(name: str, folder: str, pattern: str) -> bool:
    if pattern.rstrip("/") != folder.rstrip("/"):
        return fnmatchcase(name, pattern)
    return _readable(name.removeprefix(folder))


def _readable(name: str) -> bool:
    """Whether it has a known ending; what other programs keep beside data is passed over."""
    if any(part.startswith(("_", ".")) for part in name.split("/")):
        return False
    return name.casefold().removesuffix(GZIP_ENDING).endswith(known_endings())


def _in_folder(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    wanted = [path for path in files if _readable(path.relative_to(folder).as_posix())]
    if not wanted:
        raise DataError(Reason("file.no_match").in_file(folder))
    return wanted
