"""What the stub's model says: one reply for each form that a client reads and each mark.

A form is the first part of the address: `http://host/inspect/v1` answers as Inspect's grader is
asked to. So the stub need not read a request's schema, and every reply is ready before the run.
All forms carry about the same amount of text, and every text in them a number that is put in anew
for each reply, as no two replies of a model are alike and a client may remember what it has read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

MARKS = (1, 2, 3, 4)
NUMBER = "00000000"  # stands where the number of a reply goes
_VERDICT = (
    f"Case {NUMBER}: the reply takes up what the customer wanted and names where it can be done, "
    "so a reader can act on it at once, though it does not say how long the change takes to show."
)
_DETAIL = (
    f"In case {NUMBER} the claims agree, the order of the steps is clear and the tone is polite; "
    "on the other hand two of the points that the customer raised are only touched on in passing."
)
_GOOD = ["It names the menu that has to be opened.", "It keeps to short and simple sentences."]
_BAD = ["It leaves out what a late change costs.", "It does not say whom to call if it fails."]
_ADVICE = [f"Add one sentence about the deadline of order {NUMBER}."]
_REASON = " ".join([_VERDICT, *_GOOD, *_BAD, _DETAIL, *_ADVICE])

Message = dict[str, object]


def _text(text: str) -> Message:
    return {"role": "assistant", "content": text, "refusal": None}


def _call(name: str, arguments: Mapping[str, object]) -> Message:
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": "call_1", "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "refusal": None, "tool_calls": calls}


def _helpfulness(mark: int) -> Message:
    return _text(
        json.dumps(
            {
                "evaluation": _VERDICT,
                "strengths": _GOOD,
                "weaknesses": _BAD,
                "analysis": _DETAIL,
                "recommendations": _ADVICE,
                "rating": mark,
            }
        )
    )


# Five criteria with a comment each, in Vietnamese as that judge wants them, about 130 letters long.
_COMMENTS = {
    "relevance": (
        f"Câu trả lời {NUMBER} bám sát điều khách hàng muốn biết về đơn hàng, tuy đoạn mở đầu hơi "
        "dài và nhắc lại chính sách chung mà khách không hỏi tới."
    ),
    "accuracy": (
        "Các thao tác được nêu khớp với tài liệu tham chiếu; riêng mốc bốn giờ chiều bị ghi thành "
        f"năm giờ, khiến mã {NUMBER} có thể bị xử lý muộn một ngày."
    ),
    "completeness": (
        "Đã chỉ ra nơi đổi địa chỉ và ai xác nhận, song chưa nói phí phát sinh, cũng như việc cần "
        "làm nếu gói hàng đã rời kho trung chuyển."
    ),
    "clarity": (
        "Từng bước đánh số gọn gàng, một người mới dùng ứng dụng lần đầu vẫn lần theo được; chỉ "
        f"cụm viết tắt ở cuối phiếu {NUMBER} gây khó đọc."
    ),
    "tone": (
        "Xưng hô nhã nhặn, biết xin lỗi vì sự bất tiện và đề nghị gọi lại, không đổ lỗi cho bên "
        "vận chuyển hay thúc ép khách mua thêm gói bảo hiểm."
    ),
}


def _chatbot(mark: int) -> Message:
    flags = dict.fromkeys(
        ("accuracy.serious_error", "completeness.missing_important", "completeness.generic"), False
    )
    scores = {
        name: {"explanation": comment, "score": mark + 4.5 - n / 2}
        for n, (name, comment) in enumerate(_COMMENTS.items())
    }
    return _text(json.dumps({"flags": flags, **scores}, ensure_ascii=False))


FORMS: Mapping[str, Callable[[int], Message]] = {
    "helpfulness": _helpfulness,
    "chatbot": _chatbot,
    "adjudge": lambda mark: _text(json.dumps({"explanation": _REASON, "rating": mark})),
    "aiohttp": lambda mark: _text(json.dumps({"reason": _REASON, "score": mark})),
    "autoevals": lambda mark: _call("select_choice", {"reasons": _REASON, "choice": str(mark)}),
    "openevals": lambda mark: _text(json.dumps({"reasoning": _REASON, "score": mark})),
    "phoenix": lambda mark: _text(json.dumps({"explanation": _REASON, "label": str(mark)})),
    "ragas": lambda mark: _text(json.dumps({"reason": _REASON, "value": mark})),
    "pydantic_evals": lambda mark: _call(
        "final_result", {"reason": _REASON, "pass": mark > 2, "score": mark}
    ),
    "inspect": lambda mark: _text(f"{_REASON}\n\nGRADE: {mark}"),
    "deepeval": lambda mark: _text(json.dumps({"reason": _REASON, "score": mark})),
}


def malformed(message: Message) -> Message:
    """The same reply, broken off before it comes to the score; a tool call is left out."""
    text = message["content"]
    return _text(text[: len(text) // 2] if isinstance(text, str) else "I cannot grade this.")


def completion(message: Message) -> bytes:
    """The body of a chat completion that carries `message`."""
    finish = "tool_calls" if "tool_calls" in message else "stop"
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    usage = {"prompt_tokens": 1200, "completion_tokens": 180, "total_tokens": 1380}
    body = {
        "id": "chatcmpl-stub",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "stub",
        "choices": [choice],
        "usage": usage,
    }
    return json.dumps(body, separators=(",", ":")).encode()
