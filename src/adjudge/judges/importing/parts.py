"""Replies with a value per claim, question or text: claims and checklists where the prompt asks for
them plainly, and a question where a judge could not give what it asks for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from adjudge.core.reason import Reason
from adjudge.core.scale import NO_WORDS, YES_WORDS

from .criteria import is_of_each
from .findings import ImportFindings, ImportQuestion
from .labels import CriterionFound
from .naming import slug
from .numerals import SCORE, UNIT, words_after
from .options import KEYS
from .roles import role_of
from .sample import SampleField, find_sample
from .scales import find_scale
from .titles import EACH, scored_each
from .vocabulary import words
from .words import CONFIDENCES, VERDICTS, spaced

# The verdicts that claims have, as replies are read.
_OF_CLAIMS = re.compile(
    r"supported|supports?|entail(?:ed|s)|yes|contradicted|contradicts|contradiction|refuted|no"
    r"|not[ _-]mentioned|neutral|unsupported",
    re.IGNORECASE,
)
_CLAIM_LISTS = frozenset({"claims", "claim", "주장", "khẳng định"})
_CLAIM_TEXTS = frozenset({"claim", "text", "statement", "주장", "khẳng định"})
_CLAIM_VERDICTS = frozenset({"verdict", "label", "판정", "kết luận"})
_ANSWER_LISTS = frozenset({"answers", "checklist", "questions", "답변", "câu trả lời"})
_TOTAL = re.compile(words("total"), re.IGNORECASE)
_MOST = 300
# "1. Does it name the fee?"
_QUESTION = re.compile(
    r"^[ \t]*(?P<number>\d{1,2})[.)][ \t]*(?P<text>[^\n]{6,300}[?？])[ \t]*$", re.MULTILINE
)

# "a list of objects, each with …": what the sample does not show
_LIST_IN_WORDS = re.compile(
    r"\b(?:list|array) of (?:dict|object|json|record|verdict|score|bool|integer)\w*"
    r"|(?:객체|불리언|점수)\s?(?:배열|목록|리스트)|(?:对象|布尔值?|分数)(?:数组|列表)"
    r"|(?:オブジェクト|真偽値|スコア)の(?:配列|リスト)"
    r"|(?:mảng|danh sách) (?:các )?(?:đối tượng|object|boolean|điểm số)"
    r"|(?:lista|liste|arreglo|array) (?:de|d['’]|von|mit) ?"
    r"(?:objetos|diccionarios|dicionários|objets|objekten)",
    re.IGNORECASE,
)
# "only the grades, one per line": as many as there are questions
_ONE_PER_LINE = re.compile(
    r"\b(?:grades|scores|ratings|marks|verdicts|labels)\b[^\n.]{0,30}\bone (?:per|on each) line"
    r"|\b(?:[2-9]|[1-9]\d) (?:numbers|scores|grades|ratings|integers|verdicts)[^\n.]{0,20}"
    r"\b(?:separated by|in order)"
    r"|(?:점수|등급|판정)[^\n.]{0,20}한 줄에 하나씩|(?:điểm|kết luận)[^\n.]{0,20}mỗi dòng một"
    r"|(?:分数|评分|得分|スコア|点数)[^\n。]{0,20}(?:每行一个|一行に一つ|1行に1つ)"
    r"|(?:noten|punkte)[^\n.]{0,20}(?:eine|einen) pro zeile|notes[^\n.]{0,20}une par ligne"
    r"|(?:notas|puntuaciones)[^\n.]{0,20}uma? por l[ií]n[eh]a",
    re.IGNORECASE,
)
# {"first": {"score": 4}, …}: as many as the item names
_AND_SO_ON = re.compile(r"\}\s*,\s*(?:\.\.\.|…)\s*\}")
# Two texts, and a number for each of them.
_SCORE_OF_EACH = re.compile(
    r"\btwo (?:\w+ )?(?:scores|values|numbers|ratings)"
    r"|\b(?:scores|ratings) (?:for|of) (?:both|each|the two"
    r"|(?:assistants?|responses?|answers?|models?) (?:1|A) and (?:2|B))"
    r"|\beach (?:assistant|response|answer|model|candidate|text) (?:\w+ )?"
    r"(?:receives|gets|is (?:given|scored|rated))"
    r"|각각의? ?점수|두 (?:개의? )?점수|分别(?:给出|打分|评分)|两个分数|2つの(?:スコア|点数)"
    r"|それぞれ(?:の)?(?:スコア|点数)|hai (?:điểm|số điểm)|điểm cho từng"
    r"|zwei (?:punktzahlen|noten|werte)|deux (?:notes|scores)|dos (?:puntuaciones|notas)"
    r"|duas (?:notas|pontuações)",
    re.IGNORECASE,
)


# Both of them, whether or not their names tell that both are judged.
_SCORE_OF_BOTH = re.compile(
    r"\b(?:score|rate|grade) both (?:\w+ ){0,2}(?:answer|response|output|text|candidate)s",
    re.IGNORECASE,
)


_RANKING = re.compile(
    r"\brank(?:ing|ings|ed)?\b|순위|xếp hạng|排名|排序|順位|\brangfolge"
    r"|\bclasse(?:ment|z|r)\b|\borden[ae]\w*",
    re.IGNORECASE,
)


def refuse_scores_of_each(
    text: str, criteria: Sequence[CriterionFound], judged: Sequence[str]
) -> None:
    """A score for each of two texts, or a rank for each of several, in one reply: only one of them
    could be read."""
    one = len(criteria) == 1 and not criteria[0].own
    ranked = one and len(judged) > 2 and _RANKING.search(text)
    if ranked or (
        one and (_SCORE_OF_BOTH.search(text) or (len(judged) > 1 and _SCORE_OF_EACH.search(text)))
    ):
        raise ImportQuestion("criteria", Reason("import.score_each", inputs=tuple(judged)))


# 0 to {max}, X/{points}, at most {points}, {low}-{high}: a scale that only the item tells
_OPEN_END = re.compile(
    rf"(?:(?<![\w.])\d{{1,3}}{UNIT}(?:[-–—~〜～]|{words('to', 'and')})"
    rf"|{words('full')}|\bat most|(?<=[\w\]?_])/"
    rf"|›\s?(?:[-–—~〜～]|{words('to', 'and')})"
    rf"(?=\s{{0,2}}\$?‹{{1,3}}\s?\w*(?:max|high|top|upper|full)))"
    r"\s{0,2}\$?(?P<end>‹{1,3}[^‹›\n]{1,60}›)",
    re.IGNORECASE,
)


def refuse_open_scale(masked: str, criteria: Sequence[CriterionFound]) -> None:
    """A scale whose end is one of the inputs; `masked` has ‹ and › around their names."""
    for match in islice(_OPEN_END.finditer(masked), _MOST):
        line = masked.rfind("\n", 0, match.start()) + 1
        near = masked[max(line, match.start() - 60) : match.start()]
        near += words_after(masked, match.end(), 30)
        of_key = any(one.own and match[0] in one.own for one in criteria)
        beside = bool(SCORE.search(near)) and not any(_has_numbers(one.own) for one in criteria)
        if of_key or beside:
            examples = KEYS["scale"]
            end = match["end"].strip("‹›").strip()
            raise ImportQuestion("scale", Reason("import.open_scale", end=end, examples=examples))


def _has_numbers(own: str) -> bool:
    return find_scale(own, labelled=True, only="numbers") is not None


def refuse_open_criteria(
    text: str, criteria: Sequence[CriterionFound], titles: Mapping[str, str]
) -> None:
    """A score for each of several criteria that the form of the reply does not name."""
    if len(criteria) != 1 or _TOTAL.search(criteria[0].title):
        return
    if criteria[0].own.strip() and not is_of_each(text, criteria[0]):
        return
    said = scored_each(text) or (EACH.search(text) if _lists_criteria(titles) else None)
    if said:
        raise ImportQuestion("criteria", Reason("import.open_criteria", words=said[0]))


def _lists_criteria(titles: Mapping[str, str]) -> bool:
    return any(LISTS_CRITERIA.search(name) for name in titles)


LISTS_CRITERIA = re.compile(r"criteria|rubrics|dimensions|metrics|aspects|checklist")


def refuse_lists(text: str, sample: Sequence[SampleField]) -> None:
    """A list of verdicts, one per claim or step: a judge has one value per criterion and item."""
    verdicts = [one for one in sample if one.tells or one.key in VERDICTS]
    lists = [one.key for one in sample if re.match(r"\[\s*\{", one.value)]
    inside = [one.within for one in verdicts if one.within in lists]
    open_keys = [
        one.within for one in verdicts if re.fullmatch(r"[<{\[$].*[>}\]]|\.\.\.|…", one.within)
    ]
    own = [one for one in verdicts if not one.within and one.key not in CONFIDENCES]
    listed = [one.key for one in verdicts[:1] if one.listed]
    if verdicts and _AND_SO_ON.search(text, sample[0].at):
        listed.append(sample[0].key)
    in_words = [] if find_sample(text) else [m[0] for m in _LIST_IN_WORDS.finditer(text)]
    in_words += [match[0] for match in _ONE_PER_LINE.finditer(text)] if not sample else []
    keys = [*([] if own else [*inside, *open_keys]), *listed, *in_words]
    if keys:
        raise ImportQuestion("criteria", Reason("import.verdict_list", key=keys[0]))


def find_claims(
    sample: Sequence[SampleField], titles: Mapping[str, str], findings: ImportFindings
) -> dict[str, dict[str, Any]]:
    """A criterion of claims: the sample lists them with a verdict each in words that are read, and
    one of the inputs is what they are held against."""
    sources = [name for name, title in titles.items() if role_of(title) == "source"]
    for field in sample:
        if not re.match(r"\[\s*\{", field.value) or spaced(field.key) not in _CLAIM_LISTS:
            continue
        inside = {spaced(one.key): one.value for one in sample if one.within == field.key}
        verdicts = [inside[key] for key in inside if key in _CLAIM_VERDICTS]
        said = re.findall(r"[^\W\d][\w -]*", verdicts[0]) if verdicts else []
        known = [
            word for word in said if _OF_CLAIMS.fullmatch(word.strip()) or word.strip() == "or"
        ]
        if sources and len(said) > 1 and len(known) == len(said) and _CLAIM_TEXTS & set(inside):
            against = Reason("import.value.against", inputs=tuple(sources))
            findings.read("claims", against, field.at)
            return {slug(field.key): {"title": field.key, "claims": {"against": sources}}}
    return {}


def find_checklist(
    text: str, sample: Sequence[SampleField], findings: ImportFindings
) -> dict[str, dict[str, Any]]:
    """A criterion of questions answered with yes or no: the prompt numbers them, and the sample has
    a place for the answers by their numbers."""
    questions = [match for match in _QUESTION.finditer(text) if match["number"]]
    numbers = [int(match["number"]) for match in questions]
    if len(numbers) < 2 or numbers != list(range(1, len(numbers) + 1)):
        return {}
    for field in sample:
        inside = [one for one in sample if one.within == field.key]
        by_number = [one for one in inside if re.fullmatch(r"\D{0,9}\d{1,2}", one.key)]
        truths = [one for one in by_number if one.kind == "truth" or _is_yes_or_no(one.value)]
        listed = field.value.startswith("[") and _is_yes_or_no(field.value)
        if spaced(field.key) in _ANSWER_LISTS and (listed or (truths and truths == inside)):
            asked = [match["text"].strip() for match in questions]
            count = Reason("import.value.questions", count=len(asked))
            findings.read("checklist", count, questions[0].start("text"))
            return {slug(field.key): {"title": field.key, "checklist": asked}}
    return {}


def _is_yes_or_no(value: str) -> bool:
    said = {word.casefold() for word in re.findall(r"[^\W\d_]+", value)} - {"or"}
    return bool(said) and said <= YES_WORDS | NO_WORDS
