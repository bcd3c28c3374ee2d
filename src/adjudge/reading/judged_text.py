"""What a reply repeats of the texts that it is about, and which statements are the judge's own.

A judged text may hold grades of its own, and an honest judge quotes them: in quotation marks, in
code, translated into a table, or bare. The texts are at hand, so what repeats them is known
whatever marks stand around it, and is not the judge's own word.

A long repetition is set aside before reading. A short one, such as "Score: 5", may be a quotation
or the judge's verdict. It is set aside too, and the reply read again: a statement that the judged
text does not make is the judge's own and wins. If there is none, the short one counts where it
stands in a verdict's place; and if two such remain, neither does.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.scale import NO_WORDS, YES_WORDS, Binary, Category, Ordinal, Scale

from .quotations import blank
from .readings import CriterionReading, Reading, Span, unreadable
from .vocabulary import NUMBER_WORDS, one_of, option_names

# Letters and digits that a run must have to be a repetition beyond doubt. What is shorter but holds
# a label and a value ("Score: 5") may be the judge's own as well; see `JudgedTexts.may_hold`.
_LONG = 16
# On one side of its value a long run has at least this many.
_BESIDE = (_LONG - 2) // 2
# Of a reply made of values the last ones are looked at; of a text made of one phrase, this many of
# its places, each this far.
_MOST_VALUES, _MOST_PLACES, _FAR = 2000, 50, 4000

_ESCAPED = re.compile(r"\\[nrt]")
_STARS = "★☆⭐🌟✩"
# Between two digits, so that "4. 5 errors" is not 45. A letter, or it would itself be left out.
_GAP = "ǀ"
_BETWEEN_DIGITS = re.compile(rf"(?<=\d)[^\w{_STARS}]+(?=\d)")
_LEFT_OUT = re.compile(rf"[^\w{_STARS}]+|_+")


# Letters that change when a text is put into capitals and back, or that are no base with a mark.
_ALIKE_SIGNS = str.maketrans("ıİđĐ", "iIdD")


def folded(text: str) -> str:
    """Letters, digits and stars alone, without case, accents and the widths of East Asian signs."""
    if "\\" in text:
        text = _ESCAPED.sub("  ", text)
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text).translate(_ALIKE_SIGNS)
    return _LEFT_OUT.sub("", _BETWEEN_DIGITS.sub(_GAP, text.casefold()))


_folded_sign = lru_cache(maxsize=4096)(folded)


def _folded_with_places(text: str) -> tuple[str, list[int]]:
    """The same, with the place in the text that each sign of it comes from."""
    text = _ESCAPED.sub("  ", text) if "\\" in text else text
    text = _BETWEEN_DIGITS.sub(lambda match: _GAP.ljust(len(match[0])), text)
    places = [at for at, sign in enumerate(text) if sign.isalnum() or sign in _STARS]
    if text.replace(_GAP, "").isascii():
        return "".join([text[at] for at in places]).lower(), places
    folds = [_folded_sign(text[at]) for at in places]
    return "".join(folds), [at for at, fold in zip(places, folds, strict=True) for _ in fold]


class JudgedTexts:
    """The texts that a reply is about, ready to be compared with it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [folded(text) for text in texts if text]
        self._spaceless = ["".join(text.split()).casefold() for text in texts if "[" in text]

    def may_hold(self, statement: str) -> bool:
        """Whether one of the texts holds all of this, by its letters and digits.

        Double brackets carry a value without any: they are compared to the letter.
        """
        if statement.lstrip().startswith("[["):
            bare = "".join(statement.split()).casefold()
            return any(bare in text for text in self._spaceless)
        bare = folded(statement)
        return len(bare) > 1 and any(True for text in self._texts for _ in _places_of(bare, text))

    def masked(self, text: str, values: re.Pattern[str]) -> str:
        """The text with every run blanked out that repeats one of the texts and holds a value.

        A run is blanked up to its last value: behind that the judge's own words may begin as the
        judged text goes on.
        """
        if not self._texts:
            return text
        anchors = [match.span() for match in values.finditer(text)][-_MOST_VALUES:]
        signs, places = _folded_with_places(text)
        spans = [(bisect_left(places, begin), bisect_left(places, end)) for begin, end in anchors]
        near = [span for span in spans if span[0] < span[1] and self._may_be_in_run(signs, span)]
        marked = list(text) if near else []
        for run_begin, end in self._runs(signs, near):
            begin = _without_a_tail(text, places, run_begin)
            if end - begin < _LONG:
                continue
            last = max((e for b, e in spans if begin <= b and e <= end), default=begin)
            for at in range(places[begin], places[last - 1] + 1):
                if marked[at] != "\n":
                    marked[at] = " "
        return "".join(marked) if near else text

    def _may_be_in_run(self, signs: str, span: Span) -> bool:
        """Quickly, whether the value could stand in a long run."""
        begin, end = span
        probes = [signs[begin - _BESIDE : end]] if begin >= _BESIDE else []
        probes += [signs[begin : end + _BESIDE]] if end + _BESIDE <= len(signs) else []
        return any(probe in text for probe in probes for text in self._texts)

    def _runs(self, signs: str, values: Sequence[Span]) -> list[Span]:
        """Around each value the longest run that stands in one of the texts, where it is long."""
        runs: list[Span] = []
        for value in values:
            if runs and value[1] <= runs[-1][1]:
                continue  # in the run that was found last
            runs_here = [
                _matching_run(signs, value, text, at)
                for text in self._texts
                for at in _places_of(signs[slice(*value)], text)
            ]
            longest = max(runs_here, key=lambda run: run[1] - run[0], default=(0, 0))
            if longest[1] - longest[0] >= _LONG:
                runs.append(longest)
        return runs


def _without_a_tail(text: str, places: list[int], begin: int) -> int:
    """Where a run begins if not with the few last signs of a line, which may be the judge's own:
    "Score: 2/5" above a quotation of "… 5 and so on"."""
    start = places[begin]
    line = text.rfind("\n", 0, start) + 1
    end = text.find("\n", start)
    if end < 0 or not text[line:start].strip():
        return begin
    behind = bisect_left(places, end)
    return behind if behind - begin < _LONG // 2 else begin


def _places_of(wanted: str, text: str) -> Iterator[int]:
    """Where the text holds this, and not as part of a longer number."""
    at = text.find(wanted)
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        if _whole_number(text, at, at + len(wanted)):
            yield at
        at = text.find(wanted, at + 1)


def _whole_number(text: str, begin: int, end: int) -> bool:
    before = begin and text[begin].isdigit() and text[begin - 1].isdigit()
    behind = end < len(text) and text[end - 1].isdigit() and text[end].isdigit()
    return not before and not behind


def _matching_run(signs: str, value: Span, text: str, at: int) -> Span:
    """The value in the signs, which is in the text too, with what is the same around it."""
    begin, end = value
    back = _common_length(
        signs[max(0, begin - _FAR) : begin][::-1], text[max(0, at - _FAR) : at][::-1]
    )
    on = _common_length(signs[end : end + _FAR], text[at + end - begin : at + end - begin + _FAR])
    return begin - back, end + on


def _common_length(one: str, other: str) -> int:
    """How many signs both begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@lru_cache(maxsize=64)  # the repeats and the criteria of an item come one after the other
def judged_texts(texts: tuple[str, ...]) -> JudgedTexts:
    return JudgedTexts(texts)


def values_of(judge: Judge, criteria: tuple[str, ...]) -> re.Pattern[str]:
    """Whatever could be a value of these criteria."""
    words: frozenset[str] = frozenset()
    for name in criteria:
        words |= _words(judge.rubric.criteria[name].scale)
    return _pattern(words)


def _words(scale: Scale) -> frozenset[str]:
    if isinstance(scale, Category):
        return frozenset({*scale.options, *option_names(scale.options)})
    if isinstance(scale, Binary):
        return YES_WORDS | NO_WORDS
    labels = [level.label for level in scale.levels.values()] if isinstance(scale, Ordinal) else ()
    return frozenset({*NUMBER_WORDS, *labels})


@lru_cache(maxsize=64)
def _pattern(words: frozenset[str]) -> re.Pattern[str]:
    return re.compile(
        rf"\d+(?:[.,]\d+)?|[{_STARS}]+|[〇一二三四五六七八九十]"
        + (rf"|(?<![^\W\d_])(?:{one_of(words)})(?![^\W\d_])" if words else ""),
        re.IGNORECASE,
    )


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


def read_own_words(
    text: str, judged: JudgedTexts, values: re.Pattern[str], read: Callable[[str], Reading]
) -> Reading:
    """What the judge itself says. `read` reads a text of the same length with parts blanked out."""
    masked = judged.masked(text, values)
    reading = read(masked)
    settled: dict[str, CriterionReading] = {}
    doubts: dict[str, list[CriterionReading]] = {}
    rounds = [reading]
    for _ in range(_MOST_ROUNDS):
        doubtful = {}
        for name, score in rounds[-1].scores.items():
            statement = _statement(text, score, values)
            if name in settled:
                continue
            if statement is None:
                if judged.may_hold(_repaired(score)):
                    settled[name] = _only_repeated(score)
                continue
            if _is_repeated(text, statement, values, judged):
                doubts.setdefault(name, []).append(score)
                doubtful[name] = (statement[0], _end_of_line(text, score, statement[1]))
            else:
                settled[name] = score
        if not doubtful:
            break
        for span in doubtful.values():
            masked = blank(masked, *span)
        rounds.append(read(masked))
    if not doubts and all(
        settled.get(name, score) is score for name, score in reading.scores.items()
    ):
        return reading
    several = len(reading.scores) > 1 or bool(reading.feedback)
    unsettled = {
        # A further line under the same label, whatever it says, is one too many to choose by place.
        name: _resolved(text, doubt, parts=several and rounds[-1].scores[name].place is None)
        for name, doubt in doubts.items()
        if name not in settled
    }
    base = max(rounds, key=lambda read: sum(read.scores[name] is settled[name] for name in settled))
    return replace(base, scores={**reading.scores, **settled, **unsettled})


def _resolved(text: str, repeated: Sequence[CriterionReading], *, parts: bool) -> CriterionReading:
    """What short repetitions say of one criterion, in the order in which they were found."""
    first = repeated[0]
    values = list(dict.fromkeys(str(reading.raw) for reading in repeated))
    if len(values) > 1:
        why = Reason("reply.repeated_values", first=values[0], others=tuple(values[1:]))
        return unreadable(why, first.explanation)
    return first if _in_a_verdict_place(text, first, parts=parts) else _only_repeated(first)


def _end_of_line(text: str, score: CriterionReading, end: int) -> int:
    """What follows a labelled value on its line is of the same statement."""
    line = text.find("\n", end)
    return end if score.form != "label" else line if line >= 0 else len(text)


def _repaired(score: CriterionReading) -> str:
    """Key and value of repaired JSON, whose place in the reply is unknown; else ""."""
    raw = score.raw
    if score.span is not None or raw is None or score.form != "json":
        return ""
    return f"{score.key} {raw:g}" if isinstance(raw, float) else f"{score.key} {raw}"


def _only_repeated(score: CriterionReading) -> CriterionReading:
    return unreadable(Reason("reply.only_repeated", value=score.raw), score.explanation)


def _is_repeated(text: str, statement: Span, values: re.Pattern[str], judged: JudgedTexts) -> bool:
    """Whether the judged text makes the statement, or ends in a value behind the same letters: a
    quotation may leave out what stands before those."""
    begin, end = statement
    if judged.may_hold(text[begin:end]):
        return True
    opened = text.rfind("[[", begin, end)
    if opened >= 0 and judged.may_hold(text[opened : end + 2]):
        return True
    last = max((match.start() for match in values.finditer(text, begin, end)), default=end)
    before = folded(text[max(0, last - _NEAR) : last])[-_LETTERS:]
    return len(before) == _LETTERS and judged.may_hold(before + text[last:end])


def _statement(text: str, score: CriterionReading, values: re.Pattern[str]) -> Span | None:
    """Where the label and the value stand; None where nothing was read, or its place unknown."""
    if score.span is None or score.raw is None:
        return None
    begin, end = score.span
    start = begin if score.start is None else score.start
    if score.stop is not None:  # a sentence, whose words may go on behind the value
        return start, max(end, score.stop)
    value = values.search(text, begin, end) if start < begin else None
    return start, value.end() if value else min(end, start + _LONGEST)


def _in_a_verdict_place(text: str, score: CriterionReading, *, parts: bool) -> bool:
    """Whether it begins the first or the last line, or one among other parts, unannounced."""
    assert score.span is not None  # noqa: S101 - a doubtful one has a place
    start = score.span[0] if score.start is None else score.start
    begin = text.rfind("\n", 0, start) + 1
    if text[begin:start].strip(_DECORATION):
        return False
    before, behind = text[:begin].rstrip(), text[score.span[1] :].partition("\n")[2].strip("\n` }")
    if not before.strip("`json \n") and score.form != "json":
        return not behind[:1].islower()  # a sentence that goes on would be about a quotation
    above = before[before.rfind("\n") + 1 :]
    if _ANNOUNCES.search(above) and not _VERDICT.search(above):
        return False
    return parts or not behind
