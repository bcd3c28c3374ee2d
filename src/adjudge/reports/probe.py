"""What probing a judge found out, as a page and as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from adjudge.analysis.probing.findings import Finding, Probed

from .page import Block, Heading, Lines, Table
from .probe_words import effect, limits_line, probe_words, who
from .strings import strings_for


def probe_page(probed: Probed) -> Iterator[Block]:
    """A line for each probe and model; of several criteria the one that decides."""
    deciding, say = probed.deciding(), strings_for("en")
    models = " and ".join(probed.models)
    yield Heading(f"{probed.judge} by {models}, on {probed.items} items of {probed.source}")
    yield _table(probed, deciding)
    yield Lines([limits_line(say, probed)])
    noted = [each for each in deciding if each.note]
    yield Lines([f"{who(say, probed, each)}: {each.note}." for each in noted])
    if probed.not_run:
        yield Heading("Not run")
        yield Lines([f"{name}: {why}." for name, why in probed.not_run.items()])
    yield Heading("What to make of it")
    yield Lines(probe_words(probed, say))


def _table(probed: Probed, deciding: Sequence[Finding]) -> Table:
    several = len(probed.models) > 1
    criteria = len({each.criterion for each in probed.findings}) > 1
    head = ["probe", *(["model"] if several else []), *(["criterion"] if criteria else [])]
    rows = []
    for each in deciding:
        row = [each.probe, *([each.model] if several else [])]
        row += [each.criterion] if criteria else []
        rows.append(
            [*row, effect(strings_for("en"), each), str(each.n), str(each.unscored), each.rating]
        )
    return Table([*head, "effect", "pairs", "unscored", "verdict"], rows)


def probe_dict(probed: Probed) -> dict[str, object]:
    """The object that `probe --json` prints."""
    return {
        "judge": probed.judge,
        "fingerprint": probed.fingerprint,
        "models": list(probed.models),
        "data": probed.source,
        "language": probed.language,
        "items": probed.items,
        "confidence": probed.confidence,
        "limits": asdict(probed.limits),
        "verdicts": dict(Counter(each.rating for each in probed.deciding())),
        "probes": [_finding(each) for each in probed.deciding()],
        "findings": [_finding(each) for each in probed.findings],
        "not_run": dict(probed.not_run),
        "runs": [asdict(each) for each in probed.runs],
        "stopped": probed.stopped,
    }


def _finding(finding: Finding) -> dict[str, object]:
    shown = asdict(finding)
    shown["verdict"] = shown.pop("rating")
    return shown | {"does": strings_for("en")(f"probe.does.{finding.probe}")}
