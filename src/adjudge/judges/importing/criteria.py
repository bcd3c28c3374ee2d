"""The criteria that a prompt scores, and the words that name them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, islice

from .choice import SURE
from .choices import are_opposite, find_choices
from .labels import (
    SCORES_AND_VERDICTS,
    CriterionFound,
    Kind,
    distinct,
    from_lines,
    from_tags,
)
from .naming import slug
from .numerals import CONFIDENT
from .ranges import find_ranges
from .sample import OPTIONS_ALONE, PROSE, SampleField, described, is_word_for_verdict, shows_verdict
from .scales import find_scale
from .titles import EACH, from_list, from_names, from_titles
from .vocabulary import OPPOSITES, VERDICT_WORDS, words
from .words import CONFIDENCES, EXPLANATIONS, IDENTIFIERS, KINDS, RATINGS, SCORES, SUMS

_HEADED = re.compile(
    r"^#{1,6}[ \t]*(?:\d{1,2}[.)]?[ \t]*)?(?P<title>[^\n]+?)[ \t:：]*$", re.MULTILINE
)
# "## Fluency", "**Fluency** (1-5):", "2. Fluency:" on a line of its own
_HEADING = re.compile(
    r"^[ \t]*+(?P<mark>#{1,6}|\*\*|\d{1,2}[.)])[ \t]*+(?:\d{1,2}[.)][ \t]*+)?\**(?P<ti"
    r"tle>[^\W\d][^\n:：*(（]{1,40}?)\**"
    r"[ \t]*(?:[(（][^\n]{0,240}[)）])?\**[ \t]*[:：]?\**[ \t]*$",
    re.MULTILINE,
)
# "- Nội dung (4 điểm)", which the reply calls noi_dung
_WITH_ASIDE = re.compile(
    r"^[ \t]*+(?:(?:[-*•]|\d{1,2}[.)]|#+)[ \t]*+)?\**"
    r"(?P<title>[^\W\d][^\n:：()（）*]{0,40}?)[ \t]{0,9}\**[ \t]{0,9}"
    r"[(（](?P<aside>[^()（）\n]{0,30}\d[^()（）\n]{0,20})[)）]",
    re.MULTILINE,
)
_POINTS_ALONE = re.compile(rf"^\s*(?:{words('full')})?\s*(\d{{1,3}}\s*{words('point')})\s*$")
# "| 論理性 | 30 |" below "| 項目 | 配点 |"
_POINTS_HEAD = re.compile(rf"\|[^\n|]*{words('point')}[^\n|]*\|", re.IGNORECASE)
_POINTS_IN_TABLE = re.compile(rf"^\s*(\d{{1,3}})\s*(?:{words('point')})?\s*\|?\s*$")
_RATED = re.compile(rf"\s?{words('rating')}$", re.IGNORECASE)
_TOTAL = re.compile(words("total"), re.IGNORECASE)
_LONGEST_SECTION = 1500
# Keys that hold the criteria rather than being one.
_GROUPS = frozenset(
    ["scores", "score", "result", "results", "evaluation", "evaluations", "verdict", "judgment",
     "judgement", "rating", "ratings", "grades", "assessment", "output", "response", "overall",
     "categories", "criteria", "metrics", "dimensions"]
)  # fmt: skip
_PLAIN = 4  # a range of this weight is one of scores
# Far more than any rubric has.
_MOST = 100


def find_criteria(text: str, masked: str, sample: Sequence[SampleField]) -> list[CriterionFound]:
    """The criteria, from the surest place that names any: the reply's sample, its lines or tags,
    titles with a range behind them, what the score is called. Empty when none does. `masked` tells
    what the prompt shows, "First judge: {score}/5", from the places of the reply."""
    criteria = _from_sample(text, sample) or from_tags(text)
    if len(criteria) == 1 and is_of_each(text, criteria[0]):
        criteria = [one for one in from_list(text) if one.at < criteria[0].at] or criteria
    if not criteria and not sample:
        titles = from_titles(text)
        kinds = {_NUMERIC.search(one.own) is None for one in titles}
        criteria = titles if len(kinds) > 1 else from_lines(masked)
    criteria = criteria or from_titles(text) or from_list(text) or from_names(text)
    return criteria[:_MOST]


def is_of_each(text: str, criterion: CriterionFound) -> bool:
    """Whether a key called "score" stands below words such as “for each criterion”."""
    if not criterion.at or criterion.title not in SCORES:
        return False
    before = text[max(0, criterion.at - 40) : criterion.at]
    one_by_one = EACH.search(before)
    return one_by_one is not None and not _TOTAL.search(before, one_by_one.end())


def section_of(text: str, name: str) -> str:
    """What stands below the heading of a criterion, up to the next heading; "" without one."""
    headings = list(islice(_HEADING.finditer(text), 2 * _MOST))
    for at, heading in enumerate(headings):
        if slug(heading["title"]) == name:
            following = [
                one.start() for one in headings[at + 1 :] if one["mark"][:1] == heading["mark"][:1]
            ]
            end = following[0] if following else heading.end() + _LONGEST_SECTION
            return _listed(text[heading.end() : min(end, heading.end() + _LONGEST_SECTION)])
    return ""


def _listed(section: str) -> str:
    """The beginning of a section up to the end of its list, or its first two paragraphs."""
    paragraphs = [part for part in re.split(r"\n[ \t]*\n", section) if part.strip()]
    lists = [
        bool(re.search(r"^[ \t]*(?:[-*•|]|[*_]{0,2}\d)", part, re.MULTILINE)) for part in paragraphs
    ]
    if True not in lists:
        return "\n\n".join(paragraphs[:2])
    first = lists.index(True)
    last = next((at for at in range(first, len(lists)) if not lists[at]), len(lists))
    return "\n\n".join(paragraphs[:last])


def titled(text: str, title: str) -> list[str]:
    """What stands in brackets behind a title elsewhere, or beside it in a table: "准确性（0-40分）"
    → "0-40分"; points alone are the most: "准确性（40分）" → "0-40分"."""
    bare = _RATED.sub("", title)  # "内容得分" of the reply is "内容（20分）" of the rules
    quoted = re.escape(bare if re.search(r"\w", bare) else title)
    asides = re.findall(rf"{quoted}[*_]{{0,2}}\s?[(（]([^()（）\n]{{1,40}})[)）]", text)
    asides += [
        one["aside"] for one in islice(_WITH_ASIDE.finditer(text), 4 * _MOST)
        if not asides and slug(one["title"]) == title
    ]  # fmt: skip
    asides += re.findall(rf"^[ \t]*\|[ \t*]*{quoted}[ \t*]*\|([^\n]{{1,120}})$", text, re.MULTILINE)
    points = _POINTS_IN_TABLE if _POINTS_HEAD.search(text) else _POINTS_ALONE
    return [re.sub(points, r"0-\1", aside) for aside in asides]


def _from_sample(text: str, sample: Sequence[SampleField]) -> list[CriterionFound]:
    lists = {field.key for field in sample if re.match(r"\[\s*\{", field.value)}
    sample = [field for field in sample if not lists & {field.key, field.within}]
    fields = [field for field in sample if field.key not in CONFIDENCES | IDENTIFIERS]
    if not any(_tells(text, field) for field in fields):
        fields = list(sample)
    own = [field for field in fields if field.scored and not field.within]
    inner = [field for field in fields if field.scored and field.within]
    # {"scores": {"tone": 3}} names criteria inside, {"tone": {"score": 3}} outside.
    telling = [field for field in fields if field.within and _tells(text, field)]
    counts = Counter(field.within for field in telling)
    outside = [
        field
        for field in telling
        if field.key in RATINGS or (field.key in SCORES_AND_VERDICTS and counts[field.within] == 1)
    ]
    criteria = [
        _criterion(text, field, field.within, at)
        for at, field in enumerate(outside, 1)
        if slug(field.within) not in _GROUPS
    ]
    if criteria:
        beside = [
            field for field in [one for one in fields if not one.within and _tells(text, one)]
            if (field.key in SCORES or not field.scored) and not _is_sum(text, field, own)
        ]  # fmt: skip
        return distinct([*criteria, *(_criterion(text, field, field.key, 0) for field in beside)])
    verdicts = [field for field in fields if not field.scored and _is_verdict(text, field)]
    scored = [*own, *inner]
    if scored and any(field.key in SCORES and not _is_of_trust(text, field) for field in scored):
        verdicts = [
            field for field in verdicts
            if field.key not in KINDS or _chooses_verdicts(text, field)
        ]  # fmt: skip
    scored = [
        field for field in scored
        if not _is_share(text, field, scored) and not _is_sum(text, field, scored)
    ]  # fmt: skip
    if verdicts and len(scored) > 1:
        scored = [field for field in scored if not _is_of_trust(text, field)]
    elif verdicts:
        scored = [field for field in scored if _has_scale(text, field)]
    criteria = [
        _criterion(text, field, field.key, at) for at, field in enumerate([*scored, *verdicts], 1)
    ]
    if not criteria:
        rest = [field for field in fields if field.kind == "truth"]
        rest = rest or [field for field in fields if field.key in SCORES][:1]
        rest = rest or [field for field in fields if _lists_options(field)]
        criteria = [
            _criterion(text, field, field.key, at if len(rest) > 1 else 0)
            for at, field in enumerate(rest, 1)
        ]
    return distinct([criterion for criterion in criteria if criterion.name])


def _criterion(text: str, field: SampleField, called: str, at: int) -> CriterionFound:
    # A key in letters that no name may have is told by its title.
    name = slug(called, fallback=f"criterion_{at}" if at else "score")
    name = f"{name}_score" if name in {"explanation", "score_reason"} else name
    return CriterionFound(
        name,
        _title(text, called),
        field.at,
        floats=field.kind == "number" or any(_is_fraction(value) for value in field.shown),
        truth=field.kind == "truth",
        own=field.value or " ",
        kind=_scale_kind(field),
        example=field.value.strip(" \"'`[]") if _is_example(field) else "",
        shown=field.shown,
    )


def _scale_kind(field: SampleField) -> Kind:
    """What the place of a value leaves open: numbers, choices or both."""
    if field.scored:
        return "numbers" if _NUMERIC.search(field.value) else ""
    return "" if is_word_for_verdict(field.key, field.value) else "choices"


_NUMERIC = re.compile(rf"\d|{words('whole', 'decimal', 'number')}", re.IGNORECASE)


def _is_fraction(value: str) -> bool:
    return re.fullmatch(r"-?[\dxXnN]{1,3}\.[\dxXnN]{1,3}", value) is not None


def _is_example(field: SampleField) -> bool:
    """Whether a verdict's place shows but one of the verdicts."""
    value = field.value.strip(" \"'`[]")
    one = re.fullmatch(r"[^\W_][\w+<>= -]{0,24}", value) is not None
    one = one and not is_word_for_verdict(field.key, value)
    return field.kind == "text" and one and not find_choices(field.value, labelled=True)


def _tells(text: str, field: SampleField) -> bool:
    return field.tells or _is_verdict(text, field)


def _is_verdict(text: str, field: SampleField) -> bool:
    """A field of yes and no, or one that holds one of a few words."""
    if field.kind == "truth" or _lists_options(field):
        return True
    if field.key not in SCORES_AND_VERDICTS:
        return shows_verdict(field) and _is_offered(text, field.value.strip(" \"'`[]"))
    if field.kind != "text" or field.key in EXPLANATIONS or PROSE.match(field.value):
        return False
    if not field.value:
        return True  # a key that the prompt names in words
    known = field.value.strip(" \"'`[]").casefold() in VERDICT_WORDS and _is_example(field)
    marked = field.value.strip(" \"'`").startswith("[[")
    said = described(text, field.key)
    if not re.search(r"\w", field.value):  # {"label": "..."}
        return bool(find_choices(said, labelled=True)) or _lists_answers(text)
    return known or marked or any(find_choices(part, labelled=True) for part in (field.value, said))


@lru_cache(maxsize=4)
def _lists_answers(text: str) -> bool:
    choice = find_choices(text)
    return choice is not None and choice.weight >= SURE - 1


@lru_cache(maxsize=64)  # each key is asked about several times
def _is_offered(text: str, verdict: str) -> bool:
    """Whether the prompt lists a verdict among others, or its opposite stands there too."""
    return find_choices(text, example=verdict) is not None or bool(opposite_in(text, verdict))


def opposite_in(text: str, verdict: str) -> str:
    """The opposite of a verdict as it stands in the text; "" where it does not."""
    pairs = (pair - {verdict.casefold()} for pair in OPPOSITES if verdict.casefold() in pair)
    others = "|".join(re.escape(other) for pair in pairs for other in pair)
    match = re.search(rf"(?<![A-Za-z])(?:{others})(?![A-Za-z])", text, re.IGNORECASE)
    return match[0] if others and match else ""


_TYPES = re.compile(r"\b(?:string|str|null|none|text|number|list|array|object)\b", re.IGNORECASE)


def _lists_options(field: SampleField) -> bool:
    if field.kind != "text":
        return False
    if field.key in EXPLANATIONS and (
        not OPTIONS_ALONE.fullmatch(field.value) or _TYPES.search(field.value)
    ):
        return False
    choice = find_choices(field.value, labelled=True)
    return choice is not None and choice.weight >= SURE - 1


def _chooses_verdicts(text: str, field: SampleField) -> bool:
    """Whether what is said of a key such as "label" lists verdicts that deny one another, such as
    grounded and ungrounded, and no kinds of text or levels of the score beside it."""
    choice = find_choices(f"{field.value}\n{described(text, field.key)}", labelled=True)
    options = choice.scale.get("options", ()) if choice and choice.weight >= SURE else ()
    return any(are_opposite(one, other) for one, other in combinations(options, 2))


def _is_share(text: str, field: SampleField, beside: Sequence[SampleField]) -> bool:
    """Whether a field such as {"score": 8, "similarity": 0.85} is a share and no score."""
    whole = any(one.key in SCORES and one.kind == "integer" for one in beside)
    own = f"{field.value}\n{described(text, field.key)}"
    part = re.match(r"0\.\d", field.value)
    return bool(whole and part) and find_scale(own, labelled=True) is None


def _is_sum(text: str, field: SampleField, beside: Sequence[SampleField]) -> bool:
    """Whether a field is the sum of others, and nothing says up to what."""
    if field.key not in SUMS or len(beside) < 3:
        return False
    parts = [float(one.value) for one in beside if one is not field and _is_plain(one.value)]
    if _is_plain(field.value) and parts and float(field.value) <= max(parts):
        return False  # a mean, as its example shows
    own = f"{field.value}\n{field.key}{described(text, field.key)}"
    return find_scale(own, labelled=True, only="numbers") is None


def _is_plain(value: str) -> bool:
    return re.fullmatch(r"\d{1,4}(?:\.\d{1,3})?", value) is not None


def _is_of_trust(text: str, field: SampleField) -> bool:
    """Whether a score is described as how sure the judge is."""
    return bool(CONFIDENT.search(f"{field.value}\n{described(text, field.key)}"))


def _has_scale(text: str, field: SampleField) -> bool:
    if _is_of_trust(text, field):
        return False
    if field.key not in SCORES:
        return True
    own = f"{field.value}\n{described(text, field.key)}"
    if find_scale(own, labelled=True, only="numbers") is not None:
        return True
    return any(one.weight >= _PLAIN and not one.values for one in find_ranges(text))


def _title(text: str, key: str) -> str:
    """The heading that begins with the key, e.g. "Tone (Giọng điệu)" for "tone"; else the key."""
    for heading in _HEADED.finditer(text):
        title = heading["title"].strip("* ")
        if slug(title) == slug(key) != "":
            return title
    return key
