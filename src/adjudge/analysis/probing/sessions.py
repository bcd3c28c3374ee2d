"""The runs that a probe is made of: each is an ordinary run over texts that were derived."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from adjudge.judges import registry
from adjudge.running.options import RunOptions

from .probes import Probe
from .subject import Fields, Subject
from .twins import Twin, write_rows


@dataclass(frozen=True, slots=True)
class Planned:
    """A run to be made; `about` is "twins", "repeat" or "criteria-order", `says` is for people."""

    about: str
    says: str
    data: str
    judge: str
    options: RunOptions


@dataclass(frozen=True, slots=True)
class Wish:
    """The judge as the user named it, the user's options, and how often `repeat` asks."""

    judge: str
    options: RunOptions
    repeats: int


def sessions(
    subject: Subject, probes: Sequence[Probe], twins: Sequence[Twin], wish: Wish, folder: Path
) -> Iterator[Planned]:
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
        tags={**wish.options.tags, "probe": subject.source},
    )
    texts = [(item.id, item.fields) for item in subject.items]
    rows = [*texts, *((twin.id, twin.fields) for twin in twins)]
    says = f"{len(texts)} items and {len(twins)} altered twins"
    yield _written(folder, rows, Planned("twins", says, "", wish.judge, own))
    if "repeat" in names:
        again = replace(own, repeat=wish.repeats)
        says = f"the {len(texts)} items again, {wish.repeats} samples each"
        yield _written(folder, texts, Planned("repeat", says, "", wish.judge, again))
    if "criteria-order" in names:
        turned = folder / f"{subject.judge.name}.yaml"
        turned.write_text(_turned(wish.judge), "utf-8")
        says = f"the {len(texts)} items with the criteria in the opposite order"
        yield _written(folder, texts, Planned("criteria-order", says, "", str(turned), own))


def _written(folder: Path, rows: Iterable[tuple[str, Fields]], planned: Planned) -> Planned:
    """With its data in a file, and the options to read that."""
    path = folder / f"{planned.about}.jsonl"
    title = f"probe {planned.about}: {planned.options.tags['probe']}"
    options = replace(planned.options, map=write_rows(path, rows), data_title=title)
    return replace(planned, data=str(path), options=options)


def _turned(judge: str) -> str:
    """The judge's file with its criteria in the opposite order."""
    content = yaml.safe_load(registry.source(judge)[1])
    content["criteria"] = dict(reversed(content["criteria"].items()))
    return yaml.safe_dump(content, allow_unicode=True, sort_keys=False)
