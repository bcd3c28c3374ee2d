"""Whether a judge still grades as it did, check by check."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge.analysis.drift import BUILT_IN, Drift, DriftCheck, DriftMeasure

from ..blocks import Block, Cell, Lines, Section, Table
from ..encode import Shapes, fields
from ..files.rows import Row
from ..words import Words

ROW_ENDINGS = (".csv", ".jsonl", ".json", ".parquet")


def drift(finding: Drift, words: Words) -> Section:
    """What the latest check says, then a row per figure of the latest, and per check."""
    blocks: list[Block] = [Lines([*_sentences(finding, words)])]
    latest = finding.checks[-1]
    if latest.measures:
        blocks.append(
            words.table(
                "report.drift",
                latest.measures,
                figure=lambda measure: _figure(finding, measure, words),
                items=lambda measure: words.count(measure.n),
                changed=lambda measure: words.count(measure.changed),
                difference=lambda measure: words.signed(measure.difference),
                p=lambda measure: words.p_value(measure.p),
                level=lambda measure: words.p_value(measure.level),
                detectable=lambda measure: words.number(measure.detectable),
            )
        )
    blocks.append(_history(finding, words))
    return Section(words.grader(finding.judge, finding.model), blocks, "drift")


def _sentences(finding: Drift, words: Words) -> Iterator[str]:
    latest = finding.checks[-1]
    built_in = finding.anchors == BUILT_IN
    anchors = words("report.drift.built_in") if built_in else finding.anchors
    yield words("report.drift.asked", n=finding.items, anchors=anchors)
    if finding.too_few:
        yield words("report.drift.too_few")
    if finding.left_out:
        yield words("report.drift.left_out", n=len(finding.left_out))
    if not latest.number:
        yield words("report.drift.first")
        return
    if latest.alarms:
        names = [_figure(finding, measure, words) for measure in latest.alarms]
        yield words("report.drift.alarm", n=latest.number, names=", ".join(names))
    else:
        yield words("report.drift.none", n=latest.number)
    yield words("report.drift.rate", alpha=words.number(finding.alpha, ".2g"))
    for check, before, after in finding.changes:
        known = {"before": ", ".join(before) or "–", "after": ", ".join(after) or "–"}
        yield words("report.drift.version", check=check.number, **known)


def _figure(finding: Drift, measure: DriftMeasure, words: Words) -> str:
    if not measure.name:
        return words("report.drift.unscored")
    title = words.criterion(finding.judge, measure.name)
    return f"{title}: {measure.option}" if measure.option else title


def _history(finding: Drift, words: Words) -> Table:
    return words.table(
        "report.drift",
        finding.checks,
        check=lambda check: str(check.number),
        when=lambda check: check.when[:16].replace("T", " "),
        run=lambda check: Cell(check.run, link="run", fields={"run": check.run}),
        lowest=lambda check: _lowest(check, words),
        unscored=lambda check: words.count(check.unscored),
        versions=lambda check: ", ".join(check.versions) or "–",
        verdict=lambda check: words(f"report.drift.{_verdict(check)}"),
    )


def _lowest(check: DriftCheck, words: Words) -> str:
    return words.p_value(min(measure.p for measure in check.measures)) if check.measures else "–"


def _verdict(check: DriftCheck) -> str:
    if not check.number:
        return "is_first"
    return "is_alarm" if check.alarms else "is_same"


def drift_rows(finding: Drift) -> Iterator[Row]:
    """A row per check and figure."""
    for check in finding.checks:
        for measure in check.measures or (None,):
            row: Row = {"run": check.run, "check": check.number, "when": check.when,
                        "versions": list(check.versions), "unscored": check.unscored}  # fmt: skip
            if measure is not None:
                row |= {"criterion": measure.name, "option": measure.option, "items": measure.n,
                        "changed": measure.changed, "difference": measure.difference.value,
                        "p": measure.p, "level": measure.level, "alarm": measure.alarm}  # fmt: skip
            yield row


SHAPES: Shapes = {
    Drift: fields("judge", "model", "anchors", "items", "too_few", "alpha", "alarm", "checks"),
    DriftMeasure: {
        **fields("n", "changed", "difference", "p", "level", "alarm", "option", criterion="name"),
        "detectable": "detectable",
    },
}
