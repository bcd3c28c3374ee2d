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
    found = _from_sample(text, sample) or _from_tags(text)
    if not found and not sample:
        found = _from_lines(text)
    return (found or _ranged(text) or _called(text))[:_MOST]


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
    fields = [each for each in sample if not is_confidence(each.key)]
    if not any(_tells(text, each) for each in fields):
        fields = list(sample)
    own = [each for each in fields if each.scored and not each.within]
    inner = [each for each in fields if each.scored and each.within]
    # {"scores": {"tone": 3}} names criteria inside, {"tone": {"score": 3}} outside.
    outside = [
        each
        for each in fields
        if each.within and slug(each.key) in SCORES | VERDICTS and _tells(text, each)
    ]
    found = [
        _criterion(text, each, each.within, at)
        for at, each in enumerate(outside, 1)
        if slug(each.within) not in _GROUPS
    ]
    if found:
        beside = [each for each in own if slug(each.key) in SCORES]
        return _distinct([*found, *(_criterion(text, each, each.key, 0) for each in beside)])
    verdicts = [each for each in fields if not each.scored and _is_verdict(text, each)]
    scored = [*own, *inner]
    if scored and any(slug(each.key) in SCORES and not _is_of_trust(text, each) for each in scored):
        verdicts = [each for each in verdicts if slug(each.key) not in KINDS]
    scored = [each for each in scored if not _is_share(text, each, scored)]
    if verdicts:
        scored = [each for each in scored if _has_scale(text, each)]
    found = [
        _criterion(text, each, each.key, at) for at, each in enumerate([*scored, *verdicts], 1)
    ]
    if not found:
        rest = [each for each in fields if slug(each.key) in SCORES or each.kind == "truth"]
        rest = rest or [each for each in fields if _lists_options(each)]
        found = [_criterion(text, each, each.key, 0) for each in rest][:1]
    return _distinct([each for each in found if each.name])


def _criterion(text: str, each: SampleField, called: str, at: int) -> CriterionFound:
    # A key in letters that no name may have is told by its title.
    name = slug(called, fallback=f"criterion_{at}" if at else "score")
    truth = each.kind == "truth"
    floats = each.kind == "number"
    return CriterionFound(name, _title(text, called), each.at, floats, truth, each.value)


def _tells(text: str, each: SampleField) -> bool:
    return each.tells or _is_verdict(text, each)


def _is_verdict(text: str, each: SampleField) -> bool:
    """A field of yes and no, or one that holds one of a few words."""
    name = slug(each.key)
    if each.kind == "truth":
        return name in VERDICTS | SCORES
    if each.kind != "text" or name in EXPLANATIONS:
        return False
    known = name in VERDICTS | SCORES
    if known and find_choices(each.value, labelled=True):
        return True
    return known and bool(find_choices(described(text, each.key), labelled=True))


def _lists_options(each: SampleField) -> bool:
    if each.kind != "text" or slug(each.key) in EXPLANATIONS:
        return False
    found = find_choices(each.value, labelled=True)
    return found is not None and found.weight >= SURE


def _is_share(text: str, each: SampleField, beside: Sequence[SampleField]) -> bool:
    """Whether a field such as {"score": 8, "similarity": 0.85} is a share and no score."""
    whole = any(slug(one.key) in SCORES and one.kind == "integer" for one in beside)
    own = f"{each.value}\n{described(text, each.key)}"
    part = re.match(r"0\.\d", each.value)
    return bool(whole and part) and find_scale(own, labelled=True) is None


def _is_of_trust(text: str, each: SampleField) -> bool:
    """Whether a score is described as how sure the judge is."""
    return bool(CONFIDENT.search(f"{each.value}\n{described(text, each.key)}"))


def _has_scale(text: str, each: SampleField) -> bool:
    if _is_of_trust(text, each):
        return False
    if slug(each.key) not in SCORES:
        return True
    own = f"{each.value}\n{described(text, each.key)}"
    return find_scale(own, labelled=True) is not None


def _title(text: str, key: str) -> str:
    """The heading that begins with the key, e.g. "Tone (Giọng điệu)" for "tone"; else the key."""
    for found in _HEADED.finditer(text):
        title = found["title"].strip("* ")
        if slug(title) == slug(key):
            return title
    return key


def _from_tags(text: str) -> list[CriterionFound]:
    """<verdict>yes|no</verdict>, <clarity_score>1-5</clarity_score>: tags that hold a scale."""
    found = []
    for each in _TAG.finditer(text):
        name = slug(each["name"])
        if name in EXPLANATIONS or is_confidence(name) or "{" in each["inner"]:
            continue
        known = name in SCORES | VERDICTS or name.endswith(("_score", "_rating"))
        if known and find_scale(each["inner"], labelled=True):
            found.append(CriterionFound(name, each["name"], each.start(), own=each["inner"]))
    return _distinct(found)


def _from_lines(text: str) -> list[CriterionFound]:
    """Lines of the reply that show where their value goes."""
    found: list[CriterionFound] = []
    for each in _LINE.finditer(text):
        title, rest = each["title"].strip(), each["rest"].strip()
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
        if scale and (known or scale.scale["type"] != "category" or _is_form(text, each.start())):
            found.append(
                CriterionFound(name or _unnamed(title, found), title, each.start("title"), own=rest)
            )
    quoted = all(text[each.at - 1 : each.at] in {'"', "`"} for each in found)
    return _distinct(found) if quoted else _alone(_distinct(found))


_LABELS = frozenset(
    ["결과", "판정", "선택", "최종 판정", "평가 결과", "정답 여부", "选择", "结论", "判断",
     "结果", "最终选择", "判定", "結果", "結論", "選択",
     "Kết quả", "Kết luận", "Lựa chọn", "Đánh giá"]
)  # fmt: skip


def _unnamed(title: str, found: Sequence[CriterionFound]) -> str:
    """A name for a label in letters that no name may have."""
    return "score" if title in _LABELS else f"criterion_{len(found) + 1}"


def _is_form(text: str, at: int) -> bool:
    """Whether the words above speak of the form of the reply."""
    above = text[max(0, at - 400) : at]
    form = (
        r"format|form\b|template|output|following|reply|respond|형식|출력|định dạng|mẫu|格式"
        r"|输出|形式|出力|ausgabe|salida|saída|formato"
    )
    return re.search(form, above, re.IGNORECASE) is not None


def _alone(found: list[CriterionFound]) -> list[CriterionFound]:
    """The first of several lines that are all called by a verdict's or score's name."""
    generic = [each for each in found if each.name in SCORES | VERDICTS or each.title in _LABELS]
    if len(generic) == len(found):
        return found[:1]
    return found


def _ranged(text: str) -> list[CriterionFound]:
    out = []
    for at, found in enumerate(_RANGED.finditer(text), 1):
        title = re.sub(r"\s+(?:score|rating)$", "", found["title"].strip(), flags=re.IGNORECASE)
        name = slug(title, fallback=f"criterion_{at}")
        if name and len(title.split()) <= 4 and not _SENTENCE.search(title):
            out.append(CriterionFound(name, title, found.start("title"), own=f"({found['range']})"))
    return _distinct(out)


def _called(text: str) -> list[CriterionFound]:
    for pattern in (_QUOTED, _BRACKETED, _HEADING_CALLED):
        found = pattern.search(text)
        if found and slug(found[1]):
            return [CriterionFound(slug(found[1]), found[1].strip().capitalize(), found.start())]
    lines = list(SCORE_LINE.finditer(text))
    return _distinct(
        [
            CriterionFound(
                slug(each["title"], fallback="score"), each["title"].strip(), each.start("title")
            )
            for each in lines
        ]
    )


def _distinct(found: Sequence[CriterionFound]) -> list[CriterionFound]:
    by_name: dict[str, CriterionFound] = {}
    for each in found:
        by_name.setdefault(each.name, each)
    return list(by_name.values())
