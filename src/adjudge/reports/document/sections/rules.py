"""The rules that changed scores."""

from __future__ import annotations

from collections.abc import Iterator

from ...page import Heading, Table
from ..blocks import Part, Tongue
from ..findings import RunFindings


def rules(run: RunFindings, tongue: Tongue) -> Iterator[Part]:
    """Which rule changed how many scores of which criterion; nothing where none fired."""
    say = tongue.say
    several = len(run.overview.graders) > 1
    rows = []
    for grader in run.overview.graders:
        judge = run.judges[grader.judge]
        when = {rule.id: rule.when for rule in judge.rubric.rules}
        for each in grader.criteria:
            for rule, count in each.rules.items():
                row = [rule, each.title, f"{count:,}", when.get(rule, "")]
                rows.append([*row, grader.model] if several else row)
    if not rows:
        return
    head = [say(f"report.rules.{name}") for name in ("rule", "criterion", "times", "when")]
    yield Heading(say("report.rules.heading"), tongue.level)
    yield Table([*head, say("report.judged.model")] if several else head, rows)
