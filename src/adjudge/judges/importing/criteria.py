"""The criteria that a prompt scores, and the words that name them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .choices import SURE, find_choices
from .naming import slug
from .sample import SampleField
from .scales import CONFIDENT, find_scale
from .words import CONFIDENCES, EXPLAINS, EXPLANATIONS, IN_OTHER_LETTERS, KINDS, SCORES, VERDICTS

# "Coherence (1-5)", "- **Tone (0-10)**: …" at the beginning of a line.
_RANGED = re.compile(
    r"^[ \t]*+(?:(?:[-*•]|\d{1,2}[.)]|#+)[ \t]*+)?\**"
    r"(?P<title>[^\W\d][^\n:：()（）*]{0,40}?)[ \t]*\**[ \t]*"
    r"[(（]\s*(?P<range>-?\d+(?:[.,]\d+)?\s*(?:점|分|点)?\s*(?:-|–|~|〜|～|to|đến|에서|到|から"
    r"|bis|à|a)\s*\d+(?:[.,]\d+)?)\s*"
    r"(?:점|分|点|điểm|points?|Punkte|puntos|pontos)?[)）]",
    re.MULTILINE,
)
_HEADED = re.compile(
    r"^#{1,6}[ \t]*(?:\d{1,2}[.)]?[ \t]*)?(?P<title>[^\n]+?)[ \t:：]*$", re.MULTILINE
)
# 'total rating', "overall score": what the prompt calls the score it wants.
_QUOTED = re.compile(
    r"""['"“‘「`]((?:[\w ]{0,24})\b(?:rating|score|grade)"""
    r"""|[^'"”’」`\n]{0,12}(?:점수|평점|điểm|评分|スコア))['"”’」`]""",
    re.IGNORECASE,
)
SCORE_LINE = re.compile(
    r"^[ \t]*(?:[-*•][ \t]*)?\**(?P<title>(?:[\w ]{0,24}\b(?:rating|score|grade|verdict|class|label"
    r"|category|decision|judge?ment|choice|urteil|ergebnis|bewertung|punkte|décision|résultat|note"
    r"|veredicto|resultado|nota|puntuación|pontuação|decisão)"
    r"|점수|평점|총점|판정|결과|선택|điểm(?: số)?|kết quả|kết luận|评分|分数"
    r"|选择|结论|判断|判定|スコア"
    r"|評価点|結果|評価))\**[ \t]*[:：](?![ \t]*[\"“]?[{$%<])",
    re.IGNORECASE | re.MULTILINE,
)
# “write "# Result" followed by the score”
_HEADING_CALLED = re.compile(r"""["“`']#{1,4}\s?([^\W\d][^"”`'\n#]{2,30})["”`']""")
_BRACKETED = re.compile(r"\[\[\s*(rating|score|verdict)\s*\]\]", re.IGNORECASE)
# Words of an instruction, which are no title: 请对以下回答打分（1-5分）.
_SENTENCE = re.compile(
    r"请|打分|评分|回答|给出|数字|평가|점수|답변|숫자|採点|評価|回答|スコア|してください|[。、，,]"
    r"|[\u3040-\u30ff\u4e00-\u9fff]{9}"
)
# A line of the reply: "결과: [pass 또는 fail]", "Clarity: ?/5", "correct: Answer 'yes' if …".
_LINE = re.compile(
    r"^[ \t]*+(?:(?:[-*•>]|\d{1,2}[.)]|#+)[ \t]*+)?[*_`\"]{0,3}"
    r"(?P<title>[^\W\d][^\n:：()（）*{}<>\[\]\"`]{0,40}?)"
    r"[*_`\"]{0,3}[ \t]*[:：][*_]{0,2}[ \t]*(?P<rest>\S[^\n]*)$",
    re.MULTILINE,
)
# Where the value of such a line goes: in brackets, as X/5, or the options by themselves.
_SLOT = re.compile(
    r"[\"“]?[<\[({（【][^\n]{1,80}?[>\])}）】](?:\s?/\s?\d{1,3})?|[\"“]?(?:[xXnN]{1,2}|\?|_+|\.\.\."
    r"|…)\s?/\s?\d{1,3}|/\s?\d{1,3}\b"
    r"|[^\W\d][\w+-]{0,20}(?:\s?[|/]\s?[\w+ -]{1,20}){1,6}\s*$|\d{1,3}\s?(?:-|–|~|to|đến"
    r"|bis)\s?\d{1,3}\s*$"
)
_TAG = re.compile(
    r"<(?P<name>[A-Za-z][\w-]{1,40})>(?P<inner>[^<>\n]{1,120})</(?P=name)>", re.IGNORECASE
)
# Keys that hold the criteria rather than being one.
_GROUPS = frozenset(
    ["scores", "score", "result", "results", "evaluation", "evaluations", "verdict", "judgment",
     "judgement", "rating", "ratings", "grades", "assessment", "output", "response", "overall"]
)  # fmt: skip
# Far more than any rubric has.
_MOST = 100


@dataclass(frozen=True, slots=True)
class CriterionFound:
    """A criterion: its name, its title, where it was read, its kind of number, and the words that
    stand in the place of its value (`own`)."""

    name: str
    title: str
    at: int
    floats: bool = False
    truth: bool = False
    own: str = ""


def find_criteria(text: str, sample: Sequence[SampleField]) -> list[CriterionFound]:
    """The criteria, from the surest place that names any: the reply's sample, its lines or tags,
    titles with a range behind them, what the score is called. Empty when none does."""
    criteria = _from_sample(text, sample) or _from_tags(text)
    if not criteria and not sample:
        criteria = _from_lines(text)
    return (criteria or _ranged(text) or _called(text))[:_MOST]


def is_confidence(key: str) -> bool:
    """Whether a key says how sure the judge is, or what the highest score would be."""
    return slug(key) in CONFIDENCES or bool(IN_OTHER_LETTERS.search(key))


def described(text: str, key: str) -> str:
    """What the prompt says of a key elsewhere: the lines “- "key": …” and “The "key" field …”."""
    quoted = re.escape(key)
    lines = re.findall(
        rf"^[ \t]*(?:(?:[-*•]|\d{{1,2}}[.)])[ \t]*)?"
        rf"(?:the )?[*_`\"']{{0,4}}{quoted}[*_`\"']{{0,4}}(?![\w\"])[ \t]*"
        rf"(?:\([^()\n]*\)[ \t]*)?(?:(?:field|key|es|ist|is|est)\b|[:：=–-])[ \t]*([^\n]+)",
        text,
        re.IGNORECASE | re.MULTILINE,
    )
    return "\n".join(lines)


def _from_sample(text: str, sample: Sequence[SampleField]) -> list[CriterionFound]:
    fields = [field for field in sample if not is_confidence(field.key)]
    if not any(_tells(text, field) for field in fields):
        fields = list(sample)
    own = [field for field in fields if field.scored and not field.within]
    inner = [field for field in fields if field.scored and field.within]
    # {"scores": {"tone": 3}} names criteria inside, {"tone": {"score": 3}} outside.
    outside = [
        field
        for field in fields
        if field.within and slug(field.key) in SCORES | VERDICTS and _tells(text, field)
    ]
    criteria = [
        _criterion(text, field, field.within, at)
        for at, field in enumerate(outside, 1)
        if slug(field.within) not in _GROUPS
    ]
    if criteria:
        beside = [field for field in own if slug(field.key) in SCORES]
        return _distinct([*criteria, *(_criterion(text, field, field.key, 0) for field in beside)])
    verdicts = [field for field in fields if not field.scored and _is_verdict(text, field)]
    scored = [*own, *inner]
    if scored and any(
        slug(field.key) in SCORES and not _is_of_trust(text, field) for field in scored
    ):
        verdicts = [field for field in verdicts if slug(field.key) not in KINDS]
    scored = [field for field in scored if not _is_share(text, field, scored)]
    if verdicts:
        scored = [field for field in scored if _has_scale(text, field)]
    criteria = [
        _criterion(text, field, field.key, at) for at, field in enumerate([*scored, *verdicts], 1)
    ]
    if not criteria:
        rest = [field for field in fields if slug(field.key) in SCORES or field.kind == "truth"]
        rest = rest or [field for field in fields if _lists_options(field)]
        criteria = [_criterion(text, field, field.key, 0) for field in rest][:1]
    return _distinct([criterion for criterion in criteria if criterion.name])


def _criterion(text: str, field: SampleField, called: str, at: int) -> CriterionFound:
    # A key in letters that no name may have is told by its title.
    name = slug(called, fallback=f"criterion_{at}" if at else "score")
    truth = field.kind == "truth"
    floats = field.kind == "number"
    return CriterionFound(name, _title(text, called), field.at, floats, truth, field.value)


def _tells(text: str, field: SampleField) -> bool:
    return field.tells or _is_verdict(text, field)


def _is_verdict(text: str, field: SampleField) -> bool:
    """A field of yes and no, or one that holds one of a few words."""
    name = slug(field.key)
    if field.kind == "truth":
        return name in VERDICTS | SCORES
    if field.kind != "text" or name in EXPLANATIONS:
        return False
    known = name in VERDICTS | SCORES
    if known and find_choices(field.value, labelled=True):
        return True
    return known and bool(find_choices(described(text, field.key), labelled=True))


def _lists_options(field: SampleField) -> bool:
    if field.kind != "text" or slug(field.key) in EXPLANATIONS:
        return False
    choice = find_choices(field.value, labelled=True)
    return choice is not None and choice.weight >= SURE


def _is_share(text: str, field: SampleField, beside: Sequence[SampleField]) -> bool:
    """Whether a field such as {"score": 8, "similarity": 0.85} is a share and no score."""
    whole = any(slug(one.key) in SCORES and one.kind == "integer" for one in beside)
    own = f"{field.value}\n{described(text, field.key)}"
    part = re.match(r"0\.\d", field.value)
    return bool(whole and part) and find_scale(own, labelled=True) is None


def _is_of_trust(text: str, field: SampleField) -> bool:
    """Whether a score is described as how sure the judge is."""
    return bool(CONFIDENT.search(f"{field.value}\n{described(text, field.key)}"))


def _has_scale(text: str, field: SampleField) -> bool:
    if _is_of_trust(text, field):
        return False
    if slug(field.key) not in SCORES:
        return True
    own = f"{field.value}\n{described(text, field.key)}"
    return find_scale(own, labelled=True) is not None


def _title(text: str, key: str) -> str:
    """The heading that begins with the key, e.g. "Tone (Giọng điệu)" for "tone"; else the key."""
    for heading in _HEADED.finditer(text):
        title = heading["title"].strip("* ")
        if slug(title) == slug(key):
            return title
    return key


def _from_tags(text: str) -> list[CriterionFound]:
    """<verdict>yes|no</verdict>, <clarity_score>1-5</clarity_score>: tags that hold a scale."""
    criteria = []
    for tag in _TAG.finditer(text):
        name = slug(tag["name"])
        if name in EXPLANATIONS or is_confidence(name) or "{" in tag["inner"]:
            continue
        known = name in SCORES | VERDICTS or name.endswith(("_score", "_rating"))
        if known and find_scale(tag["inner"], labelled=True):
            criteria.append(CriterionFound(name, tag["name"], tag.start(), own=tag["inner"]))
    return _distinct(criteria)


def _from_lines(text: str) -> list[CriterionFound]:
    """Lines of the reply that show where their value goes."""
    criteria: list[CriterionFound] = []
    for line in _LINE.finditer(text):
        title, rest = line["title"].strip(), line["rest"].strip()
        name = slug(title)
        if is_confidence(title) or name in EXPLANATIONS or EXPLAINS.search(title):
            continue
        if len(title.split()) > 4:
            continue
        known = name in SCORES | VERDICTS - {"answer", "category"} or title in _LABELS
        slot = _SLOT.match(rest)
        if not (known or slot):
            continue
        scale = find_scale(slot[0] if slot else rest, labelled=True)
        if scale and (known or scale.scale["type"] != "category" or _is_form(text, line.start())):
            criteria.append(
                CriterionFound(
                    name or _unnamed(title, criteria), title, line.start("title"), own=rest
                )
            )
    quoted = all(text[criterion.at - 1 : criterion.at] in {'"', "`"} for criterion in criteria)
    return _distinct(criteria) if quoted else _alone(_distinct(criteria))


_LABELS = frozenset(
    ["결과", "판정", "선택", "최종 판정", "평가 결과", "정답 여부", "选择", "结论", "判断",
     "结果", "最终选择", "判定", "結果", "結論", "選択",
     "Kết quả", "Kết luận", "Lựa chọn", "Đánh giá"]
)  # fmt: skip


def _unnamed(title: str, criteria: Sequence[CriterionFound]) -> str:
    """A name for a label in letters that no name may have."""
    return "score" if title in _LABELS else f"criterion_{len(criteria) + 1}"


def _is_form(text: str, at: int) -> bool:
    """Whether the words above speak of the form of the reply."""
    above = text[max(0, at - 400) : at]
    form = (
        r"format|form\b|template|output|following|reply|respond|형식|출력|định dạng|mẫu|格式"
        r"|输出|形式|出力|ausgabe|salida|saída|formato"
    )
    return re.search(form, above, re.IGNORECASE) is not None


def _alone(criteria: list[CriterionFound]) -> list[CriterionFound]:
    """The first of several lines that are all called by a verdict's or score's name."""
    generic = [
        criterion
        for criterion in criteria
        if criterion.name in SCORES | VERDICTS or criterion.title in _LABELS
    ]
    if len(generic) == len(criteria):
        return criteria[:1]
    return criteria


def _ranged(text: str) -> list[CriterionFound]:
    out = []
    for at, match in enumerate(_RANGED.finditer(text), 1):
        title = re.sub(r"\s+(?:score|rating)$", "", match["title"].strip(), flags=re.IGNORECASE)
        name = slug(title, fallback=f"criterion_{at}")
        if name and len(title.split()) <= 4 and not _SENTENCE.search(title):
            out.append(CriterionFound(name, title, match.start("title"), own=f"({match['range']})"))
    return _distinct(out)


def _called(text: str) -> list[CriterionFound]:
    for pattern in (_QUOTED, _BRACKETED, _HEADING_CALLED):
        match = pattern.search(text)
        if match and slug(match[1]):
            return [CriterionFound(slug(match[1]), match[1].strip().capitalize(), match.start())]
    lines = list(SCORE_LINE.finditer(text))
    return _distinct(
        [
            CriterionFound(
                slug(line["title"], fallback="score"), line["title"].strip(), line.start("title")
            )
            for line in lines
        ]
    )


def _distinct(criteria: Sequence[CriterionFound]) -> list[CriterionFound]:
    by_name: dict[str, CriterionFound] = {}
    for criterion in criteria:
        by_name.setdefault(criterion.name, criterion)
    return list(by_name.values())
