"""Which encoding a text is in that is not UTF-8, by the names that iconv knows."""

from __future__ import annotations

import codecs

_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}

# What data files are saved in where UTF-8 is not the habit. Fewer choices make better guesses on
# short texts; each stands for its subsets too (CP949 for EUC-KR, GB18030 for GBK).
_LIKELY = {
    "cp949": "CP949",
    "cp932": "CP932",  # Shift-JIS as Windows has it
    "euc_jp": "EUC-JP",
    "gb18030": "GB18030",
    "big5": "BIG5",
    "cp874": "CP874",
    "cp1250": "CP1250",
    "cp1251": "CP1251",
    "koi8_r": "KOI8-R",
    "cp1252": "CP1252",
    "cp1253": "CP1253",
    "cp1254": "CP1254",
    "cp1255": "CP1255",
    "cp1256": "CP1256",
    "cp1258": "CP1258",
}
_SPOKEN = {
    "CP949": "Korean, EUC-KR",
    "CP932": "Japanese, Shift-JIS",
    "EUC-JP": "Japanese",
    "GB18030": "Chinese, GBK",
    "BIG5": "Chinese",
    "CP1252": "Windows-1252, Latin-1",
    "CP1258": "Vietnamese, Windows-1258",
}
_FEWEST_ZEROS = 3
_MOST = 16 * 1024  # bytes that are looked at; more makes no better guess


def spoken(encoding: str) -> str:
    """The name with what people call it: "CP949 (Korean, EUC-KR)"."""
    return f"{encoding} ({_SPOKEN[encoding]})" if encoding in _SPOKEN else encoding


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


def looks_like(text: bytes) -> str | None:
    """The likeliest encoding of bytes that are not UTF-8; None where nothing fits."""
    from charset_normalizer import from_bytes  # noqa: PLC0415 - needed for broken files alone

    found = from_bytes(
        text[:_MOST],
        cp_isolation=list(_LIKELY),
        preemptive_behaviour=False,
        enable_fallback=False,
    )
    best = found.best()
    if best is None:
        return None
    # Texts with few foreign letters fit several of these equally well; one is far more common.
    fits = {each.encoding for each in found} | set(best.could_be_from_charset)
    if best.encoding == "cp1250" and "cp1252" in fits:
        return "CP1252"
    return _LIKELY.get(best.encoding)
