"""What a reply shows without saying it: code, lines quoted as Markdown does, quotations."""

from __future__ import annotations

import re

from .readings import Span

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_BLOCKQUOTE = re.compile(r"^[ \t]*+>[^\n]*", re.MULTILINE)
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|“[^“”]{0,2000}”|„[^“”\n]{0,600}[“”]|\"[^\"\n]{0,600}\"|「[^「」]{0,2000}」|『[^『』]{0,2000}』"
    r"|«[^«»]{0,2000}»|`[^`\n]{1,600}`|(?<!\w)['‘](?!s\s)[^'’\n]{1,300}['’](?!\w)",
    re.DOTALL,
)
# Quotation marks around a mere grade or letter stress it: rated as 'Excellent (5)', Output "a".
_STRESSED = re.compile(
    r".\s?(?:[A-Za-z]{3,12}\s)?\(?(?:\d{1,3}(?:[.,]\d)?(?:\s?/\s?\d{1,3})?|[A-Za-z])\)?\s?.",
    re.DOTALL,
)


_WHOLE_FENCE = re.compile(r"\s*+```[^\n`]*+\n(?P<inside>[^`]*+)\n?[ \t]*+```\s*+\Z")


def unfenced(text: str) -> str:
    """A reply that is one block of code without its fence: that block is what it says."""
    match = _WHOLE_FENCE.match(text)
    if not match:
        return text
    begin, end = match.span("inside")
    return _spaces(text[:begin]) + text[begin:end] + " " * (len(text) - end)


def without_code(text: str) -> str:
    """Code blanked out, whose assignments look like labels, unless there is nothing else."""
    return _blanked(_CODE, text)


def without_blockquotes(text: str) -> str:
    """Quoted lines blanked out, which may be the judged text's, unless there is nothing else."""
    return _blanked(_BLOCKQUOTE, text)


def quotations(text: str) -> list[Span]:
    """Where quotations stand, with their marks; those that merely stress a grade left out."""
    return [match.span() for match in _QUOTED.finditer(text) if not _STRESSED.fullmatch(match[0])]


def without_quotations(text: str) -> str:
    """Quotations blanked out that could hold a label with its value; a mere word stays."""
    return _QUOTED.sub(_blank_with_value, text)


# `"score": 4` is a label in quotation marks, `"Score: 4"` a quotation.
_WITH_VALUE = re.compile(r"[\w)*][*_ ]{0,3}[:：=|\n]|\[\[|\d[^\n]{0,12}(?:점|点|分|điểm|/)")


def _blank_with_value(match: re.Match[str]) -> str:
    quoted = match[0]
    stays = _STRESSED.fullmatch(quoted) or not _WITH_VALUE.search(quoted)
    return quoted if stays else _spaces(quoted)


def set_aside(text: str) -> str:
    """The text with what it quotes blanked out, and marks that stress a grade taken off."""
    return _QUOTED.sub(_blank_or_bare, text)


def _blank_or_bare(match: re.Match[str]) -> str:
    quoted = match[0]
    return f" {quoted[1:-1]} " if _STRESSED.fullmatch(quoted) else _spaces(quoted)


def _spaces(text: str) -> str:
    """As many, on as many lines."""
    return re.sub(r"[^\n]", " ", text)


def blank(text: str, begin: int, end: int) -> str:
    """The text with these characters blanked out; all others keep their place."""
    return text[:begin] + " " * (end - begin) + text[end:]


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    plain = pattern.sub(lambda match: " " * len(match[0]), text)
    return plain if plain.strip() else text
