"""Recorded replies instead of a model: `replay:FILE`."""

from __future__ import annotations

import gzip
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast, get_args

import orjson

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reason import Reason
from adjudge.core.reply import Finish, Reply
from adjudge.errors import DataError, ProviderError, UsageError

from .base import Capabilities, Model, ModelOptions
from .prices import FREE, Price

_BOM = b"\xef\xbb\xbf"
_FORM = '{"item": "…", "criterion": null, "replies": ["…"]}'
_RECORDED = {"model", "capabilities"}  # the first line of what `--record` writes has both
_FIRST = "first"  # what a judge writes before it sees the judged text
_ORDERS = (None, "ab", "ba", _FIRST)


class _Key(NamedTuple):
    """What a row of the file answers; None stands for any."""

    item: str
    criterion: str | None
    order: str | None

    def digest(self) -> bytes:
        """A stand-in of a few bytes, long enough that no two keys share one."""
        return blake2b(orjson.dumps([*self]), digest_size=16).digest()

    def fallbacks(self) -> tuple[_Key, ...]:
        """The keys that may answer, the closest first."""
        item, criterion, order = self
        if order == _FIRST:  # no other row holds such a text
            return (self,)
        return (self, _Key(item, None, order), _Key(item, criterion, None), _Key(item, None, None))

    def __str__(self) -> str:
        parts = [f"item {self.item!r}"]
        parts += [f"criterion {self.criterion}"] if self.criterion else []
        parts += [f"order {self.order}"] if self.order else []
        return ", ".join(parts)


class _Row(NamedTuple):
    key: _Key
    replies: list[str]
    finish: Finish
    texts: dict[str, str]


def open_model(rest: str, options: ModelOptions) -> ReplayModel:  # noqa: ARG001 - as all providers
    """The replies of FILE; DataError when any line of it is wrong."""
    if not rest:
        raise UsageError(Reason("replay.no_file"))
    return ReplayModel(rest)


class ReplayModel(Model):
    """Gives sample k of an item the reply k of its row.

    Rows stay on disk and are found by their place in the file, so memory does not grow with the
    length of the replies: about 150 bytes per row.
    """

    def __init__(self, path: str) -> None:
        self.name = f"replay:{path}"
        self.capabilities = Capabilities(
            json_schema=False, logprobs=False, converses=False, cached=False
        )
        self.price: Price | None = FREE
        self._path = path
        self._places: dict[bytes, int] = {}
        self._criteria: dict[str | None, None] = {None: None}  # a set that keeps its order
        self.has_texts = False  # whether any row says what its replies are about
        self._file = _open(path)
        try:
            self.identity = f"replay {self._index()}"
        except BaseException:
            self._file.close()
            raise

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:  # noqa: ARG002 - recorded
        """The recorded reply, or ProviderError saying what the file has instead."""
        key = _Key(prompt.item, prompt.criterion, prompt.order)
        row = self._find(key)
        if row is None:
            raise ProviderError(self._missing(key))
        if prompt.sample >= len(row.replies):
            count, sample = len(row.replies), prompt.sample + 1
            there = {"file": self._path, "key": str(row.key)}
            if count == 1:
                raise ProviderError(Reason("replay.single", sample=sample, **there))
            raise ProviderError(Reason("replay.few", count=count, sample=sample, **there))
        text = row.replies[prompt.sample]
        refusal = text if row.finish == "refused" else None
        return Reply(text=text, finish=row.finish, refusal=refusal)

    def texts_of(self, item: str) -> Mapping[str, str]:
        """The item's texts by input, as they were when it was judged; empty where no row of it has
        them."""
        known: dict[str, str] = {}
        for key in self._keys_of(item):
            known |= self._row_at(self._places[key.digest()]).texts
        return known

    async def aclose(self) -> None:
        self._file.close()

    def _index(self) -> str:
        """Finds every row, and returns a hash over the content."""
        content = sha256()
        for number, place, line in self._lines():
            content.update(line)
            row = _read(line, self._path, number)
            digest = row.key.digest()
            if digest in self._places:
                lines = {"first": self._number_of(self._places[digest]), "number": number}
                raise DataError(Reason("replay.twice", file=self._path, key=str(row.key), **lines))
            self._places[digest] = place
            self.has_texts |= bool(row.texts)
            self._criteria[row.key.criterion] = None
        if not self._places:
            raise DataError(Reason("replay.no_rows", file=self._path, form=_FORM))
        return content.hexdigest()[:16]

    def _lines(self) -> Iterator[tuple[int, int, bytes]]:
        """Number, place in the file and bytes of each line that is not blank."""
        place = 0
        for number, line in enumerate(self._file, 1):
            start, place = place, place + len(line)
            if line.strip(b" \t\r\n" + _BOM):
                yield number, start, line

    def _number_of(self, place: int) -> int:
        self._file.seek(0)
        return next(number for number, start, _ in self._lines() if start == place)

    def _find(self, key: _Key) -> _Row | None:
        for candidate in key.fallbacks():
            place = self._places.get(candidate.digest())
            if place is not None:
                return self._row_at(place)
        return None

    def _row_at(self, place: int) -> _Row:
        self._file.seek(place)
        return _read(self._file.readline(), self._path)

    def _keys_of(self, item: str) -> list[_Key]:
        """What the file has for an item, without searching it."""
        keys = [_Key(item, name, order) for name in self._criteria for order in _ORDERS]
        return [key for key in keys if key.digest() in self._places]

    def _missing(self, key: _Key) -> Reason:
        """Says what is not there and what the file has for the item."""
        present, file = self._keys_of(key.item), self._path
        if not present:
            return Reason("replay.no_item", file=file, key=str(key))
        shown = "; ".join(map(str, present[:5])) + ("; …" if present[5:] else "")
        if key.criterion is None and all(other.criterion for other in present):
            return Reason("replay.ask_each", file=file, key=str(key), there=shown)
        return Reason("replay.no_reply", file=file, key=str(key), there=shown)


def _open(path: str) -> BinaryIO:
    """The file; a compressed one is unpacked into a temporary file without a name."""
    try:
        file = Path(path).expanduser().open("rb")
    except OSError as error:
        raise DataError(Reason("replay.unreadable", file=path, why=error.strerror)) from error
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    return _unpack(file, path) if packed else file


def _unpack(file: BinaryIO, path: str) -> BinaryIO:
    plain = cast(BinaryIO, tempfile.TemporaryFile())  # noqa: SIM115 - lives as long as the model
    try:
        with file, gzip.open(file) as packed:
            shutil.copyfileobj(packed, plain, 2**20)
    except (OSError, EOFError, zlib.error) as error:
        plain.close()
        raise DataError(Reason("replay.packed", file=path, why=str(error))) from error
    plain.seek(0)
    return plain


def _read(line: bytes, path: str, number: int | None = None) -> _Row:
    try:
        row: Any = orjson.loads(line.removeprefix(_BOM))
    except orjson.JSONDecodeError as error:
        broken = Reason("replay.json", why=str(error), form=_FORM)
        raise DataError(broken.in_file(path, number)) from None
    text = f"{row!r:.60}"
    fault = _fault(row) if isinstance(row, dict) else Reason("replay.no_object", text=text)
    if fault and isinstance(row, dict) and row.keys() >= _RECORDED:
        raise DataError(Reason("replay.recorded", file=path))
    if fault:
        reason = Reason("replay.fault", fault=fault, form=_FORM)
        raise DataError(reason.in_file(path, number))
    key = _Key(str(row["item"]), row.get("criterion"), row.get("order"))
    return _Row(key, row["replies"], row.get("finish") or "stop", row.get("texts") or {})


def _fault(row: dict[str, Any]) -> Reason | None:
    for name, (fits, wanted) in _FIELDS.items():
        value = row.get(name)
        if not fits(value):
            if name not in row:
                return Reason("replay.no_field", name=name, wanted=wanted)
            return Reason("replay.wrong", name=name, value=f"{value!r:.60}", wanted=wanted)
    return None


def _is_replies(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)


def _is_texts(value: object) -> bool:
    return value is None or (
        isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
    )


_FIELDS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "item": (
        lambda value: isinstance(value, str | int | float) and not isinstance(value, bool),
        "a text or a number",
    ),
    "criterion": (lambda value: value is None or isinstance(value, str), "a name or null"),
    "order": (lambda value: value in _ORDERS, '"ab", "ba", "first" or null'),
    "replies": (_is_replies, "a list of at least one text"),
    "texts": (_is_texts, "an object of texts by input"),
    "finish": (lambda value: value in (None, *get_args(Finish)), '"stop", "length" or "refused"'),
}
