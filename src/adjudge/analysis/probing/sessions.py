"""The runs that a probe is made of: each is an ordinary run over texts that were derived."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """The judge as the user named it, the user's options, and how often `repeat` asks."""

    judge: str
    options: RunOptions
    repeats: int


def sessions(
    subject: Subject,
    probes: Sequence[Probe],
    twins: Sequence[Twin],
    wish: ProbeRequest,
    folder: Path,
) -> Iterator[PlannedSession]:
    """The texts with their twins; the texts again; the texts with the criteria turned round.

    Their data and judge files are written into `folder`. All have the same temperature, so that
    the noise of repeats and the effect of an alteration can be set side by side.
    """
    names = {probe.name for probe in probes if probe.needs(subject) is None}
    usual = 0.0 if wish.options.temperature is None else wish.options.temperature
    own = replace(
        wish.options,
        limit=None,
        repeat=1,
        temperature=usual,
        tags={**wish.options.tags, "probe": str(subject.source)},
    )
    texts = [(item.id, item.fields) for item in subject.items]
    rows = [*texts, *((twin.id, twin.fields) for twin in twins)]
    says = f"{len(texts)} items and {len(twins)} altered twins"

    def planned(
        about: str, says: str, rows: Iterable[tuple[str, Fields]], judge: str, options: RunOptions
    ) -> PlannedSession:
        path = folder / f"{about}.jsonl"
        title = f"probe {about}: {subject.source}"
        options = replace(options, map=write_rows(path, rows), data_title=title)
        return PlannedSession(about, says, str(path), judge, options)

    yield planned("twins", says, rows, wish.judge, own)
    if "repeat" in names:
        says = f"the {len(texts)} items again, {wish.repeats} samples each"
        yield planned("repeat", says, texts, wish.judge, replace(own, repeat=wish.repeats))
    if "criteria-order" in names:
        turned = folder / f"{subject.judge.name}.yaml"
        turned.write_text(_turned(wish.judge), "utf-8")
        says = f"the {len(texts)} items with the criteria in the opposite order"
        yield planned("criteria-order", says, texts, str(turned), own)


def _turned(judge: str) -> str:
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
