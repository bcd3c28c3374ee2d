"""Judging: a plan becomes verdicts in the store. `one.py` is the page to read first.

Names are loaded when they are first used: a caller of the options alone does not load the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from adjudge.extras import names_on_first_use

if TYPE_CHECKING:
    from .asking.budget import Budget
    from .asking.limits import Host, Limits, SharedSlots
    from .asking.stop import SIGNALS, Draining, Stop
    from .cascade import (
        ChosenConfidence,
        Stage,
        choose_confidence,
        five_samples,
        is_sure,
        verdicts_by_item,
    )
    from .cautions import about_data
    from .check import Check, check_capabilities
    from .checks import checked
    from .confidence import sure
    from .drafting import Draft, DraftOptions, drafted_judge
    from .engines import Progress
    from .forecast import Forecast, ForecastPart, forecast_run, reply_pace
    from .options import (
        CascadeOptions,
        Columns,
        DataKeywords,
        JudgeKeywords,
        ModelKeywords,
        ReplyKeywords,
        RunKeywords,
        RunOptions,
    )
    from .plan import (
        LoadedJudge,
        ModelLike,
        Planned,
        budget_of,
        changed_judge,
        check_method,
        kept_changes,
        load_judge,
        load_judges,
        opened_models,
        plan_run,
        recording_of,
    )
    from .reread import Change, Reread, judge_as_kept, reread_run
    from .run import SilentWatcher, Watcher, judge_rows
    from .single_item import SingleItemJudge, limits_of, reply_cache
    from .tally import CriterionTally, Tally, tally_of

__all__ = [
    "SIGNALS",
    "Budget",
    "CascadeOptions",
    "Change",
    "Check",
    "ChosenConfidence",
    "Columns",
    "CriterionTally",
    "DataKeywords",
    "Draft",
    "DraftOptions",
    "Draining",
    "Forecast",
    "ForecastPart",
    "Host",
    "JudgeKeywords",
    "Limits",
    "LoadedJudge",
    "ModelKeywords",
    "ModelLike",
    "Planned",
    "Progress",
    "ReplyKeywords",
    "Reread",
    "RunKeywords",
    "RunOptions",
    "SharedSlots",
    "SilentWatcher",
    "SingleItemJudge",
    "Stage",
    "Stop",
    "Tally",
    "Watcher",
    "about_data",
    "budget_of",
    "changed_judge",
    "check_capabilities",
    "check_method",
    "checked",
    "choose_confidence",
    "drafted_judge",
    "five_samples",
    "forecast_run",
    "is_sure",
    "judge_as_kept",
    "judge_rows",
    "kept_changes",
    "limits_of",
    "load_judge",
    "load_judges",
    "opened_models",
    "plan_run",
    "recording_of",
    "reply_cache",
    "reply_pace",
    "reread_run",
    "sure",
    "tally_of",
    "verdicts_by_item",
]

# Module → the names that are looked up there.
_HOMES = {
    "asking.budget": "Budget",
    "asking.limits": "Host Limits SharedSlots",
    "asking.stop": "Draining SIGNALS Stop",
    "cascade": "ChosenConfidence Stage choose_confidence five_samples is_sure verdicts_by_item",
    "cautions": "about_data",
    "checks": "checked",
    "check": "Check check_capabilities",
    "confidence": "sure",
    "drafting": "Draft DraftOptions drafted_judge",
    "engines": "Progress",
    "forecast": "Forecast ForecastPart forecast_run reply_pace",
    "options": (
        "CascadeOptions Columns DataKeywords JudgeKeywords ModelKeywords ReplyKeywords"
        " RunKeywords RunOptions"
    ),
    "plan": (
        "LoadedJudge ModelLike Planned budget_of changed_judge check_method load_judge"
        " load_judges opened_models plan_run recording_of kept_changes"
    ),
    "reread": "Change Reread judge_as_kept reread_run",
    "run": "SilentWatcher Watcher judge_rows",
    "single_item": "SingleItemJudge limits_of reply_cache",
    "tally": "CriterionTally Tally tally_of",
}

if not TYPE_CHECKING:
    __getattr__ = names_on_first_use(__name__, _HOMES)
