"""What code can tell about two texts: numbers and names in which they differ.

A small model overlooks that 10.000 became 13.000. Shown the two side by side it does not. What the
difference means is left to the model: figures that a text adds may be right, and a name may be left
out with good reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from adjudge.core.judge import Judge

from .quantities import differences, quantities

_MOST = 5  # lines; more would drown the texts
# A judged text is compared with the first of these inputs that there is.
_AGAINST = ("reference", "source")
# A capital inside a sentence. Only names of the trusted text are shown: a judged text could put
# words that look like a name into the mouth of the code.
_NAME = re.compile(
    r"(?<![.!?:\n\"“(] )(?<!^)(?<!\w)[A-ZÀ-ÖØ-ÞĐ][\w’'-]+(?: [A-ZÀ-ÖØ-ÞĐ][\w’'-]+){0,3}"
)
_MANY_NAMES = 0.25  # of all words: a language that writes nouns with a capital


class _Words(NamedTuple):
    intro: str
    instead: str
    renamed: str
    missing: str
    added: str
    same: str


_WORDS = {
    "en": _Words(
        "A program compared the numbers and names of the two texts:",
        "{against} says “{one}”, {judged} says “{other}”: a different number is a serious error.",
        "{against} says “{one}”, {judged} has another name there: a wrong name is a serious error.",
        "{against} says “{one}”, which is missing from {judged}.",
        "{judged} says “{other}”, which is not in {against}.",
        "Every number of {against} is also in {judged}.",
    ),
    "ko": _Words(
        "프로그램으로 두 글의 숫자와 이름을 비교한 결과입니다.",
        "{against}: “{one}”, {judged}: “{other}”. 숫자가 다르면 중대한 오류(serious error)입니다.",
        "{against}: “{one}”, {judged}: 다른 이름. 이름이 틀리면 중대한 오류(serious error)입니다.",
        "{against}에 있는 “{one}” 내용이 {judged}에는 없습니다.",
        "{judged}에 있는 “{other}” 내용이 {against}에는 없습니다.",
        "{against}에 있는 숫자가 {judged}에도 모두 있습니다.",
    ),
    "vi": _Words(
        "Chương trình đã đối chiếu con số và tên riêng của hai văn bản:",
        "{against} ghi “{one}”, {judged} ghi “{other}”: con số khác nhau là sai nghiêm trọng"
        " (serious error).",
        "{against} ghi “{one}”, {judged} lại ghi tên khác: sai tên là sai nghiêm trọng"
        " (serious error).",
        "{against} ghi “{one}”, nhưng {judged} không nhắc đến.",
        "{judged} ghi “{other}”, nhưng {against} không có.",
        "Mọi con số trong {against} đều có trong {judged}.",
    ),
}


def facts(judge: Judge, texts: Mapping[str, str]) -> str:
    """Lines for the prompt, in its language; "" where there is nothing to compare or to tell.

    One judged text is compared with the input `reference`, or else with `source`. Figures that a
    text adds count against a source alone, and only where no other input has them.
    """
    against = next((name for name in _AGAINST if name in judge.inputs), None)
    if against is None or len(judge.judged) != 1 or judge.verbatim:
        return ""
    (judged,) = judge.judged
    if not texts[against].strip() or not texts[judged].strip():
        return ""
    words = _WORDS.get(judge.wording.language, _WORDS["en"])
    titles = {"against": judge.inputs[against].title, "judged": judge.inputs[judged].title}
    also = "\n".join(text for name, text in texts.items() if name not in (judged, against))
    find = _against_source if against == "source" else _against_reference
    lines = list(find(words, texts[against], texts[judged], also))[:_MOST]
    if not lines and against == "source":  # a summary may leave out, and must not add
        titles = {"against": titles["judged"], "judged": titles["against"]}
        against = judged
    if not lines and quantities(texts[against]):
        lines = [words.same]
    said = [f"- {line.format(**titles)}" for line in lines]
    return "\n".join([words.intro, *said]) if said else ""


def _against_reference(words: _Words, reference: str, answer: str, also: str) -> Iterator[str]:
    lacking = []
    for one, instead in differences(quantities(reference), quantities(answer), quantities(also)):
        if instead is None:
            lacking.append(one.text)
        else:
            yield _filled(words.instead, one=one.text, other=instead.text)
    names = _without(_names(reference), answer)
    # How many names the answer has of its own, not which: see _NAME.
    others = len(_without(_names(answer), f"{reference}\n{also}"))
    yield from (_filled(words.renamed, one=name) for name in names[:others])
    yield from (_filled(words.missing, one=each) for each in (*lacking, *names[others:]))


def _without(names: list[str], text: str) -> list[str]:
    said = text.casefold()
    return [name for name in names if name.casefold() not in said]


def _against_source(words: _Words, source: str, text: str, also: str) -> Iterator[str]:
    known = quantities(source) + quantities(also)
    for added in quantities(text):
        if not any(added.same(each) for each in known):
            yield _filled(words.added, other=added.text)


def _filled(words: str, **values: str) -> str:
    for name, value in values.items():
        words = words.replace(f"{{{name}}}", value.replace("{", "").replace("}", ""))
    return words


def _names(text: str) -> list[str]:
    names = _NAME.findall(text)
    if len(names) > _MANY_NAMES * len(text.split()):
        return []
    return [name for name in dict.fromkeys(names) if not quantities(name)]
