"""The words by which prompts name the parts of a reply, as slugs (see naming.py)."""

from __future__ import annotations

import re

SCORES = frozenset(
    [
        "score", "rating", "grade", "points", "mark", "total_score", "total_rating", "overall",
        "overall_score", "overall_rating", "final_score", "final_rating", "verdict", "decision",
        "winner", "choice", "diem", "diem_so", "tong_diem", "label", "result", "judgment",
        "judgement", "bewertung", "punkte",
    ]
)  # fmt: skip
EXPLANATIONS = frozenset(
    [
        "explanation", "explanations", "comment", "comments", "reason", "reasons", "reasoning",
        "justification", "rationale", "feedback", "analysis", "evaluation", "notes", "thoughts",
        "evaluation_explanation", "thought", "critique", "nhan_xet", "ly_do", "giai_thich",
        "begrundung", "evidence",
    ]
)  # fmt: skip

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
