"""Grade text with a language model as the judge.

Names are loaded when they are first used, so that importing adjudge stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from . import checks as checks
    from .analysis.calibration import Calibration
    from .analysis.cascade import Cascaded
    from .analysis.comparison import Comparison
    from .analysis.comparison.unpaired import UnpairedComparison
    from .analysis.disagreement import Disagreements
    from .analysis.drift import Drift
    from .analysis.improvement import Improvement
    from .analysis.labelling.plan_findings import LabelPlan
    from .analysis.panel import Panel
    from .analysis.probing import Probed
    from .analysis.ranking import Ranking
    from .analysis.variants import Variants
    from .api import (
        ProbeKeywords,
        ajudge,
        aprobe,
        arun,
        assert_judged,
        judge,
        load,
        probe,
        run,
    )
    from .core.judge import Judge
    from .core.reply import Reply
    from .core.score import Outcome, Score
    from .core.verdict import Verdict
    from .errors import AdjudgeError
    from .learning import (
        ImproveKeywords,
        adrift,
        aimprove,
        avariants,
        drift,
        improve,
        plan_labels,
        variants,
    )
    from .models.python_function import function_model
    from .run_handle import Run, open_run, reread
    from .running.checks import check
    from .running.options import CascadeOptions, JudgeKeywords, RunKeywords
    from .running.reread import Reread
    from .trust import (
        calibrate,
        cascade,
        compare,
        compare_unpaired,
        disagreements,
        panel,
        rank,
        report,
    )

__all__ = [
    "AdjudgeError",
    "Calibration",
    "CascadeOptions",
    "Cascaded",
    "Comparison",
    "Disagreements",
    "Drift",
    "ImproveKeywords",
    "Improvement",
    "Judge",
    "JudgeKeywords",
    "LabelPlan",
    "Outcome",
    "Panel",
    "ProbeKeywords",
    "Probed",
    "Ranking",
    "Reply",
    "Reread",
    "Run",
    "RunKeywords",
    "Score",
    "UnpairedComparison",
    "Variants",
    "Verdict",
    "adrift",
    "aimprove",
    "ajudge",
    "aprobe",
    "arun",
    "assert_judged",
    "avariants",
    "calibrate",
    "cascade",
    "check",
    "checks",
    "compare",
    "compare_unpaired",
    "disagreements",
    "drift",
    "function_model",
    "improve",
    "judge",
    "load",
    "open_run",
    "panel",
    "plan_labels",
    "probe",
    "rank",
    "report",
    "reread",
    "run",
    "variants",
]

_HOMES = {
    "AdjudgeError": "errors",
    "Calibration": "analysis.calibration",
    "CascadeOptions": "running.options",
    "Cascaded": "analysis.cascade",
    "Comparison": "analysis.comparison",
    "UnpairedComparison": "analysis.comparison.unpaired",
    "Disagreements": "analysis.disagreement",
    "Drift": "analysis.drift",
    "ImproveKeywords": "learning",
    "Improvement": "analysis.improvement",
    "Judge": "core.judge",
    "JudgeKeywords": "running.options",
    "Outcome": "core.score",
    "LabelPlan": "analysis.labelling.plan_findings",
    "Panel": "analysis.panel",
    "Probed": "analysis.probing",
    "Ranking": "analysis.ranking",
    "Reply": "core.reply",
    "Reread": "running.reread",
    "Run": "run_handle",
    "RunKeywords": "running.options",
    "Score": "core.score",
    "Variants": "analysis.variants",
    "Verdict": "core.verdict",
    "adrift": "learning",
    "aimprove": "learning",
    "avariants": "learning",
    "calibrate": "trust",
    "cascade": "trust",
    "check": "running.checks",
    "compare": "trust",
    "compare_unpaired": "trust",
    "function_model": "models.python_function",
    "disagreements": "learning",
    "improve": "learning",
    "open_run": "run_handle",
    "panel": "trust",
    "plan_labels": "trust",
    "rank": "trust",
    "report": "trust",
    "reread": "run_handle",
    "drift": "learning",
    "variants": "learning",
}


if not TYPE_CHECKING:  # else every name would be known to type checkers

    def __getattr__(name: str) -> Any:
        from importlib import import_module  # noqa: PLC0415 - only when a name is used

        if name == "checks":
            return import_module(f"{__name__}.checks")
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

        value = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'api')}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
