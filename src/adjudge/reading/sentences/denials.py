"""What makes a sentence with a grade in it no statement of that grade.

It denies, supposes, asks, defines, bounds or counts, or the grade is somebody else's.
"""

from __future__ import annotations

import re

from ..vocabulary import ANOTHER_ASPECT, GRADING

_RANGE_BEHIND = re.compile(
    r"[\])]{0,2}\s{0,3}(?:점|点|分)?\s{0,3}(?:[,;&]\s{0,3}\[{0,2}(?:(?:maybe|perhaps|possibly|or"
    r"|and)\s)?|-|–|—|~|〜|to\s|or\s|and\s|đến\s|hoặc\s|und\s|bis\s|から|至|到|和|与|と|부터|에서"
    r"|과|와)\s{0,3}(?:an?\s)?\d"
)
_RANGE_BEFORE = re.compile(
    r"\d\s{0,3}(?:점|点|分)?\s?(?:-|–|—|~|〜|to|or|and|/|đến|hoặc|und|bis|から|至|到|和|与|と|과"
    r"|와)\s{0,3}(?:an?\s)?[*_\[(]{0,3}\Z"
)
# In the clause that states it: denied, demanded, or claimed by the judged text.
_IN_CLAUSE = re.compile(
    r"\b(?:asks?|asked|claims?|claimed|demands?|requests?|insists?|wants?|considered)\b"
    r"|\b(?:perfect|ideal|better) (?:answer|response|reply|summary|text|one)\b"
    r"(?! with an? (?:score|rating|grade) of [*\[]{0,4}\d{1,3}(?:\.\d)?[*\]]{0,4}\.?\s{0,3}"
    r"(?:\n|\Z))"
    r"|\b(?:yêu cầu|đòi|tự nhận|tự cho)\b|달라고|요구|주장|\b(?:kein\w{0,2}|nicht)\b"
    r"|\b(?:could|might|may)\s(?:\w{1,15}\s){0,2}(?:be|get|earn|score|receive|deserve|reach"
    r"|merit)\b|(?:\b(?:not|never|cannot)|n['’]t)\s{1,3}(?:\w{1,20}\s{1,3}){0,4}?(?:an?\s{1,3})?"
    r"(?:score|rating|give|deserve|be)?\s{0,3}(?:of\s{1,3})?(?:an?\s{1,3})?\d",
    re.IGNORECASE,
)
_NOUN = r"(?:answer|response|reply|summary|text|version|essay|translation|explanation|output)s?"
_PERSON = (
    r"(?:colleague|reviewer|annotator|user|customer|author|critic|teacher|peer|evaluator|judge"
    r"|people|readers?|others?|someone|somebody|another|he|she|they|writer|student|model|assistant"
    r"|human)s?"
)
_GAVE = r"(?:gave|gives?|rated|rates|graded|grades|awarded|awards|assigned|assigns)"
# In any part of the sentence: a condition, a definition, what is true of others.
_IN_SENTENCE = re.compile(
    r"\b(?:to (?:get|earn|receive|deserve|reach|merit|make it an?)|previous|another judge"
    r"|fail(?:s|ed)? to (?:get|earn|receive|deserve|reach|merit|warrant))\b"
    rf"|(?<!is )(?<!was )(?<!as )\b(?:an?|any|another|some)\s(?:[\w-]{{1,20}}\s){{0,3}}{_NOUN}\b"
    r"(?:\s[\w'’-]{1,20}){0,8}?\s(?:would|could|might|deserves?|gets?|earns?|receives?|scores?)\b"
    r"|\b(?:an?|the) (?:score|rating|grade) of \S{1,5} (?:means|indicates?|represents?|denotes?"
    r"|signif\w{1,5}|stands for|requires?|would|is (?:for|reserved|defined|used|described)"
    r"|is (?:given|assigned|awarded) (?:to (?:an?\b|those|responses|answers|texts)|when|if|only))"
    r"|(?<!both )\b(?:answers|responses|replies|summaries|texts|outputs"
    r"|essays)\b(?:\s[\w'’-]{1,20}){0,6}?\s(?:would|get|deserve|earn|receive|score|merit)\b",
    re.IGNORECASE,
)
# Somebody else's grade, unless the clause goes on with the judge's own.
_OTHERS = re.compile(
    rf"\b(?:my|the|a|an|our|other|another|some|most|many|one"
    rf"|previous)\s(?:\w{{1,15}}\s){{0,2}}{_PERSON}\s(?:(?!(?:is|was|are|were|be"
    rf"|been)\b)\w{{1,12}}\s){{0,2}}{_GAVE}\b|\b(?:he|she|they|others|someone|somebody"
    rf"|people)\s(?:\w{{1,12}}\s)?(?:{_GAVE}|scored)\b"
    rf"|\bby (?:the|my|our|an?|other|another|some)\s(?:\w{{1,15}}\s){{0,2}}{_PERSON}\b"
    r"|(?<![\w'’])(?!(?:i|we|would|will|shall|can|should|and|then|therefore|also|so|thus|hence|to"
    r"|which|this|that|finally|overall|ultimately|have|has|had|be|been|was"
    r"|is)\b)[\w-]{1,20}\s(?:gave|gives|awards|awarded|(?:would|might|could|will) (?:give|rate"
    r"|award|grade|assign))\s(?:it|this|the|that|an?)\b",
    re.IGNORECASE,
)
_OWN = re.compile(
    r"\b(?:i|we|my (?:own )?(?:score|rating|grade|verdict|judge?ment|assessment|evaluation))\b",
    re.IGNORECASE,
)
# Right in front of the number: a bound, or something that falls short of it.
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:almost|nearly|close to|short of|(?:less|more|higher|lower|greater|better|worse"
    r"|other) than|over|under|above|below|at least|at most|up to|beyond|maximum(?: of)?"
    r"|minimum(?: of)?|not|than|from|instead of|borderline|between|zwischen|giữa|gần|hơn|dưới"
    r"|tối đa|ít nhất|mehr als|weniger als|fast|mindestens|höchstens)\b|(?:최대|최소|最多|至少"
    r"|不到)(?:给|得|打|能给)?|만점(?:에서|에|\s?중에?)|満点(?:中|で|の)"
    r"|满分\d{1,4}分?[,，]?得?)\s{0,3}(?:(?:an?|the|eine?)\s{1,3})?(?:(?:score|rating"
    r"|grade) (?:of )?)?[*_\[(]{0,4}\Z|[<>≤≥]\s?\Z",
    re.IGNORECASE,
)
_DENIED_BEHIND = re.compile(
    r"\s?(?:점|点|分)?\s?(?:은|이|을|를|까지는|は|では|を|が)?\s?(?:→|⟶|->|=>|➜|아니|아닌|줄 수 없"
    r"|주기(?:는|에는)? (?:어렵|힘들)|드릴 수 없|못|미만|이하|이상|초과|では(?:ない|あり)|は与え"
    r"|未満|以上|以下|以上|不行)"
)
# "gets 3 details wrong": a number in front of a noun counts something.
_COUNT_BEHIND = re.compile(
    r"[*_)\]]{0,3}\s{1,3}(?!(?:stars?|points?|marks?|out|of|for|in|on|because|as|and|but|since|due"
    r"|overall|with|from|based|given|while|though|although|rather|here|instead|at|which|that|if"
    r"|where|when|considering|to|by|according|not|only|is|was|than|so|rating|score|grade|under|per"
    r"|regarding|or|despite|however|this|it|the|their|reflecting|indicating|reason|explanation|von"
    r"|für|trên|điểm|punkten?|punkte|sternen?|sur|sobre|de|em|puntos?|pontos?|pour|por|porque|car"
    r"|weil|after|before|feels|seems|would|vì|nhưng)\b)[a-zäöüß]{2,}"
)


def states_nothing(
    text: str, match: re.Match[str], begin: int, end: int, *, in_between: bool = False
) -> bool:
    """Whether the sentence from `begin` to `end` does not state the grade matched in it."""
    sentence = text[begin:end]
    if sentence.rstrip().endswith(("?", "？")) or _IN_SENTENCE.search(sentence):
        return True
    if in_between and not GRADING.search(sentence):
        return True
    if _beside_the_number(text, match, begin, in_between=in_between):
        return True
    clause = re.split(r"[;,，]\s?", sentence[: match.end() - begin])[-1]
    if _OTHERS.search(sentence) and not _OWN.search(clause):
        return True
    return bool(_IN_CLAUSE.search(clause + text[match.end() : min(end, match.end() + 40)]))


def _beside_the_number(text: str, match: re.Match[str], begin: int, *, in_between: bool) -> bool:
    """Whether what stands next to the number makes it a bound, a count or one of several."""
    before, after = match.span("value")
    if _BOUND_BEFORE.search(text, max(begin, before - 40), before):
        return True
    behind = [_DENIED_BEHIND, _COUNT_BEHIND, ANOTHER_ASPECT]
    if not in_between:
        behind.append(_RANGE_BEHIND)
        if _RANGE_BEFORE.search(text, max(0, before - 16), before):
            return True
    return any(pattern.match(text, after) for pattern in behind)
