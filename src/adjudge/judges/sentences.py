"""A regular expression for texts of whole sentences in one language.

Goes into the reply's schema as a `pattern`, so that a model cannot write anything else. Where a
language has a script of its own, the script binds: a sentence begins and ends in it, and no more
than a few words in a row may be foreign. Latin letters are shared by many languages, so there the
first words of a sentence bind; a model that has begun in a language goes on in it.

Quotations and brackets may hold any script. A full stop inside a word (3.5, e.g.) ends no sentence.
The syntax is what Python's `re`, ECMAScript and Rust understand alike.
"""

from __future__ import annotations

from functools import cache

from .openers import OPENERS

# Letters of a script as the inside of a character class. The classes leave out what only a sister
# language has: ы, э and ъ are not Ukrainian, and і, ї, є and ґ are not Russian.
_SPACED = {
    "ko": "가-힣",
    "ru": "А-Яа-яЁё",
    "uk": "АБВГҐДЕЄЖЗИІЇЙКЛМНОПРСТУФХЦЧШЩЬЮЯабвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    "bg": "А-ЪЬЮЯа-ъьюя",
    "sr": "ЂЈ-ЋЏА-ИК-Шђј-ћџа-ик-ш",
    "el": "Ͱ-Ͽἀ-῿",
    "he": "א-ת֑-ׇ",
    "ar": "ء-يً-ْ",
    "fa": "ء-ٕپچژکگی‌",
    "ur": "ء-ٕٹپچڈڑژکگںھہیےۓ",
    "hi": "ऀ-ॣ", "mr": "ऀ-ॣ", "ne": "ऀ-ॣ",
    "bn": "ঀ-৥", "ta": "஀-௥", "te": "ఀ-౥", "ka": "ა-ჿ", "hy": "Ա-և",
}  # fmt: skip
_UNSPACED = {
    "ja": "ぁ-ゖァ-ヺー一-龯々",
    "zh": "一-龯〇",
    "th": "ก-ฺเ-๎",
    "lo": "ກ-ຽເ-ໝ",
    "km": "ក-៓",
    "my": "က-၏",
}
_ENDS = {
    "hi": "[।.!?]", "mr": "[।.!?]", "ne": "[।.!?]", "bn": "[।.!?]", "ur": "[۔.!؟]", "hy": "[։.!]",
    "ar": "[.!؟]", "fa": "[.!؟]", "el": "[.!;]", "ja": "[ぁ-ん][。！？]", "zh": "[。！？]",
    "th": "[.]?", "lo": "[.]?", "km": "[។.]", "my": "[။]",
}  # fmt: skip
_END = "[.!?]"

# A text in another script, in quotation marks or brackets.
_QUOTED = "".join(
    (
        r'(?:“[^”\x00-\x1f]{1,60}”|„[^“”\x00-\x1f]{1,60}[“”]|"[^"\x00-\x1f]{1,60}"|‘[^’\x00-\x1f]{1,60}’',
        r"|「[^」\x00-\x1f]{1,60}」|\([^()\x00-\x1f]{1,60}\))",
    )
)
# Nothing of East Asia, no control signs, no space, none of the marks that quotations need, and no
# backslash or brace: a small model that meets them writes JSON into its text.
_NOT = r"\x00-\x20\"“”„‘’「」()\\{}<>\u1100-\u11ff\u2e80-\uffff"
_INSIDE = rf"[^{_NOT}.!?]"
# What may stand inside a word: 3.5, 10.000, example.org, e.g.
_LATIN_WORD = rf"(?:{_INSIDE}{{1,24}}(?:[.]{_INSIDE}{{1,12}}){{0,2}}|{_QUOTED}[,;:]?)"
_SHORT = r"(?:e\.g\.|i\.e\.|z\.B\.|d\.h\.|p\.ej\.|v\.v\.|vs\.|etc\.|Dr\.|Mr\.|Mrs\.|Nr\.|No\.|ca\.)"

LONGEST = 45  # words of a sentence; of scripts without spaces, characters in fives


@cache
def pattern(language: str, most: int) -> str | None:
    """The pattern of one to `most` sentences; None for a language that cannot be bound."""
    base = language.partition("-")[0]
    if base in OPENERS:
        return _whole(_latin(base), most)
    if base in _SPACED:
        return _whole(_spaced(base), most)
    if base in _UNSPACED:
        return _unspaced(base, most)
    return None


def known(language: str) -> bool:
    """Whether texts in the language can be bound; `any` needs no binding."""
    return language == "any" or pattern(language, 1) is not None


def bindable() -> tuple[str, ...]:
    """The languages that have a pattern."""
    return tuple(sorted({*OPENERS, *_SPACED, *_UNSPACED}))


def _whole(sentence: str, most: int) -> str:
    more = f"(?: {sentence}){{0,{most - 1}}}" if most > 1 else ""
    return f"^{sentence}{more}$"


def _latin(language: str) -> str:
    """An opening of the language, then words with the letters of any Latin script."""
    opening = "|".join(OPENERS[language])
    word = f"(?: {_LATIN_WORD}| {_SHORT})"
    return f"(?:{opening}){word}{{2,{LONGEST}}}{_END}"


def _spaced(language: str) -> str:
    """Words of the script, with at most three foreign ones between two of its own."""
    own = _SPACED[language]
    # One that has the script somewhere: 2월, GPT는, «Москва», 3.5점.
    before = rf"[^{_NOT}.!?{own}]{{0,12}}(?:[.][0-9]{{1,6}}[^{_NOT}.!?{own}]{{0,4}})?"
    word = rf"(?:{before}[{own}]{{1,24}}(?:[-–’'·/][{own}]{{1,12}}){{0,2}}[,;:،؛%]?)"
    foreign = (
        rf"(?:[^{_NOT}.!?{own}]{{1,20}}(?:[.]{_INSIDE}{{1,12}})?|{_QUOTED}[{own}]{{0,4}}[,;:]?)"
    )
    first = rf"[{own}]{{1,24}}[,:]?"
    return rf"{first}(?:(?: {foreign}){{0,3}} {word}){{2,25}}{_ENDS.get(language, _END)}"


def _unspaced(language: str, most: int) -> str:
    own = _UNSPACED[language]
    end = _ENDS[language]
    signs = "、，：；・0-9０-９％%" if language in {"ja", "zh"} else " 0-9%,"
    foreign = rf"(?:[A-Za-z][-A-Za-z0-9.' ]{{0,23}}|{_QUOTED})"
    run = rf"[{own}](?:[{own}{signs}]|[0-9][.][0-9]){{1,30}}"
    sentence = rf"{run}(?:{foreign}{run}){{0,4}}{end}"
    gap = "" if language in {"ja", "zh"} else " "
    more = f"(?:{gap}{sentence}){{0,{most - 1}}}" if most > 1 else ""
    return f"^{sentence}{more}$"
