"""What probing a judge found out, as a page and as plain values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from adjudge.analysis.probing.findings import FEWEST, MEASURES, Finding, Measure, Probed
from adjudge.analysis.probing.probes import BY_NAME

from .figures import percent, signed
from .page import Block, Heading, Lines, Table

_SAID: dict[Measure, str] = {
    "flip": "changed",
    "gain": "rise",
    "shift": "move",
    "accepted": "accepted",
    "unnoticed": "unnoticed",
    "preference": "for its own",
}
_SHARES = ("flip", "accepted", "unnoticed")


def probe_page(probed: Probed) -> Iterator[Block]:
    """A line for each probe and model; of several criteria the one that decides."""
    deciding = probed.deciding()
    models = " and ".join(probed.models)
    yield Heading(f"{probed.judge} by {models}, on {probed.items} items of {probed.source}")
    yield _table(probed, deciding)
    yield Lines([_limits(probed)])
    noted = [each for each in deciding if each.note]
    yield Lines([f"{_who(probed, each)}: {each.note}." for each in noted])
    if probed.not_run:
        yield Heading("Not run")
        yield Lines([f"{name}: {why}." for name, why in probed.not_run.items()])
    yield Heading("What to make of it")
    yield Lines(list(_summary(probed, deciding)))


def _table(probed: Probed, deciding: Sequence[Finding]) -> Table:
    several = len(probed.models) > 1
    criteria = len({each.criterion for each in probed.findings}) > 1
    head = ["probe", *(["model"] if several else []), *(["criterion"] if criteria else [])]
    rows = []
    for each in deciding:
        row = [each.probe, *([each.model] if several else [])]
        row += [each.criterion] if criteria else []
        rows.append([*row, _effect(each), str(each.n), str(each.unscored), each.rating])
    return Table([*head, "effect", "pairs", "unscored", "verdict"], rows)


def _effect(finding: Finding) -> str:
    shown = percent if finding.measure in _SHARES else signed
    return f"{shown(finding.effect)} {_SAID[finding.measure]}"


def _who(probed: Probed, finding: Finding) -> str:
    return f"{finding.probe} by {finding.model}" if len(probed.models) > 1 else finding.probe


def _limits(probed: Probed) -> str:
    used = {each.measure for each in probed.findings}
    said = [f"{_SAID[name]} {getattr(probed.limits, name):g}" for name in MEASURES if name in used]
    return (
        f"Limits: {', '.join(said)}, as shares of the items or of the scale. Worrying: beyond the"
        f" limit. Bad: beyond it with the whole {probed.confidence:.0%} interval."
        f" Unclear: fewer than {FEWEST} scored items."
    )


def _summary(probed: Probed, deciding: Sequence[Finding]) -> Iterator[str]:
    counts = Counter(each.rating for each in deciding)
    ordered = [f"{counts[name]} {name}" for name in ("fine", "worrying", "bad", "unclear")]
    what = "probes" if len(probed.models) == 1 else "findings"
    yield f"{len(deciding)} {what}: {', '.join(ordered)}."
    for each in deciding:
        if each.rating in ("bad", "worrying"):
            probe = BY_NAME[each.probe]
            yield f"{_who(probed, each)}, {each.rating}: {probe.does}. {probe.advice}"
    if counts["unclear"] == len(deciding):
        yield _nothing_told(probed)
    elif counts["bad"]:
        yield "Until that is mended, do not let a decision hang on this judge alone."
    elif counts["worrying"] or counts["unclear"]:
        yield "More texts (--limit, or data of your own) would tell chance from a weakness."
    else:
        yield (
            "Nothing here speaks against this judge. Whether it agrees with people is another"
            " question: adjudge calibrate."
        )
    unscored = sum(each.unscored for each in probed.runs)
    if unscored:
        total = sum(each.verdicts for each in probed.runs)
        yield f"{unscored} of {total} verdicts are unscored and count in no effect."
    if probed.stopped:
        yield "The budget was used up before everything was asked: a higher one goes on."
    yield f"Kept as runs {', '.join(each.run for each in probed.runs)}: adjudge show RUN --item ID."


def _nothing_told(probed: Probed) -> str:
    if any(each.unscored for each in probed.runs):
        return "Nothing can be told: `adjudge show RUN` says why verdicts are unscored."
    return (
        f"Nothing can be told from fewer than {FEWEST} items: take more texts (--limit, or data of"
        " your own)."
    )


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
    return shown | {"does": BY_NAME[finding.probe].does}
