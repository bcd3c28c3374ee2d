"""The words that replies use, in the languages we know: for the parts of a verdict, for criteria
and for the options of a comparison.

They serve to find a part, never to guess a value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache

from adjudge.core.scale import Category, folded

SCORE = frozenset(
    {"score", "rating", "grade", "points", "value", "mark", "total_score", "total_rating",
     "overall_rating", "overall_score", "overall", "final", "final_score", "final_rating", "result",
     "verdict", "judgement", "judgment", "winner", "choice", "decision", "better", "preferred",
     "preference", "final_verdict", "final_decision", "final_judgement", "final_judgment",
     "final_choice", "final_grade", "final_result", "final_evaluation", "final_preference",
     "overall_grade", "overall_verdict", "overall_winner", "overall_judgment", "my_score",
     "my_rating", "my_verdict", "my_final_score", "my_final_rating", "my_final_verdict",
     "my_final_decision", "better_response", "better_answer", "best_response", "preferred_response",
     "preferred_answer", "your_judgement", "your_judgment", "your_score", "your_rating",
     "your_verdict", "the_winner", "the_score", "the_rating", "the_final_score",
     "점수", "평점", "총점", "최종_점수", "최종_평점", "평가_점수", "종합_점수", "종합_평점",
     "종합_평가_점수", "전체_점수", "최종_평가", "최종_판정", "최종_판단", "최종_결정", "최종_선택",
     "판정", "승자", "선택", "결과", "최종_결과", "평가_결과", "판정_결과",
     "등급",
     "điểm", "diem", "điểm_số", "diem_so", "tổng_điểm", "tong_diem", "điểm_tổng", "điểm_đánh_giá",
     "điểm_cuối_cùng", "điểm_tổng_thể", "tổng_điểm_đánh_giá", "đánh_giá_chung",
     "đánh_giá_cuối_cùng", "xếp_hạng", "kết_luận", "lựa_chọn", "quyết_định", "kết_quả",
     "kết_quả_cuối_cùng", "phán_quyết", "mức_điểm",
     "评分", "分数", "得分", "总分", "总得分", "总评分", "综合得分", "综合评分", "综合分数",
     "最终得分", "最终评分", "最终分数", "总体得分", "总体评分", "最终判断", "最终裁决", "最终选择",
     "最终结论", "胜者", "評分", "總分", "得點", "打分", "选择", "判定结果",
     "最终判定", "我的判定",
     "评估结果", "评价结果", "最终结果", "结果", "等级", "最终答案",
     "点数", "得点", "採点", "採点結果", "スコア", "評価点", "評点", "総合評価", "総合点",
     "総合得点", "総合スコア",
     "最終評価", "最終スコア", "最終得点", "最終判断", "最終判定", "判定", "勝者", "判定結果",
     "評価結果", "結果", "点", "評定",
     "bewertung", "punktzahl", "punkte", "gesamtbewertung", "gesamtpunktzahl", "gesamtnote",
     "endnote", "urteil", "gewinner", "entscheidung", "ergebnis", "endergebnis", "gesamtergebnis",
     "note_finale", "note_globale", "score_final", "score_global", "résultat", "verdict_final",
     "décision", "jugement", "évaluation_finale",
     "puntuación", "puntuacion", "puntuación_final", "puntaje", "puntaje_final", "calificación",
     "calificacion", "calificación_final", "nota", "nota_final", "valoración", "resultado",
     "resultado_final", "veredicto", "veredicto_final", "decisión", "ganador", "evaluación_final",
     "pontuação", "pontuacao", "pontuação_final", "nota_geral", "veredito", "veredito_final",
     "decisão", "vencedor", "avaliação_final"}
)  # fmt: skip
# Of these a criterion makes labels of its own: "Tone rating". With "overall" none would.
OF_A_TITLE = frozenset(
    {"score", "rating", "grade", "points", "value", "mark", "result", "verdict", "judgement",
     "judgment", "점수", "평점", "điểm", "điểm_số", "评分", "分数", "得分", "点数", "スコア",
     "bewertung", "punktzahl", "punkte"}
)  # fmt: skip
EXPLANATION = frozenset(
    {"explanation", "explanations", "comment", "comments", "reason", "reasons", "reasoning",
     "justification", "rationale", "feedback", "analysis", "evaluation", "evaluation_explanation",
     "evaluation_evidence", "detailed_explanation", "notes", "thoughts",
     "설명", "평가_설명", "평가", "평가_내용", "평가_이유", "이유", "근거", "의견", "피드백",
     "분석", "nhận_xét", "nhan_xet", "binh_luan", "bình_luận", "lý_do", "ly_do", "giải_thích",
     "giai_thich", "phân_tích",
     "解释", "理由", "评价", "评语", "分析", "评分理由", "评价证据", "説明", "解説", "評価理由",
     "begründung", "erklärung"}
)  # fmt: skip
# The parts of a score: quotations, the answers to a checklist, claims.
QUOTES = frozenset(
    {"quotes", "quote", "quotations", "quotation", "evidence", "evidence_quotes", "citations",
     "인용", "인용문", "인용구", "trích_dẫn", "trich_dan"}
)  # fmt: skip
ANSWERS = frozenset({"answers", "checklist", "questions", "답변", "câu_trả_lời"})
CLAIMS = frozenset({"claims", "claim", "주장", "khẳng_định"})
ERRORS = frozenset({"errors", "error", "오류", "lỗi"})
QUESTION = ("q", "question_", "질문_", "câu_", "câu_hỏi_", "")
# Labels of other things, which may hold a number all the same.
OTHER_LABELS = frozenset(
    {"confidence", "certainty", "note", "step", "page", "question", "item", "line", "example",
     "part", "section", "chapter", "version", "year", "turn", "round", "option", "count", "length",
     "words", "tokens", "number", "id", "seed", "temperature", "max", "min", "maximum", "minimum",
     "scale", "range", "time", "date"}
)  # fmt: skip
# Objects that hold the scores of all criteria.
GROUPS = frozenset(
    {"scores", "ratings", "grades", "score", "rating", "final", "final_scores", "final_score",
     "evaluation", "evaluations", "results", "result", "assessment", "verdict", "criteria",
     "점수", "최종", "평가", "điểm", "điểm_số", "cuối_cùng", "评分", "得分", "最终", "最終", "評価",
     "bewertungen", "bewertung"}
)  # fmt: skip
# Groups, keys and columns of numbers that are no scores.
NOT_A_SCORE = frozenset(
    {"weight", "weights", "weighting", "weighted", "max", "maximum", "min", "minimum", "max_score",
     "maximum_score", "max_points", "possible", "possible_points", "out_of", "scale", "scales",
     "range", "ranges", "threshold", "thresholds", "target", "targets", "previous",
     "previous_score", "previous_scores", "baseline", "old", "old_score", "before", "confidence",
     "confidences", "certainty", "counts", "count", "rank", "ranks", "expected", "reference",
     "claimed", "claimed_score", "claimed_scores", "example", "examples", "self_assessment",
     "가중치", "비중", "배점", "만점", "최대", "최댓값", "이전_점수", "신뢰도",
     "trọng_số", "tối_đa", "điểm_tối_đa", "điểm_trước", "độ_tin_cậy",
     "权重", "满分", "最高分", "置信度", "重み", "満点", "配点", "最大", "信頼度",
     "gewicht", "gewichtung", "maximal", "höchstpunktzahl", "konfidenz"}
)  # fmt: skip
# Words with which a verdict is given or announced.
GRADING = re.compile(
    r"scor(?:e|ing)|\brat(?:e[ds]?|ing)\b|grad(?:e|ing)|verdict|judg|\bg(?:ive|ave|iving)|assign"
    r"|award|deserv|\bearn|receiv|\bmerit|warrant|\bmark|result|choose|chose|prefer|winner|\bfinal"
    r"|overall|evaluat|assess|therefore|\bthus|hence|conclu|somewhere|\bfalls?\b|\blies?\b"
    r"|점|평가|등급|부여|판정|판단|따라서|선택|결론|điểm|chấm|đánh giá|kết quả|评|分|给|因此|所以"
    r"|选择|结论"
    r"|評価|スコア|採点|点|判定|よって|したがって|選|bewert|punkt|\bnote\b|urteil|vergebe|ergebnis"
    r"|donne|attribue|mérite|puntuaci|\bnota|\bdoy\b|otorg|calific|merece|pontua|\bdou\b|avalia"
    r"|resultado",
    re.IGNORECASE,
)
# Where a verdict may begin, and what may follow it there.
_BEGINS = re.compile(r"(?:[\n.!?。！？:：;；=→–—,，(]|\s-|\A)[\s*_\[($\\\"“'`>#-]{0,9}\Z")
_LABELLED = re.compile(r"[:：=→][\s*_\[($\\\"“'`-]{0,9}\Z")
_ENDS = re.compile(
    r"[\])*_$\"”'`\s]{0,4}(?:$|[.,;:!。，、(（—–|→]|-\s|입니다|이다|です|でした|とし|out of|/|for\b"
    r"|since\b|because\b|as\b|và|and\b)",
    re.MULTILINE,
)
_SENTENCE_END = re.compile(r"\n|[.!?](?!\d)|[。！？]")
_NEAR = 120


def is_given(text: str, begin: int, end: int) -> bool:
    """Whether what stands there is given as a verdict: behind a colon, as a sentence or a clause of
    its own, or in a clause that speaks of grading."""
    around = max(0, begin - 12)
    if _LABELLED.search(text, around, begin):
        return True
    if _BEGINS.search(text, around, begin) and _ENDS.match(text, end):
        return True
    before = _SENTENCE_END.split(text[max(0, begin - _NEAR) : begin])[-1]
    behind = _SENTENCE_END.split(text[end : end + 30], maxsplit=1)[0]
    return bool(GRADING.search(before) or GRADING.search(behind))


# How sure the judge is, which no label in any words makes its verdict.
_SURENESS = re.compile(
    r"confiden|certain|(?<![^\W_])sure|probab|likelihood|확신|신뢰|tin_cậy|chắc_chắn|置信|信心|把握"
    r"|信頼|確信|自信|konfidenz|sicherheit|zuversicht|confian|certitud|certez"
)


def is_no_score(label: str) -> bool:
    """Whether a label that the judge did not ask for says that its number is no score."""
    name = normal(label)
    return name in OTHER_LABELS or name in NOT_A_SCORE or bool(_SURENESS.search(name))


# "4 for tone and 2 for accuracy": behind the first number, that of another aspect.
ANOTHER_ASPECT = re.compile(
    r"(?:\s(?:stars?|points?))?\s(?:for|in|on)\s(?:[\w-]{1,20}\s?){1,4}[,;]?\s?(?:and"
    r"|but)?\s?(?:an?\s)?\d{1,3}(?:[./]\d{1,3})?(?:\s(?:stars?|points?))?\s(?:for|in|on)\s"
)
FLAGS = frozenset({"flags", "checks"})
# Objects that hold texts by criterion; a number in there would be no score.
TEXTS_BY_CRITERION = EXPLANATION - {
    "evaluation", "analysis", "평가", "분석", "phân_tích", "评价", "分析"
}  # fmt: skip


# What is longer is a sentence and labels nothing.
_LONGEST_LABEL = 200


def normal(label: str) -> str:
    """A label without case, decoration and what stands in brackets: "**Total Rating** (1-4)" →
    "total_rating"."""
    if label.isascii() and label.isalnum():
        return label.lower()  # most keys; replies can hold very many
    return "" if len(label) > _LONGEST_LABEL else _normal(label)


@lru_cache(maxsize=4096)
def _normal(label: str) -> str:
    text = unicodedata.normalize("NFKC", label).casefold()
    text = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", text)
    return re.sub(r"[\W_]+", "_", text).strip("_")


@lru_cache(maxsize=1024)
def names_of(name: str, title: str) -> frozenset[str]:
    """The labels under which a part may stand: its name, its title, either half of
    "Accuracy (Độ chính xác)"."""
    inside = re.findall(r"\(([^()]*)\)", title)
    return frozenset(filter(None, (normal(text) for text in (name, title, *inside))))


# One notion per line, which may go on below. A name serves a criterion only where no other
# criterion of the call claims it.
_NOTIONS_TEXT = """\
accuracy, correctness, độ chính xác, tính chính xác, chính xác, 정확성, 정확도, 准确性, 準確性,
  正確性, genauigkeit, richtigkeit
factuality, factual accuracy, tính xác thực, 사실성, 사실 정확성, 事实性, 真实性, 事実性,
  faktentreue
relevance, relevancy, mức độ phù hợp, độ liên quan, tính liên quan, 관련성, 적합성, 相关性,
  相關性, 関連性, relevanz
completeness, tính đầy đủ, độ đầy đủ, đầy đủ, 완전성, 충실성, 완결성, 完整性, 網羅性,
  vollständigkeit
clarity, sự rõ ràng, độ rõ ràng, rõ ràng, 명확성, 명료성, 清晰度, 清晰性, 明瞭さ, 明確さ,
  klarheit, verständlichkeit
tone, giọng điệu, 어조, 톤, 말투, 语气, 語氣, 口調, トーン, tonfall, ton
fluency, độ trôi chảy, tính trôi chảy, 유창성, 流畅性, 流暢性, 流暢さ, sprachfluss, flüssigkeit
coherence, tính mạch lạc, độ mạch lạc, 일관된 흐름, 응집성, 연결성, 连贯性, 連貫性, 一貫した流れ,
  kohärenz
consistency, tính nhất quán, độ nhất quán, 일관성, 一致性, 一貫性, konsistenz
understandability, comprehensibility, dễ hiểu, 이해 가능성, 이해도, 이해 용이성, 可理解性,
  理解しやすさ
semantic appropriateness, 의미적 적절성, 의미 적절성, 语义适当性
multidimensional quality, overall quality, 다차원 품질, 종합 품질, 전반적 품질, 总体质量, 総合品質
helpfulness, usefulness, tính hữu ích, độ hữu ích, 유용성, 도움 정도, 有用性, 有帮助性,
  nützlichkeit, hilfreich
politeness, lịch sự, 공손함, 예의, 礼貌, 丁寧さ, höflichkeit
naturalness, tự nhiên, 자연스러움, 自然性, 自然さ, natürlichkeit
creativity, sáng tạo, 창의성, 创造性, 創造性, kreativität
depth, chiều sâu, 깊이, 深度, 深さ, tiefe
"""
_NOTIONS = tuple(
    frozenset(map(normal, line.split(", ")))
    for line in _NOTIONS_TEXT.replace(",\n  ", ", ").splitlines()
)


def names_of_all(titles: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """For each criterion (name → title) the normal forms of all names it may stand under."""
    return dict(_names(tuple(titles.items())))


@lru_cache(maxsize=256)
def _names(titles: tuple[tuple[str, str], ...]) -> tuple[tuple[str, frozenset[str]], ...]:
    own = {name: names_of(name, title) for name, title in titles}
    names_by_criterion = []
    for name, names in own.items():
        others = frozenset().union(*(claimed for other, claimed in own.items() if other != name))
        usual = frozenset().union(*(notion for notion in _NOTIONS if notion & names))
        names_by_criterion.append((name, names | (usual - others)))
    return tuple(names_by_criterion)


def one_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


_TIES = frozenset(
    ["tie", "draw", "tied", "equal", "same", "both", "무승부", "동점", "비김", "hòa", "平局",
     "平手", "引き分け", "同点", "unentschieden", "gleichstand"]
)  # fmt: skip
# "model_a", "Assistant 1", "output2"
_NUMBERED = re.compile(
    r"(?P<noun>[^\W\d_]{2,12})(?:[\s_-]*\((?P<inside>[a-z]|\d)\)|[\s_-]+(?P<short>[a-z]|\d)"
    r"|(?P<digit>\d))"
)


def tie_option(scale: Category) -> str | None:
    """The option that stands for a tie, if there is one by a name that we know."""
    return next((option for option in scale.options if folded(option) in _TIES), None)


@lru_cache(maxsize=64)
def option_names(options: tuple[str, ...]) -> dict[str, str]:
    """Folded name → option: the options' own names and, where they differ only in a letter or a
    digit (Assistant A, Assistant B), that sign alone."""
    own = {folded(option): option for option in options}
    own = {re.sub(r"[_-]+", " ", name): option for name, option in own.items()} | own
    matches = {name: _NUMBERED.fullmatch(name) for name in own if name not in _TIES}
    numbered = {name: match for name, match in matches.items() if match}
    nouns = {match["noun"] for match in numbered.values()}
    if len(numbered) < 2 or len(numbered) < len(matches) or len(nouns) > 1:
        return own
    short = {m["inside"] or m["short"] or m["digit"]: own[name] for name, m in numbered.items()}
    return short | own if len(short) == len(set(short.values())) else own


def third_for_tie(scale: Category, name: str) -> str | None:
    """Prompts that offer A, B and a tie often call the tie C."""
    if name != "C" or len(scale.options) != 3:
        return None
    names = option_names(scale.options)
    placed = (names.get("a"), names.get("b")) == scale.options[:2]
    return scale.options[2] if placed else None


_TO_TEN = "zero one two three four five six seven eight nine ten"
NUMBER_WORDS = {word: str(number) for number, word in enumerate(_TO_TEN.split())}
