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
    separate: bool = False


def find_rubric(taken: Taken, options: Options, findings: ImportFindings) -> PromptRubric:
    """Raises UsageError where no scale can be read."""
    rubric = PromptRubric(separate=bool(taken.sections))
    setting = options.get("scale")
    if setting:
        findings.set("scale", setting)
    sample = find_sample(taken.plain)
    rubric.reply = find_form(taken.plain, sample, options, findings)
    if taken.sections:
        _by_section(rubric, taken, options, findings)
    else:
        explained = is_explained(taken.plain, options)
        _refuse_lists(sample, options)
        for criterion in _criteria(taken.plain, sample, options, findings):
            scale = _scale(taken.plain, criterion, options, findings)
            rubric.criteria[criterion.name] = _entry(criterion, scale, explained=explained)
    _sections(rubric, taken.plain, sample, findings)
    by_criterion = {name: entry.get("explain", True) for name, entry in rubric.criteria.items()}
    explaining.tell(by_criterion, taken.plain, options, findings)
    _tell_of_caps(taken.plain, findings)
    _tell_of_pairs(rubric, taken.inputs.judged, findings)
    return rubric


def _tell_of_caps(text: str, findings: ImportFindings) -> None:
    """A cap in words cannot become a rule: the reply would have to report when it holds."""
    caps = list(islice(CAPS.finditer(text), _MOST_LINES_TOLD + 1))
    lines = [str(line_of(text, cap.start())) for cap in caps[:_MOST_LINES_TOLD]]
    if lines:
        more = " and others" if len(caps) > len(lines) else ""
        where = f"line{'s' if len(lines) > 1 else ''} {', '.join(dict.fromkeys(lines))}{more}"
        findings.note("rules", f"what bounds a score in {where} stays words to the model")


def _tell_of_pairs(rubric: PromptRubric, judged: Sequence[str], findings: ImportFindings) -> None:
    """Which text stands first sways a judge, so a comparison deserves both orders."""
    choices = [entry["scale"] for entry in rubric.criteria.values() if "options" in entry["scale"]]
    if choices and len(judged) == 2:
        findings.note("pair", "asked in one order, as written; add `pair:` to ask in both")


def _refuse_lists(sample: Sequence[SampleField], options: Options) -> None:
    """A list of verdicts, one per claim or step: a judge has one value per criterion and item."""
    lists = [
        sample_field
        for sample_field in sample
        if sample_field.value.startswith("[{") or sample_field.value.startswith("[ {")
    ]
    own = [
        sample_field for sample_field in sample if sample_field.tells and not sample_field.within
    ]
    inside = {
        sample_field.within
        for sample_field in sample
        if sample_field.tells or slug(sample_field.key) in VERDICTS
    }
    for sample_field in lists:
        if sample_field.key in inside and not own and not options.get("criteria"):
            raise ImportQuestion("criteria", Reason("import.verdict_list", key=sample_field.key))


def _by_section(
    rubric: PromptRubric, taken: Taken, options: Options, findings: ImportFindings
) -> None:
    """One criterion a section, each with the scale of its own text."""
    names = options.names("criteria") or [section.title for section in taken.sections]
    if len(names) != len(taken.sections):
        raise UsageError(
            f"--set criteria={','.join(names)}: the file holds {len(taken.sections)} prompts under"
            " headings, and each is a criterion; name as many."
        )
    for section, called in zip(taken.sections, names, strict=True):
        text = taken.plain[: section.end]
        name = unique(slug(called, fallback="criterion"), rubric.criteria)
        titles = [entry["title"].casefold() for entry in rubric.criteria.values()]
        title = name if section.title.casefold() in titles else section.title
        criterion = CriterionFound(name, title, section.start)
        findings.read("criterion", name, section.start)
        scale = _scale(text, criterion, options, findings, start=section.start)
        explained = is_explained(taken.plain[section.start : section.end], options)
        rubric.criteria[name] = _entry(criterion, scale, explained=explained)


def _criteria(
    text: str, sample: Sequence[SampleField], options: Options, findings: ImportFindings
) -> list[CriterionFound]:
    titles = options.names("criteria")
    criteria = find_criteria(text, sample)
    if titles:
        known = {criterion.name: criterion for criterion in criteria}
        findings.set("criteria", ", ".join(titles))
        names = [slug(name, fallback="criterion") for name in titles]
        return [known.get(name, CriterionFound(name, name, 0)) for name in names]
    for criterion in criteria:
        findings.read("criterion", criterion.name, criterion.at)
    names = [criterion.name for criterion in criteria]
    unread = [
        sample_field.key
        for sample_field in sample
        if sample_field.tells
        and slug(sample_field.key) not in names
        and slug(sample_field.within) not in names
        and (
            sample_field.kind == "truth"
            or is_confidence(sample_field.key)
            or slug(sample_field.key) in SCORES
        )
    ]
    if unread:
        findings.note("reply", f"{', '.join(unread)} of the sample is not read")
    if not criteria:
        findings.assume("criterion", "one, called score", "criteria")
    return criteria or [CriterionFound("score", "Score", 0)]


def _scale(
    text: str, criterion: CriterionFound, options: Options, findings: ImportFindings, start: int = 0
) -> dict[str, Any]:
    setting = options.get("scale")
    if setting:
        return parse_scale(setting)
    if criterion.truth:
        findings.scale(criterion.name, "yes or no", criterion.at)
        return {"type": "binary"}
    nearest = _nearest(text, criterion, start)
    if nearest is None:
        where = f" in the section {criterion.title!r}" if start else ""
        raise ImportQuestion("scale", Reason("import.scale", where=where, examples=KEYS["scale"]))
    rivals = f"{', '.join(nearest.rivals)} stands there too" if nearest.rivals else ""
    doubt = "; ".join(filter(None, (nearest.doubt, rivals)))
    findings.scale(criterion.name, said(nearest.scale), nearest.at + start, doubt)
    return deepcopy(nearest.scale)  # one that criteria share would be written as a YAML alias


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
            scale = find_scale(words, floats=criterion.floats, labelled=True) if words else None
            if scale:
                return replace(scale, at=at)
        return None
    if not criterion.at:
        return None
    whole = _of_all(text[start:], criterion.floats)
    end = text.find("\n", criterion.at)
    line = text[criterion.at : end if end >= 0 else len(text)]
    if whole and not whole.rivals:
        return None
    scale = find_scale(line, floats=criterion.floats)
    return replace(scale, at=scale.at + at) if scale else None


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
        findings.read("explanation", f"the section {reason}", sections.at[reason])


def _counted(name: str, entry: dict[str, Any]) -> str:
    if not entry.get("list"):
        return name
    if "least" in entry:
        return f"{name} (list of {entry['least']} to {entry['most']})"
    return f"{name} (list)"
