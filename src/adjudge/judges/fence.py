"""Fences around judged text.

A judged text may try to grade itself, so it stands between marks that its author cannot know: a
keyed hash of the store's secret and the judge's name. The mark is the same from run to run and from
one version of a judge to the next, which keeps every request the same that a change does not touch:
its reply is then found in the cache.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import unicodedata

from adjudge.core.turn_marks import break_turn_marks

from .numbered import NumberedText

# Characters that nobody sees and that can hide a marker or a message: controls except tab and line
# break, soft hyphen, grapheme joiner, Hangul fillers, direction marks and overrides, zero-width
# space, word joiner, invisible operators, byte order mark, annotation marks, the variation
# selectors except for the one of emoji, the tag block.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff9-\ufffb"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_JOINERS = re.compile("[\u200c\u200d]+")
_OPEN, _CLOSE = "<＜‹«〈《⟨", ">＞›»〉》⟩"
_HEX = "[0-9a-f０-９ａ-ｆＡ-Ｆ]{6}"
_LOOK_ALIKE = re.compile(
    # beside anything that could be a mark; possessive, so that a megabyte of < costs one try
    rf"(?<![{_OPEN}])(?:[{_OPEN}]{{2,}}+|[≪⋘])(?=[^\S\n]*+\w++[^\S\n]++{_HEX})"
    rf"|(?<={_HEX})([^\S\n]*+)(?:[{_CLOSE}]{{2,}}+|[≫⋙])"
    # or as a line of its own, whatever stands for the mark
    rf"|^[^\S\n]*+(?:[{_OPEN}]{{3,}}+|⋘)(?=[^\S\n]*+\w++[^\S\n]++\S++[^\S\n]*+$)"
    rf"|^([^\S\n]*+\w++[^\S\n]++[\w-]++[^\S\n]*+)(?:[{_CLOSE}]{{3,}}+|⋙)(?=[^\S\n]*+$)",
    re.IGNORECASE | re.MULTILINE,
)
# Somebody else speaks in the text: a turn of the assistant or of its tools, as people and as
# `datasets.conversations` write it, or in JSON.
_TURN_OF_ANOTHER = re.compile(
    r"^[^\S\n]{0,3}[*_#>\[(]{0,4}[^\S\n]?"
    r"(?:assistant|ai|bot|chatbot|agent|model|gpt|chatgpt|tool"
    r"|trợ lý(?: ảo)?|어시스턴트|챗봇|도우미|상담봇|助手|アシスタント)"
    r"[^\S\n]?(?:\([^)\n]{0,60}\))?[\])*_]{0,4}[^\S\n]?[:：]"
    r"|[\"'](?:role|from)[\"']\s{0,3}:\s{0,3}[\"'](?:assistant|model|bot|gpt|chatgpt|tool|function)[\"']",
    re.IGNORECASE | re.MULTILINE,
)
_SIGNS = re.compile(rf"[{_OPEN}{_CLOSE}≪⋘≫⋙]")


def make_mark(secret: bytes, judge: str) -> str:
    """Twelve hex digits."""
    return hmac.new(secret, judge.encode(), hashlib.sha256).hexdigest()[:12]


def neutralise(text: str, mark: str) -> str:
    """The text without invisible characters, look-alike fences, turn marks or the mark itself.

    Doing it twice changes nothing more.
    """
    if not text.isascii():
        text = _JOINERS.sub(_joiner_between_letters, _INVISIBLE.sub("", text))
    elif not text.isprintable():
        text = _INVISIBLE.sub("", text)
    # Most texts have no such sign, and are soon done with.
    if "<" in text or ">" in text or (not text.isascii() and _SIGNS.search(text)):
        text = _LOOK_ALIKE.sub(lambda match: f"{match[1] or match[2] or ''}[...]", text)
    return break_turn_marks(text).replace(mark, "[...]")


def quotes_another(text: str) -> bool:
    """Whether the text holds turns of an assistant: the judged system may have written those."""
    if ":" not in text and "：" not in text:
        return False
    return _TURN_OF_ANOTHER.search(text) is not None


def _joiner_between_letters(match: re.Match[str]) -> str:
    """Joiners carry meaning inside Indic, Persian and emoji sequences, and nowhere else."""
    text = match.string
    around = text[max(match.start() - 1, 0) : match.start()] + text[match.end() : match.end() + 1]
    joins = [not c.isascii() and unicodedata.category(c)[0] in "LMS" for c in around]
    # S stands for emoji; the signs < and > of other scripts are symbols too
    fences = any(c in _OPEN + _CLOSE + "≪⋘≫⋙" for c in around)
    return match[0][0] if joins == [True, True] and not fences else ""


def fence(name: str, text: str, mark: str) -> str:
    """The neutralised text between its two marker lines."""
    return f"<<<{name} {mark}\n{neutralise(text, mark)}\n{name} {mark}>>>"


def fenced_entries(name: str, text: str, mark: str) -> str:
    """Every entry of a list below its number and between marker lines of its own."""
    entries = text.entries if isinstance(text, NumberedText) else ()
    if not entries:
        return fence(name, text, mark)
    return "\n\n".join(
        f"[{number}]\n{fence(f'{name}_{number}', entry, mark)}"
        for number, entry in enumerate(entries, 1)
    )
