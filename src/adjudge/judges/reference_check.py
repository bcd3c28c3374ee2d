"""One question of one word, before all others: does the text say what its reference says?

A small model that has to weigh a rubric, write reasons and report flags overlooks a turned-around
statement. Asked for nothing but yes or no it sees it. What it said is then shown to it with the
question proper, as what code found in the two texts is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from adjudge.core.judge import Judge
from adjudge.core.prompt import Message, ReferenceCheck

from .facts import compared


class _Words(NamedTuple):
    yes: str
    no: str


# In English for every judge, whatever its language.
_ASKED = {
    "reference": (
        "You check answers against a reference.",
        "Does the {judged} say the same as the reference {judged}? Reply with yes or no.",
    ),
    "source": (
        "You check a text against its source.",
        "Does what the {judged} says agree with the source? Reply with yes or no.",
    ),
}
_WORDS = {
    "en": _Words(
        "In meaning, {judged} agrees with {against}.",
        "In meaning, {judged} does not agree with {against}: that is a serious error.",
    ),
    "ko": _Words(
        "의미를 비교하면 {judged}의 내용이 {against}의 내용과 같습니다.",
        "의미를 비교하면 {judged}의 내용이 {against}의 내용과 다릅니다."
        " 이것은 중대한 오류(serious error)입니다.",
    ),
    "vi": _Words(
        "Xét về ý, {judged} khớp với {against}.",
        "Xét về ý, {judged} không khớp với {against}: đó là sai nghiêm trọng (serious error).",
    ),
}


def check(
    judge: Judge, texts: Mapping[str, str], shown: Mapping[str, str], notice: str, *, error: bool
) -> ReferenceCheck | None:
    """The question for these texts; None where there is no reference to compare with.

    `shown` are the texts as a prompt may hold them, `notice` is what it says about their fences.
    After an `error` that code has found a yes is not shown: the model would believe itself.
    """
    names = compared(judge, texts)
    if names is None:
        return None
    inputs = [f"{spec.title}:\n{shown[name]}" for name, spec in judge.inputs.items() if texts[name]]
    role, question = _ASKED[names.against]
    question = question.format(judged=names.judged.replace("_", " "))
    titles = {name: judge.inputs[key].title for name, key in names._asdict().items()}
    words = _WORDS.get(judge.wording.language, _WORDS["en"])
    return ReferenceCheck(
        (
            Message("system", f"{role}\n\n{notice}"),
            Message("user", "\n\n".join([*inputs, question])),
        ),
        "" if error else words.yes.format(**titles),
        words.no.format(**titles),
    )
