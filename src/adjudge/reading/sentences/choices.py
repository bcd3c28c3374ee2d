"""Sentences that choose one of several options: "Output (a) is better", "it's a tie"."""

from __future__ import annotations

import re
from functools import lru_cache

from adjudge.core.reason import Reason
from adjudge.core.scale import Category, folded

from ..readings import ScorePlace, place_of
from ..vocabulary import option_names, tie_option
from .comparisons import find_comparison
from .running_text import find_retraction, sentence_around

_NOUN = (
    r"(?:outputs?|assistants?|answers?|responses?|options?|models?|candidates?|systems?|summar(?:y"
    r"|ies)|texts?|feedback|critique|story|essay|review|translation|completion|generation|reply"
    r"|version|passage|caption|agent|chatbot|ai|solution|assistent|antwort|réponse|respuesta"
    r"|resposta|asistente|câu trả lời|trợ lý)"
)
_BETTER = (
    r"(?:better(?! known)|best(?! known)|preferable|preferred|superior|stronger|strongest"
    r"|the (?:clear )?winner|the (?:\w{1,20} ){0,2}(?:better|best|superior|preferred|stronger)\b)"
)
_ADVERBS = (
    r"(?:\s{1,3}(?:clearly|slightly|overall|definitely|much|far|generally|therefore|also|thus"
    r"|significantly|marginally|somewhat|noticeably|considerably|substantially|arguably|likely"
    r"|still|actually|probably|even|a bit|a little|by far)){0,4}"
)
_OPEN, _CLOSE = r"[(\[*_'\"]{0,4}", r"[)\]*_'\"]{0,4}"
# Not a choice: denied, conditional, or said to be the view of others. In the clause.
_NO_CHOICE = re.compile(
    r"n['’]t\b|\b(?:not|neither|nor|if|unless|whether|hard to say|(?:some|one|many|others|people"
    r"|you) (?:would|might|may|could) (?:say|argue|think)"
    r"|at first|no means|hardly|(?:correct|right|reference|true|actual|expected) (?:answer|option"
    r"|choice)|nicht|kein\w{0,2}|weder|wenn|không|chưa|nếu)\b|만약|않|아니",
    re.IGNORECASE,
)
# "If a restart is meant, B wins"; "Worse answer: A"
_IF = re.compile(
    r"\s*(?:if(?! i (?:had|have|were))|unless|wenn|falls|nếu|만약|如果|もし)\b", re.IGNORECASE
)
_WORSE = re.compile(r"\b(?:worse|worst|weaker|losing|inferior|rejected)\s\Z", re.IGNORECASE)
_DENIED_BEHIND = re.compile(
    r"\s(?:if|unless|had|were)\b|\s?(?:or\b|/)|\s?(?:지|다고)?\s?(?:않|보기 어렵|할 수 없)"
    r"|(?:と)?は言え|わけではな"
)
# "better in tone": better in one respect
_IN_ONE_RESPECT = re.compile(
    r"\s{1,3}(?:in(?! (?:general|total|all|every|this case|my (?:view|opinion))\b)|at|on|regarding"
    r"|when it comes|with (?:respect|regard)|for its)\b",
    re.IGNORECASE,
)
_CONCLUDES = (
    r"(?:therefore|thus|overall|hence|consequently|in conclusion|in summary|to conclude|all in all"
    r"|ultimately|as a result|for these reasons|considering [^,.\n]{1,80}|based on [^,.\n]{1,80})"
)
_GOOD = (
    r"(?:relevant|accurate(?:ly)?|comprehensive(?:ly)?|detailed|complete(?:ly)?|helpful"
    r"|effective(?:ly)?|informative|granular|useful|thorough(?:ly)?|insightful|coherent"
    r"|appropriate|precise(?:ly)?|faithful(?:ly)?|correct|suitable|reliable|convincing|nuanced"
    r"|closely|directly|clearly|aligned)"
)
_WEIGHED = re.compile(
    r"n['’]t\b|\b(?:not|neither|nor|less|fewer|but|however|although|though|while|both|equally|if"
    r"|unless)\b",
    re.IGNORECASE,
)
_TIE = re.compile(
    r"\b(?:it(?:['’]s| is| would be)|this is|that(?:['’]s| is)|(?:call|declare|consider|rate"
    r"|judge) (?:it|this)|(?:result|verdict|outcome|decision|judge?ment|choice) is|(?:ends?"
    r"|results?|resulting) in|conclude with)\s{1,3}[*_]{0,2}(?:an? )?[*_]{0,2}(?P<value>tie"
    r"|draw)\b(?!-| ?breaker)"
    r"|\bare (?P<tied>tied)\b(?! (?:to|up|together))"
    r"|(?P<other>무승부|비겼|비긴|동점)(?:로|입|이|습|다)|(?P<zh>平局|平手|引き分け)|\b(?:là"
    r"|kết quả) (?P<vi>hòa)\b"
    r"|\b(?P<de>unentschieden|gleichstand)\b",
    re.IGNORECASE,
)


def find_choice(scale: Category, text: str) -> ScorePlace | None:
    """The option that is called the better one, or preferred; the last one that is."""
    ties = _ties(scale, text)
    choices = [*_preferred(scale, text), *_compared(scale, text), *ties]
    if not choices:
        ways = (_opening, _concluded, _equal, _called)
        return next((place for way in ways if (place := way(scale, text))), None)
    # Of several that begin at one place the last, as in a sorted list.
    last = max(reversed(choices), key=lambda place: place.start or 0)
    end = last.stop or 0
    if find_retraction(text, end) is not None:
        return None
    partial = last not in ties and _IN_ONE_RESPECT.match(text, end)
    if partial and any(place.raw != last.raw for place in choices):
        return None  # each is better in something
    return last


@lru_cache(maxsize=64)
def _patterns(options: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    names = _spelled(options)
    value = rf"(?P<value>{'|'.join(map(re.escape, names))})"
    name = rf"{_NOUN}\s{{0,3}}{_OPEN}{value}\b{_CLOSE}"
    is_ = (
        r"(?:is|was|wins as|would be|appears to be|appears|seems to be|seems|emerges as"
        r"|stands out as|ist)"
    )
    own = r"(?:['’]s\s{1,3}(?:answer|response|output|reply))?"
    # A letter without a noun counts as it is written: "a" is an article, and "A" begins sentences.
    signs = [word for word in names if len(word) == 1 and (word.isupper() or word.isdigit())]
    words = [word for word in names if len(word) > 1]
    sign = rf"(?-i:{'|'.join(signs) or '(?!)'})"
    bare = rf"(?P<value>{'|'.join([sign, *map(re.escape, words)])})"
    begins = (
        r"(?:^|(?<=[.!?,:;\n]\s)|(?<=\bthat )|(?<=\bso )|(?<=\bbut )|(?<=\bthink )"
        r"|(?<=\btherefore )|(?<=\bthus )|(?<=\bhence )|(?<=\boverall ))"
    )
    alone = rf"{begins}[*_\[(]{{0,4}}(?P<value>{sign})[*_\])]{{0,4}}"
    verdict = r"\b(?:verdict|judge?ment|decision|winner|choice|answer:|(?:final|my) answer)"
    is_or_colon = r"\s{0,3}(?:is\s?:?|:|(?<=:))\s{0,3}"
    patterns = (
        rf"{name}{own}{_ADVERBS}\s{{1,3}}{is_}{_ADVERBS}\s{{1,3}}(?:{_BETTER}|besser)",
        (
            r"\b(?:prefer|choose|select|pick|favou?r|go with|bevorzuge|wähle|chọn)"
            rf"\s{{1,3}}(?:the\s{{1,3}}|die\s{{1,3}})?{name}"
        ),
        (
            r"\b(?:better|best|preferred|superior|stronger)"
            r"\s{1,3}(?:one|output|answer|response|option|assistant)?\s{0,3}(?:is|would be|:)"
            rf"\s{{0,3}}[*_]{{0,3}}{name}"
        ),
        (
            r"\b(?:better|best|preferred|superior|stronger|winning)"
            r"\s{1,3}(?:one|output|answer|response|option|assistant|choice|model|candidate)"
            rf"\s{{0,3}}(?:is\s?:?|would be|:)\s{{0,3}}[*_(\[\"]{{0,4}}{bare}\b"
        ),
        (
            r"\b(?:prefer|choose|select|pick|favou?r|go with|vote for)"
            rf"\s{{1,3}}[*_(\[\"]{{0,4}}{bare}\b(?!\s?,\s?[A-Z1-9]\b|\s(?:and|in terms)\b)"
        ),
        (
            rf"{name}{own}\s{{1,3}}(?:provides|gives|offers|delivers|has)\s{{1,3}}(?:an?|the)"
            r"\s{1,3}(?:\w{1,20}\s){0,2}(?:better|superior|stronger)\b"
        ),
        rf"{alone}\s(?:is|was|seems|appears to be)\s(?:\w{{1,20}}\s){{0,2}}{_BETTER}\b",
        rf"{alone}\s(?:clearly\s)?wins\b",
        rf"{name}\s{{1,3}}wins\b",
        rf"{name}\s{{1,3}}tốt hơn",
        (
            rf"{name}\s(?:est|es|é)\s(?:\w{{1,20}}\s)?(?:meilleure?|mejor|melhor|supérieure?"
            rf"|superior)\b"
        ),
        (
            rf"(?:{_NOUN}\s{{0,3}}|답변\s{{0,3}}"
            rf"|어시스턴트\s{{0,3}})?[(\[*_]{{0,4}}(?<![A-Za-z]){value}[)\]*_]{{0,4}}"
            r"\s{0,3}(?:가|이|의\s{0,3}답변이)\s{0,3}(?:훨씬|조금|약간)?\s{0,3}더\s{0,3}(?:나은"
            r"|낫|우수|좋|뛰어)"
        ),
        (
            rf"(?<!比)(?:助手|回答|答案|选项|模型)\s?{_OPEN}{value}{_CLOSE}(?:的回答)?\s?(?:更好"
            rf"|更优|更佳|更胜一筹|胜出)"
        ),
        (
            rf"(?:アシスタント|回答|モデル)\s?{_OPEN}{value}{_CLOSE}\s?(?:の回答)?(?:の方"
            rf"|のほう)が\s?(?:優れ|良|よ|より優れ)"
        ),
        rf"\[RESULT\][\s:]{{0,3}}[*_\[(]{{0,4}}(?:{_NOUN}\s{{0,3}})?{value}\b",
        rf"{verdict}{is_or_colon}[*_\[(]{{0,4}}{_NOUN}\s{{0,3}}[(\[*_]{{0,4}}{value}\b",
        rf"{verdict}{is_or_colon}[*_\[(]{{0,4}}{bare}\b",
        rf"{verdict}{is_or_colon}[*_\[(]{{0,4}}{value}(?=[)\]*_.,;]|\s*$)",
    )
    return tuple(re.compile(pattern, re.IGNORECASE | re.MULTILINE) for pattern in patterns)


def _preferred(scale: Category, text: str) -> list[ScorePlace]:
    by_name = option_names(scale.options)
    return [
        place_of(match, by_name[folded(match["value"])])
        for pattern in _patterns(scale.options)
        for match in pattern.finditer(text)
        if _is_choice(text, match)
    ]


def _compared(scale: Category, text: str) -> list[ScorePlace]:
    return [
        place_of(match, option, group or 0)
        for match, option, group in find_comparison(scale, text)
        if not _DENIED_BEHIND.match(text, match.end())
    ]


def _ties(scale: Category, text: str) -> list[ScorePlace]:
    tie = tie_option(scale)
    matches = _TIE.finditer(text) if tie else ()
    return [
        place_of(match, tie or "", str(match.lastgroup))
        for match in matches
        if _is_choice(text, match)
    ]


def _is_choice(text: str, match: re.Match[str]) -> bool:
    begin, end = sentence_around(text, match.start(), match.end())
    if text[begin:end].rstrip().endswith(("?", "？")) or _DENIED_BEHIND.match(text, match.end()):
        return False
    if _IF.match(text, begin) or _WORSE.search(text, max(0, match.start() - 20), match.start()):
        return False
    clause = max(text.rfind(sign, begin, match.start()) for sign in (", ", "; ")) + 1
    return not _NO_CHOICE.search(text, max(begin, clause), match.end())


def _spelled(options: tuple[str, ...]) -> tuple[str, ...]:
    """All names, the longest first, single letters in capitals too."""
    names = option_names(options)
    short = [name.upper() for name in names if len(name) == 1]
    spelled = dict.fromkeys([*options, *names, *short])
    return tuple(sorted(spelled, key=lambda name: (-len(name), not name.isupper())))


def _others_named(scale: Category, option: str) -> re.Pattern[str]:
    """Where another option is named, or both are."""
    others = [n for n, o in option_names(scale.options).items() if folded(o) != folded(option)]
    any_of = "|".join(map(re.escape, others)) or r"(?!)"
    return re.compile(rf"\b{_NOUN}\s{{0,3}}{_OPEN}(?:{any_of})\b", re.IGNORECASE)


# "A: Feedback 1 is significantly better.": the letter asked for, then what it stands for
_LETTER = re.compile(
    r"\A[\s*_#\[(]{0,6}(?P<value>[A-E])[\])*_]{0,4}\s?[:)][ *_]{0,3}(?P<rest>[^\n]{3,300})"
)
_LETTERS = re.compile(r"^[ \t*_#\[(]{0,6}(?P<value>[A-E])[\])*_]{0,4}\s?[:)]", re.MULTILINE)
_COMPARES = re.compile(
    r"\b(?:better|best|prefer\w{0,5}|superior|winner|wins|neither|tied?|equal\w{0,2}|both)\b",
    re.IGNORECASE,
)
_NEITHER = re.compile(r"\W{0,3}(?:neither|tied?\b|equal|both|draw|same)", re.IGNORECASE)


def _opening(scale: Category, text: str) -> ScorePlace | None:
    """The letter that the reply opens with, where it says in words that one is better."""
    match = _LETTER.match(text)
    if not match or not _COMPARES.search(match["rest"]):
        return None
    letter, tie = match["value"], tie_option(scale)
    option = option_names(scale.options).get(letter.lower())
    if option is None and letter == "C" and _NEITHER.match(match["rest"]):
        option = tie
    if option is None or any(match["value"] != letter for match in _LETTERS.finditer(text)):
        return None
    if _others_named(scale, option).search(match["rest"]):
        return None
    return ScorePlace(
        option, Reason("at.text", text=match[0].strip()[:60]), match.span("value"), *match.span()
    )


# "Both are equally good", as the last word on them
_ALIKE = re.compile(
    r"\b(?:both|the two|they|A and B|1 and 2)\b[^.!?\n]{0,60}\b(?:equally (?!im)\w+"
    r"|(?:of|in) (?:equal|similar|comparable|the same) quality|equal in quality|on par)\b",
    re.IGNORECASE,
)
_UNLIKE = re.compile(
    r"n['’]t\b|\b(?:not|but|however|although|though|while|except|slight\w{0,2}|better|worse|more"
    r"|less|if|unless|bad|poor\w{0,2}|wrong|incorrect|un\w{4,})\b",
    re.IGNORECASE,
)


def _equal(scale: Category, text: str) -> ScorePlace | None:
    tie, matches = tie_option(scale), list(_ALIKE.finditer(text))
    if tie is None or not matches:
        return None
    last = matches[-1]
    begin, end = sentence_around(text, last.start(), last.end())
    behind = _others_named(scale, tie).search(text, end)
    if behind or _UNLIKE.search(text, begin, end) or _UNLIKE.search(text, end, end + 400):
        return None
    return ScorePlace(tie, Reason("at.text", text=last[0].strip()), last.span(), last.start())


_CALLS = (
    r"\b(?:conclude with|this is an?(?: clear)?|it(?:['’]s| is) an?(?: clear)?|classif(?:y"
    r"|ied) (?:it |this )?"
    r"as|labell?(?:ed)?(?: it| this)? as|counts as|marked? (?:it |this )?as|(?:answer|response"
    r"|claim|statement|summary|output|reply|text|document|it|this) is)\s[*_]{0,3}"
)


def _called(scale: Category, text: str) -> ScorePlace | None:
    """The one option of several words or letters that it is called: "The answer is not grounded".

    Only where no other is named, and nothing in the sentence weighs against it.
    """
    words = [name for name in _spelled(scale.options) if len(name) > 2]
    if not words:
        return None
    any_of = "|".join(map(re.escape, words))
    matches = list(re.finditer(rf"{_CALLS}(?P<value>{any_of})\b", text, re.IGNORECASE))
    by_name = option_names(scale.options)
    if not matches or len({by_name[folded(match["value"])] for match in matches}) > 1:
        return None
    last = matches[-1]
    begin, end = sentence_around(text, last.start(), last.end())
    aside = text[begin : last.start("value")] + text[last.end("value") : end]
    named = re.findall(rf"\b(?:{any_of})\b", text, re.IGNORECASE)
    elsewhere = set(map(folded, named))
    alone = elsewhere == {folded(last["value"])} and not aside.rstrip().endswith("?")
    if not alone or _WEIGHED.search(aside) or find_retraction(text, last.end()) is not None:
        return None
    return place_of(last, by_name[folded(last["value"])])


def _concluded(scale: Category, text: str) -> ScorePlace | None:
    """A conclusion in other words: "Therefore, Assistant A's answer is more complete".

    Only where the sentence weighs nothing against it, and the other options are not named after it.
    """
    any_of = "|".join(map(re.escape, _spelled(scale.options)))
    name = rf"{_NOUN}\s{{0,3}}{_OPEN}(?P<value>{any_of})\b{_CLOSE}"
    pattern = (
        rf"(?:^|[.!?\n]\s{{1,3}}){_CONCLUDES},?\s{{1,3}}{name}(?:['’]s\s{{1,3}}[\w'’ -]{{1,80}}?)?"
        r"(?:\s{1,3}(?:is|was|has|can be seen as|is judged to have|provide[sd]?|deliver(?:s|ed)"
        r"|gave|gives|offers|offered|did|does|an?|the|much|far|clearly|slightly"
        r"|somewhat)){0,4}\s{1,3}more\s{1,3}"
        rf"{_GOOD}\b"
    )
    matches = list(re.finditer(pattern, text, re.IGNORECASE))
    if not matches:
        return None
    last = matches[-1]
    begin, end = sentence_around(text, last.start("value"), last.end())
    option = option_names(scale.options)[folded(last["value"])]
    behind = _others_named(scale, option).search(text, last.end())
    if _WEIGHED.search(text, begin, end) or behind or find_retraction(text, last.end()) is not None:
        return None
    return place_of(last, option)
