"""The language that a prompt asks its explanations to be in."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAMES = {
    "ko": ("korean", "hàn", "한국어", "한글", "韩文", "韩语", "韓国語", "koreanisch"),
    "vi": ("vietnamese", "việt", "베트남어", "越南文", "越南语", "ベトナム語", "vietnamesisch"),
    "en": ("english", "anh", "영어", "英文", "英语", "英語", "englisch"),
    "zh": ("chinese", "trung", "중국어", "中文", "汉语", "中国語", "chinesisch"),
    "ja": ("japanese", "nhật", "일본어", "日文", "日语", "日本語", "japanisch"),
    "de": ("german", "đức", "독일어", "德文", "德语", "ドイツ語", "deutsch"),
    "fr": ("french", "pháp", "프랑스어", "法文", "法语", "フランス語", "französisch"),
    "es": ("spanish", "tây ban nha", "스페인어", "西班牙文", "西班牙语", "スペイン語", "spanisch"),
    "th": ("thai", "thái", "태국어", "泰文", "泰语", "タイ語", "thailändisch"),
    "id": ("indonesian", "indonesia", "인도네시아어", "印尼文", "印尼语", "インドネシア語"),
    "ru": ("russian", "nga", "러시아어", "俄文", "俄语", "ロシア語", "russisch"),
}
_CODES = {name: code for code, names in _NAMES.items() for name in names}
_ANY = "|".join(sorted(map(re.escape, _CODES), key=len, reverse=True))
_BEFORE_THE_NAME = re.compile(
    rf"(?:\b(?:in|into|auf)\s+|\bbằng\s+tiếng\s+|[用以]\s*)(?P<name>{_ANY})(?![a-z])", re.IGNORECASE
)
# Korean and Japanese mark the name from behind; looking back from there is quick.
_BEHIND_THE_NAME = re.compile(r"로\b|で")
_NAMES_BY_LENGTH = tuple(sorted(_CODES, key=len, reverse=True))
# A sentence that asks for writing, unlike "the source text is in Korean".
_WRITE = re.compile(
    r"\b(?:write|written|answer|respon[ds]|repl(?:y|ies)|explain|explanations?|generated?"
    r"|provide|output|give|comment|feedback|schreib|antwort|begründ)"
    r"|viết|trả lời|nhận xét|giải thích|작성|쓰세요|쓰시오|써 ?주|적어|답변|설명|출력|응답|대답"
    r"|回答|输出|解释|撰写|书写|说明|回复|書|答|説明|出力|記述",
    re.IGNORECASE,
)


def find_explain_in(text: str) -> tuple[str, int] | None:
    """The code of the language asked for and where; None when the prompt does not say."""
    for name, at in _names(text):
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        if _WRITE.search(text[start : end if end >= 0 else len(text)]):
            return _CODES[name], at
    return None


def _names(text: str) -> Iterator[tuple[str, int]]:
    """The languages in which something is said to be, and where."""
    for match in _BEFORE_THE_NAME.finditer(text):
        yield match["name"].casefold(), match.start()
    for match in _BEHIND_THE_NAME.finditer(text):
        before = text[max(0, match.start() - 16) : match.start()].casefold()
        name = next((language for language in _NAMES_BY_LENGTH if before.endswith(language)), None)
        if name:
            yield name, match.start() - len(name)
