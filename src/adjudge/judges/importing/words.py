"""What the keys and labels of a reply hold, by their names; and sentences about the reply."""

from __future__ import annotations

import re

from .vocabulary import plain, row, verdict_names


class Names:
    """The names that keys of one kind have, told by the words they are made of, in any language."""

    def __init__(self, pattern: str) -> None:
        self._pattern = re.compile(pattern, re.IGNORECASE)

    def __or__(self, other: Names) -> Names:
        return Names(f"{self._pattern.pattern}|{other._pattern.pattern}")

    def __contains__(self, name: object) -> bool:
        return self._pattern.fullmatch(spaced(str(name))) is not None


def spaced(name: str) -> str:
    """The words of a key: "finalScore" and "final_score" → "final score", marks dropped."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\W]+", " ", name).strip()
    return plain(apart)


_MORE = (
    rf"(?:{row('total')}|evaluation|eval|judge|judge?ment|llm|quality|numeric|answer|human|your)"
)
_IS = r"(?:is|has|have|was|are|criteria|es|est|ist)"
# How sure the judge is, and what a score could be at most: never what the judge says.
CONFIDENCES = Names(
    rf"(?:.* )?(?:{row('confidence')})(?: .*)?"
    r"|(?:max|min|maximum|weight|weighting|threshold|total possible)(?: \w+)?|gewicht\w*|peso|poids"
)
REASONS = Names(rf"(?:.* ?)?(?:{row('explanation')})")
EXPLANATIONS = REASONS | Names(rf"(?:.* ?)?(?:{row('section')})")
# What the one score or verdict of a reply is called.
RATINGS = Names(rf"(?:{_MORE} ?)*(?:{row('rating')})(?: {_MORE})*")
SCORES = Names(rf"(?:{_MORE} ?)*(?:{row('rating')}|{row('verdict')})(?: {_MORE})*|preferred|better")
# Keys of a verdict in words or of yes and no; they go before a score that has no scale.
VERDICTS = Names(
    rf"(?:(?:{_MORE}|{_IS}|\w+) ?)?(?:{row('verdict')}|answer)(?: {_MORE})*"
    rf"|(?:(?:{_MORE}|{_IS}) )*(?:{verdict_names()}|preferred|hallucinated|rating|grade)"
    rf"(?: (?:id|{_MORE}))*"
)
# These say what kind a text is of as often as how good it is, so a score goes before them.
KINDS = Names(
    r"(?:.* )?(?:category|classification|label|answer|type|conclusion|grade|rating|status|level)|"
    r"categor\w+|catégorie|kategorie"
)
# Keys that tell which one, when or how many: data, and no verdict.
IDENTIFIERS = Names(
    r"(?:.* )?(?:ids?|uuid|index|idx|timestamp|version|count|seed)|(?:num|number of) .*"
)
# What is counted and no score, unless a scale stands beside it: "Errors: <number>".
COUNTS = Names(
    r"(?:\w+ ){0,2}(?:errors|mistakes|issues|violations|hallucinations|omissions|words|fehler"
    r"|erreurs|errores|erros|loi)(?: count)?|.*(?:count|anzahl|개수|건수|错误数|エラー数|件数)"
)
# Keys that ask whether it passed: yes or no, where nothing else is said.
PASSES = Names(
    r"(?:is|has|was|contains|needs) .+|pass|passed|approved|accepted|correct|aprobad[oa]"
    r"|aprovad[oa]|bestanden|korrekt|reussi|합격|통과|dat|通过|合格|是否.+|.+(?: ?여부)"
)
# A sum of parts, whose scale is seldom that of the parts.
_SUM = r"(?:weighted )?(?:total|totale|sum|gesamt|summe|somme|suma|soma|tong)"
SUMS = Names(
    rf"{_SUM}(?: ?(?:{row('rating')}))?|(?:{row('rating')}) {_SUM}|weighted (?:{row('rating')})"
    r"|총점|합계|总分|总得分|合計点?"
)
# Keys whose first or last word says that they hold a score: "context_score", "diem_noi_dung".
PARTS = Names(rf"\w+(?: \w+){{0,3}} (?:{row('rating')})|(?:{row('rating')})(?: \w+){{1,4}}")

# That a prompt asks for reasons; "Give your feedback as follows" means no more than the reply.
ASKS_WHY = re.compile(
    r"\b(?:expla(?:in|nation)|rationale|reason(?:s|ing)?\b|justif|comments?\b|analysis\b|critique\b"
    r"|feedback\b(?!\s*(?:as follows|:::))|evaluation\s*:(?!\s*$)|begründ|erklär)"
    r"|step by step|이유|설명|근거|의견|피드백|nhận xét|giải thích|lý do"
    r"|解释|理由|说明|评语|説明|根拠|コメント",
    re.IGNORECASE | re.MULTILINE,
)
# That it wants nothing but the score.
SCORE_ALONE = re.compile(
    r"scores?\s+only|only\s+(?:the|a|an|one)?\s*(?:single\s+)?(?:integer|number|score|rating|digit)"
    r"|nothing (?:else|but)|no (?:explanation|other text)|without (?:any )?explanation"
    r"|점수만|숫자만|chỉ (?:trả về|ghi|đưa ra) (?:điểm|số)"
    r"|只(?:需)?(?:输出|回答|给出)(?:分数|数字|评分)|数字のみ|スコアのみ",
    re.IGNORECASE,
)
# That something bounds a score: "score ≤ 5", "at most 6 points", "không quá 5 điểm".
CAPS = re.compile(
    r"(?:scores?|rating|điểm|점수|点|分|スコア)\s*(?:is\s+)?(?:≤|<=|≥|>=|at most|at least)\s*\d"
    r"|(?:score|rating)\s+(?:must|should|can|may)\s*not\s+exceed|(?:capped|limited) (?:at|to) \d"
    r"|không (?:quá|vượt quá) \d|점을? (?:넘을 수|초과할 수) 없|최대 \d+\s*점"
    r"|(?:不超过|最高)\s*\d+\s*分",
    re.IGNORECASE,
)
