"""What the page that compares two runs shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from adjudge.stores import RunRecord
from adjudge.strings import Strings

from .run_view import setting_name, setting_value

_MOST = 200  # runs to choose from


class Group(NamedTuple):
    """Runs that go together in the choice; `name` is the key of its heading, "" without one."""

    name: str
    runs: tuple[RunRecord, ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """The runs that may be A, and those that may be B."""

    a: tuple[RunRecord, ...]
    b: tuple[Group, ...]


class Fact(NamedTuple):
    """What is known of both runs. `name` is the key of its name, or a setting's name in words."""

    name: str
    a: str
    b: str
    setting: bool = False

    @property
    def differs(self) -> bool:
        return self.a != self.b


def choices(records: Sequence[RunRecord], a: RunRecord | None, b: RunRecord | None) -> Choices:
    """The latest runs first; those that can well be compared with A before the others."""
    runs = [run for run in records if "probe" not in run.manifest.tags][:_MOST]
    chosen = {run.id: run for run in (a, b) if run is not None}
    every = tuple({**chosen, **{run.id: run for run in runs}}.values())
    in_order = tuple(sorted(every, key=records.index))
    if a is None:
        return Choices(in_order, (Group("", in_order),))
    groups: dict[str, list[RunRecord]] = {"same_data": [], "same_judge": [], "other_judge": []}
    for run in in_order:
        groups[_kinship(a, run)].append(run)
    filled_groups = tuple(
        Group(f"compare.{name}", tuple(runs)) for name, runs in groups.items() if runs
    )
    return Choices(in_order, filled_groups)


def _kinship(a: RunRecord, b: RunRecord) -> str:
    if not a.manifest.judges.keys() & b.manifest.judges.keys():
        return "other_judge"
    return "same_data" if a.manifest.data_hash == b.manifest.data_hash else "same_judge"


def facts_of(a: RunRecord, b: RunRecord, say: Strings) -> list[Fact]:
    """What was asked of what; of the settings those that differ."""
    known = [
        Fact(name, one, other) for (name, one), (_, other) in zip(_facts(a), _facts(b), strict=True)
    ]
    first, second = a.manifest.settings, b.manifest.settings
    for name in dict.fromkeys([*first, *second]):
        one, other = (_setting(name, of.get(name), say) for of in (first, second))
        fact = Fact(setting_name(name, say), one, other, setting=True)
        if fact.differs:
            known.append(fact)
    return known


def _facts(record: RunRecord) -> Iterable[tuple[str, str]]:
    manifest = record.manifest
    judges = ", ".join(f"{name} ({mark})" for name, mark in manifest.judges.items())
    yield "common.judge", judges
    yield "common.model", ", ".join(manifest.models)
    yield "common.data", f"{manifest.data} ({manifest.data_hash[:12]})"
    yield "common.rows", f"{record.rows:,}"


def _setting(name: str, value: object, say: Strings) -> str:
    return "–" if value is None else setting_value(name, value, say)
