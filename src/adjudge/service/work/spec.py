"""What a run over HTTP is to do, in a form that outlives the process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """`data` is the name that `Uploads.keep` gave, `title` what people call it. `judges` are names
    of offered judges, or names that `Uploads.keep_judge` gave. `options` are fields of RunOptions,
    made of what JSON can hold."""

    data: str
    title: str
    judges: tuple[str, ...]
    models: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)

    def as_kept(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> JobSpec:
        return cls(**{**kept, "judges": tuple(kept["judges"]), "models": tuple(kept["models"])})
