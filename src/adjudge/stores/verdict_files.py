"""A run as Parquet files in a folder that many machines share, for when there is no database.

::

    DIR/store.json                           the secret of all runs in it
    DIR/RUN/run.json                         what the run is, how it stands
    DIR/RUN/spending/SESSION.json            what each start of it has spent, and reserved
    DIR/RUN/parts/BLOCK/TIME-TOKEN.parquet   verdicts and replies, as they come
    DIR/RUN/verdicts/BLOCK.parquet           all verdicts of a block

A block is a fixed part of the rows. The worker that judges it writes parts, and, once it is
through, the one file of the block; from then on that alone counts. A retry begins with what the
parts hold. So nothing is lost, whichever process dies, and no verdict comes twice: of two in the
parts of an open block the one with an answer holds, else the later one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from io import BytesIO
from typing import Any, NamedTuple

import orjson

from adjudge.core.item import Item
from adjudge.core.reason import Reason
from adjudge.core.score import UNANSWERED
from adjudge.errors import StoreError

from .codec import (
    decode_manifest,
    decode_reply,
    decode_verdict,
    encode,
    encode_reply,
    encode_verdict,
)
from .folders import Folder
from .records import Cost, Entry, KeptReply, RunRecord

_TEXTS = ("item", "judge", "model", "fingerprint", "outcome", "fields", "extra", "verdict")
_UNANSWERED = b"adjudge.unanswered"
VerdictKey = tuple[str, str, str, int]


def key_of(entry: Entry) -> VerdictKey:
    verdict = entry.verdict
    return verdict.item, verdict.judge, verdict.model, verdict.repeat


def is_answered(entry: Entry) -> bool:
    return entry.verdict.outcome not in UNANSWERED


class Part(NamedTuple):
    """What was kept together."""

    entries: Sequence[Entry]
    replies: Sequence[KeptReply]


class VerdictFiles:
    """The files of one run; `rows_per_block` is noted when it begins."""

    def __init__(self, folder: Folder, run: str) -> None:
        self.folder, self.run = folder, run

    def record(self) -> tuple[RunRecord, int] | None:
        """The run as it was noted, with what it has spent, and the rows per block."""
        content = self.folder.read(f"{self.run}/run.json")
        if content is None:
            return None
        noted: dict[str, Any] = orjson.loads(content)
        noted["manifest"] = decode_manifest(encode(noted["manifest"]))
        rows_per_block: int = noted.pop("rows_per_block")
        spent = self.spent()
        return RunRecord(**noted, tokens=spent.tokens, usd=spent.usd), rows_per_block

    def note(self, record: RunRecord, rows_per_block: int) -> None:
        noted = asdict(record) | {"rows_per_block": rows_per_block}
        del noted["tokens"], noted["usd"]
        self.folder.write(f"{self.run}/run.json", orjson.dumps(noted, option=orjson.OPT_INDENT_2))

    def spent(self, *, reserved: bool = False) -> Cost:
        """By all starts of the run; also what they had `reserved` and may have spent."""
        total = Cost()
        for name in self.folder.names(f"{self.run}/spending"):
            content = self.folder.read(name)
            noted = orjson.loads(content) if content else {}
            for what in ("spent", *(("reserved",) if reserved else ())):
                total = total.plus(Cost(*noted.get(what, Cost())))
        return total

    def note_spending(self, session: str, spent: Cost, reserved: Cost) -> None:
        content = orjson.dumps({"spent": [*spent], "reserved": [*reserved]})
        self.folder.write(f"{self.run}/spending/{session}.json", content)

    def add_part(self, block: int, name: str, part: Part) -> None:
        self.folder.write(f"{self._parts(block)}/{name}.parquet", _encoded(part))

    def close_block(self, block: int, entries: Iterable[Entry]) -> None:
        """From here on the entries are all that counts of the block."""
        ordered = sorted(entries, key=_place)
        self.folder.write(self._closed(block), _encoded(Part(ordered, ())))
        self.folder.clear(self._parts(block))

    def is_done(self, block: int) -> bool:
        """Whether every verdict of the block is there and has an answer."""
        from pyarrow import parquet  # noqa: PLC0415 - slow to load

        content = self.folder.read(self._closed(block))
        if content is None:
            return False
        metadata = parquet.read_metadata(BytesIO(content)).metadata or {}
        return int(metadata.get(_UNANSWERED, b"1")) == 0

    def unanswered(self) -> bool:
        """Whether a block is not done of which something is kept."""
        return not all(map(self.is_done, self.blocks()))

    def block(self, block: int) -> Part:
        """What is kept of a block, in order."""
        content = self.folder.read(self._closed(block))
        if content is not None:
            return _decoded(content, self._closed(block))
        entries: dict[VerdictKey, Entry] = {}
        replies: dict[str, KeptReply] = {}
        for name in self.folder.names(self._parts(block)):
            content = self.folder.read(name)
            part = _decoded(content, name) if content else Part((), ())
            for entry in part.entries:
                if is_answered(entry) or not _is_answered_in(entries, entry):
                    entries[key_of(entry)] = entry
            replies |= {reply.key: reply._replace(run=self.run) for reply in part.replies}
        return Part(sorted(entries.values(), key=_place), [*replies.values()])

    def blocks(self) -> list[int]:
        """Those of which something is kept."""
        closed = self.folder.names(f"{self.run}/verdicts")
        open_parts = self.folder.names(f"{self.run}/parts")
        numbers = {name.split("/")[-1].removesuffix(".parquet") for name in closed}
        return sorted(map(int, numbers | {name.split("/")[-2] for name in open_parts}))

    def entries(self) -> Iterator[Entry]:
        """All verdicts with their items, in the order of the data."""
        for block in self.blocks():
            yield from self.block(block).entries

    def _parts(self, block: int) -> str:
        return f"{self.run}/parts/{block:010d}"

    def _closed(self, block: int) -> str:
        return f"{self.run}/verdicts/{block:010d}.parquet"


def _place(entry: Entry) -> tuple[object, ...]:
    verdict = entry.verdict
    return entry.position, verdict.judge, verdict.model, verdict.repeat


def _is_answered_in(entries: dict[VerdictKey, Entry], entry: Entry) -> bool:
    earlier = entries.get(key_of(entry))
    return earlier is not None and is_answered(earlier)


def _encoded(part: Part) -> bytes:
    import pyarrow as pa  # noqa: PLC0415 - slow to load
    from pyarrow import parquet  # noqa: PLC0415

    rows = [_row(entry) for entry in part.entries]
    columns: dict[str, Any] = {name: [row[name] for row in rows] for name in _TEXTS}
    kinds = {name: pa.string() for name in _TEXTS}
    columns["position"] = [entry.position for entry in part.entries]
    columns["repeat"] = [entry.verdict.repeat for entry in part.entries]
    kinds |= {"position": pa.int64(), "repeat": pa.int32()}
    if part.replies:
        more = [None] * len(part.replies)
        columns = {name: [*values, *more] for name, values in columns.items()}
        columns["key"] = [None] * len(rows) + [reply.key for reply in part.replies]
        columns["reply"] = [None] * len(rows) + [
            encode_reply(r.reply).decode() for r in part.replies
        ]
        columns["model"][len(rows) :] = [reply.model for reply in part.replies]
        kinds |= {"key": pa.string(), "reply": pa.string()}
    unanswered = sum(not is_answered(entry) for entry in part.entries)
    schema = pa.schema([*kinds.items()], {_UNANSWERED: str(unanswered)})
    out = BytesIO()
    parquet.write_table(pa.table(columns, schema), out, compression="zstd")
    return out.getvalue()


def _row(entry: Entry) -> dict[str, str]:
    item, verdict = entry.item, entry.verdict
    return {
        "item": item.id,
        "judge": verdict.judge,
        "model": verdict.model,
        "fingerprint": verdict.fingerprint,
        "outcome": verdict.outcome.value,
        "fields": encode(item.fields).decode(),
        "extra": encode(item.extra).decode(),
        "verdict": encode_verdict(verdict).decode(),
    }


def _decoded(content: bytes, name: str) -> Part:
    import pyarrow as pa  # noqa: PLC0415 - slow to load
    from pyarrow import parquet  # noqa: PLC0415

    try:
        rows = parquet.read_table(BytesIO(content)).to_pylist()
    except pa.ArrowException as error:
        raise StoreError(Reason("store.no_file", why=str(error)).in_file(name)) from None
    entries, replies = [], []
    for row in rows:
        if row["verdict"] is not None:
            item = Item(row["item"], orjson.loads(row["fields"]), orjson.loads(row["extra"]))
            entries.append(Entry(row["position"], item, decode_verdict(row["verdict"].encode())))
        else:
            reply = decode_reply(row["reply"].encode())
            replies.append(KeptReply(row["key"], "", row["model"], reply))
    return Part(entries, replies)
