"""The criteria, scales and feedback of the judge, from the words of its prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from . import explaining, feedback
from .criteria import CriterionFound, described, find_criteria, is_confidence
from .explaining import is_explained
from .findings import ImportFindings, ImportQuestion, line_of
from .form import find_form
from .naming import slug, unique
from .options import KEYS, Options, parse_scale
from .sample import SampleField, find_sample
from .scales import ScaleFound, find_scale
from .texts import Taken
from .words import CAPS, SCORES, VERDICTS

_MOST_LINES_TOLD = 12


@dataclass(slots=True)
class PromptRubric:
    """The parts of the judge file that say what is scored and how it is answered."""

    criteria: dict[str, dict[str, Any]] = field(default_factory=dict)
    feedback: dict[str, dict[str, Any]] = field(default_factory=dict)
    reply: str = "text"
    each: bool = False


def find_rubric(taken: Taken, options: Options, findings: ImportFindings) -> PromptRubric:
    """Raises UsageError where no scale can be read."""
    rubric = PromptRubric(each=bool(taken.sections))
    given = options.get("scale")
    if given:
        findings.set("scale", given)
    sample = find_sample(taken.plain)
    rubric.reply = find_form(taken.plain, sample, options, findings)
    if taken.sections:
        _by_section(rubric, taken, options, findings)
    else:
        explained = is_explained(taken.plain, options)
        _refuse_lists(sample, options)
        for each in _criteria(taken.plain, sample, options, findings):
            scale = _scale(taken.plain, each, options, findings)
            rubric.criteria[each.name] = _entry(each, scale, explained=explained)
    _sections(rubric, taken.plain, sample, findings)
    by_criterion = {name: entry.get("explain", True) for name, entry in rubric.criteria.items()}
    explaining.tell(by_criterion, taken.plain, options, findings)
    _tell_of_caps(taken.plain, findings)
    _tell_of_pairs(rubric, taken.inputs.judged, findings)
    return rubric


def _tell_of_caps(text: str, findings: ImportFindings) -> None:
    """A cap in words cannot become a rule: the reply would have to report when it holds."""
    found = list(islice(CAPS.finditer(text), _MOST_LINES_TOLD + 1))
    lines = [str(line_of(text, each.start())) for each in found[:_MOST_LINES_TOLD]]
    if lines:
        more = " and others" if len(found) > len(lines) else ""
        where = f"line{'s' if len(lines) > 1 else ''} {', '.join(dict.fromkeys(lines))}{more}"
        findings.note("rules", f"what bounds a score in {where} stays words to the model")


def _tell_of_pairs(rubric: PromptRubric, judged: Sequence[str], findings: ImportFindings) -> None:
    """Which text stands first sways a judge, so a comparison deserves both orders."""
    choices = [each["scale"] for each in rubric.criteria.values() if "options" in each["scale"]]
    if choices and len(judged) == 2:
        findings.note("pair", "asked in one order, as written; add `pair:` to ask in both")


def _refuse_lists(sample: Sequence[SampleField], options: Options) -> None:
    """A list of verdicts, one per claim or step: a judge has one value per criterion and item."""
    lists = [each for each in sample if each.value.startswith("[{") or each.value.startswith("[ {")]
    own = [each for each in sample if each.tells and not each.within]
    inside = {each.within for each in sample if each.tells or slug(each.key) in VERDICTS}
    for each in lists:
        if each.key in inside and not own and not options.get("criteria"):
            raise ImportQuestion("criteria", Reason("import.verdict_list", key=each.key))


def _by_section(
    rubric: PromptRubric, taken: Taken, options: Options, findings: ImportFindings
) -> None:
    """One criterion a section, each with the scale of its own text."""
    given = options.names("criteria") or [section.title for section in taken.sections]
    if len(given) != len(taken.sections):
        raise UsageError(
            f"--set criteria={','.join(given)}: the file holds {len(taken.sections)} prompts under"
            " headings, and each is a criterion; name as many."
        )
    for section, called in zip(taken.sections, given, strict=True):
        text = taken.plain[: section.end]
        name = unique(slug(called, fallback="criterion"), rubric.criteria)
        titles = [entry["title"].casefold() for entry in rubric.criteria.values()]
        title = name if section.title.casefold() in titles else section.title
        found = CriterionFound(name, title, section.start)
        findings.read("criterion", name, section.start)
        scale = _scale(text, found, options, findings, start=section.start)
        explained = is_explained(taken.plain[section.start : section.end], options)
        rubric.criteria[name] = _entry(found, scale, explained=explained)


def _criteria(
    text: str, sample: Sequence[SampleField], options: Options, findings: ImportFindings
) -> list[CriterionFound]:
    given = options.names("criteria")
    found = find_criteria(text, sample)
    if given:
        known = {each.name: each for each in found}
        findings.set("criteria", ", ".join(given))
        names = [slug(name, fallback="criterion") for name in given]
        return [known.get(name, CriterionFound(name, name, 0)) for name in names]
    for each in found:
        findings.read("criterion", each.name, each.at)
    names = [each.name for each in found]
    unread = [
        each.key
        for each in sample
        if each.tells
        and slug(each.key) not in names
        and slug(each.within) not in names
        and (each.kind == "truth" or is_confidence(each.key) or slug(each.key) in SCORES)
    ]
    if unread:
        findings.note("reply", f"{', '.join(unread)} of the sample is not read")
    if not found:
        findings.assume("criterion", "one, called score", "criteria")
    return found or [CriterionFound("score", "Score", 0)]


def _scale(
    text: str, criterion: CriterionFound, options: Options, findings: ImportFindings, start: int = 0
) -> dict[str, Any]:
    given = options.get("scale")
    if given:
        return parse_scale(given)
    if criterion.truth:
        findings.scale(criterion.name, "yes or no", criterion.at)
        return {"type": "binary"}
    found = _nearest(text, criterion, start)
    if found is None:
        where = f" in the section {criterion.title!r}" if start else ""
        raise ImportQuestion("scale", Reason("import.scale", where=where, examples=KEYS["scale"]))
    rivals = f"{', '.join(found.rivals)} stands there too" if found.rivals else ""
    doubt = "; ".join(filter(None, (found.doubt, rivals)))
    findings.scale(criterion.name, said(found.scale), found.at + start, doubt)
    return deepcopy(found.scale)  # one that criteria share would be written as a YAML alias


@lru_cache(maxsize=2)  # many criteria share one text
def _of_all(text: str, floats: bool) -> ScaleFound | None:
    return find_scale(text, floats=floats)


def _nearest(text: str, criterion: CriterionFound, start: int) -> ScaleFound | None:
    """The scale that stands beside the criterion, else that of the whole text.

    Where both agree on their values the whole text tells more: it names the levels.
    """
    whole = _of_all(text[start:], criterion.floats)
    own = _own(text, criterion, start)
    if own is None or (whole and _values(whole.scale) == _values(own.scale)):
        return whole
    if own.doubt and whole and not whole.doubt and whole.scale.get("max") == own.scale.get("max"):
        return whole  # "Clarity: ?/5" names the highest alone; "from 1 to 5" elsewhere the lowest
    return own


def _own(text: str, criterion: CriterionFound, start: int) -> ScaleFound | None:
    """The scale in the place of the value, in what is said of the key, or in the line."""
    at = max(0, criterion.at - start)
    if criterion.own:
        for words in (criterion.own, described(text, criterion.title)):
            found = find_scale(words, floats=criterion.floats, labelled=True) if words else None
            if found:
                return replace(found, at=at)
        return None
    if not criterion.at:
        return None
    whole = _of_all(text[start:], criterion.floats)
    end = text.find("\n", criterion.at)
    line = text[criterion.at : end if end >= 0 else len(text)]
    if whole and not whole.rivals:
        return None
    found = find_scale(line, floats=criterion.floats)
    return replace(found, at=found.at + at) if found else None


def _values(scale: dict[str, Any]) -> object:
    """What tells two scales apart, whether or not their levels have labels."""
    if scale["type"] == "ordinal":
        return min(scale["levels"]), max(scale["levels"])
    if scale["type"] == "category":
        return frozenset(scale["options"])
    return (scale["min"], scale["max"]) if "min" in scale else scale["type"]


def said(scale: dict[str, Any]) -> str:
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
        return "yes or no"
    return f"{kind} from {scale['min']} to {scale['max']}"


def said_of(criteria: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The scale of each criterion in a few words."""
    return {name: said(entry["scale"]) for name, entry in criteria.items()}


def _entry(found: CriterionFound, scale: dict[str, Any], *, explained: bool) -> dict[str, Any]:
    entry: dict[str, Any] = {"title": found.title, "scale": scale}
    return entry if explained else entry | {"explain": False}


def _sections(
    rubric: PromptRubric, text: str, sample: Sequence[SampleField], findings: ImportFindings
) -> None:
    if rubric.each:
        return
    sections = feedback.find_sections(text, sample, list(rubric.criteria))
    titles = {str(each["title"]).casefold() for each in rubric.criteria.values()}
    for name, entry in sections.entries.items():
        if str(entry.get("title", name)).casefold() not in titles:
            rubric.feedback[name] = entry
            findings.read("feedback", _counted(name, entry), sections.at[name])
    reason = sections.explaining()
    if reason in rubric.feedback and len(rubric.criteria) == 1:
        only = next(iter(rubric.criteria.values()))
        only["explain"] = reason
        findings.read("explanation", f"the section {reason}", sections.at[reason])


def _counted(name: str, entry: dict[str, Any]) -> str:
    if not entry.get("list"):
        return name
    if "least" in entry:
        return f"{name} (list of {entry['least']} to {entry['most']})"
    return f"{name} (list)"
