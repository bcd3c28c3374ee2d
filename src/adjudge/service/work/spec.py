"""What a run over HTTP is to do, in a form that outlives the process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """`data` is the name that `Uploads.keep` gave, `title` what people call it. `judges` are names
    of offered judges, or names that `Uploads.keep_judge` gave. `options` are fields of RunOptions,
    made of what JSON can hold. `taken_up` is how often the job was begun again since the run had
    `verdicts` verdicts. `notes` are what `adjudge run` would say about the data at its start."""

    data: str
    title: str
    judges: tuple[str, ...]
    models: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    taken_up: int = 0
    verdicts: int = 0
    notes: tuple[str, ...] = ()

    def begun_again(self, verdicts: int) -> JobSpec:
        """The same, with one more beginning; the first where the run has got on since."""
        times = self.taken_up + 1 if verdicts <= self.verdicts else 1
        return replace(self, taken_up=times, verdicts=verdicts)

    def as_kept(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> JobSpec:
        lists = {name: tuple(kept.get(name, ())) for name in ("judges", "models", "notes")}
        return cls(**{**kept, **lists})
