"""Grade text with a language model as the judge.

Names are loaded when they are first used, so that importing adjudge stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from .analysis.calibration import Calibration
    from .analysis.cascade import Cascaded
    from .analysis.comparison import Comparison
    from .analysis.paneled import Panel
    from .analysis.probing.findings import Probed
    from .analysis.ranking import Ranking
    from .api import ajudge, aprobe, arun, assert_judged, judge, load, probe, run
    from .core.judge import Judge
    from .core.score import Outcome, Score
    from .core.verdict import Verdict
    from .errors import AdjudgeError
    from .kept_run import Run, open_run, reread
    from .running.cascade_options import CascadeOptions
    from .running.reread import Reread
    from .trust import calibrate, cascade, compare, panel, rank, report

__all__ = [
    "AdjudgeError",
    "Calibration",
    "CascadeOptions",
    "Cascaded",
    "Comparison",
    "Judge",
    "Outcome",
    "Panel",
    "Probed",
    "Ranking",
    "Reread",
    "Run",
    "Score",
    "Verdict",
    "ajudge",
    "aprobe",
    "arun",
    "assert_judged",
    "calibrate",
    "cascade",
    "compare",
    "judge",
    "load",
    "open_run",
    "panel",
    "probe",
    "rank",
    "report",
    "reread",
    "run",
]

_HOMES = {
    "AdjudgeError": "errors",
    "Calibration": "analysis.calibration",
    "CascadeOptions": "running.cascade_options",
    "Cascaded": "analysis.cascade",
    "Comparison": "analysis.comparison",
    "Judge": "core.judge",
    "Outcome": "core.score",
    "Panel": "analysis.paneled",
    "Probed": "analysis.probing.findings",
    "Ranking": "analysis.ranking",
    "Reread": "running.reread",
    "Run": "kept_run",
    "Score": "core.score",
    "Verdict": "core.verdict",
    "calibrate": "trust",
    "cascade": "trust",
    "compare": "trust",
    "open_run": "kept_run",
    "panel": "trust",
    "rank": "trust",
    "report": "trust",
    "reread": "kept_run",
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
