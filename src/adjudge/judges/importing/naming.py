"""Names for the parts of a judge file, made of the words that a prompt uses."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

# Words without Latin letters that prompts use as labels.
# By the name that they get.
_MEANINGS = {
    "question": "질문|문제|问题|質問|用户问题|题目|ユーザーの質問",
    "answer": "답변|대답|回答|答案|解答",
    "response": "응답|応答",
    "reference": "정답|모범 답안|참고 답변|参考答案|标准答案|正解|模範解答|모범답안|正解例"
    "|参照回答|参考解答",
    "context": "문맥|맥락|배경|上下文|背景|文脈|참고 자료",
    "source": "원문|출처|原文",
    "summary": "요약|摘要|要約",
    "translation": "번역|翻译|译文|翻訳",
    "instruction": "지시|지시문|指令|指示",
    "conversation": "대화|对话|会話",
    "score": "점수|分数|スコア|得分|評価点|点数",
    "rating": "평점|评分|評価",
    "accuracy": "정확성|准确性|正確性",
    "relevance": "관련성|相关性|関連性",
    "fluency": "유창성|流畅性|유창성 점수|流暢さ",
    "coherence": "일관성|连贯性|一貫性",
    "completeness": "완전성|完整性|完备性|완성도",
    "clarity": "명확성|清晰度|명료성",
    "overall": "综合得分|总分|综合评分|総合評価|총점|종합 점수",
    "factuality": "事实正确性|사실성",
    "logic": "逻辑性|논리성",
    "creativity": "创造性|창의성",
    "helpfulness": "유용성",
    "expected": "기대 답변|기대답변|期望回答",
    "user_answer": "사용자 답변|用户回答",
    "student_answer": "학생 답변|학생 답안|学生答案|学生の回答",
    "criteria": "평가 기준|채점 기준|기준|评分标准|採点基準",
    "title": "제목|标题|タイトル",
    "text": "본문|正文|本文",
    "content": "내용|内容",
    "article": "기사|文章|記事",
    "essay": "作文",
    "actual_answer": "实际回答",
    "candidate_answer": "受験者の回答",
    "final_score": "최종 점수|최종점수",
    "safety": "안전성",
    "readability": "가독성",
}
_TRANSLATED = {word: name for name, words in _MEANINGS.items() for word in words.split("|")}
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


def numbered(name: str, counts: dict[str, int]) -> str:
    """As `unique`, for thousands of names: `counts` says how often each was given."""
    counts[name] = counts.get(name, 0) + 1
    return name if counts[name] == 1 else numbered(f"{name}_{counts[name]}", counts)


def unique(name: str, taken: Collection[str]) -> str:
    """The name itself, or with a number where it is taken."""
    count, candidate = 2, name
    while candidate in taken:
        candidate, count = f"{name}_{count}", count + 1
    return candidate
