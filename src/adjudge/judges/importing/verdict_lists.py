"""Replies with a value per claim, step or text, which a judge cannot give: they are asked about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from adjudge.core.reason import Reason

from .findings import ImportQuestion
from .labels import CriterionFound
from .sample import SampleField, find_sample
from .words import CONFIDENCES, VERDICTS

# "a list of objects, each with …": what the sample does not show
_LIST_IN_WORDS = re.compile(
    r"\b(?:list|array) of (?:dict|object|json|record|verdict|score)\w*"
    r"|객체\s?(?:배열|목록|리스트)|对象(?:数组|列表)|オブジェクトの(?:配列|リスト)"
    r"|(?:mảng|danh sách) (?:các )?(?:đối tượng|object)"
    r"|(?:lista|liste|arreglo|array) (?:de|d['’]|von|mit) ?"
    r"(?:objetos|diccionarios|dicionários|objets|objekten)",
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


def refuse_scores_of_each(
    text: str, criteria: Sequence[CriterionFound], judged: Sequence[str]
) -> None:
    """A score for each of two texts in one reply: only one of them could be read."""
    one = len(criteria) == 1 and not criteria[0].own
    if one and len(judged) > 1 and _SCORE_OF_EACH.search(text):
        raise ImportQuestion("criteria", Reason("import.score_each", inputs=tuple(judged)))


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
    keys = [*([] if own else [*inside, *open_keys]), *listed, *in_words]
    if keys:
        raise ImportQuestion("criteria", Reason("import.verdict_list", key=keys[0]))
