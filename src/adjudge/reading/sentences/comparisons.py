"""Sentences that set one option against another by name: "B가 A보다 낫다", "A is worse than B"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from adjudge.core.scale import Category, folded

from ..vocabulary import option_names, tie_option
from .running_text import sentence_around

_NOUN = (
    r"(?:(?:output|assistant|answer|response|option|model|candidate|system|summary|text|antwort"
    r"|câu trả lời|trợ lý|답변|응답|어시스턴트|모델|助手|回答|答案|选项|模型|アシスタント|モデル)"
    r"\s{0,2})?"
)
_MORE = r"(?:\s{0,2}(?:clearly|slightly|much|far|a bit|more|훨씬|조금|약간|더|좀|rõ ràng|deutlich))"
_KO_GOOD = r"(?:낫|나은|나았|나아|좋|우수|뛰어|훌륭|정확|완전|충실|유용)"
_KO_BAD = r"(?:못|나쁘|나쁜|부족|떨어|뒤처|뒤떨)"
_VI_GOOD = r"(?:tốt|hay|chính xác|đầy đủ|rõ ràng|vượt trội|hữu ích)\shơn"
_VI_BAD = r"(?:(?:kém|tệ|dở|yếu)\shơn|không\s(?:tốt\s|hay\s)?bằng|thua(?:\ském)?)"
_JA_GOOD = r"(?:も)?\s?(?:はるかに|やや|少し)?(?:優れ|良|よ[いかく]|正確|詳し|適切)"
_ZH_GOOD = r"(?:明显|稍|略)?(?:更)?(?:好|优|佳|强|出色|完整|准确|全面|详细|清晰)"
_DE_GOOD = r"(?:besser|stärker|genauer|vollständiger|hilfreicher)"
# X is the better one, in a text with one of these signs.
_X_WINS = (
    (
        "better stronger superior preferable",
        r"{x}\s(?:is|was){more}{{0,2}}\s(?:better|stronger|superior|preferable)\s(?:than|to)\s{y}",
    ),
    (
        "beats outperforms surpasses outdoes",
        r"{x}\s(?:clearly\s|slightly\s)?(?:beats|outperforms|surpasses|outdoes)\s{y}",
    ),
    ("보다", rf"{{x}}\s?(?:가|이|는|은|의 답변이)\s{{y}}\s?보다{{more}}{{{{0,2}}}}\s?{_KO_GOOD}"),
    ("보다", rf"{{y}}\s?보다(?:는)?\s{{x}}\s?(?:가|이|의 답변이){{more}}{{{{0,2}}}}\s?{_KO_GOOD}"),
    ("hơn", rf"{{x}}\s(?:(?!không|chưa)\w{{{{1,9}}}}\s){{{{0,2}}}}{_VI_GOOD}\s(?:so với\s)?{{y}}"),
    ("hơn", rf"so với\s{{y}},?\s{{x}}\s(?:(?!không|chưa)\w{{{{1,9}}}}\s){{{{0,2}}}}{_VI_GOOD}"),
    ("比", rf"{{x}}(?:的回答)?\s?比\s?{{y}}(?:的回答)?\s?{_ZH_GOOD}"),
    ("优于 胜过 好于 强于 胜于", r"{x}(?:的回答)?\s?(?:优于|胜过|好于|强于|胜于)\s?{y}"),
    (
        "より",
        rf"{{x}}(?:の回答)?\s?は\s?{{y}}(?:の回答)?\s?より{_JA_GOOD}(?!.{{{{0,8}}}}(?:ない|ません))",
    ),
    (
        "より",
        rf"{{y}}(?:の回答)?\s?より(?:も)?\s?{{x}}\s?(?:の回答)?(?:の方が|のほうが|が){_JA_GOOD}",
    ),
    ("ist", rf"{{x}}\sist{{more}}{{{{0,2}}}}\s{_DE_GOOD}\sals\s{{y}}"),
    ("vergleich verglichen", rf"(?:im vergleich zu|verglichen mit)\s{{y}}\sist\s{{x}}\s{_DE_GOOD}"),
)
_Y_WINS = (
    (
        "worse weaker inferior not",
        r"{x}\s(?:is|was){more}{{0,2}}\s(?:(?:worse|weaker)\sthan|inferior\sto|not\sas\s\w{{2,12}}\sas)\s{y}",
    ),
    ("보다", rf"{{x}}\s?(?:가|이|는|은)\s{{y}}\s?보다{{more}}{{{{0,2}}}}\s?{_KO_BAD}"),
    ("hơn bằng thua", rf"{{x}}\s{_VI_BAD}\s(?:so với\s)?{{y}}"),
    ("不如 不及 逊 差于", r"{x}(?:的回答)?\s?(?:不如|不及|逊于|差于|逊色于)\s?{y}"),
    ("比", r"{x}(?:的回答)?\s?比\s?{y}(?:的回答)?\s?(?:更)?(?:差|弱|糟)"),
    ("ほど", r"{x}(?:の回答)?\s?は\s?{y}(?:の回答)?\s?ほど.{{0,8}}(?:ない|ません|ありません)"),
    ("より", r"{x}(?:の回答)?\s?は\s?{y}(?:の回答)?\s?より(?:も)?\s?(?:劣|悪)"),
    ("schlechter schwächer", r"{x}\sist{more}{{0,2}}\s(?:schlechter|schwächer)\sals\s{y}"),
)
_ALONE = (
    ("更", r"(?:^|[\s，,。：:]){x}(?:的回答)?\s?更(?:好|优|佳)"),
    ("ist", rf"\b{{x}}\sist{{more}}{{{{0,2}}}}\s{_DE_GOOD}\b"),
    ("ziehe", r"\bziehe\s(?:die\s)?{x}\svor\b"),
    ("sieger gewinner", r"\b(?:sieger|gewinner)(?:in)?\s?(?:ist|:)\s?{x}"),
)
_TIE = re.compile(
    r"(?:hai (?:câu trả lời|phản hồi)|A và B|cả hai)[^.!?\n]{0,30}(?:ngang nhau|như nhau|hòa)"
    r"|두 (?:답변|응답)[^.!?\n]{0,30}(?:비슷|동등|대등|같은 수준)"
    r"|(?:两个?(?:回答|答案)|A和B)[^。！？\n]{0,20}(?:不相上下|一样好|相当|同样好)"
    r"|(?:両|2つの|二つの)(?:方|回答)[^。！？\n]{0,20}(?:同等|互角|同程度)"
    r"|beide antworten[^.!?\n]{0,30}(?:gleich gut|gleichwertig)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|whether|claims?|says|asks?|nếu|wenn|falls|ob|giả sử)\b|만약|라면|다면|주장"
    r"|如果|假如|声称|もし|なら|主張",
    re.IGNORECASE,
)


class _Way(NamedTuple):
    """A way to compare: the signs of which the text must hold one (in small letters), the pattern,
    and its group that names the winner."""

    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    winner: str


@lru_cache(maxsize=64)
def _patterns(options: tuple[str, ...]) -> tuple[_Way, ...]:
    names = option_names(options)
    signs = [name.upper() for name in names if len(name) == 1]
    words = [re.escape(name) for name in names if len(name) > 1]
    any_of = "|".join([*sorted(words, key=len, reverse=True), *(f"(?-i:{s})" for s in signs)])

    def named(group: str) -> str:
        begin, end = r"[(\[*_“\"'「]{0,3}(?<![A-Za-z])", r"(?![A-Za-z0-9])[)\]*_”\"'」]{0,3}"
        return rf"{_NOUN}{begin}(?P<{group}>{any_of}){end}"

    def made(ways: tuple[tuple[str, str], ...], winner: str) -> Iterator[_Way]:
        for signs, pattern in ways:
            text = pattern.format(x=named("x"), y=named("y"), more=_MORE)
            compiled = re.compile(text, re.IGNORECASE | re.MULTILINE)
            yield _Way(tuple(signs.split()), compiled, winner)

    return (*made(_X_WINS, "x"), *made(_Y_WINS, "y"), *made(_ALONE, "x"))


def find_comparison(scale: Category, text: str) -> Iterator[tuple[re.Match[str], str, str]]:
    """Each comparison: its match, the option that it prefers, and the group that names that."""
    names, small = option_names(scale.options), text.lower()
    for signs, pattern, winner in _patterns(scale.options):
        for match in pattern.finditer(text) if any(sign in small for sign in signs) else ():
            if _is_stated(text, match) and len({*match.groupdict().values()}) == len(
                match.groupdict()
            ):
                yield match, names[folded(match[winner])], winner
    tie = tie_option(scale)
    for match in _TIE.finditer(text) if tie else ():
        if _is_stated(text, match):
            yield match, tie or "", ""


def _is_stated(text: str, match: re.Match[str]) -> bool:
    begin, end = sentence_around(text, match.start(), match.end())
    sentence = text[begin:end]
    return not sentence.rstrip().endswith(("?", "？")) and not _SUPPOSED.search(sentence)
