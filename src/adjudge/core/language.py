"""Which language a text is in, and whether it is the one that was asked for.

Scripts decide where they can (Hangul is Korean). Between languages of one script, typical letters
and the commonest words decide the clear cases, and CLD3, a small network, the others. Quotations,
code and addresses are left out: an explanation in Korean may well quote an English answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gcld3 import NNetLanguageIdentifier


# Fewer letters than this (characters, for scripts without spaces) say nothing reliable.
_FEWEST_LATIN, _FEWEST_OTHER = 16, 4
# A text may carry this share of letters from another script (names, terms) and stay itself.
_OWN_SCRIPT_SHARE = 0.3
_OF_A_SYLLABLE = 2  # letters, or three: HouseKey 앱을 쓰시면 됩니다
_SURE = 0.97
# So much of a text is enough; the rest of a very long one is not looked at.
_HEAD, _TAIL = 6000, 2000
_SHORT_LOOK = 600

# Bounded, so that no quotation mark without its partner is paid for again and again.
_LEFT_OUT = re.compile(
    r"```.{0,4000}?```|`[^`]{0,600}`|https?://\S{1,600}|“[^”]{0,600}”|「[^」]{0,600}」"
    r"|『[^』]{0,600}』"
    r"|«[^»]{0,600}»|\"[^\"\n]{0,600}\"|(?<!\w)'[^'\n]{0,600}'(?!\w)",
    re.DOTALL,
)
_QUOTED = re.compile(r"\B'")
_NO_LETTERS = {code: None for code in range(128) if not chr(code).isalpha()}
_WORD = re.compile(r"[^\W\d_]+")
_SCRIPTS = (
    ("HANGUL", "ko"), ("HIRAGANA", "ja"), ("KATAKANA", "ja"), ("CJK", "han"), ("LATIN", "latin"),
    ("CYRILLIC", "cyrillic"), ("ARABIC", "arabic"), ("THAI", "th"), ("HEBREW", "he"),
    ("GREEK", "el"), ("DEVANAGARI", "devanagari"), ("BENGALI", "bn"), ("TAMIL", "ta"),
    ("TELUGU", "te"), ("KHMER", "km"), ("LAO", "lo"), ("MYANMAR", "my"), ("GEORGIAN", "ka"),
    ("ARMENIAN", "hy"),
)  # fmt: skip
_SCRIPT_OF = {
    "ko": "ko", "ja": "ja", "zh": "han", "ru": "cyrillic", "uk": "cyrillic", "bg": "cyrillic",
    "sr": "cyrillic", "ar": "arabic", "fa": "arabic", "ur": "arabic", "hi": "devanagari",
    "mr": "devanagari", "ne": "devanagari",
    "th": "th", "he": "he", "el": "el", "bn": "bn", "ta": "ta", "te": "te", "km": "km", "lo": "lo",
    "my": "my", "ka": "ka", "hy": "hy",
}  # fmt: skip
# Letters of Vietnamese alone (ơ, ư, đ with or without tone, and vowels with two marks).
_VIETNAMESE = re.compile("[ơưđăạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]", re.IGNORECASE)
# The commonest words of languages that are written in Latin letters.
_COMMON_WORDS = {
    "en": """the of and a to in is that it as for was with be by on not this are but from or have an
        which its at has were their all does while more also however than can would there no
        into""",
    "de": """der die das und ist nicht ein eine einen es mit für auf den dem des im zu von wird sind
        auch aber sich""",
    "fr": """le la les des est et une un du que pas dans pour qui sur il elle ne avec sont mais""",
    "es": """el la los las es y una un que en por con para del se está pero su al""",
    "it": """il la le di è e un una che non con del della si sono ma nel nella""",
    "pt": """o a os as é e um uma que não em por com para da está mas dos das""",
    "nl": """de het een en van niet dat op met voor zijn ook maar wordt te""",
    "id": """yang dan tidak dengan untuk ini itu dari adalah pada juga ada dalam""",
    "pl": """jest nie na się że jak ale oraz są jako które przez""",
    "sv": """och är att det en som inte på av för med ett den har men till""",
    "tr": """ve bir bu için ile da de değil olarak daha çok ama""",
}
# Words of those who grade answers, that no English text has: two of the commonest words each.
_GRADING_WORDS = {
    "de": """antwort antworten frage fehlt fehlen richtig falsch klar unklar vollständig höflich
        freundlich beispiel gute sehr leider genau weil keine""",
    "fr": """réponse réponses manque correcte fausse claire clair complète incomplète polie poli
        exemple bonne très mais aussi trop aucun aucune""",
    "es": """respuesta respuestas pregunta falta faltan correcta clara claro completa incompleta
        amable ejemplo buena buen muy también pero demasiado ningún""",
    "it": """risposta risposte domanda manca mancano corretta chiara chiaro completa incompleta
        gentile esempio buona buon molto anche troppo nessun""",
    "pt": """resposta respostas pergunta falta faltam correta clara claro completa incompleta
        educada educado exemplo bom muito também nenhum""",
    "nl": """antwoord antwoorden vraag ontbreekt juist fout duidelijk onduidelijk volledig
        vriendelijk vriendelijke voorbeeld goed goede geen""",
    "id": """jawaban pertanyaan kurang benar salah jelas lengkap sopan ramah contoh baik sangat
        sudah belum tanpa""",
    "pl": """odpowiedź odpowiedzi pytanie brakuje brak poprawna błędna jasna niejasna pełna uprzejma
        przykład dobra dobry bardzo również żaden""",
    "sv": """svar svaret fråga saknar saknas korrekt tydligt otydligt fullständigt artigt vänligt
        exempel mycket också inget""",
    "tr": """cevap cevabı yanıt soru eksik doğru yanlış açık belirsiz kibar nazik örnek iyi çok
        fakat hiç""",
    # Without its marks, as people type it.
    "vi": """cau tra loi khong thieu duoc nhung chua cua nguoi""",
}
_GRADING = {language: frozenset(words.split()) for language, words in _GRADING_WORDS.items()}
_COMMON = {language: frozenset(words.split()) for language, words in _COMMON_WORDS.items()}
_ENGLISH = _COMMON["en"]
_NONE: frozenset[str] = frozenset()
# Words of those who grade in English, that other languages hardly have.
_ENGLISH_GRADING_WORDS = """accurately adds addresses answer answers asks attributes briefly
    cites claims clear clearly completely confuses contains correctly covers describes explains
    fails fully gives good ignores invents lacks lists mentions misses missing names offers
    omits only polite politely poor provides quotes recommends refers repeats reply says should
    shows states suggests tells too unclear uses very without wrong wrongly"""
_ENGLISH_GRADING = frozenset(_ENGLISH_GRADING_WORDS.split())
_FEW_WORDS = 10
# Names in the middle of a sentence, with what joins their words: Café de Flore, van Beethoven.
_NAME = r"(?:(?:d[aeiu]|de[ls]|della|d[ao]s|la|les?|van|von)\s)*[A-ZÀ-ÖØ-Þ][\w'’]*"
_NAMES = re.compile(rf"(?<=\w[\s,;:])\s?{_NAME}(?:\s{_NAME})*")
_LANGUAGES = (*_COMMON, "vi")


def wrong_language(text: str, expected: str) -> str | None:
    """The language that the text is in when that is not `expected`; None when it is, or when the
    text is too short to tell. "?" stands for a language that could not be named."""
    base = expected.partition("-")[0]
    if base == "en" and _plainly_english(text):
        return None
    detected = detect_language(text, expected)
    return None if detected in {None, base} else detected


def _plainly_english(text: str) -> bool:
    """Whether a short look is enough, as it is for most: plain letters, nothing quoted, and as many
    English words as `_among` asks for."""
    if not text.isascii() or len(text) > 2 * _SHORT_LOOK or _may_quote(text):
        return False
    words = text[:_SHORT_LOOK].lower().split()
    wanted, known = max(2, 0.2 * len(words)), _ENGLISH.__contains__
    # Mostly as many are among the first half.
    return sum(map(known, words[: len(words) // 2])) >= wanted or sum(map(known, words)) >= wanted


def _may_quote(text: str) -> bool:
    if '"' in text or "`" in text or "http" in text:
        return True
    return "'" in text and _QUOTED.search(text) is not None  # but not: doesn't


def detect_language(text: str, expected: str = "") -> str | None:
    """A language code, "?" when it is none that we know, None when the text is too short.

    `expected` decides where the text does not, e.g. Korean with many English terms.
    """
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    text = unicodedata.normalize("NFC", _LEFT_OUT.sub(" ", text))
    letters = _letters(text)
    total = sum(letters.values())
    if letters["ja"]:
        letters["ja"] += letters.pop("han", 0)  # Japanese is written in both
    if not total:
        return None
    letters["ko"] *= _OF_A_SYLLABLE
    script, most = letters.most_common(1)[0]
    if total < (_FEWEST_LATIN if script == "latin" else _FEWEST_OTHER):
        return None
    own = _SCRIPT_OF.get(expected.partition("-")[0], "latin")
    if expected and own != script and letters[own] >= _OWN_SCRIPT_SHARE * total:
        script = own
    if script == "han":
        return "zh"
    if script in {"latin", "cyrillic", "arabic", "devanagari"}:
        return _among(text, script, expected)
    return script if most else "?"


def _letters(text: str) -> Counter[str]:
    """How many there are of each script."""
    if text.isascii():
        return Counter(latin=len(text.translate(_NO_LETTERS)))
    letters: Counter[str] = Counter()
    for sign, times in Counter(text).items():  # counted first: few signs make up a text
        if sign.isalpha():
            letters[_script(sign)] += times
    return letters


@cache
def _script(sign: str) -> str:
    name = unicodedata.name(sign, "")
    return next((code for start, code in _SCRIPTS if name.startswith(start)), "?")


def _among(text: str, script: str, expected: str) -> str:
    """One of several languages that share a script."""
    words = _WORD.findall(text.casefold())
    wanted = expected.partition("-")[0]
    if script == "latin":
        typical = 0 if text.isascii() else sum(1 for w in words if _VIETNAMESE.search(w))
        if typical >= 0.2 * len(words):
            return "vi"
        is_graded = wanted == "en" and len(words) <= _FEW_WORDS and _grades_in_english(text)
        if language := _by_common_words(words) or (wanted if is_graded else None):
            return language
    # A code that no encoding holds would be an error; so would be an empty text.
    detected = _identifier().FindLanguage(text=text.encode("utf-8", "replace").decode())
    code: str = detected.language.partition("-")[0].replace("und", "?")
    if detected.is_reliable and detected.probability >= _SURE:
        return code
    if wanted == "en" and script == "latin" and _has_no_english(words):
        return code
    if wanted:  # in doubt the text passes: a false alarm costs a call and blames a good explanation
        return wanted
    return (_by_common_words(words, least=0.0) if script == "latin" else None) or code


def _grades_in_english(text: str) -> bool:
    """Whether a word of English graders is there, and none of another language but in names, such
    as Café de Flore: too few words for anyone who does not know what the text is about."""
    words = set(_WORD.findall(_NAMES.sub(" ", text).casefold()))
    if words.isdisjoint(_ENGLISH_GRADING):
        return False
    others = (common - _ENGLISH for common in (*_COMMON.values(), *_GRADING.values()))
    return all(words.isdisjoint(common) for common in others)


def _has_no_english(words: list[str]) -> bool:
    """Whether none of its commonest words is there, but one of another language, or a letter that
    it does not have."""
    longer = {word for word in words if len(word) > 1}
    foreign = any(not longer.isdisjoint(common) for common in _COMMON.values())
    return longer.isdisjoint(_ENGLISH) and (foreign or not all(map(str.isascii, longer)))


def _by_common_words(words: list[str], least: float = 0.2) -> str | None:
    """The language that has this share of the words, and more of them than any other has. A single
    word that English texts use as a name, a letter or a symbol makes no other language."""
    counts = sorted(((_count(words, language), language) for language in _LANGUAGES), reverse=True)
    (most, language), (second, _) = counts[:2]
    enough = max(1 if language == "en" else 2, least * len(words))
    return language if most >= enough and most > second else None


def _count(words: list[str], language: str) -> int:
    """A grader's word counts twice where no English word stands beside it: English may name one."""
    grading = sum(map(_GRADING.get(language, _NONE).__contains__, words))
    alone = all(word not in _ENGLISH for word in words if len(word) > 1)
    return sum(map(_COMMON.get(language, _NONE).__contains__, words)) + grading * (
        2 if alone else 1
    )


@cache
def _identifier() -> NNetLanguageIdentifier:
    from gcld3 import NNetLanguageIdentifier  # noqa: PLC0415 - rarely needed

    return NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=4 * (_HEAD + _TAIL))
