"""What a cascade decided, model after model, and what it left to people."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.running.cascade_stages import Stage

from ...page import Heading, Lines, Table
from ...reasons import reason
from ...strings import Strings
from ..blocks import Part, Tongue
from ..findings import RunFindings


def cascade(run: RunFindings, tongue: Tongue) -> Iterator[Part]:
    """Nothing of a run that is none, or has not come to its end."""
    say, items = tongue.say, run.overview.items
    if not run.stages or not items:
        return
    left = items - sum(stage.decided for stage in run.stages)
    last = run.stages[-1]
    saved = {"asked": f"{last.reached:,}", "share": f"{1 - last.reached / items:.1%}"}
    names = ("reached", "decided", "threshold", "agreed", "bound")
    head = [say("report.judged.model"), *(say(f"report.cascade.{name}") for name in names)]
    yield Heading(say("report.cascade.heading"), tongue.level)
    yield Table(head, [_row(stage, say) for stage in run.stages])
    yield Lines(
        [
            *(_why(stage, say) for stage in run.stages if stage.threshold is None),
            say("report.cascade.left", left=f"{left:,}", items=f"{items:,}"),
            say("report.cascade.saved", model=last.model, items=f"{items:,}", **saved),
        ]
    )


def _row(stage: Stage, say: Strings) -> list[str]:
    row = [stage.model, f"{stage.reached:,}", f"{stage.decided:,}"]
    if stage.threshold is None or stage.bound is None:
        return [*row, *[say("report.dash")] * 3]
    agreed = say("report.of", a=f"{stage.agreed:,}", b=f"{stage.n:,}")
    return [*row, f"{stage.threshold:.3g}", agreed, f"{stage.bound:.1%}"]


def _why(stage: Stage, say: Strings) -> str:
    return say("report.cascade.nothing", model=stage.model, why=reason(say, stage.why or ""))
