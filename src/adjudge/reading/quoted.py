"""What a reply shows without saying it: code, and lines quoted as Markdown does."""

from __future__ import annotations

import re

_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BLOCKQUOTE = re.compile(r"^[ \t]*+>[^\n]*", re.MULTILINE)


def without_code(text: str) -> str:
    """Code blanked out, whose assignments look like labels, unless there is nothing else."""
    return _blanked(_CODE, text)


def without_blockquotes(text: str) -> str:
    """Quoted lines blanked out, which may be the judged text's, unless there is nothing else."""
    return _blanked(_BLOCKQUOTE, text)


def blank(text: str, begin: int, end: int) -> str:
    """The text with these characters blanked out; all others keep their place."""
    return text[:begin] + " " * (end - begin) + text[end:]


def _blanked(pattern: re.Pattern[str], text: str) -> str:
    plain = pattern.sub(lambda found: " " * len(found[0]), text)
    return plain if plain.strip() else text
