"""The language of a prompt, and the one that it asks its explanations to be in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from adjudge.core.reason import Reason

from .findings import ImportFindings, ImportQuestion
from .options import Options

# The beginning of a text tells its language as well as the whole would.
_ENOUGH_TO_TELL = 20_000
_WHERE_IT_IS_SAID = 60_000
# What short texts in a language that many prompts are written in are easily taken for.
_TAKEN_FOR = {"gl": "pt", "mwl": "pt", "an": "es", "ast": "es"}
_NAMES = {
    "ko": "korean|hàn|한국어|한글|韩文|韩语|韓国語|koreanisch|coréen|coreano",
    "vi": "vietnamese|việt|베트남어|越南文|越南语|ベトナム語|vietnamesisch|vietnamien|vietnamita",
    "en": "english|anh|영어|英文|英语|英語|englisch|anglais|inglés|inglês",
    "zh": "chinese|trung|중국어|中文|汉语|中国語|chinesisch|chinois|chino|chinês",
    "ja": "japanese|nhật|일본어|日文|日语|日本語|japanisch|japonais|japonés|japonês",
    "de": "german|đức|독일어|德文|德语|ドイツ語|deutsch|allemand|alemán|alemão",
    "fr": "french|pháp|프랑스어|法文|法语|フランス語|französisch|français|francés|francês",
    "es": "spanish|tây ban nha|스페인어|西班牙文|西班牙语|スペイン語"
    "|spanisch|espagnol|español|espanhol",
    "pt": "portuguese|bồ đào nha|포르투갈어|葡萄牙语|ポルトガル語"
    "|portugiesisch|portugais|portugués|português",
    "it": "italian|이탈리아어|意大利语|イタリア語|italienisch|italien|italiano",
    "th": "thai|thái|태국어|泰文|泰语|タイ語|thailändisch",
    "id": "indonesian|indonesia|인도네시아어|印尼文|印尼语|インドネシア語",
    "ru": "russian|nga|러시아어|俄文|俄语|ロシア語|russisch|russe|ruso|russo",
}
_CODES = {name: code for code, names in _NAMES.items() for name in names.split("|")}
_ANY = "|".join(sorted(map(re.escape, _CODES), key=len, reverse=True))
_BEFORE_THE_NAME = re.compile(
    rf"(?:\b(?:in|into|auf|en|em)\s+|\bbằng\s+tiếng\s+|[用以]\s*)(?P<name>{_ANY})(?![a-zà-ÿ])",
    re.IGNORECASE,
)
# Korean and Japanese mark the name from behind; looking back from there is quick.
_BEHIND_THE_NAME = re.compile(r"로\b|で")
_NAMES_BY_LENGTH = tuple(sorted(_CODES, key=len, reverse=True))
# A sentence that asks for writing, unlike "the source text is in Korean".
_WRITE = re.compile(
    r"\b(?:write|written|answer|respon[ds]|repl(?:y|ies)|explain|explanations?|generated?"
    r"|provide|output|give|comment|feedback|schreib|antwort|begründ"
    r"|répon|rédige|écri[st]|expliqu|justifi|respond|contest|escrib|explic|escrev)"
    r"|viết|trả lời|nhận xét|giải thích|작성|쓰세요|쓰시오|써 ?주|적어|답변|설명|출력|응답|대답"
    r"|回答|输出|解释|撰写|书写|说明|回复|書|答|説明|出力|記述",
    re.IGNORECASE,
)


# Samples, placeholders and names of a program.
_CODE = re.compile(
    r"\{[^{}]{0,400}\}|[$%<][{(]?\w+[})>]?|`[^`\n]{1,80}`|\b\w+(?:_\w+)+\b|\b[a-z]+[A-Z]\w*|[\"`{}\[\]()=>]"
)


def prompt_language(text: str, options: Options, findings: ImportFindings) -> str:
    """The code of the language that the prompt is written in."""
    setting = options.get("language")
    if setting:
        findings.set("language", setting)
        return setting
    text = text[:_ENOUGH_TO_TELL]
    code = options.detect(text)
    if code not in _NAMES:  # keys, names and code among the words mislead
        prose = options.detect(_CODE.sub(" ", text))
        code = prose if prose in _NAMES or code in {None, "?"} else code
    if code in {None, "?"}:
        raise ImportQuestion("language", Reason("import.language", example="en, ko, vi, …"))
    near = _TAKEN_FOR.get(str(code))
    doubt = Reason("import.doubt.language", code=str(code)) if near else ""
    start = len(text) - len(text.lstrip())
    findings.read("language", near or str(code), start, doubt=doubt, key="language")
    return near or str(code)


def explanation_language(
    text: str, language: str, options: Options, findings: ImportFindings
) -> str:
    """The code of the language that it wants its explanations in: its own unless it says so."""
    setting = options.get("explain_in")
    if setting:
        findings.set("explain in", setting)
        return setting
    request = requested_language(text)
    if request is None:
        said = Reason("import.value.explain_in", language=language)
        findings.assume("explain in", said, "explain_in")
        return language
    findings.read("explain in", request[0], request[1])
    return request[0]


# “Answer in Spanish: {question}” is what was asked of those who are judged.
_LEADS_TO_INPUT = re.compile(r"[:：][ \t\"'*“]*(?:\{\{?\s?[$\w.]+\s?\}\}?|<\w+>)[ \t\"'*”]*$")


def requested_language(text: str) -> tuple[str, int] | None:
    """The code of the language asked for and where; None when the prompt does not say."""
    if len(text) > 2 * _WHERE_IT_IS_SAID:  # between lie data
        for start in (0, len(text) - _WHERE_IT_IS_SAID):
            request = requested_language(text[start : start + _WHERE_IT_IS_SAID])
            if request:
                return request[0], request[1] + start
        return None
    for name, at in _names(text):
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        line = text[start : end if end >= 0 else len(text)]
        if _WRITE.search(line) and not _LEADS_TO_INPUT.search(line):
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
