"""Which of a reply's statements are the judge's own, where the judged text makes the same ones.

A long repetition of a judged text is set aside before reading (`repeated.py`). A short one, such
as "Score: 5", may be a quotation or the judge's verdict. It is set aside too, and the reply read
again: a statement that the judged text does not make is the judge's own and wins. If there is none,
the short one counts where it stands in a verdict's place; and if two such remain, neither does.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from adjudge.core.score import Outcome

from .found import Found, Reading
from .quoted import blank
from .repeated import Judged, folded

# A reply that repeats more different grades than this is not disentangled.
_MOST_ROUNDS = 8
_LETTERS, _NEAR = 5, 40  # letters before a value by which a quotation is known
_LONGEST = 60  # characters of a statement that is nothing but the value
_DECORATION = " \t*_#>-•`\"'{[(<|"
# The line above announces a quotation, and not the verdict.
_ANNOUNCES = re.compile(r"[:：]\s*\Z")
_VERDICT = re.compile(
    r"\b(?:my|final|overall|verdict|scor\w+|rating|evaluation|assessment|judge?ment|result|output"
    r"|answer is as follows)\b|점수|평가|판정|평점|điểm|đánh giá|kết quả|评分|评价|得分|評価|スコア"
    r"|bewertung|urteil",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Doubt:
    """What one criterion's short repetitions say, in the order in which they were found."""

    found: list[Found] = field(default_factory=list)

    def resolved(self, text: str, *, parts: bool) -> Found:
        first = self.found[0]
        said = list(dict.fromkeys(str(each.given) for each in self.found))
        if len(said) > 1:
            why = f"{' and '.join(said)} both stand in the judged text in the same words"
            return Found(outcome=Outcome.UNREADABLE, why=why, explanation=first.explanation)
        return first if _in_a_verdict_place(text, first, parts=parts) else _unreadable(first)


def own_reading(
    text: str, judged: Judged, values: re.Pattern[str], read: Callable[[str], Reading]
) -> Reading:
    """What the judge itself says. `read` reads a text of the same length with parts blanked out."""
    masked = judged.masked(text, values)
    reading = read(masked)
    settled: dict[str, Found] = {}
    doubts: dict[str, _Doubt] = {}
    rounds = [reading]
    for _ in range(_MOST_ROUNDS):
        doubtful = {}
        for name, found in rounds[-1].scores.items():
            statement = _statement(text, found, values)
            if name in settled:
                continue
            if statement is None:
                if judged.may_hold(_mended(found)):
                    settled[name] = _unreadable(found)
                continue
            if _is_repeated(text, statement, values, judged):
                doubts.setdefault(name, _Doubt()).found.append(found)
                doubtful[name] = (statement[0], _end_of_line(text, found, statement[1]))
            else:
                settled[name] = found
        if not doubtful:
            break
        for span in doubtful.values():
            masked = blank(masked, *span)
        rounds.append(read(masked))
    if not doubts and all(settled.get(name, each) is each for name, each in reading.scores.items()):
        return reading
    several = len(reading.scores) > 1 or bool(reading.feedback)
    unsettled = {
        # A further line under the same label, whatever it says, is one too many to choose by place.
        name: doubt.resolved(text, parts=several and rounds[-1].scores[name].place is None)
        for name, doubt in doubts.items()
        if name not in settled
    }
    base = max(rounds, key=lambda each: _own_values(each, settled))
    return replace(base, scores={**reading.scores, **settled, **unsettled})


def _end_of_line(text: str, found: Found, end: int) -> int:
    """What follows a labelled value on its line is of the same statement."""
    line = text.find("\n", end)
    return end if found.form != "label" else line if line >= 0 else len(text)


def _mended(found: Found) -> str:
    """Key and value of mended JSON, whose place in the reply is not known; "" of anything else."""
    given = found.given
    if found.span is not None or given is None or found.form != "json":
        return ""
    return f"{found.key} {given:g}" if isinstance(given, float) else f"{found.key} {given}"


def _unreadable(found: Found) -> Found:
    why = f"{found.given} stands only where the reply repeats the judged text"
    return Found(outcome=Outcome.UNREADABLE, why=why, explanation=found.explanation)


def _is_repeated(
    text: str, statement: tuple[int, int], values: re.Pattern[str], judged: Judged
) -> bool:
    """Whether the judged text makes the statement, or ends in a value behind the same letters: a
    quotation may leave out what stands before those."""
    begin, end = statement
    if judged.may_hold(text[begin:end]):
        return True
    opened = text.rfind("[[", begin, end)
    if opened >= 0 and judged.may_hold(text[opened : end + 2]):
        return True
    last = max((each.start() for each in values.finditer(text, begin, end)), default=end)
    before = folded(text[max(0, last - _NEAR) : last])[-_LETTERS:]
    return len(before) == _LETTERS and judged.may_hold(before + text[last:end])


def _own_values(reading: Reading, settled: dict[str, Found]) -> int:
    return sum(reading.scores[name] is found for name, found in settled.items())


def _statement(text: str, found: Found, values: re.Pattern[str]) -> tuple[int, int] | None:
    """Where the label and the value stand; None where nothing was read, or its place unknown."""
    if found.span is None or found.given is None:
        return None
    begin, end = found.span
    start = begin if found.start is None else found.start
    if found.stop is not None:  # a sentence, whose words may go on behind the value
        return start, max(end, found.stop)
    value = values.search(text, begin, end) if start < begin else None
    return start, value.end() if value else min(end, start + _LONGEST)


def _in_a_verdict_place(text: str, found: Found, *, parts: bool) -> bool:
    """Whether it begins the first or the last line, or one among other parts, unannounced."""
    assert found.span is not None  # noqa: S101 - a doubtful one has a place
    start = found.span[0] if found.start is None else found.start
    begin = text.rfind("\n", 0, start) + 1
    if text[begin:start].strip(_DECORATION):
        return False
    before, behind = text[:begin].rstrip(), text[found.span[1] :].partition("\n")[2].strip("\n` }")
    if not before.strip("`json \n") and found.form != "json":
        return not behind[:1].islower()  # a sentence that goes on would be about a quotation
    above = before[before.rfind("\n") + 1 :]
    if _ANNOUNCES.search(above) and not _VERDICT.search(above):
        return False
    return parts or not behind
