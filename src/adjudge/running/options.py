"""What a user may say about a run: as keywords of the Python front, and checked, in one object."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict, get_args

from adjudge.core.judge import COUNTRIES, Ask, Method, Variant
from adjudge.core.prompt import Sampling
from adjudge.core.reason import Reason, check_one_of, check_share
from adjudge.errors import UsageError
from adjudge.models import ModelOptions, Price
from adjudge.stores import DEFAULT, Keep, check_name

Shorten = Literal["head-tail"]
Logprobs = Literal["require", "prefer", "off"]
EngineName = Literal["local", "ray"]
Columns = Literal["full", "compact"]
_CHOICES = {
    "ask": Ask,
    "method": Method,
    "variant": Variant,
    "logprobs": Logprobs,
    "shorten": Shorten,
    "keep": Keep,
    "engine": EngineName,
    "columns": Columns,
}
_ALTERNATIVES = 20  # the most that the hosted models tell of each token
# As in judge files; "any" fits it too.
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Za-z]+)?")


class Shard(NamedTuple):
    """Every `parts`-th row, from number `part` on, counted from 0."""

    part: int
    parts: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """From "3/16". Batch queues count from 1 or from 0: 16/16 and 0/16 are the same part."""
        part, slash, parts = text.partition("/")
        if not (slash and part.isdecimal() and parts.isdecimal() and 0 < int(parts) >= int(part)):
            raise UsageError(Reason("form.shard").at_option("shard", text))
        return cls(int(part) % int(parts), int(parts))

    def has(self, position: int) -> bool:
        return position % self.parts == self.part

    def share_of(self, rows: int) -> int:
        return len(range(self.part, rows, self.parts))


class ModelKeywords(TypedDict, total=False):
    """How a model is reached. Defaults are those of `RunOptions`."""

    base_url: str | None
    """The address of an OpenAI-compatible server."""
    timeout: float
    """Seconds that one request may take."""
    price: str | None
    """`in=…,out=…`: USD per million tokens, where the price is not known."""


class ReplyKeywords(ModelKeywords, total=False):
    """Where replies come from, and where they go."""

    no_cache: bool
    """Do not use replies that other runs have paid for."""
    record: str | Path | None
    """A file that every reply is written to, under its exact request."""
    offline: str | Path | bool | None
    """Ask no model: use the replies of this file, or, if True, those in the store's cache."""


class JudgeKeywords(ReplyKeywords, total=False):
    """How an item is judged."""

    map: Mapping[str, str]
    """Input of the judge → the column that feeds it."""
    ask: Ask | None
    """`together`: all criteria in one call; `each`: one call per criterion."""
    explain_in: str | None
    """Language of the explanations: `en`, `ko`, `vi`, …; `any` switches the check off."""
    method: Method | None
    """`text`: the score in the reply; `expected`: weighted by token probabilities; `likelihood`."""
    variant: Variant | None
    """With `method="likelihood"`: which text is given, and which one is measured."""
    logprobs: Logprobs | None
    """With `method="expected"`: fail without probabilities (`require`), or take samples."""
    temperature: float | None
    """Sampling temperature; None is 0, or 1 where items are judged several times."""
    max_tokens: int
    """The most tokens of one reply, reasoning included."""
    shorten: Shorten | None
    """`head-tail`: a text that does not fit the model is cut in the middle."""
    seed: int | None
    """Seed for sampling, where the model takes one."""
    concurrency: int
    """Requests in flight at once."""
    checks: Sequence[Any]
    """Criteria that Python computes: functions with `@adjudge.check`, or of `adjudge.checks`."""
    store: str
    """Where runs are kept: a path, or a URL."""


class DataKeywords(TypedDict, total=False):
    """Which rows are read, and how much they may ask and spend."""

    sheet: str | None
    """The sheet of a workbook, where it has several; the same as `FILE#SHEET`."""
    encoding: str | None
    """What the data are written in, where that is neither UTF-8 nor plain to see: `cp949`."""
    limit: int | None
    """Only the first rows, this many."""
    skip_bad_rows: bool
    """Leave out rows that cannot be used."""
    rpm: int | None
    """The most requests per minute to one model."""
    tpm: int | None
    """The most tokens per minute to one model."""
    budget: str | None
    """The most that may be spent, over all models: `5usd`, `2Mtok`."""


class RunKeywords(JudgeKeywords, DataKeywords, total=False):
    """How a file of rows is judged."""

    shard: str | None
    """`3/16`: only part 3 of 16 of the rows; all parts are one run, in a store that they share."""
    engine: EngineName
    """`local`: this process judges; `ray`: the workers of a cluster do."""
    ray_address: str | None
    """With `engine="ray"`: the cluster; `auto` is the one of this machine, None starts one."""
    workers: int | None
    """With `engine="ray"`: how many judge at once; None is one per processor of the cluster."""
    repeat: int
    """Samples per item."""
    stop_when_stable: bool
    """With `repeat`: take no sample that cannot change the majority."""
    cascade: CascadeOptions | None
    """The models in order, the cheapest first; items that one is sure of stop there."""
    batch: bool
    """Use the provider's batch endpoint: cheaper, answers within a day."""
    fresh: bool
    """Start again, even where an earlier run could be continued."""
    name: str | None
    """What the run is called, in place of its id."""
    tags: Mapping[str, str]
    """Notes that are kept with the run."""
    keep: Keep | None
    """What the store keeps: `all`, no texts of items (`replies`), no texts (`scores`), `none`."""
    keep_texts: bool
    """False is the same as `keep="scores"`."""
    with_inputs: bool
    """Put the inputs and the other columns of the data into the files too."""
    columns: Columns
    """Of the files: `full`, or `compact` with id, inputs, scores, explanations and outcome."""
    data_title: str | None
    """Shown for the data, in place of the file's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The keywords with their defaults, which are those of the command line, checked together."""

    map: Mapping[str, str] = field(default_factory=dict)
    sheet: str | None = None
    encoding: str | None = None
    limit: int | None = None
    shard: str | None = None
    engine: EngineName = "local"
    ray_address: str | None = None
    workers: int | None = None
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
    checks: Sequence[Any] = ()
    record: str | Path | None = None
    offline: str | Path | bool | None = None
    batch: bool = False
    store: str = field(default=DEFAULT, repr=False)  # an address may hold a password
    fresh: bool = False
    skip_bad_rows: bool = False
    name: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    keep: Keep | None = None
    keep_texts: bool = True
    with_inputs: bool = False
    columns: Columns = "full"
    data_title: str | None = None

    def __post_init__(self) -> None:
        for name in ("repeat", "concurrency", "max_tokens", "rpm", "tpm", "workers"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise UsageError(Reason("form.at_least_one", flag=_flag(name)))
        self._check_choices()
        self._check_samples()
        self._check_engine()
        self._check_recording()
        _ = self.part  # says what is wrong with it
        if self.name is not None:
            check_name(self.name)
        if not self.timeout > 0:
            raise UsageError(Reason("options.timeout"))
        if self.temperature is not None and not self.temperature >= 0:
            raise UsageError(
                Reason("options.below_zero").at_option("temperature", self.temperature)
            )
        if self.explain_in and not _LANGUAGE.fullmatch(self.explain_in):
            raise UsageError(Reason("form.language", text=self.explain_in))
        if self.explain_in in COUNTRIES:
            meant = COUNTRIES[self.explain_in]
            raise UsageError(Reason("form.country", text=self.explain_in, meant=meant))

    def _check_choices(self) -> None:
        for name, kind in _CHOICES.items():
            check_one_of(name, getattr(self, name), get_args(kind))
        if self.sheet is not None and self.encoding is not None:
            raise UsageError(Reason("options.sheet_encoding"))
        if self.keep and not self.keep_texts:
            raise UsageError(Reason("options.keep_twice"))
        if self.variant and self.method != "likelihood":
            raise UsageError(Reason("options.variant"))
        if self.logprobs and self.method != "expected":
            raise UsageError(Reason("options.logprobs"))

    def _check_samples(self) -> None:
        """What decides during a run which samples are taken."""
        if self.stop_when_stable and self.repeat < 3:
            raise UsageError(Reason("options.stable_few"))
        if self.stop_when_stable and self.method not in (None, "text"):
            raise UsageError(
                Reason("options.stable_method", method=self.method).at_option("stop-when-stable")
            )
        if self.stop_when_stable and self.cascade:
            raise UsageError(Reason("options.stable_cascade"))
        if self.stop_when_stable or self.cascade:
            flag = _flag("cascade" if self.cascade else "stop_when_stable")
            if self.shard:
                raise UsageError(Reason("options.shard_stepwise", flag=flag))
            if self.batch:
                raise UsageError(Reason("options.batch_stepwise", flag=flag))

    def _check_engine(self) -> None:
        """What makes no sense on the chosen engine."""
        on_ray = self.engine == "ray"
        for name in ("ray_address", "workers"):
            if getattr(self, name) is not None and not on_ray:
                raise UsageError(Reason("options.ray_only", flag=_flag(name)))
        elsewhere = ("batch", "cascade", "stop_when_stable", "shard", "record", "offline", "checks")
        for name in elsewhere:
            if on_ray and getattr(self, name):
                raise UsageError(Reason("options.not_on_ray", flag=_flag(name)))

    def _check_recording(self) -> None:
        """Where replies come from, and where they go."""
        if self.record and self.offline:
            raise UsageError(Reason("options.record_offline"))
        if self.offline and self.batch:
            raise UsageError(Reason("options.batch_offline"))
        if self.offline is True and self.no_cache:
            raise UsageError(Reason("options.offline_no_cache"))

    def part_of(self, data: str) -> str:
        """The data with the sheet or the encoding behind it, as `datasets.open_data` takes them."""
        if self.sheet is not None:
            return f"{data}#{self.sheet}"
        return data if self.encoding is None else f"{data}#encoding={self.encoding}"

    @property
    def kept(self) -> Keep:
        return self.keep or ("all" if self.keep_texts else "scores")

    @property
    def part(self) -> Shard | None:
        return Shard.parse(self.shard) if self.shard else None

    @property
    def sampling(self) -> Sampling:
        """By default the temperature is 0 for one sample, and 1 for several, which must differ."""
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
        return ModelOptions(
            base_url=self.base_url,
            timeout=self.timeout,
            price=price,
            offline=bool(self.offline),
        )


def _flag(name: str) -> Reason:
    return Reason("option", name=name.replace("_", "-"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CascadeOptions:
    """What is promised: items that are decided agree with people at a rate of `agree` or more,
    except in a share `delta` of all draws of labelled items. `within` is how far a score may be
    from people's to agree with them, in units of the scale; None is as in confidence.tolerance."""

    labels: str | Path
    agree: float = 0.9
    delta: float = 0.1
    within: float | None = None

    def __post_init__(self) -> None:
        for name in ("agree", "delta"):
            check_share(name, getattr(self, name), 0.9)
        if self.within is not None and self.within < 0:
            raise UsageError(Reason("options.distance").at_option("within", f"{self.within:g}"))
