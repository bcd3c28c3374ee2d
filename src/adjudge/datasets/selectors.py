"""Which value of a row feeds an input: a column, or a path into it.

`input.question`, `choices.0.message.content`, `choices[0].message.content`, `messages[-1].content`
and `messages[:-1]` (all but the last) are paths.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import orjson

# A key or index behind a dot, an index or a range in brackets.
_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<index>-?\d+)\]|\[(?P<from>-?\d*):(?P<to>-?\d*)\]")
_INDEX = re.compile(r"-?\d+")

Range = tuple[int | None, int | None]
Step = str | int | Range


@dataclass(frozen=True, slots=True)
class Selector:
    """A column, and the steps from it inwards; `str()` is how it is written."""

    column: str
    steps: tuple[Step, ...] = ()
    written: str = ""

    def __str__(self) -> str:
        return self.written or self.column

    @property
    def whole(self) -> bool:
        return not self.steps

    def of(self, cells: Mapping[str, object]) -> object:
        """The value; None where the row has none. A text on the way is taken as JSON."""
        value = cells.get(self.column)
        for step in self.steps:
            value = _inside(nested(value), step)
        return value


def nested(value: object) -> object:
    """The list or object that a text writes as JSON, as cells of tables hold them."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return value


def splits(path: str) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """All ways to part a path into a column and steps, the longest column first."""
    yield path, ()
    for place in range(len(path) - 1, 0, -1):
        if path[place] in ".[" and (steps := _steps(path, place)):
            yield path[:place], steps


def _steps(path: str, start: int) -> tuple[Step, ...]:
    """Empty where the rest of the path is not made of steps."""
    steps: list[Step] = []
    while start < len(path):
        match = _STEP.match(path, start)
        if not match:
            return ()
        steps.append(_step(match))
        start = match.end()
    return tuple(steps)


def _step(match: re.Match[str]) -> Step:
    if match["key"] is not None:
        return int(match["key"]) if _INDEX.fullmatch(match["key"]) else match["key"]
    if match["index"] is not None:
        return int(match["index"])
    return tuple(int(end) if end else None for end in (match["from"], match["to"]))  # type: ignore[return-value]


def _inside(value: object, step: Step) -> object:
    if isinstance(value, list):
        return _of_list(value, step)
    if isinstance(value, Mapping) and isinstance(step, str | int):
        return value.get(str(step))
    return None


def _of_list(value: list[object], step: Step) -> object:
    if isinstance(step, tuple):
        return value[slice(*step)] or None
    if isinstance(step, int) and -len(value) <= step < len(value):
        return value[step]
    return None


_ANSWERS = (
    "system_answer agent_answer answer generated_response response actual_output output completion"
)
# For each input the names of columns that may feed it, best first. Names that stand for many
# things ("input", "output") come late, so that a plainer column goes first.
_ENGLISH: Mapping[str, tuple[str, ...]] = {
    name: tuple(columns.split())
    for name, columns in {
        "question": "user_question question user_input query prompt input",
        "answer": _ANSWERS,
        "reference": "true_answer reference_answer reference ground_truth expected_output expected",
        "source": "source_text source document article input",
        "response": f"generated_response response summary {_ANSWERS}",
        "context": "context",
        "focus": "focus evaluation_focus",
        # Not model_a and model_b: in published comparisons these name the models, not the answers.
        "answer_a": "answer_a response_a output_a completion_a answer_1 response_1 output_1",
        "answer_b": "answer_b response_b output_b completion_b answer_2 response_2 output_2",
    }.items()
}

# The same in Vietnamese, Korean, Japanese and Chinese, behind the English ones. "答案" is either.
_ANSWERS_ELSEWHERE = """
    câu trả lời|trả lời|câu trả lời của bot|trả lời của bot|câu trả lời của ai|phản hồi
    |답변|응답|대답|답|챗봇 답변|모델 답변|모델 응답|ai 답변
    |回答|返答|応答|回答文|ボットの回答|答复|答覆|回复|回覆|模型回答|机器人回答|機器人回答|答案
"""
_ELSEWHERE: Mapping[str, str] = {
    "question": """
        câu hỏi|hỏi|nội dung câu hỏi|câu hỏi của khách hàng|câu hỏi của người dùng
        |질문|사용자 질문|고객 질문|질문 내용|문의|문의 내용|질의|문제
        |質問|質問文|質問内容|問題|問い|設問|お問い合わせ|问题|提问|提問|用户问题|用戶問題|客户问题
    """,
    "answer": _ANSWERS_ELSEWHERE,
    "reference": """
        đáp án|đáp án đúng|đáp án chuẩn|đáp án mẫu|đáp án tham khảo|câu trả lời đúng
        |câu trả lời mẫu|câu trả lời chuẩn|câu trả lời tham khảo
        |정답|모범 답안|모범 답변|참조 답변|참고 답변|기준 답변|기대 답변
        |正解|正答|模範解答|参考回答|期待する回答|期待回答
        |标准答案|標準答案|参考答案|參考答案|正确答案|正確答案|答案
    """,
    "source": """
        văn bản nguồn|văn bản gốc|bài gốc|bài viết|nguồn|원문|본문|문서|출처
        |原文|元の文章|本文|文書|記事|来源|來源|文章|文档|文檔
    """,
    "response": f"bản tóm tắt|tóm tắt|요약|요약문|要約|摘要|{_ANSWERS_ELSEWHERE}",
    "context": "ngữ cảnh|bối cảnh|문맥|맥락|컨텍스트|배경|文脈|コンテキスト|背景|上下文|语境|語境",
    "focus": "trọng tâm|trọng tâm đánh giá|초점|평가 초점|観点|評価の観点|评价重点|評價重點",
    "answer_a": """
        câu trả lời a|trả lời a|câu trả lời 1|답변 a|답변 1|응답 a
        |回答a|回答 a|回答1|回答 1
    """,
    "answer_b": """
        câu trả lời b|trả lời b|câu trả lời 2|답변 b|답변 2|응답 b
        |回答b|回答 b|回答2|回答 2
    """,
}


def _elsewhere(names: str) -> tuple[str, ...]:
    """Vietnamese also without its marks, as many headers are written."""
    written = [name.strip() for name in names.split("|")]
    return tuple(dict.fromkeys([*written, *map(without_marks, written)]))


def without_marks(text: str) -> str:
    """Latin letters without what is above, below or across them; other scripts as they are."""
    kept: list[str] = []
    base = ""
    for sign in unicodedata.normalize("NFD", text.replace("đ", "d").replace("Đ", "D")):
        if not unicodedata.combining(sign):
            base = sign
        elif base.isascii():
            continue
        kept.append(sign)
    return unicodedata.normalize("NFC", "".join(kept))


KNOWN_COLUMNS: Mapping[str, tuple[str, ...]] = {
    name: (*columns, *_elsewhere(_ELSEWHERE[name])) for name, columns in _ENGLISH.items()
}

ID_COLUMNS = (
    *("id", "item", "item_id", "question_id", "qid", "uid", "idx"),
    *("mã", "mã câu hỏi", "mã số", "stt", "번호", "문항 번호", "아이디", "순번", "番号", "識別子"),
    *("编号", "編號", "序号", "序號"),
)

_GAPS = re.compile(r"[\s_-]+")


def normal_name(name: str) -> str:
    """The name without case, with one `_` for any run of spaces, `-` and `_`."""
    return _GAPS.sub("_", unicodedata.normalize("NFC", name).strip().casefold())


def is_within(name: str, column: str) -> bool:
    """Whether a known name stands in that of a column, both normal: as words of its own where words
    are parted, anywhere where they are not."""
    if name.isascii() or any("LATIN" in unicodedata.name(sign, "") for sign in name):
        return f"_{name}_" in f"_{_PUNCTUATION.sub('_', column)}_"
    return len(name) > 1 and name in column


_PUNCTUATION = re.compile(r"[^\w]+")
