"""How people name a run: by its id, its name, its tags, or by how long ago it was.

Pure functions over the runs of a store, the latest first.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from adjudge.core.reason import Reason
from adjudge.errors import UnknownName, UsageError

from .records import RunRecord

LATEST, TAG = "latest", "tag:"
Order = Literal["latest", "started", "name", "rows", "cost", "judge", "model"]
ORDERS: tuple[Order, ...] = get_args(Order)

_BACK = re.compile(r"latest~(\d{1,9})")
_ID = re.compile(r"[0-9a-f]{12}")
_LONGEST = 100  # characters of a name
_SHOWN = 8  # runs that an error names


def check_name(name: str) -> None:
    """UsageError unless a run can be called and found by this name."""
    if not name.strip() or name != name.strip() or len(name) > _LONGEST:
        why = Reason("run.name_length", most=_LONGEST)
    elif any(sign in "/\\" or unicodedata.category(sign).startswith("C") for sign in name):
        why = Reason("run.name_signs")
    elif name == LATEST or _BACK.fullmatch(name) or name.startswith(TAG) or _ID.fullmatch(name):
        why = Reason("run.name_means")
    else:
        return
    raise UsageError(why.at_option("name", name))


def resolve(run: str, known: Sequence[RunRecord], where: str) -> RunRecord:
    """The run that is meant; UnknownName where there is none, or several.

    `known` has the latest first. In this order: `latest`, `latest~1`, `tag:k=v` (the latest one
    with the tag), a whole id, a name, a unique beginning of an id.
    """
    if not known:
        raise UnknownName(Reason("run.none_yet", where=where))
    if run == LATEST:
        return known[0]
    if back := _BACK.fullmatch(run):
        if int(back[1]) < len(known):
            return known[int(back[1])]
        raise UnknownName(Reason("here.few_runs", name=run, where=where, count=len(known)))
    if run.startswith(TAG):
        return _tagged(run, known, where)
    for is_meant in _WAYS:
        meant = [record for record in known if is_meant(record, run)]
        if len(meant) == 1:
            return meant[0]
        if meant:
            said = {"name": run, "where": where, "ids": _titles(meant)}
            raise UnknownName(Reason("here.several_runs", count=len(meant), **said))
    raise UnknownName(Reason("here.run", name=run, where=where, ids=_titles(known)))


_WAYS: tuple[Callable[[RunRecord, str], bool], ...] = (
    lambda record, run: record.id == run,
    lambda record, run: record.manifest.name == run,
    lambda record, run: record.id.startswith(run),
)


def _tagged(run: str, known: Sequence[RunRecord], where: str) -> RunRecord:
    key, sign, value = run.removeprefix(TAG).partition("=")
    for record in known:
        tags = record.manifest.tags
        if tags.get(key) == value if sign else key in tags:
            return record
    tags_known = dict.fromkeys(
        f"{name}={said}" for record in known for name, said in record.manifest.tags.items()
    )
    said = ", ".join(list(tags_known)[:_SHOWN]) or "–"
    raise UnknownName(Reason("here.no_tag", name=run, where=where, known=said))


def _titles(records: Sequence[RunRecord]) -> str:
    return ", ".join(record.title for record in records[:_SHOWN])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs are listed, and in which order: all of the tags, one of the judges, of the models
    and of the states where any are named, and the data with this hash. Each word of `search` is in
    the name, id, data, judges, models or tags."""

    tags: Mapping[str, str] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    data: str = ""
    search: str = ""
    order: Order = "latest"

    def apply(self, records: Sequence[RunRecord]) -> list[RunRecord]:
        """`records` have the latest first; equal ones stay in that order."""
        kept = [record for record in records if self._takes(record)]
        if self.order == "latest":
            return kept
        return sorted(
            kept, key=_KEYS[self.order], reverse=self.order in ("started", "rows", "cost")
        )

    def _takes(self, record: RunRecord) -> bool:
        manifest = record.manifest
        return (
            self.tags.items() <= dict(manifest.tags).items()
            and (not self.judges or not manifest.judges.keys().isdisjoint(self.judges))
            and (not self.models or not set(manifest.models).isdisjoint(self.models))
            and (not self.states or record.state in self.states)
            and self.data in ("", manifest.data_hash)
            and self._finds(record)
        )

    def _finds(self, record: RunRecord) -> bool:
        words = self.search.casefold().split()
        manifest = record.manifest
        tags = (f"{name}={value}" for name, value in manifest.tags.items())
        texts = (record.title, record.id, manifest.data, *manifest.judges, *manifest.models, *tags)
        text = "\n".join(texts).casefold() if words else ""
        return all(word in text for word in words)


def is_probe(record: RunRecord) -> bool:
    """Whether it was made to probe a judge or check it for drift: nobody looks for its items."""
    return not record.manifest.tags.keys().isdisjoint(("probe", "drift"))


def previous_run(record: RunRecord, known: Sequence[RunRecord]) -> RunRecord | None:
    """The last one before it of the same judges, in whatever version, on the same data."""
    earlier = [
        other
        for other in known
        if other.started < record.started
        and other.id != record.id
        and other.manifest.judges.keys() == record.manifest.judges.keys()
        and other.manifest.data_hash == record.manifest.data_hash
        and is_probe(other) == is_probe(record)
    ]
    return max(earlier, key=lambda other: other.started, default=None)


def _shown_name(record: RunRecord) -> str:
    """Without a name, what lists tell of it in its place."""
    manifest = record.manifest
    return manifest.name or " ".join((*manifest.judges, manifest.data, record.started))


_KEYS: Mapping[str, Callable[[RunRecord], Any]] = {
    "started": lambda record: record.started,
    "name": lambda record: (not record.manifest.name, _shown_name(record).casefold()),
    "rows": lambda record: record.rows,
    "cost": lambda record: -1.0 if record.cost_usd is None else record.cost_usd,
    "judge": lambda record: tuple(record.manifest.judges),
    "model": lambda record: record.manifest.models,
}
