"""The words by which prompts name the parts of a reply, as slugs (see naming.py)."""

from __future__ import annotations

import re

SCORES = frozenset(
    [
        "score", "rating", "grade", "points", "mark", "total_score", "total_rating", "overall",
        "overall_score", "overall_rating", "final_score", "final_rating", "verdict", "decision",
        "winner", "choice", "diem", "diem_so", "tong_diem", "label", "result", "judgment",
        "judgement", "bewertung", "punkte", "preference", "preferred", "better", "nota",
        "note", "puntuacion",
        "calificacion", "pontuacao", "puntaje", "punktzahl", "gesamtnote", "gesamtpunktzahl",
        "score_total",
        "marks", "stars", "ket_qua", "evaluation_score", "final_grade", "final_verdict",
        "veredicto",
        "resultado", "urteil", "ergebnis", "resultat",
    ]
)  # fmt: skip
# Keys of a verdict in words or of yes and no; they go before a score that has no scale.
VERDICTS = frozenset(
    [
        "verdict", "pass", "passed", "passes", "is_pass", "satisfied", "criteria_met", "met",
        "is_met",
        "correct", "is_correct", "correctness", "valid", "is_valid", "decision", "label",
        "result", "winner",
        "choice", "judgment", "judgement", "grade", "answer", "relevant", "is_relevant",
        "supported",
        "is_supported", "faithful", "is_faithful", "hallucination", "hallucinated",
        "is_hallucination",
        "safe", "is_safe", "approved", "accepted", "equivalent", "match", "matches",
        "is_match", "preferred",
        "better", "final_verdict", "success", "dat", "dung", "ket_luan", "ket_qua", "dung_sai",
        "korrekt", "richtig",
        "bestanden", "urteil", "ergebnis", "veredicto", "correcta", "correta", "correcte",
        "exacta", "correcto", "correto",
        "resultado", "aprobado",
        "aprovado", "conforme", "winner_id", "classification", "category", "rating", "conclusion",
    ]
)  # fmt: skip
# These say what kind a text is of as often as how good it is, so a score goes before them.
KINDS = frozenset(
    ["category", "classification", "label", "answer", "type", "conclusion", "grade", "rating"]
)
# How sure the judge is: never what it says.
CONFIDENCES = frozenset(
    [
        "confidence", "confidence_score", "confidence_level", "certainty", "konfidenz",
        "sicherheit", "confianza",
        "confiance", "confianca", "do_tin_cay", "probability", "uncertainty", "max_score",
        "max_points",
        "max_punkte", "weight", "threshold", "max", "total_possible", "max_marks",
    ]
)  # fmt: skip
EXPLAINS = re.compile(
    r"이유|근거|설명|피드백|의견|평가 내용|부분|제안|理由|解释|说明|评语|分析|建议|说明|説明"
    r"|根拠|コメント|講評|lý do|nhận xét|giải thích"
)
IN_OTHER_LETTERS = re.compile(r"신뢰도|확신도|확신|置信度|自信度|確信度|信頼度|置信")
EXPLANATIONS = frozenset(
    [
        "explanation", "explanations", "comment", "comments", "reason", "reasons", "reasoning",
        "justification", "rationale", "feedback", "analysis", "evaluation", "notes", "thoughts",
        "evaluation_explanation", "thought", "critique", "nhan_xet", "ly_do", "giai_thich",
        "begrundung", "begruendung", "evidence", "explicacion", "explicacao", "justificacion",
        "justificativa", "justificacao",
        "razon", "razonamiento", "motivo", "raison", "justification", "commentaire",
        "comentario", "kommentar",
        "erklarung", "razao", "suggestions",
        "phan_tich",
        "analyse", "analisis", "analise", "goi_y", "why", "thinking", "chain_of_thought",
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
