"""The criteria, scales and feedback of the judge, from the words of its prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from . import feedback
from .choice import as_words, category
from .criteria import find_criteria, opposite_in, section_of, titled
from .doubts import cross_check
from .feedback import is_explained
from .findings import ImportFindings, ImportQuestion, Words, joined
from .form import find_form
from .keys import find_keys
from .labels import CriterionFound, Kind
from .left_over import doubt_labels, doubt_what_is_left, tell_of_unread_keys
from .naming import slug, unique
from .numerals import WHOLE
from .options import KEYS, Options, parse_scale
from .parts import (
    find_checklist,
    find_claims,
    refuse_lists,
    refuse_open_criteria,
    refuse_open_scale,
    refuse_scores_of_each,
)
from .ranges import find_ranges
from .sample import SampleField, described, find_sample
from .scales import ScaleFound, find_scale
from .texts import Taken
from .vocabulary import VERDICT_WORDS, words
from .words import CAPS, RATINGS, SCORES, SUMS

_MOST_LINES_TOLD = 12
_ONE_OF = re.compile(rf"{words('one of')}|\bone of\b|\beither\b", re.IGNORECASE)
# What a prompt says of its scores stands near its beginning or its end; between are data.
_LONG, _READ = 40_000, 15_000


@dataclass(slots=True)
class PromptRubric:
    """The parts of the judge file that say what is scored and how it is answered."""

    criteria: dict[str, dict[str, Any]] = field(default_factory=dict)
    feedback: dict[str, dict[str, Any]] = field(default_factory=dict)
    reply: str = "text"
    separate: bool = False
    sample: Sequence[SampleField] = ()
    text: str = ""  # the part of the prompt that was read; see `ImportFindings.gap`


def find_rubric(taken: Taken, options: Options, findings: ImportFindings) -> PromptRubric:
    """Raises UsageError where no scale can be read."""
    rubric = PromptRubric(separate=bool(taken.sections))
    setting = options.get("scale")
    if setting:
        findings.set("scale", setting)
    text, masked = _to_read(taken, findings)
    _tell_of_caps(text, findings)
    sample = find_sample(masked)
    rubric.reply = find_form(text, sample, options, findings)
    if rubric.reply == "json" and not sample:
        sample = find_keys(masked)
    if taken.sections:
        _by_section(rubric, taken, options, findings)
    else:
        explained = is_explained(text, options)
        if not options.get("criteria"):
            made = find_claims(sample, taken.inputs.titles, findings) or find_checklist(
                text, sample, findings
            )
            rubric.criteria |= made
            sample = [
                one for one in sample if slug(one.key) not in made and slug(one.within) not in made
            ]
            refuse_lists(text, sample)
        beside = not rubric.criteria or any(one.tells or one.key in SCORES for one in sample)
        criteria = _criteria(text, masked, sample, options, findings) if beside else []
        if not options.get("criteria"):
            refuse_scores_of_each(text, criteria, taken.inputs.judged)
            refuse_open_criteria(text, criteria, taken.inputs.titles)
        if not setting:
            refuse_open_scale(masked, criteria)
        scales = {one.name: _nearest(text, one, 0) for one in criteria} if not setting else {}
        claimed = frozenset(_as_rival(one.scale) for one in scales.values() if one)
        for criterion in criteria:
            scale = _scale(criterion, scales.get(criterion.name), options, findings, claimed)
            rubric.criteria[criterion.name] = _entry(criterion, scale, explained=explained)
        if not setting and not options.get("criteria"):
            cross_check(text, criteria, rubric.criteria, taken.inputs.judged, findings)
            doubt_labels(text, rubric.criteria, sample, findings)
            doubt_what_is_left(text, rubric.criteria, sample, findings)
    rubric.sample = sample
    _sections(rubric, text, sample, findings)
    if not taken.sections:
        tell_of_unread_keys(rubric.criteria, rubric.feedback, sample, findings)
    by_criterion = {name: entry.get("explain", True) for name, entry in rubric.criteria.items()}
    feedback.tell_of_reasons(by_criterion, text, options, findings)
    rubric.text = text
    _tell_of_pairs(rubric, taken.inputs.judged, findings)
    return rubric


def _to_read(taken: Taken, findings: ImportFindings) -> tuple[str, str]:
    """The part of the prompt that may speak of scores, and the same with masked placeholders."""
    text, masked = taken.plain, taken.masked or taken.plain
    if taken.sections:
        return text, masked
    if len(text) > _LONG:
        findings.gap = (_READ, len(text) - 2 * _READ - 1)
        text, masked = (f"{one[:_READ]}\n{one[-_READ:]}" for one in (text, masked))
    return _unescaped(text), _unescaped(masked)


def _unescaped(text: str) -> str:
    """Quotes that a program escaped twice are quotes; offsets stay."""
    return re.sub(r'(?<=\w)\\"', '" ', text).replace('\\"', ' "')


def _tell_of_caps(text: str, findings: ImportFindings) -> None:
    """A cap in words cannot become a rule: the reply would have to report when it holds."""
    caps = list(islice(CAPS.finditer(text), _MOST_LINES_TOLD + 1))
    lines = [str(findings.line_of(cap.start())) for cap in caps[:_MOST_LINES_TOLD]]
    if lines:
        more = ("…",) if len(caps) > len(lines) else ()
        where = (*dict.fromkeys(lines), *more)
        findings.note("rules", Reason("import.note.caps", n=len(where), lines=where))


def _tell_of_pairs(rubric: PromptRubric, judged: Sequence[str], findings: ImportFindings) -> None:
    """Which text stands first sways a judge, so a comparison deserves both orders."""
    choices = [entry for entry in rubric.criteria.values() if "options" in entry.get("scale", {})]
    if choices and len(judged) == 2:
        findings.note("pair", Reason("import.note.pair"))


def _by_section(
    rubric: PromptRubric, taken: Taken, options: Options, findings: ImportFindings
) -> None:
    """One criterion a section, each with the scale of its own text."""
    names = options.names("criteria") or [section.title for section in taken.sections]
    if len(names) != len(taken.sections):
        why = Reason("import.sections", count=len(taken.sections))
        raise UsageError(why.at_option("set", f"criteria={','.join(names)}"))
    for section, called in zip(taken.sections, names, strict=True):
        text = taken.plain[: section.end]
        name = unique(slug(called, fallback="criterion"), rubric.criteria)
        titles = [entry["title"].casefold() for entry in rubric.criteria.values()]
        title = name if section.title.casefold() in titles else section.title
        criterion = CriterionFound(name, title, section.start)
        findings.read("criterion", name, section.start)
        nearest = None if options.get("scale") else _nearest(text, criterion, section.start)
        scale = _scale(criterion, nearest, options, findings, start=section.start)
        explained = is_explained(taken.plain[section.start : section.end], options)
        rubric.criteria[name] = _entry(criterion, scale, explained=explained)


def _criteria(
    text: str,
    masked: str,
    sample: Sequence[SampleField],
    options: Options,
    findings: ImportFindings,
) -> list[CriterionFound]:
    titles = options.names("criteria")
    criteria = find_criteria(text, masked, sample)
    if titles:
        known = {criterion.name: criterion for criterion in criteria}
        findings.set("criteria", ", ".join(titles))
        names = [slug(name, fallback="criterion") for name in titles]
        return [known.get(name, CriterionFound(name, name, 0)) for name in names]
    for criterion in criteria:
        key = "criteria" if criterion.doubt else ""
        findings.read("criterion", criterion.name, criterion.at, doubt=criterion.doubt, key=key)
    if not criteria:
        findings.assume("criterion", Reason("import.value.one_criterion"), "criteria")
    return criteria or [CriterionFound("score", "Score", 0)]


def _scale(
    criterion: CriterionFound,
    nearest: ScaleFound | None,
    options: Options,
    findings: ImportFindings,
    claimed: frozenset[str] = frozenset(),
    start: int = 0,
) -> dict[str, Any]:
    """The scale of a criterion, told with its doubt; `claimed` are those of all criteria, which are
    no rivals of one another."""
    setting = options.get("scale")
    if setting:
        return parse_scale(setting)
    if criterion.truth:
        findings.scale(criterion.name, Reason("import.value.binary"), criterion.at)
        return {"type": "binary"}
    if nearest is None:
        where = f" in the section {criterion.title!r}" if start else ""
        raise ImportQuestion("scale", Reason("import.scale", where=where, examples=KEYS["scale"]))
    others = [rival for rival in nearest.rivals if rival not in claimed]
    rivals = Reason("import.doubt.there_too", others=tuple(others)) if others else ""
    doubt = joined(nearest.doubt, rivals)
    if WHOLE.search(criterion.own) and nearest.scale["type"] == "number":
        low, high = nearest.scale["min"], nearest.scale["max"]
        if float(low).is_integer() and float(high).is_integer():
            nearest = replace(nearest, scale=nearest.scale | {"type": "integer"})
    findings.scale(criterion.name, said(nearest.scale), nearest.at + start, doubt)
    return deepcopy(nearest.scale)  # one that criteria share would be written as a YAML alias


def _as_rival(scale: dict[str, Any]) -> str:
    """A scale as those beside it name it."""
    if scale["type"] == "category":
        return as_words(scale["options"])
    low, high = _values(scale) if "levels" in scale or "min" in scale else (0, 1)
    return f"{low:g} to {high:g}"


@lru_cache(maxsize=8)  # many criteria share one text
def _of_all(text: str, floats: bool, only: Kind, example: str) -> ScaleFound | None:
    return find_scale(text, floats=floats, only=only, example=example)


def _nearest(text: str, criterion: CriterionFound, start: int) -> ScaleFound | None:
    """The scale that stands beside the criterion, else that of the whole text.

    Where both agree on their values the whole text tells more: it names the levels.
    """
    whole = _of_all(text[start:], criterion.floats, criterion.kind, criterion.example)
    if whole is None and criterion.kind == "choices" and not criterion.own.strip(" .…\"'<>[]"):
        whole = _of_all(text[start:], criterion.floats, "", "")  # a key called "average"
    if whole and "options" in whole.scale and criterion.own.strip(" <>\"'[]") in RATINGS:
        numbers = _of_all(text[start:], criterion.floats, "numbers", "")
        rival = (as_words(whole.scale["options"]),)
        whole = replace(numbers, rivals=numbers.rivals + rival) if numbers else whole
    if whole and whole.rivals and criterion.title in SUMS:
        widest = max(find_ranges(text[start:]), key=lambda one: (one.high, one.weight))
        whole = replace(whole, scale=widest.scale, at=widest.at)
    own = _own(text, criterion, start, whole)
    if own and (own.exact or own.scale["type"] == "ordinal") and not _same_levels(own, whole):
        return own
    if own is None or (whole and _values(whole.scale) == _values(own.scale)):
        return whole or _of_examples(text[start:], criterion, start)
    highest = _highest(own.scale)
    if highest and own.doubt and whole and not whole.doubt and _highest(whole.scale) == highest:
        return whole  # "Clarity: ?/5" names the highest alone; "from 1 to 5" elsewhere the lowest
    return own


def _same_levels(own: ScaleFound, whole: ScaleFound | None) -> bool:
    """Whether both have the same labels, whose meanings the whole text may tell besides."""
    return whole is not None and "levels" in own.scale and said(own.scale) == said(whole.scale)


def _has_meanings(scale: ScaleFound) -> bool:
    return any(isinstance(level, dict) for level in scale.scale["levels"].values())


def _own(
    text: str, criterion: CriterionFound, start: int, whole: ScaleFound | None
) -> ScaleFound | None:
    """The scale in the place of the value, in what is said of the key, or in the line."""
    at = max(0, criterion.at - start)
    if criterion.own:
        said = described(text, criterion.title)
        places = [criterion.own, said]
        places += [f"{criterion.title}{said}"] if said and criterion.title in SUMS else []
        places += [section_of(text, criterion.name)] if not start else []
        scales = [
            find_scale(
                words,
                floats=criterion.floats,
                labelled=True,
                only=criterion.kind,
                example=criterion.example,
            )
            for words in places
            if words.strip()
        ]
        known = [scale for scale in scales if scale]
        # The first that tells, with the meanings that another tells of the same levels.
        richer = [one for one in known if _same_levels(known[0], one) and _has_meanings(one)]
        if known:
            return replace((richer or known)[0], at=at)
    for title in titled(text, criterion.title):
        scale = find_scale(title, floats=criterion.floats, labelled=True, only="numbers")
        if scale:
            return replace(scale, at=at, exact=True)
    if not criterion.at or criterion.own or (whole and not whole.rivals):
        return None
    end = text.find("\n", criterion.at)
    line = text[criterion.at : end if end >= 0 else len(text)]
    scale = find_scale(line, floats=criterion.floats)
    return replace(scale, at=scale.at + at) if scale else None


def _of_examples(text: str, criterion: CriterionFound, start: int) -> ScaleFound | None:
    """The values that several samples show: {"apology": 0} or {"apology": 1}, "yes" and "no"."""
    at = max(0, criterion.at - start)
    values = {value.casefold() for value in criterion.shown}
    if values == {"0", "1"}:
        return ScaleFound({"type": "binary"}, at)
    lead = text[max(0, at - 120) : at]
    named = values <= VERDICT_WORDS or (_ONE_OF.search(lead) and all(map(str.isidentifier, values)))
    opposite = opposite_in(text, criterion.example) if criterion.example else ""
    if (len(values) > 1 and criterion.kind == "choices" and named) or opposite:
        scale = category([*criterion.shown, opposite] if opposite else criterion.shown)
        doubt = Reason("import.doubt.examples")
        return ScaleFound(scale, at, (), doubt) if scale else None
    return None


def _highest(scale: dict[str, Any]) -> object:
    return max(scale["levels"]) if "levels" in scale else scale.get("max")


def _values(scale: dict[str, Any]) -> Any:
    """What tells two scales apart, whether or not their levels have labels."""
    if scale["type"] == "ordinal":
        return min(scale["levels"]), max(scale["levels"])
    if scale["type"] == "category":
        return tuple(scale["options"])
    return (scale["min"], scale["max"]) if "min" in scale else scale["type"]


def said(scale: dict[str, Any]) -> Words:
    """A scale in a few words."""
    kind = scale["type"]
    if kind == "ordinal":
        labels = {
            value: level if isinstance(level, str) else level["label"]
            for value, level in scale["levels"].items()
        }
        return ", ".join(f"{value} {label}" for value, label in labels.items())
    if kind == "category":
        return " / ".join(scale["options"])
    if kind == "binary":
        return Reason("import.value.binary")
    ends = {"low": str(scale["min"]), "high": str(scale["max"])}
    if kind == "integer":
        return Reason("import.value.integer", **ends)
    return Reason("import.value.number", **ends)


def said_of(criteria: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The scale of each criterion in a few words."""
    return {
        name: str(said(entry["scale"]))
        if "scale" in entry
        else "claims"
        if "claims" in entry
        else "checklist"
        for name, entry in criteria.items()
    }


def _entry(criterion: CriterionFound, scale: dict[str, Any], *, explained: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"title": criterion.title, "scale": scale}
    return entry if explained else entry | {"explain": False}


def _sections(
    rubric: PromptRubric, text: str, sample: Sequence[SampleField], findings: ImportFindings
) -> None:
    if rubric.separate:
        return
    sections = feedback.find_sections(text, sample, list(rubric.criteria))
    titles = {str(entry["title"]).casefold() for entry in rubric.criteria.values()}
    for name, entry in sections.entries.items():
        if str(entry.get("title", name)).casefold() not in titles:
            rubric.feedback[name] = entry
            findings.read("feedback", _counted(name, entry), sections.at[name])
    reason = sections.explaining()
    if reason in rubric.feedback and len(rubric.criteria) == 1:
        only = next(iter(rubric.criteria.values()))
        only["explain"] = reason
        said_in = Reason("import.value.section", name=reason)
        findings.read("explanation", said_in, sections.at[reason])


def _counted(name: str, entry: dict[str, Any]) -> Words:
    if not entry.get("list"):
        return name
    if "least" in entry:
        least, most = entry["least"], entry["most"]
        return Reason("import.value.list_of", name=name, least=least, most=most)
    return Reason("import.value.list", name=name)
