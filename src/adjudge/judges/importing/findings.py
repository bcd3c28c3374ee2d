"""What was inferred, and from which words: nothing is guessed silently."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

How = Literal["read", "set", "default", "note"]

_LONGEST_QUOTE = 72


@dataclass(frozen=True, slots=True)
class ImportFinding:
    """One thing that the judge file says: what, its value, and where it comes from.

    `how` is "read" (from the words of the prompt), "set" (by the user), "default" (nothing was
    found, and the default is safe) or "note" (what the user should know besides). `of` names the
    criteria that it is about, where there may be several.
    """

    what: str
    value: str
    how: How = "read"
    line: int = 0
    words: str = ""
    of: tuple[str, ...] = ()

    @property
    def sure(self) -> bool:
        """Whether the words of the prompt or the user say so; else it is assumed or doubtful."""
        return self.how in {"read", "set"}

    def document(self) -> dict[str, object]:
        """As JSON gives it: what, value, how, sure, and the evidence."""
        return {
            "what": self.what,
            "value": self.value,
            "how": self.how,
            "sure": self.sure,
            "line": self.line or None,
            "words": self.words or None,
            "criteria": list(self.of),
        }


@dataclass(slots=True)
class ImportFindings:
    """The findings about one prompt, in the order in which they were made."""

    text: str
    all: list[ImportFinding] = field(default_factory=list)

    def read(self, what: str, value: str, at: int) -> None:
        """Something read from the prompt at the offset `at`."""
        line = line_of(self.text, at)
        self.all.append(ImportFinding(what, value, "read", line, quote(self.text, at)))

    def scale(self, of: str, value: str, at: int) -> None:
        """The scale of a criterion; one that several share is told once."""
        for place, known in enumerate(self.all):
            if (known.what, known.how, known.value) == ("scale", "read", value):
                self.all[place] = replace(known, of=(*known.of, of))
                return
        self.read("scale", value, at)
        self.all[-1] = replace(self.all[-1], of=(of,))

    def add(self, what: str, value: str, how: How) -> None:
        self.all.append(ImportFinding(what, value, how))

    def note(self, what: str, text: str) -> None:
        self.all.append(ImportFinding(what, text, "note"))

    def lines(self) -> Iterator[str]:
        """The report: what was read, then what was not, then the notes."""
        several = {name for each in self.all for name in each.of}
        width = max((len(each.what) for each in self.all), default=0)
        for each in self.all:
            if each.how in {"read", "set"}:
                about = f" ({', '.join(each.of)})" if each.of and len(several) > 1 else ""
                yield f"{each.what:<{width}}  {each.value}{about}"
                yield f"{'':<{width}}    {_source(each)}"
        for title, how in (("not found, so", "default"), ("to know", "note")):
            rest = [each for each in self.all if each.how == how]
            if rest:
                yield f"{title}:"
                yield from (f"  {each.what}: {each.value}" for each in rest)


def _source(finding: ImportFinding) -> str:
    if finding.how == "set":
        return "as set"
    return f"line {finding.line}: “{finding.words}”"


def line_of(text: str, at: int) -> int:
    """The number of the line, from 1, on which the offset lies."""
    return text.count("\n", 0, at) + 1


def quote(text: str, at: int) -> str:
    """The line around an offset, shortened to the part near it."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)]
    if len(line) > _LONGEST_QUOTE:
        first = max(0, min(at - start - 24, len(line) - _LONGEST_QUOTE))
        last = first + _LONGEST_QUOTE
        line = ("…" if first else "") + line[first:last] + ("…" if last < len(line) else "")
    return re.sub(r"\s+", " ", line).strip()
