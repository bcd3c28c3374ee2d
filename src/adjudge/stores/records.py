"""What a store keeps, as its callers get it back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast, get_args

import orjson

from adjudge.core.item import Item
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.core.run import Manifest
from adjudge.core.score import SETTLED
from adjudge.core.verdict import Verdict
from adjudge.errors import UsageError

# Which texts a run leaves in the store: those of items and replies, of replies, in the replies
# that only the same request can open, or none.
Keep = Literal["all", "replies", "scores", "none"]
# stopped: by its budget
State = Literal["running", "finished", "interrupted", "failed", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run as it is kept. `sources` maps judge names to their files' text and the overrides made
    on the command line, so that prompts can be shown later; times are ISO 8601 in UTC. `tokens` and
    `usd` are what the run has spent, failed requests included."""

    id: str
    manifest: Manifest
    sources: Mapping[str, Mapping[str, str]]
    rows: int
    state: State = "running"
    started: str = ""
    ended: str | None = None
    bad_rows: int = 0
    tokens: int = 0
    usd: float = 0.0

    @property
    def title(self) -> str:
        """What people call the run: its name, else its id."""
        return self.manifest.name or self.id

    @property
    def cost_usd(self) -> float | None:
        """`usd`, None where the price of something that was asked is not known."""
        manifest = self.manifest
        if not manifest.unpriced or not self.tokens:
            return self.usd
        # Some providers say themselves what a request has cost.
        reported = self.usd and len(manifest.unpriced) == len(manifest.models)
        return self.usd if reported else None

    @property
    def keep(self) -> Keep:
        """Runs of `scores` say it as they did before there were others: their ids stay."""
        settings = self.manifest.settings
        usual: Keep = "scores" if settings.get("keep_texts") == "no" else "all"
        return cast(Keep, settings.get("keep", usual))

    @property
    def keeps_texts(self) -> bool:
        """False where the store has stand-ins for texts of the run."""
        return self.keep == "all"

    @property
    def whole(self) -> int | None:
        """How many verdicts it has when it is complete; None where it decides on the way."""
        settings = self.manifest.settings
        return None if settings.get("stop") or settings.get("cascade") else self.most

    @property
    def most(self) -> int:
        """How many verdicts it can have at most."""
        repeat = self.manifest.settings.get("repeat")
        graders = len(self.manifest.judges) * len(self.manifest.models)
        return self.rows * graders * (repeat if isinstance(repeat, int) else 1)

    def needs_texts(self, what: Reason) -> None:
        """UsageError where the run keeps none; `what` cannot be done then."""
        if not self.keeps_texts:
            raise UsageError(Reason("run.no_texts", what=what, run=self.id, keep=self.keep))


class Cost(NamedTuple):
    """Tokens in and out together, and US dollars."""

    tokens: int = 0
    usd: float = 0.0

    def plus(self, other: Cost) -> Cost:
        return Cost(self.tokens + other.tokens, self.usd + other.usd)

    def less(self, other: Cost) -> Cost:
        """Never below 0."""
        return Cost(max(0, self.tokens - other.tokens), max(0.0, self.usd - other.usd))

    def times(self, number: float) -> Cost:
        return Cost(round(self.tokens * number), self.usd * number)


NOTHING = Cost()


class Granted(NamedTuple):
    """What was reserved of a budget, None where that had too little left.

    `left` is what there was before, in the budget's unit. `shared`: it was too little, and others
    that live hold some.
    """

    cost: Cost | None
    left: float
    shared: bool


class Entry(NamedTuple):
    """A verdict with the item it is about and the item's position in the data."""

    position: int
    item: Item
    verdict: Verdict


class EntryKey(NamedTuple):
    """Where a verdict stands in the order of the data."""

    position: int
    judge: str
    model: str
    repeat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryFilter:
    """Which verdicts of a run, and from where on; None stands for all."""

    after: EntryKey | None = None
    item: str | None = None
    outcome: str | None = None
    limit: int


class Facts(NamedTuple):
    """Verdicts of one judge, model and repeat: the ids of the items, and the figures of each, one
    behind the other in `cells`, as facts.py packs them."""

    judge: str
    model: str
    repeat: int
    items: Sequence[str]
    cells: memoryview


class TextCursor(NamedTuple):
    """How far somebody has read the texts of a run: those of the items, then of the verdicts.

    `row` is the number of the last row, `last` that of the table's last one; None at its beginning.
    """

    table: Literal["items", "verdicts", "end"] = "items"
    row: int = 0
    last: int | None = None


class Texts(NamedTuple):
    """Rows with their numbers, items and JSON, `{"fields": …, "extra": …}` or a verdict; `upto` is
    where the next ones begin."""

    upto: TextCursor
    rows: Sequence[tuple[int, str, bytes]]


@dataclass(frozen=True, slots=True)
class RunProgress:
    """How far a run is: its verdicts so far, and how many had each outcome."""

    verdicts: int
    outcomes: Mapping[str, int]

    @property
    def unscored(self) -> int:
        return self.verdicts - sum(self.outcomes.get(outcome, 0) for outcome in SETTLED)


class DeletedRun(NamedTuple):
    """What is gone with a run: `replies` are those in the cache that it had paid for."""

    run: str
    items: int
    verdicts: int
    replies: int


# The text of a sealed reply begins so (textless.py); base64 follows. No model writes this.
SEAL = "\x00sealed:"


class KeptReply(NamedTuple):
    """A reply, the key of the request that it answers, and the run that paid for it."""

    key: str
    run: str
    model: str
    reply: Reply


@dataclass(frozen=True, slots=True)
class Claimed:
    """What asking for some requests' keys came to; the keys in neither are being asked by others.

    `kept` holds the replies that are there, `ours` the keys that are now ours to ask.
    """

    kept: Mapping[str, KeptReply]
    ours: frozenset[str]


@dataclass(frozen=True, slots=True)
class KeptBatch:
    """Requests handed to a provider's batch endpoint; `batch` is its id there, once it is known."""

    label: str
    run: str
    model: str
    requests: int
    batch: str | None = None
    state: Literal["open", "done"] = "open"


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """How much the reply cache holds, and by model."""

    replies: int
    bytes: int
    models: Mapping[str, int]


class KeptLabelPlan(NamedTuple):
    """How each item of a plan was drawn, in the order in which they are asked about; `labelled` are
    those that had labels when it was made, which the plan builds on."""

    draws: Mapping[str, str]
    labelled: frozenset[str]


class LabelCounts(NamedTuple):
    """How many labels there are, about how many items and by how many raters."""

    labels: int
    items: int
    raters: int


@dataclass(frozen=True, slots=True)
class KeptFinding:
    """What a calibration or a probe of a judge and a model came to; it holds for this fingerprint
    only."""

    judge: str
    model: str
    fingerprint: str
    created: str
    content: Mapping[str, Any]


# Each may do what those before it may.
TokenScope = Literal["read", "judge", "admin"]
TOKEN_SCOPES: tuple[TokenScope, ...] = get_args(TokenScope)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptToken:
    """What is kept of a token: the hash (SHA-256, hex) and never the token itself.

    `rate` is in requests per minute, None for what the service allows everybody.
    """

    id: str
    name: str
    hash: str
    scope: TokenScope
    rate: int | None = None
    created: str = ""
    revoked: str | None = None


JobState = Literal["waiting", "running", "finished", "failed", "stopped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptJob:
    """A run that was asked for over HTTP. `run` is its id, once the data are read; `token` is the
    id of the token that asked, "" on one's own machine; `problem` says why it failed. `spec` is
    made of what JSON can hold."""

    id: str
    spec: Mapping[str, Any]
    token: str = ""
    state: JobState = "waiting"
    run: str | None = None
    problem: str | None = None
    created: str = ""

    @property
    def failure(self) -> Reason | None:
        """Why it failed; `problem` keeps it as JSON, or as words where it was kept earlier."""
        if self.problem is None:
            return None
        is_json = self.problem.startswith('{"code":')
        return Reason.of(orjson.loads(self.problem) if is_json else self.problem)
