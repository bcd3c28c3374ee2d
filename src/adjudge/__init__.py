"""Grade text with a language model as the judge.

Names are loaded when they are first used, so that importing adjudge stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .extras import names_on_first_use

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

# The modules, each with the names it is asked for.
_HOMES = {
    "analysis.calibration": "Calibration",
    "analysis.cascade": "Cascaded",
    "analysis.comparison": "Comparison",
    "analysis.comparison.unpaired": "UnpairedComparison",
    "analysis.disagreement": "Disagreements",
    "analysis.drift": "Drift",
    "analysis.improvement": "Improvement",
    "analysis.labelling.plan_findings": "LabelPlan",
    "analysis.panel": "Panel",
    "analysis.probing": "Probed",
    "analysis.ranking": "Ranking",
    "analysis.variants": "Variants",
    "api": "ProbeKeywords ajudge aprobe arun assert_judged judge load probe run",
    "core.judge": "Judge",
    "core.reply": "Reply",
    "core.score": "Outcome Score",
    "core.verdict": "Verdict",
    "errors": "AdjudgeError",
    "learning": "ImproveKeywords adrift aimprove avariants drift improve plan_labels variants",
    "models.python_function": "function_model",
    "run_handle": "Run open_run reread",
    "running.checks": "check",
    "running.options": "CascadeOptions JudgeKeywords RunKeywords",
    "running.reread": "Reread",
    "trust": "calibrate cascade compare compare_unpaired disagreements panel rank report",
}

if not TYPE_CHECKING:  # else every name would be known to type checkers
    _named = names_on_first_use(__name__, _HOMES)

    def __getattr__(name: str) -> object:
        return import_module(f"{__name__}.checks") if name == "checks" else _named(name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
