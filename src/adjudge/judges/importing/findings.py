"""What was inferred, from which words, and how sure that is: nothing is guessed silently."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

# How sure a finding is. "set": the user says so. "stated": the words of the prompt say so.
# "likely": they say so, but something speaks against it. "assumed": they say nothing, and the
# default is safe. What is less sure than that is asked (ImportQuestion).
Certainty = Literal["set", "stated", "likely", "assumed"]

_LONGEST_QUOTE = 72

Words = str | Reason  # what the prompt or the user says, or what we say of it


class ImportQuestion(UsageError):  # noqa: N818 - what is asked, and no mistake
    """What a prompt does not tell, and nothing safe can stand for: `key` is that of --set, or
    "pick" where a file holds several prompts."""

    def __init__(self, key: str, said: Reason) -> None:
        super().__init__(said)
        self.key = key


@dataclass(frozen=True, slots=True)
class ImportFinding:
    """One thing that the judge file says: what, its value, how sure it is, and the evidence.

    `doubt` says what speaks against a likely one, `key` which --set says it otherwise, `of` which
    criteria it is about where there are several. One without a certainty is a note.
    """

    what: str
    value: Words
    certainty: Certainty | None
    line: int = 0
    words: str = ""
    of: tuple[str, ...] = ()
    doubt: Words = ""
    key: str = ""

    @property
    def sure(self) -> bool:
        return self.certainty in {"set", "stated"}

    @property
    def remedy(self) -> str:
        return f"; --set {self.key}=…" if self.key else ""

    def document(self) -> dict[str, object]:
        """As JSON gives it."""
        return {
            "what": self.what,
            "value": str(self.value),
            "certainty": self.certainty,
            "sure": self.sure,
            "doubt": str(self.doubt) or None,
            "set": self.key or None,
            "line": self.line or None,
            "words": self.words or None,
            "criteria": list(self.of),
        }


@dataclass(slots=True)
class ImportFindings:
    """The findings about one prompt, in the order in which they were made.

    `gap`: from which offset on how many characters were left out of the text that was read.
    """

    text: str
    all: list[ImportFinding] = field(default_factory=list)
    gap: tuple[int, int] = (0, 0)

    def read(self, what: str, value: Words, at: int, *, doubt: Words = "", key: str = "") -> None:
        """Something read from the prompt at the offset `at`; `doubt` is what speaks against it."""
        certainty: Certainty = "likely" if doubt else "stated"
        line, words = self.line_of(at), quote(self.text, self._whole(at))
        self.all.append(ImportFinding(what, value, certainty, line, words, (), doubt, key))

    def line_of(self, at: int) -> int:
        """The line of the whole prompt in which an offset lies."""
        return line_of(self.text, self._whole(at))

    def _whole(self, at: int) -> int:
        return at + (self.gap[1] if at >= self.gap[0] else 0)

    def scale(self, of: str, value: Words, at: int, doubt: Words = "") -> None:
        """The scale of a criterion; one that several share is told once."""
        for place, known in enumerate(self.all):
            if (known.what, known.value, known.doubt) == ("scale", value, doubt) and known.line:
                self.all[place] = replace(known, of=(*known.of, of))
                return
        self.read("scale", value, at, doubt=doubt, key="scale" if doubt else "")
        self.all[-1] = replace(self.all[-1], of=(of,))

    def doubt(self, what: str, said: Words, key: str, of: str = "") -> None:
        """What speaks against something that was read; a note where it was only assumed."""
        for place, known in enumerate(self.all):
            if known.what == what and known.line and (not of or of in known.of):
                said = joined(known.doubt, said)
                self.all[place] = replace(known, certainty="likely", doubt=said, key=key)
                return
        self.all.append(ImportFinding(what, said, None, key=key))

    def set(self, what: str, value: str) -> None:
        """Something that the user, or the file around the prompt, says."""
        self.all.append(ImportFinding(what, value, "set"))

    def assume(self, what: str, value: Words, key: str) -> None:
        """A safe default, since the prompt says nothing."""
        self.all.append(ImportFinding(what, value, "assumed", key=key))

    def note(self, what: str, text: Words) -> None:
        """What the user should know besides."""
        self.all.append(ImportFinding(what, text, None))

    def lines(self) -> Iterator[str]:
        """The report: what was read, then what was not, then doubts and notes."""
        several = {name for finding in self.all for name in finding.of}
        width = max((len(finding.what) for finding in self.all), default=0)
        for finding in self.all:
            if finding.certainty in {"set", "stated", "likely"}:
                about = f" ({', '.join(finding.of)})" if finding.of and len(several) > 1 else ""
                yield f"{finding.what:<{width}}  {finding.value}{about}"
                yield f"{'':<{width}}    {_source(finding)}"
        assumed = [finding for finding in self.all if finding.certainty == "assumed"]
        if assumed:
            yield "not found, so:"
            yield from (f"  {finding.what}: {finding.value}{finding.remedy}" for finding in assumed)
        rest = [finding for finding in self.all if finding.doubt or finding.certainty is None]
        if rest:
            yield "to know:"
            yield from (
                f"  {finding.what}: {finding.doubt or finding.value}{finding.remedy}"
                for finding in rest
            )


def joined(*doubts: Words) -> Words:
    """Those that there are, as one."""
    every = tuple(doubt for doubt in doubts if doubt)
    if len(every) > 1:
        return Reason("import.doubt.several", doubts=every)
    return every[0] if every else ""


def _source(finding: ImportFinding) -> str:
    if finding.certainty == "set":
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
