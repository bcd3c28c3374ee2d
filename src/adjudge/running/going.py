"""What the parts of a run share while it goes on."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.stores.base import Store

from .asking.budget import Ledger
from .asking.stop import Stop
from .plan import Batch
from .recorder import Recorder


@dataclass(frozen=True, slots=True)
class Going:
    batch: Batch
    store: Store
    recorder: Recorder
    ledger: Ledger
    stop: Stop
