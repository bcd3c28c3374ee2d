"""What the runs of a probe are about: twins of the texts, and the judge turned round."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import orjson
import yaml

from adjudge.core.item import Item
from adjudge.judges import registry
from adjudge.running import RunOptions

from .probes import Probe
from .subject import Fields, Subject


@dataclass(frozen=True, slots=True)
class PlannedSession:
    """A run to be made; `about` is "twins", "repeat" or "criteria-order", `says` is for people."""

    about: str
    says: str
    data: str
    judge: str
    options: RunOptions


def turned(judge: str) -> str:
    """The judge's file with its criteria in the opposite order."""
    content = yaml.safe_load(registry.source(judge)[1])
    content["criteria"] = dict(reversed(content["criteria"].items()))
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=False)


ID = "id"  # the column of the file with the ids


class Twin(NamedTuple):
    """An altered copy of the item `of`; its id is ITEM#PROBE."""

    id: str
    of: str
    probe: str
    fields: Fields


def twins_of(subject: Subject, probes: Sequence[Probe]) -> list[Twin]:
    """All of them, probe by probe; an item that a probe leaves as it is has no twin there."""
    return [
        Twin(f"{item.id}#{probe.name}", item.id, probe.name, fields)
        for probe in probes
        for item, fields in _altered(subject, probe)
    ]


def _altered(subject: Subject, probe: Probe) -> Iterator[tuple[Item, Fields]]:
    if probe.alter is None or probe.needs(subject) is not None:
        return
    for at, item in enumerate(subject.items):
        changed = probe.alter(subject, at, item)
        if changed is not None and {**item.fields, **changed} != item.fields:
            yield item, {**item.fields, **changed}


def write_rows(path: Path, rows: Iterable[tuple[str, Fields]]) -> dict[str, str]:
    """Writes JSONL with a column for each input; returns the mapping that reads it back."""
    used: dict[str, str] = {ID: ID}
    with path.open("wb") as out:
        for name, fields in rows:
            out.write(orjson.dumps({ID: name, **fields}) + b"\n")
            used.update((field, field) for field in fields)
    return used
