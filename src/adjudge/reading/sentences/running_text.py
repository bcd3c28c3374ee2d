"""A reply as running text: what it quotes set aside, number words as digits, by sentences; and the
words with which a judge takes back what it has just said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..quotations import set_aside
from ..readings import ScorePlace
from ..vocabulary import NUMBER_WORDS

# Verdicts stand at the beginning or at the end; what lies between in a very long reply is not
# searched, which also bounds the time that any text can take.
_HEAD, _TAIL = 2000, 6000
# A sentence is looked at no further than this on either side of what it may state.
_REACH = 300

# Only where a grade is counted: "one" is too common a word otherwise.
_NUMERAL = re.compile(
    rf"\b(?:{'|'.join(NUMBER_WORDS)})\b(?=\s{{0,3}}(?:stars?|out of)\b|\.?\s{{0,9}}$)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"\n|[.!?](?=\s|$)|[。！？]")


@dataclass(frozen=True, slots=True)
class RunningText:
    """`text` is as long as the window of the reply it stands for; `left_out` characters of the
    reply lie between its head and its tail. `words` holds where number words end."""

    text: str
    left_out: int
    words: dict[int, int]

    def placed(self, place: ScorePlace | None) -> ScorePlace | None:
        """The place with its span in the reply."""
        if place is None or place.span is None:
            return place
        begin, end = place.span
        end, start, stop = max(end, self.words.get(begin, end)), place.start, place.stop
        if self.left_out and begin >= _HEAD:
            begin, end = begin + self.left_out, end + self.left_out
            start = None if start is None else start + self.left_out
            stop = None if stop is None else stop + self.left_out
        return place._replace(span=(begin, end), start=start, stop=stop)


def running_text(text: str) -> RunningText:
    if left_out := max(0, len(text) - _HEAD - _TAIL):
        text = f"{text[:_HEAD]}\n{text[-_TAIL + 1 :]}"
    text = set_aside(text)
    words = {match.start(): match.end() for match in _NUMERAL.finditer(text)}
    text = _NUMERAL.sub(lambda match: NUMBER_WORDS[match[0].lower()].ljust(len(match[0])), text)
    return RunningText(text, left_out, words)


def sentence_around(text: str, begin: int, end: int) -> tuple[int, int]:
    """Where the sentence begins and ends that holds these characters."""
    low, start = max(0, begin - _REACH), 0
    for match in _SENTENCE_END.finditer(text, low, begin):
        start = match.end()
    behind = _SENTENCE_END.search(text, end, end + _REACH)
    return max(low, start), behind.end() if behind else min(len(text), end + _REACH)


# At the beginning of a sentence only: "the reply actually helps" takes nothing back.
_BEGIN = r"(?:^|[\n.!?…。！？:]\s{0,3}[*_(]{0,3}|—\s?)"
_TAKEN_BACK = re.compile(
    _BEGIN + r"(?:(?:(?:but|hmm+|oh|no|okay|ok)\W{1,3})?actually,?\s(?=(?:it|this|the|i|we)\b)"
    r"|(?:(?:but|hmm+|oh|no|okay|ok)\W{1,3})?(?:wait\b(?! (?:times?|for|until|staff)\b)|actually,"
    r"|hold on\b|scratch that|on second thoughts?\b|(?:up)?on (?:further )?(?:reflection"
    r"|reconsideration)\b|let me (?:re-?\w{1,20}|correct|change|look again|think again)"
    r"|let['’]s (?:re-?\w{1,20}|look again)|i (?:take (?:it|that) back|changed? my mind"
    r"|stand corrected|misread|(?:need|have) to (?:correct|revise)|made an? (?:mistake|error))"
    r"|my mistake|sorry, i\b|(?:correction|edit|erratum|korrektur|更正|订正|訂正|정정"
    r"|đính chính)\s?[:：]|다시 (?:생각|보니)|잠깐|아니,|khoan|thực ra,|nghĩ lại|等等|等一下|不对"
    r"|不對|重新考虑|いや、|待って|moment,|halt,|nein,))",
    re.IGNORECASE,
)  # fmt: skip
# Verdicts are followed by little; no need to search a book.
_FAR_ENOUGH = 4000


def find_retraction(text: str, after: int) -> int | None:
    """Where the text, behind a verdict that ends at `after`, begins to take it back."""
    match = _TAKEN_BACK.search(text, after, after + _FAR_ENOUGH)
    return match.start() if match else None
