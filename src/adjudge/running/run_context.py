"""What the parts of a run share while it lasts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudge.stores import Store

from .asking.budget import Ledger
from .asking.limits import Limits, SharedSlots
from .asking.stop import Stop
from .plan import Batch
from .recorder import Recorder


@dataclass(frozen=True, slots=True)
class Host:
    """What a program brings that has other work beside the run: how it is stopped, and, by the
    names of models, the slots that all of its work shares, or all that bounds it."""

    stop: Stop
    slots: Mapping[str, SharedSlots] = field(default_factory=dict)
    limits: Mapping[str, Limits] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunContext:
    batch: Batch
    store: Store
    recorder: Recorder
    ledger: Ledger
    host: Host

    @property
    def stop(self) -> Stop:
        return self.host.stop
