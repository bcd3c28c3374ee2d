"""What the parts of a run share while it goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from adjudge.stores.base import Store

from .asking.budget import Ledger
from .asking.places import Places
from .asking.stop import Stop
from .plan import Batch
from .recorder import Recorder


@dataclass(frozen=True, slots=True)
class Host:
    """What a program brings that has other work beside the run: how it is stopped, and the places
    that all of its work shares, by the names of models."""

    stop: Stop
    places: Mapping[str, Places] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Going:
    batch: Batch
    store: Store
    recorder: Recorder
    ledger: Ledger
    host: Host

    @property
    def stop(self) -> Stop:
        return self.host.stop
