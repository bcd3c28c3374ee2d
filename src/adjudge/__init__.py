"""Grade text with a language model as the judge.

Names are loaded when they are first used, so that importing adjudge stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .api import Run, ajudge, arun, assert_judged, judge, load, open_run, reread, run
    from .core.judge import Judge
    from .core.score import Outcome, Score
    from .core.verdict import Verdict
    from .errors import AdjudgeError
    from .running.reread import Reread

__all__ = [
    "AdjudgeError",
    "Judge",
    "Outcome",
    "Reread",
    "Run",
    "Score",
    "Verdict",
    "ajudge",
    "arun",
    "assert_judged",
    "judge",
    "load",
    "open_run",
    "reread",
    "run",
]

_HOMES = {
    "AdjudgeError": "errors",
    "Judge": "core.judge",
    "Outcome": "core.score",
    "Reread": "running.reread",
    "Score": "core.score",
    "Verdict": "core.verdict",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - only when a name is used

    value = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'api')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
