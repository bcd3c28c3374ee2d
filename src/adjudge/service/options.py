"""What a user may say about the service, in one object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from adjudge.running import RunOptions
from adjudge.stores import DEFAULT

Log = Literal["json", "text", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Seconds. Between two looks for orphaned jobs (`heartbeat`), two events of a run (`progress`),
    two looks for connections that keep us waiting (`sweep`). When the service ends, `requests` have
    so long to end, and `jobs` to drain. A lookup of `tokens` holds so long: one that is revoked in
    the meantime still works."""

    heartbeat: float = 5.0
    progress: float = 1.0
    sweep: float = 1.0
    requests: int = 10
    jobs: float = 10.0
    tokens: float = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Defaults are those of `adjudge serve`.

    `models` are those that requests may name, the first one where they name none; `judges` are
    files and folders of judge files beside the built-in ones. `rate` is in requests per minute for
    each token. `body` is the most bytes of a request's body, `item_body` of one that brings no data
    but a single item or a form.
    """

    store: str = field(default=DEFAULT, repr=False)  # an address may hold a password
    host: str = "127.0.0.1"
    port: int = 8484
    models: tuple[str, ...] = ("embedded",)
    judges: tuple[str, ...] = ()
    base_url: str | None = None
    timeout: float = 120.0
    concurrency: int = 64
    require_token: bool = False
    allowed_hosts: tuple[str, ...] = ()
    rate: int = 6000
    body: int = 32_000_000
    item_body: int = 4_000_000  # a text of a megabyte fits, however it is escaped
    log: Log = "off"
    waits: Waits = Waits()

    def for_runs(self, **options: Any) -> RunOptions:
        """Of a run that the service carries out, with further fields of RunOptions."""
        return RunOptions(
            **options,
            base_url=self.base_url,
            timeout=self.timeout,
            concurrency=self.concurrency,
            store=self.store,
        )

    @property
    def unpacked(self) -> int:
        """The most bytes of a data file once it is unpacked."""
        return max(10 * self.body, 100_000_000)
