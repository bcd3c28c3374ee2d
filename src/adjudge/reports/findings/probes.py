"""How a judge stands up to tricks: what probing it found out, and what to do about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial

from adjudge.analysis.probing import FEWEST, MEASURES, Probed, ProbeFinding, Rating
from adjudge.strings import strings_for

from ..blocks import Block, Cell, Line, Lines, Plot, Section, Table, Text
from ..encode import Shapes, fields
from ..plots import charts
from ..words import Words

_SHARES = ("flip", "accepted", "unnoticed")
_TONES: dict[Rating, str] = {"fine": "good", "worrying": "warn", "bad": "bad", "unclear": ""}


def probes(
    probed: Probed,
    words: Words,
    *,
    when: str = "",
    changed: bool = False,
    model: str | None = None,
) -> Section:
    """A row for each probe and model, of several criteria the one that decides. `when` it was
    probed, whether the judge has `changed` since, and the one `model` that is asked about, are
    known to pages and reports."""
    deciding = [finding for finding in probed.deciding() if model in (None, finding.model)]
    lines = Lines(list(_circumstances(probed, words, when, changed=changed)))
    title = words.grader(probed.judge, ", ".join(probed.models))
    return Section(title, [lines, *_results(probed, deciding, words)], "probes")


def _results(probed: Probed, deciding: list[ProbeFinding], words: Words) -> Iterator[Block]:
    yield Lines([*_sentences(probed, words)])
    yield _table(probed, deciding, words)
    notes = [
        f"{_who(probed, finding, words)}: {words.reason(finding.note)}."
        for finding in deciding
        if finding.note
    ]
    yield Lines([_limits(probed, words), *notes])
    drawn = partial(charts.probes_chart, words, probed)
    yield Plot(drawn, name="probes", alt=words("trust.probes_alt"))
    rows: list[list[Text]] = [
        [_named(probe, words), words.reason(why)] for probe, why in probed.not_run.items()
    ]
    yield Table(words.all("report.probes", "not_run", "why"), rows)


def _circumstances(
    probed: Probed, words: Words, when: str, *, changed: bool
) -> Iterator[str | Line]:
    source = words.reason(probed.source)
    if when:
        yield words("report.probes.probed", items=probed.items, source=source, when=when)
    else:
        yield words("trust.probed", items=probed.items, source=source)
    if changed:
        yield Line(words("report.probes.changed"), "warn")


def _table(probed: Probed, deciding: list[ProbeFinding], words: Words) -> Table:
    models = len({finding.model for finding in deciding}) > 1
    criteria = len({finding.criterion for finding in probed.findings}) > 1
    return words.table(
        "report.probes",
        deciding,
        probe=lambda finding: _named(finding.probe, words),
        model=(lambda finding: finding.model) if models else None,
        does=lambda finding: words(f"probe.does.{finding.probe}"),
        criterion=(lambda finding: words.criterion(probed.judge, finding.criterion))
        if criteria
        else None,
        effect=lambda finding: _effect(finding, words),
        limit=lambda finding: _limit(finding, words),
        pairs=lambda finding: words.count(finding.n),
        unscored=lambda finding: words.count(finding.unscored),
        rating=lambda finding: Cell(
            words(f"probe.rating.{finding.rating}"), _TONES[finding.rating]
        ),
    )


def _named(probe: str, words: Words) -> Cell:
    """With the name that commands take, where the reader's language has another."""
    name = words(f"probe.name.{probe}")
    return Cell(name, code="" if name == probe else probe)


def _effect(finding: ProbeFinding, words: Words) -> str:
    """The effect with its interval, and what it is one of: 25% [10%, 50%] changed."""
    shown = words.percent if finding.measure in _SHARES else words.signed
    return f"{shown(finding.effect)} {words(f'probe.said.{finding.measure}')}"


def _limit(finding: ProbeFinding, words: Words) -> str:
    """The most that the effect may be, written as that is: 10% or 0.05."""
    share = finding.measure in _SHARES
    return (
        f"{words.number(100 * finding.limit, 'g')}%" if share else words.number(finding.limit, "g")
    )


def _who(probed: Probed, finding: ProbeFinding, words: Words) -> str:
    """The probe, and the model where there are several."""
    if len(probed.models) == 1:
        return words(f"probe.name.{finding.probe}")
    name = words(f"probe.name.{finding.probe}")
    return words("probe.by", probe=name, model=finding.model)


def _limits(probed: Probed, words: Words) -> str:
    """The limits that were used, and what the ratings mean."""
    used = {finding.measure for finding in probed.findings}
    limits = ", ".join(
        f"{words(f'probe.said.{name}')} {words.number(getattr(probed.limits, name), 'g')}"
        for name in MEASURES
        if name in used
    )
    confidence = words.number(probed.confidence, ".0%")
    return words("probe.limits", limits=limits, confidence=confidence, fewest=FEWEST)


def _sentences(probed: Probed, words: Words) -> Iterator[str]:
    """How many probes went well, what to do about the others, and what it rests on."""
    deciding = probed.deciding()
    counts = Counter(finding.rating for finding in deciding)
    ratings = [
        words("probe.count", count=counts[name], rating=words(f"probe.rating.{name}"))
        for name in _TONES
    ]
    what = "probes" if len(probed.models) == 1 else "findings"
    yield words(f"probe.{what}", count=len(deciding), ratings=", ".join(ratings))
    for finding in deciding:
        if finding.rating in ("bad", "worrying"):
            yield words(
                "probe.found",
                who=_who(probed, finding, words),
                rating=words(f"probe.rating.{finding.rating}"),
                does=words(f"probe.does.{finding.probe}"),
                advice=words(f"probe.advice.{finding.probe}"),
            )
    yield _conclusion(probed, words, counts, len(deciding))
    unscored = sum(session.unscored for session in probed.runs)
    if unscored:
        total = sum(session.verdicts for session in probed.runs)
        yield words("probe.unscored", unscored=unscored, total=total)
    if probed.stopped:
        yield words("probe.stopped")
    yield words("probe.kept", runs=", ".join(session.run for session in probed.runs))


def _conclusion(probed: Probed, words: Words, counts: Counter[Rating], findings: int) -> str:
    if counts["unclear"] == findings:
        if any(session.unscored for session in probed.runs):
            return words("probe.all_unscored")
        return words("probe.too_few", fewest=FEWEST)
    if counts["bad"]:
        return words("probe.mend")
    if counts["worrying"] or counts["unclear"]:
        return words("probe.more")
    return words("probe.nothing_against")


_FINDING = ("probe", "model", "criterion", "measure", "n", "unscored", "effect", "limit")
SHAPES: Shapes = {
    Probed: {
        **fields("judge", "fingerprint", "models", data="source"),
        **fields("language", "items", "confidence", "limits"),
        "verdicts": lambda probed: Counter(finding.rating for finding in probed.deciding()),
        "probes": lambda probed: probed.deciding(),
        **fields("findings", "not_run", "runs", "stopped"),
    },
    ProbeFinding: {
        **fields(*_FINDING, "before", "after", "note", verdict="rating"),
        "does": lambda finding: strings_for("en")(f"probe.does.{finding.probe}"),
    },
}
