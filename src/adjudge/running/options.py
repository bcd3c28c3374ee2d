"""What a user may say about a run, in one object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from adjudge.core.judge import COUNTRIES, Ask, Method, Variant
from adjudge.core.prompt import Sampling
from adjudge.errors import UsageError
from adjudge.models.base import ModelOptions
from adjudge.models.prices import Price
from adjudge.stores.registry import DEFAULT

from .cascade_options import CascadeOptions

Shorten = Literal["head-tail"]
Logprobs = Literal["require", "prefer", "off"]
_CHOICES = {
    "ask": Ask,
    "method": Method,
    "variant": Variant,
    "logprobs": Logprobs,
    "shorten": Shorten,
}
_ALTERNATIVES = 20  # the most that the hosted models tell of each token
# As in judge files; "any" fits it too.
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Defaults are those of the command line; docs/cli.md says what each flag means."""

    map: Mapping[str, str] = field(default_factory=dict)
    limit: int | None = None
    repeat: int = 1
    stop_when_stable: bool = False
    cascade: CascadeOptions | None = None
    ask: Ask | None = None
    explain_in: str | None = None
    method: Method | None = None
    variant: Variant | None = None
    logprobs: Logprobs | None = None
    base_url: str | None = None
    timeout: float = 120.0
    temperature: float | None = None
    max_tokens: int = 4096
    shorten: Shorten | None = None
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
    keep_texts: bool = True  # else neither the items' texts nor what the model said are kept
    with_inputs: bool = False  # the item's inputs and other columns go into the files too
    data_title: str | None = None  # shown for the data, where the file itself says nothing

    def __post_init__(self) -> None:
        for name in ("repeat", "concurrency", "max_tokens", "rpm", "tpm"):
            given = getattr(self, name)
            if given is not None and given < 1:
                raise UsageError(f"--{name.replace('_', '-')} must be at least 1.")
        self._check_choices()
        self._check_samples()
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

    def _check_choices(self) -> None:
        for name, kind in _CHOICES.items():
            given = getattr(self, name)
            if given not in {None, *get_args(kind)}:
                known = ", ".join(get_args(kind))
                raise UsageError(f"--{name} {given}: write one of {known}.")
        if self.variant and self.method != "likelihood":
            raise UsageError("--variant belongs to --method likelihood.")
        if self.logprobs and self.method != "expected":
            raise UsageError("--logprobs belongs to --method expected.")

    def _check_samples(self) -> None:
        """What decides in the midst of a run which samples are taken."""
        if self.stop_when_stable and self.repeat < 3:
            raise UsageError("--stop-when-stable needs --repeat 3 or more: else none can be saved.")
        if self.stop_when_stable and self.method not in (None, "text"):
            raise UsageError(f"--stop-when-stable: scores of --method {self.method} do not vote.")
        if self.stop_when_stable and self.cascade:
            raise UsageError("--cascade needs all samples: leave --stop-when-stable out.")
        if self.batch and (self.stop_when_stable or self.cascade):
            flag = "--cascade" if self.cascade else "--stop-when-stable"
            raise UsageError(f"--batch asks everything at once, {flag} does not: leave one out.")

    @property
    def sampling(self) -> Sampling:
        """Without a wish of the user's: 0 for one sample, 1 for several, which else were alike."""
        usual = 0.0 if self.repeat == 1 else 1.0
        return Sampling(
            temperature=usual if self.temperature is None else self.temperature,
            max_tokens=self.max_tokens,
            seed=self.seed,
            top_logprobs=_ALTERNATIVES if self.wants_logprobs else 0,
        )

    @property
    def wants_logprobs(self) -> bool:
        return self.method == "expected" and self.logprobs != "off"

    @property
    def changes(self) -> dict[str, str]:
        """What is to be otherwise than the judge's file says, by the judge's field."""
        wished = {
            "ask": self.ask,
            "explain_in": self.explain_in,
            "method": self.method,
            "variant": self.variant,
        }
        return {name: value or "" for name, value in wished.items()}

    @property
    def model_options(self) -> ModelOptions:
        price = Price.parse(self.price) if self.price else None
        return ModelOptions(base_url=self.base_url, timeout=self.timeout, price=price)
