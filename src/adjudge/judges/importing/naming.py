"""Names for the parts of a judge file, made of the words that a prompt uses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

# Words without Latin letters that prompts use as labels.
_TRANSLATED = {
    "질문": "question", "문제": "question", "답변": "answer", "대답": "answer", "응답": "response",
    "정답": "reference", "모범 답안": "reference", "참고 답변": "reference", "문맥": "context",
    "맥락": "context", "배경": "context", "원문": "source", "출처": "source", "요약": "summary",
    "번역": "translation", "지시": "instruction", "지시문": "instruction", "대화": "conversation",
    "점수": "score", "평점": "rating", "정확성": "accuracy", "관련성": "relevance",
    "유창성": "fluency", "일관성": "coherence", "완전성": "completeness", "명확성": "clarity",
    "问题": "question", "回答": "answer", "答案": "answer", "参考答案": "reference",
    "标准答案": "reference", "上下文": "context", "背景": "context", "原文": "source",
    "摘要": "summary", "翻译": "translation", "译文": "translation", "指令": "instruction",
    "对话": "conversation", "评分": "rating", "分数": "score", "准确性": "accuracy",
    "相关性": "relevance", "流畅性": "fluency", "连贯性": "coherence", "完整性": "completeness",
    "質問": "question", "正解": "reference", "模範解答": "reference", "文脈": "context",
    "要約": "summary", "翻訳": "translation", "指示": "instruction", "会話": "conversation",
    "スコア": "score", "評価": "rating", "正確性": "accuracy", "関連性": "relevance",
    "综合得分": "overall", "总分": "overall", "综合评分": "overall", "事实正确性": "factuality",
    "清晰度": "clarity", "完备性": "completeness", "逻辑性": "logic", "创造性": "creativity",
    "得分": "score", "評価点": "score", "点数": "score", "総合評価": "overall", "총점": "overall",
    "종합 점수": "overall", "사실성": "factuality", "유용성": "helpfulness", "명료성": "clarity",
    "기대 답변": "expected", "기대답변": "expected", "사용자 답변": "user_answer",
    "학생 답변": "student_answer",
    "학생 답안": "student_answer", "모범답안": "reference", "평가 기준": "criteria",
    "참고 자료": "context", "채점 기준": "criteria", "기준": "criteria", "제목": "title",
    "본문": "text", "내용": "content", "기사": "article", "标题": "title", "正文": "text",
    "内容": "content", "文章": "article", "作文": "essay", "タイトル": "title", "本文": "text",
    "記事": "article",
    "学生答案": "student_answer", "用户问题": "question", "用户回答": "user_answer",
    "期望回答": "expected",
    "实际回答": "actual_answer", "评分标准": "criteria", "题目": "question",
    "採点基準": "criteria", "正解例": "reference", "参照回答": "reference", "参考解答": "reference",
    "学生の回答": "student_answer", "ユーザーの質問": "question",
    "受験者の回答": "candidate_answer",
    "유창성 점수": "fluency", "최종 점수": "final_score", "최종점수": "final_score",
    "안전성": "safety",
    "창의성": "creativity", "가독성": "readability", "논리성": "logic", "완성도": "completeness",
    "流暢さ": "fluency", "一貫性": "coherence", "応答": "response", "解答": "answer",
}  # fmt: skip
_AROUND = re.compile(
    r"^(?:the\s+)?(?:(?:start|beginning|begin|end)\s+of\s+)?(?:here\s+(?:is|are)\s+)?"
    r"(?:the\s+|a\s+|an\s+|your\s+)?",
    re.IGNORECASE,
)


def slug(words: str, *, fallback: str = "") -> str:
    """A name such as "agent_answer" from "Agent Answer:"; `fallback` where no letter serves.

    Marks are dropped ("Câu hỏi" → cau_hoi), the usual Korean, Chinese and Japanese words
    translated, brackets left out ("Tone (Giọng điệu)" → tone).
    """
    text = unicodedata.normalize("NFKC", words).strip()
    text = re.sub(r"\([^()]*\)", " ", text) if re.sub(r"\([^()]*\)", "", text).strip() else text
    bare = re.sub(r"^[\W_]+|[\W_]+$", "", text)
    if bare in _TRANSLATED:
        return _TRANSLATED[bare]
    plain = unicodedata.normalize("NFKD", bare.casefold().replace("đ", "d"))
    plain = "".join(sign for sign in plain if not unicodedata.combining(sign))
    name = re.sub(r"[^a-z0-9]+", "_", plain.replace("'s ", " ").replace("’s ", " ")).strip("_")
    aside = re.search(r"\(([^()]+)\)", unicodedata.normalize("NFKC", words)) if not name else None
    if aside:  # "친절함 (Politeness)"
        return slug(aside[1], fallback=fallback)
    if not name:
        return fallback
    return name if name[0].isalpha() else f"{fallback or 'n'}_{name}"


def label_before(text: str, at: int) -> str:
    """The label that an unnamed placeholder stands behind or below: "Question: %s" → "Question".

    Looks in the same line, then in the nearest line above that holds a word; "" when there is none.
    """
    for line in _lines_above(text, at, 4):
        words = re.sub(r"[\W_]+$", "", re.split(r"(?<=[.!?。])\s", line.strip())[-1])
        words = re.split(r"[:：]\s", words)[-1]
        words = re.sub(r"^[\W_]+(?:\d+[.)]\s*)?", "", words)
        words = _AROUND.sub("", words)
        words = re.sub(r"^(?:.*\s)?(\S+?)[은는이가]\s(?:아래|다음)와 같\S*$", r"\1", words)
        if words and re.search(r"[^\W\d_]", words):
            return words if len(words.split()) <= 5 else ""
    return ""


def _lines_above(text: str, end: int, most: int) -> Iterator[str]:
    """The line before an offset, then those above it."""
    for _ in range(most):
        start = text.rfind("\n", 0, end) + 1
        yield text[start:end]
        if not start:
            return
        end = start - 1


def unique(name: str, taken: Collection[str]) -> str:
    """The name itself, or with a number where it is taken."""
    count, candidate = 2, name
    while candidate in taken:
        candidate, count = f"{name}_{count}", count + 1
    return candidate
