"""What a text file is written in: by its mark, by its zeros, or by the language that comes out.

An encoding is `sure` where the text that it gives is plainly of its language: Hangul for CP949,
kana for Shift-JIS, tones in their places for CP1258. Other guesses are reported, and not used.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

from adjudge.core.reason import Reason

_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}

# What data files are saved in where UTF-8 is not the habit. Fewer choices make better guesses on
# short texts; each stands for its subsets too (CP949 for EUC-KR, GB18030 for GBK).
_LIKELY = {
    name: name.upper().replace("_", "-")
    for name in (
        "cp949", "cp932", "euc_jp", "gb18030", "big5", "cp874", "cp1250", "cp1251", "koi8_r",
        "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1258",
    )
}  # fmt: skip
# What a person may choose from.
CHOICES = ("UTF-8", "UTF-16", *_LIKELY.values())
_SPOKEN = {
    "CP949": Reason("encoding.CP949"),
    "CP932": Reason("encoding.CP932"),
    "EUC-JP": Reason("encoding.EUC-JP"),
    "GB18030": Reason("encoding.GB18030"),
    "BIG5": Reason("encoding.BIG5"),
    "CP1252": Reason("encoding.CP1252"),
    "CP1258": Reason("encoding.CP1258"),
}
_FEWEST_ZEROS = 3
_MOST = 16 * 1024  # bytes that are looked at; more makes no better guess


class Guess(NamedTuple):
    """`name` is how iconv and Python call it."""

    name: str
    sure: bool


def spoken(encoding: str) -> Reason:
    """The name with what people call it: "CP949 (Korean, EUC-KR)"."""
    return _SPOKEN.get(encoding) or Reason.of(encoding)


def known_codec(name: str) -> str | None:
    """Python's name of a text encoding; None where there is none."""
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    return codec.name if codec._is_text_encoding else None


def marked(start: bytes) -> str | None:
    """The wide encoding that a byte-order mark names."""
    return next((name for mark, name in _MARKS.items() if start.startswith(mark)), None)


def unmarked_wide(start: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: their zero bytes stand at every other place or more.

    Also where most letters are Korean, line breaks and punctuation leave such zeros. A few that
    strayed into other text do not count: they do not stand beside every line break.
    """
    zeros = [start[place::4].count(0) for place in range(4)]
    total = sum(zeros)
    if total < _FEWEST_ZEROS or total * 50 < len(start):
        return None
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    if total * 2 > len(start):
        return "UTF-32BE" if zeros[0] > zeros[3] else "UTF-32LE"
    if min(even, odd) * 4 > total:
        return None
    name, line_break = ("UTF-16BE", b"\0\n") if even > odd else ("UTF-16LE", b"\n\0")
    return name if start.count(line_break) * 2 >= start.count(b"\n") else None


def guess(text: bytes) -> Guess | None:
    """The likeliest encoding of lines that are not UTF-8; None where nothing fits."""
    evident = [
        name
        for name, is_evident in _EVIDENCE.items()
        if (decoded := _decoded(text[:_MOST], name)) and is_evident(decoded)
    ]
    if evident:
        # Kana come about by chance in no other language.
        kana = _EVIDENCE[evident[0]] is _is_japanese
        return Guess(_LIKELY[evident[0]], sure=kana or len(evident) == 1)
    likely = _looks_like(text)
    return Guess(likely, sure=False) if likely else None


def _decoded(text: bytes, name: str) -> str | None:
    """The text, without the last character where that is cut; None where the bytes do not fit."""
    decoder = codecs.getincrementaldecoder(name)()
    try:
        return decoder.decode(text)
    except UnicodeDecodeError:
        return None


def _looks_like(text: bytes) -> str | None:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - needed for broken files alone

    matches = from_bytes(
        text[:_MOST],
        cp_isolation=list(_LIKELY),
        preemptive_behaviour=False,
        enable_fallback=False,
    )
    best = matches.best()
    if best is None:
        return None
    # Texts with few foreign letters fit several of these equally well; one is far more common.
    fits = {match.encoding for match in matches} | set(best.could_be_from_charset)
    western = best.encoding == "cp1252" or (best.encoding == "cp1250" and "cp1252" in fits)
    if western:
        toned = _decoded(text[:_MOST], "cp1258")
        return "CP1258" if toned and _tones_in_place(toned) else "CP1252"
    return _LIKELY.get(best.encoding)


_FEWEST = 6  # letters of a script that make it no accident
_KOREAN = re.compile("[가-힣]")
_KANA = re.compile("[ぁ-ゖァ-ヺー]")
_HALF_KANA = re.compile("[\uff61-\uff9f]")
_HAN = re.compile("[\u4e00-\u9fff]")
# The commonest characters of Chinese, in both ways of writing: a tenth to a fifth of any text.
_COMMON_HAN = re.compile(
    "[的一是不了在人有我他这這个個们們中来來上大为為和国國地到以说說时時要就出会會可也你对對生能而子那得于於"
    "着著下自之年过過发發后後作里裡用道行所然家种種事成方多经經么麼去法学學如都同现現当當没沒动動面起看定天分"
    "还還进進好小部其些主样樣理心她本前开開但因只从從想实實问問题題答回复覆什请請怎吗嗎呢多少时候]"
)
_FOREIGN = re.compile(r"[^\x00-\x7f]")


def _is_korean(text: str) -> bool:
    """In syllables that people write: Japanese bytes make Korean ones too, but those that nobody
    uses."""
    syllables, foreign = _KOREAN.findall(text), len(_FOREIGN.findall(text))
    usual = sum(len(syllable.encode("euc_kr")) == 2 for syllable in syllables)
    return len(syllables) >= _FEWEST and usual >= 0.9 * foreign and usual >= 0.97 * len(syllables)


def _is_japanese(text: str) -> bool:
    kana, han = len(_KANA.findall(text)), len(_HAN.findall(text))
    foreign = len(_FOREIGN.findall(text))
    return (
        kana >= _FEWEST
        and kana >= 0.25 * foreign
        and kana + han >= 0.7 * foreign
        and len(_HALF_KANA.findall(text)) <= 0.02 * foreign
    )


def _is_chinese(text: str) -> bool:
    han, foreign = len(_HAN.findall(text)), len(_FOREIGN.findall(text))
    common = len(_COMMON_HAN.findall(text))
    return han >= _FEWEST and han >= 0.7 * foreign and common >= max(4, 0.1 * han)


# In CP1258 a tone is a sign of its own behind the vowel.
_TONES = "\u0300\u0301\u0303\u0309\u0323"
_TONE = re.compile(f"[{_TONES}]")
_TONE_IN_PLACE = re.compile(f"[AEIOUYaeiouyĂÂÊÔƠƯăâêôơư][{_TONES}]")
_WORDS = re.compile(
    r"\b(?:là|và|của|có|không|được|cho|với|các|một|những|này|khi|để|từ|đã|sẽ|bạn|tôi|người|trong"
    r"|câu|hỏi|trả|lời|đáp|án|ngày|phải|thể|nào|gì|về|ở|như|cần|đến|xin|vui|lòng|khách|hàng)\b",
    re.IGNORECASE,
)


def _tones_in_place(text: str) -> bool:
    """Every tone behind a vowel, and more than one of them."""
    tones = len(_TONE.findall(text))
    return tones >= 2 and len(_TONE_IN_PLACE.findall(text)) == tones


def _is_vietnamese(text: str) -> bool:
    """Tones in their places, and words that every Vietnamese text has, written with foreign
    letters."""
    if not _tones_in_place(text):
        return False
    words = _WORDS.findall(unicodedata.normalize("NFC", text))
    return sum(not word.isascii() for word in words) >= 3


# The surest first.
_EVIDENCE: dict[str, Callable[[str], bool]] = {
    "cp932": _is_japanese,
    "euc_jp": _is_japanese,
    "cp949": _is_korean,
    "gb18030": _is_chinese,
    "big5": _is_chinese,
    "cp1258": _is_vietnamese,
}
