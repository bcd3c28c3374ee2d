"""What a user may say about a run, in one object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import get_args

from adjudge.core.judge import COUNTRIES, Ask
from adjudge.core.prompt import Sampling
from adjudge.errors import UsageError
from adjudge.models.base import ModelOptions
from adjudge.models.prices import Price
from adjudge.stores.registry import DEFAULT

# As in judge files; "any" fits it too.
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Defaults are those of the command line; docs/cli.md says what each flag means."""

    map: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None
    repeat: int = 1
    ask: Ask | None = None
    explain_in: str | None = None
    base_url: str | None = None
    timeout: float = 120.0
    temperature: float | None = None
    max_tokens: int = 4096
    seed: int | None = None
    concurrency: int = 8
    rpm: int | None = None
    tpm: int | None = None
    budget: str | None = None
    price: str | None = None
    no_cache: bool = False
    batch: bool = False
    store: str = DEFAULT
    fresh: bool = False
    skip_bad_rows: bool = False
    tags: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("repeat", "concurrency", "max_tokens", "rpm", "tpm"):
            given = getattr(self, name)
            if given is not None and given < 1:
                raise UsageError(f"--{name.replace('_', '-')} must be at least 1.")
        if self.ask not in {None, *get_args(Ask)}:
            raise UsageError(f"--ask {self.ask}: write one of {', '.join(get_args(Ask))}.")
        if not self.timeout > 0:
            raise UsageError("--timeout must be more than 0 seconds.")
        if self.temperature is not None and not self.temperature >= 0:
            raise UsageError(f"--temperature {self.temperature}: it must be 0 or more.")
        if self.explain_in and not _LANGUAGE.fullmatch(self.explain_in):
            raise UsageError(
                f"--explain-in {self.explain_in}: write a language code such as en, ko, vi, or any."
            )
        if self.explain_in in COUNTRIES:
            meant = COUNTRIES[self.explain_in]
            raise UsageError(f"--explain-in {self.explain_in}: a country; the language is {meant}.")

    @property
    def sampling(self) -> Sampling:
        """Without a wish of the user's: 0 for one sample, 1 for several, which else were alike."""
        usual = 0.0 if self.repeat == 1 else 1.0
        return Sampling(
            temperature=usual if self.temperature is None else self.temperature,
            max_tokens=self.max_tokens,
            seed=self.seed,
        )

    @property
    def model_options(self) -> ModelOptions:
        price = Price.parse(self.price) if self.price else None
        return ModelOptions(base_url=self.base_url, timeout=self.timeout, price=price)
