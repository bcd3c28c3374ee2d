"""How a judge stands up to tricks: what probing it found out, and what to do about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

from adjudge.analysis.probing import FEWEST, MEASURES, Probed, ProbeFinding, Rating
from adjudge.strings import strings_for

from ..blocks import Block, Cell, Line, Lines, Plot, Section, Table
from ..encode import Shapes, fields
from ..figures import percent, signed
from ..plots import charts
from ..words import Words

_SHARES = ("flip", "accepted", "unnoticed")
_TONES: dict[Rating, str] = {"fine": "good", "worrying": "warn", "bad": "bad", "unclear": ""}


def probes(
    found: Probed,
    words: Words,
    called: Callable[[str], str] = str,
    *,
    when: str = "",
    changed: bool = False,
    model: str | None = None,
) -> Section:
    """A row for each probe and model, of several criteria the one that decides. `when` it was
    probed, whether the judge has `changed` since, and the one `model` that is asked about, are
    known to pages and reports."""
    deciding = [each for each in found.deciding() if model in (None, each.model)]
    lines = Lines(list(_circumstances(found, words, when, changed=changed)))
    title = words.grader(found.judge, ", ".join(found.models))
    return Section(title, [lines, *_results(found, deciding, words, called)], "probes")


def _results(
    found: Probed, deciding: list[ProbeFinding], words: Words, called: Callable[[str], str]
) -> Iterator[Block]:
    yield Lines(probe_lines(found, words))
    yield _table(found, deciding, words, called)
    notes = [
        f"{_who(found, each, words)}: {words.reason(each.note)}." for each in deciding if each.note
    ]
    yield Lines([_limits(found, words), *notes])
    drawn = partial(charts.probes_chart, words.say, found)
    yield Plot(drawn, name="probes", alt=words("trust.probes_alt"))
    rows = [[name, words.reason(why)] for name, why in found.not_run.items()]
    yield Table(words.all("report.probes", "not_run", "why"), rows)


def _circumstances(
    found: Probed, words: Words, when: str, *, changed: bool
) -> Iterator[str | Line]:
    source = words.reason(found.source)
    if when:
        yield words("report.probes.probed", items=found.items, source=source, when=when)
    else:
        yield words("trust.probed", items=found.items, source=source)
    if changed:
        yield Line(words("report.probes.changed"), "warn")


def _table(
    found: Probed, deciding: list[ProbeFinding], words: Words, called: Callable[[str], str]
) -> Table:
    models = len({each.model for each in deciding}) > 1
    criteria = len({each.criterion for each in found.findings}) > 1
    head = [words("report.probes.probe"), *([words("common.model")] if models else [])]
    head += [words("report.probes.does"), *([words("common.criterion")] if criteria else [])]
    head += words.all("report.probes", "effect", "limit", "pairs", "unscored", "rating")
    rows = []
    for each in deciding:
        row: list[str | Cell] = [each.probe, *([each.model] if models else [])]
        row += [words(f"probe.does.{each.probe}"), *([called(each.criterion)] if criteria else [])]
        rating = Cell(words(f"probe.rating.{each.rating}"), _TONES[each.rating])
        counts = [f"{each.n:,}", f"{each.unscored:,}"]
        rows.append([*row, _effect(each, words), _limit(each), *counts, rating])
    return Table(head, rows)


def _effect(finding: ProbeFinding, words: Words) -> str:
    """The effect with its interval, and what it is one of: 25% [10%, 50%] changed."""
    shown = percent if finding.measure in _SHARES else signed
    return f"{shown(finding.effect)} {words(f'probe.said.{finding.measure}')}"


def _limit(finding: ProbeFinding) -> str:
    """The most that the effect may be, written as that is: 10% or 0.05."""
    share = finding.measure in _SHARES
    return f"{100 * finding.limit:g}%" if share else f"{finding.limit:g}"


def _who(found: Probed, finding: ProbeFinding, words: Words) -> str:
    """The probe, and the model where there are several."""
    if len(found.models) == 1:
        return finding.probe
    return words("probe.by", probe=finding.probe, model=finding.model)


def _limits(found: Probed, words: Words) -> str:
    """The limits that were used, and what the ratings mean."""
    used = {each.measure for each in found.findings}
    limits = ", ".join(
        f"{words(f'probe.said.{name}')} {getattr(found.limits, name):g}"
        for name in MEASURES
        if name in used
    )
    confidence = f"{found.confidence:.0%}"
    return words("probe.limits", limits=limits, confidence=confidence, fewest=FEWEST)


def probe_lines(found: Probed, words: Words) -> list[str]:
    """How many probes went well, what to do about the others, and what it rests on."""
    return list(_sentences(found, words))


def _sentences(found: Probed, words: Words) -> Iterator[str]:
    deciding = found.deciding()
    counts = Counter(each.rating for each in deciding)
    ratings = [
        words("probe.count", count=counts[name], rating=words(f"probe.rating.{name}"))
        for name in _TONES
    ]
    what = "probes" if len(found.models) == 1 else "findings"
    yield words(f"probe.{what}", count=len(deciding), ratings=", ".join(ratings))
    for each in deciding:
        if each.rating in ("bad", "worrying"):
            yield words(
                "probe.found",
                who=_who(found, each, words),
                rating=words(f"probe.rating.{each.rating}"),
                does=words(f"probe.does.{each.probe}"),
                advice=words(f"probe.advice.{each.probe}"),
            )
    yield _conclusion(found, words, counts, len(deciding))
    unscored = sum(each.unscored for each in found.runs)
    if unscored:
        total = sum(each.verdicts for each in found.runs)
        yield words("probe.unscored", unscored=unscored, total=total)
    if found.stopped:
        yield words("probe.stopped")
    yield words("probe.kept", runs=", ".join(each.run for each in found.runs))


def _conclusion(found: Probed, words: Words, counts: Counter[Rating], findings: int) -> str:
    if counts["unclear"] == findings:
        if any(each.unscored for each in found.runs):
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
        "verdicts": lambda found: Counter(each.rating for each in found.deciding()),
        "probes": lambda found: found.deciding(),
        **fields("findings", "not_run", "runs", "stopped"),
    },
    ProbeFinding: {
        **fields(*_FINDING, "before", "after", "note", verdict="rating"),
        "does": lambda each: strings_for("en")(f"probe.does.{each.probe}"),
    },
}
