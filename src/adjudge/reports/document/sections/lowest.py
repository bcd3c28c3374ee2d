"""The items that did worst, with what was judged and what the judge said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.core.score import Score
from adjudge.core.verdict import Verdict

from ...page import Heading, Lines, Said, Table, cut
from ...strings import Strings
from ..blocks import Part, Tongue
from ..findings import RunFindings
from ..lowest import Shown
from ..values import value_name

_LONGEST = 1500  # characters of a text that is shown
_EXPLAINED = 600
_MOST_VERDICTS = 12  # of one item


def lowest(run: RunFindings, tongue: Tongue) -> Iterator[Part]:
    """The lowest first, then those without a score."""
    say = tongue.say
    if run.lowest:
        yield Heading(say("report.worst.heading"), tongue.level)
        yield Lines([say("report.worst.told")])
        yield from _items(run, run.lowest, tongue)
    if run.unscored:
        yield Heading(say("report.worst.unscored"), tongue.level)
        yield from _items(run, run.unscored, tongue)


def _items(run: RunFindings, shown: Sequence[Shown], tongue: Tongue) -> Iterator[Part]:
    say = tongue.say
    for place, each in enumerate(shown, 1):
        item = each.entries[0].item
        title = say("report.worst.item", place=place, item=cut(item.id, 120))
        yield Heading(title, tongue.level + 1)
        if each.unit is not None:
            yield Lines([say("report.worst.mean", unit=f"{each.unit:.2f}")])
        for name, text in item.fields.items():
            yield Said(name, text, _LONGEST)
        verdicts = [entry.verdict for entry in each.entries[:_MOST_VERDICTS]]
        yield _table(run, verdicts, say)


def _table(run: RunFindings, verdicts: Sequence[Verdict], say: Strings) -> Table:
    several = len(verdicts) > 1
    ruled = any(score.rule for verdict in verdicts for score in verdict.scores.values())
    names = ("score", "raw", "explanation") if ruled else ("score", "explanation")
    head = [say("report.scores.criterion"), *(say(f"report.worst.{name}") for name in names)]
    rows = []
    for verdict in verdicts:
        by = say(
            "report.worst.by", judge=verdict.judge, model=verdict.model, repeat=verdict.repeat + 1
        )
        for name, score in verdict.scores.items():
            cells = _cells(run, verdict, name, score, say)
            row = [run.title(verdict.judge, name), *(cells[at] for at in names)]
            rows.append([by, *row] if several else row)
    return Table([say("report.judged.judge"), *head] if several else head, rows)


def _cells(
    run: RunFindings, verdict: Verdict, name: str, score: Score, say: Strings
) -> dict[str, str]:
    scale = run.judges[verdict.judge].rubric.criteria[name].scale
    value = say(f"outcome.{score.outcome.value}")
    if score.value is not None:
        value = value_name(say, scale, score.value)
    raw = ""
    if score.rule is not None and score.raw is not None:
        raw = say("report.worst.ruled", raw=value_name(say, scale, score.raw), rule=score.rule)
    said = " ".join(filter(None, (score.why, score.explanation)))
    return {"score": value, "raw": raw, "explanation": cut(said, _EXPLAINED)}
