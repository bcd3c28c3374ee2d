from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "note", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """`note`: worth a look, but runs work. `wrong`: it would stop a run, as things are set up.

    `origin` is where a setting was made, None where that says nothing.
    """

    what: str
    found: str
    state: State = "ok"
    origin: str | None = None
