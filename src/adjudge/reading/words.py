"""The words that replies use for the parts of a verdict, in the languages we know.

They serve to find a part, never to guess a value.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

SCORE = frozenset(
    [
        "score",
        "rating",
        "grade",
        "points",
        "value",
        "mark",
        "total_score",
        "total_rating",
        "overall_rating",
        "overall_score",
        "overall",
        "final_score",
        "final_rating",
        "result",
        "verdict",
        "judgement",
        "judgment",
        "winner",
        "choice",
        "decision",
        "better",
        "preferred",
        "점수",
        "평점",
        "총점",
        "최종_점수",
        "평가_점수",
        "điểm",
        "diem",
        "điểm_số",
        "diem_so",
        "tổng_điểm",
        "đánh_giá_chung",
        "评分",
        "分数",
        "得分",
        "点数",
        "スコア",
        "評価点",
        "bewertung",
        "punktzahl",
        "punkte",
    ]
)
EXPLANATION = frozenset(
    [
        "explanation",
        "explanations",
        "comment",
        "comments",
        "reason",
        "reasons",
        "reasoning",
        "justification",
        "rationale",
        "feedback",
        "analysis",
        "evaluation",
        "evaluation_explanation",
        "detailed_explanation",
        "notes",
        "thoughts",
        "설명",
        "평가_설명",
        "이유",
        "근거",
        "의견",
        "nhận_xét",
        "nhan_xet",
        "binh_luan",
        "bình_luận",
        "lý_do",
        "ly_do",
        "giải_thích",
        "giai_thich",
        "解释",
        "理由",
        "説明",
        "begründung",
        "erklärung",
    ]
)
# Labels of other things, which may hold a number all the same.
OTHER_LABELS = frozenset(
    {"confidence", "certainty", "note", "step", "page", "question", "item", "line", "example",
     "part", "section", "chapter", "version", "year", "turn", "round", "option", "count", "length",
     "words", "tokens", "number", "id", "seed", "temperature", "max", "min", "maximum", "minimum",
     "scale", "range", "time", "date"}
)  # fmt: skip
# "4 for tone and 2 for accuracy": behind the first number, that of another aspect.
ANOTHER_ASPECT = re.compile(
    r"(?:\s(?:stars?|points?))?\s(?:for|in|on)\s(?:[\w-]{1,20}\s?){1,4}[,;]?\s?(?:and"
    r"|but)?\s?(?:an?\s)?"
    r"\d{1,3}(?:[./]\d{1,3})?(?:\s(?:stars?|points?))?\s(?:for|in|on)\s"
)
FLAGS = frozenset({"flags", "checks"})
# Objects that hold texts by criterion; a number in there would be no score.
TEXTS_BY_CRITERION = EXPLANATION - {"evaluation", "analysis"}


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
    return frozenset(filter(None, (normal(each) for each in (name, title, *inside))))
