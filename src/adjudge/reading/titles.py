"""Under which names a criterion may stand in a reply: its own, and the usual translations."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from .words import names_of, normal

# One line a notion. A name serves a criterion only where no other criterion of the call claims it.
_NOTIONS = tuple(
    frozenset(map(normal, names))
    for names in (
        (
            "accuracy",
            "correctness",
            "độ chính xác",
            "tính chính xác",
            "chính xác",
            "정확성",
            "정확도",
            "准确性",
            "準確性",
            "正確性",
            "genauigkeit",
            "richtigkeit",
        ),
        (
            "factuality",
            "factual accuracy",
            "tính xác thực",
            "사실성",
            "사실 정확성",
            "事实性",
            "真实性",
            "事実性",
            "faktentreue",
        ),
        (
            "relevance",
            "relevancy",
            "mức độ phù hợp",
            "độ liên quan",
            "tính liên quan",
            "관련성",
            "적합성",
            "相关性",
            "相關性",
            "関連性",
            "relevanz",
        ),
        (
            "completeness",
            "tính đầy đủ",
            "độ đầy đủ",
            "đầy đủ",
            "완전성",
            "충실성",
            "완결성",
            "完整性",
            "網羅性",
            "vollständigkeit",
        ),
        (
            "clarity",
            "sự rõ ràng",
            "độ rõ ràng",
            "rõ ràng",
            "명확성",
            "명료성",
            "清晰度",
            "清晰性",
            "明瞭さ",
            "明確さ",
            "klarheit",
            "verständlichkeit",
        ),
        (
            "tone",
            "giọng điệu",
            "어조",
            "톤",
            "말투",
            "语气",
            "語氣",
            "口調",
            "トーン",
            "tonfall",
            "ton",
        ),
        (
            "fluency",
            "độ trôi chảy",
            "tính trôi chảy",
            "유창성",
            "流畅性",
            "流暢性",
            "流暢さ",
            "sprachfluss",
            "flüssigkeit",
        ),
        (
            "coherence",
            "tính mạch lạc",
            "độ mạch lạc",
            "일관된 흐름",
            "응집성",
            "연결성",
            "连贯性",
            "連貫性",
            "一貫した流れ",
            "kohärenz",
        ),
        (
            "consistency",
            "tính nhất quán",
            "độ nhất quán",
            "일관성",
            "一致性",
            "一貫性",
            "konsistenz",
        ),
        (
            "understandability",
            "comprehensibility",
            "dễ hiểu",
            "이해 가능성",
            "이해도",
            "이해 용이성",
            "可理解性",
            "理解しやすさ",
        ),
        ("semantic appropriateness", "의미적 적절성", "의미 적절성", "语义适当性"),
        (
            "multidimensional quality",
            "overall quality",
            "다차원 품질",
            "종합 품질",
            "전반적 품질",
            "总体质量",
            "総合品質",
        ),
        (
            "helpfulness",
            "usefulness",
            "tính hữu ích",
            "độ hữu ích",
            "유용성",
            "도움 정도",
            "有用性",
            "有帮助性",
            "nützlichkeit",
            "hilfreich",
        ),
        ("politeness", "lịch sự", "공손함", "예의", "礼貌", "丁寧さ", "höflichkeit"),
        ("naturalness", "tự nhiên", "자연스러움", "自然性", "自然さ", "natürlichkeit"),
        ("creativity", "sáng tạo", "창의성", "创造性", "創造性", "kreativität"),
        ("depth", "chiều sâu", "깊이", "深度", "深さ", "tiefe"),
    )
)


def names_of_all(titles: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """For each criterion (name → title) the normal forms of all names it may stand under."""
    return dict(_names(tuple(titles.items())))


@lru_cache(maxsize=256)
def _names(titles: tuple[tuple[str, str], ...]) -> tuple[tuple[str, frozenset[str]], ...]:
    own = {name: names_of(name, title) for name, title in titles}
    found = []
    for name, names in own.items():
        others = frozenset().union(*(each for other, each in own.items() if other != name))
        usual = frozenset().union(*(notion for notion in _NOTIONS if notion & names))
        found.append((name, names | (usual - others)))
    return tuple(found)
