"""English sentences with blanks, known again and said in another language."""

from __future__ import annotations

import re
from string import Formatter

from .strings import Strings

# Blanks that hold a further sentence: `part` must be known too, `why` may stay in English.
_NESTED = ("part", "why")
# Characters, and sentences in sentences: what goes beyond is data more than words, and would take
# long to match.
_LONGEST, _DEEPEST = 600, 5


class Phrases:
    """The sentences below `section` of the `english` words. A blank holds anything in the parts of
    the section that `naming` names, and one word or figure elsewhere."""

    def __init__(self, english: Strings, section: str, naming: str) -> None:
        self._patterns = {
            key: _pattern(text, names=key.startswith(f"{naming}."))
            for key, text in sorted(
                # What holds a part that must be known comes first: no other may swallow it. Then
                # those with more words of their own.
                (each for each in english.entries.items() if each[0].startswith(f"{section}.")),
                key=lambda each: ("{part}" not in each[1], -len(re.sub(r"{\w+}", "", each[1]))),
            )
        }

    def told(self, say: Strings, text: str) -> str | None:
        """The sentence in the language of `say`; None where it is not known."""
        return self._told(say, text, _DEEPEST) if len(text) <= _LONGEST else None

    def _told(self, say: Strings, text: str, deepest: int) -> str | None:
        if not deepest:
            return None
        for key, pattern in self._patterns.items():
            found = pattern.fullmatch(text)
            if found is None:
                continue
            fields = found.groupdict()
            inner = {name: fields[name] for name in _NESTED if name in fields}
            nested = {name: self._told(say, given, deepest - 1) for name, given in inner.items()}
            if nested.get("part", "") is not None:
                return say(key, **fields | {name: new for name, new in nested.items() if new})
        return None


def _pattern(text: str, *, names: bool) -> re.Pattern[str]:
    parts = []
    for words, field, _, _ in Formatter().parse(text):
        parts.append(re.escape(words))
        if field is not None:
            held = ".+?" if names or field in _NESTED else r"\S+"
            parts.append(f"(?P<{field}>{held})")
    return re.compile("".join(parts), re.DOTALL)
