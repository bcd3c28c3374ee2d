"""How a grade is given in plain words, per language."""

from __future__ import annotations

import re
from functools import lru_cache

from ..values import BETWEEN_TWO_GRADES
from ..vocabulary import one_of

# All repetitions are bounded or possessive: no run of one sign may be tried again from each of its
# places.
NUM = (
    r"(?P<value>(?<![\d.,])\d{1,9}(?:[.,]\d{1,9})?(?:\s?/\s?\d{1,9}|\s{1,6}\(?(?:out of|von|trên"
    r"|sur|sobre|de|em)\s{1,3}\d{1,9}"
    r"|\s?[分点점]\s?[,，(（]\s?(?:满分|満点)\s?\d{1,4})?)(?![\d%+]|[.,:]\d|(?:st|nd|rd|th)\b)"
)
MARKS = r"[*_\[(]{0,4}"
_WORD = r"[\w'’-]{1,30}"
_ENDS = r"(?=[\s.,;:!*]|$)"
_AN = r"(?:an? )?"

# The signs of which a text must hold one (in small letters, a blank between them), and the pattern.
_PATTERNS = (
    (
        "score rating grade mark judg verdict",
        (
            rf"\b(?:score|rating|grade|mark|judge?ment|verdict)\b(?:\s{{1,3}}(?!scale|range|from"
            rf"|between){_WORD}){{0,6}}?\s{{0,3}}(?:(?<!\bout )of|is|was|as|be|at|to|[:=]"
            rf"|\s[-–—]\s)\s{{0,3}}"
            r"(?:an?\s{1,3}|to\s{1,3})?[*_\[(“\"]{0,4}NUM"
        ),
    ),
    (
        "giv gave assign award rate deserv get earn receiv merit warrant scor",
        (
            r"\b(?:give|gave|giving|given|assign|assigned|award|awarded|rate|rated|deserves?|gets?"
            r"|earns?|receives?|merits?|warrants?|score|scored|scores|scoring)\b"
            rf"(?:\s{{1,3}}{_WORD}){{0,5}}?\s{{1,3}}(?:an?|as|at|with|of)?\s{{0,3}}{MARKS}NUM"
            r"(?:\s{0,3}(?:stars?|points?|/\s?\d{1,9}|out of \d{1,9}))?(?=[\s.,;:!*_)\]]|$)"
        ),
    ),
    (
        "evaluate rate grade judge classif assess",
        (
            rf"\b(?:evaluate|rate|grade|judge|classify"
            rf"|assess)d?\b(?:\s{{1,3}}{_WORD}){{0,6}}?\s{{1,3}}as"
            r"\s{1,3}(?:[a-z]{3,12}\s){1,2}\(NUM\)"
        ),
    ),
    (
        "is are was",
        (
            r"\b(?:is|are|was)\s(?:somewhat|very|mostly|fairly|highly|quite|not|partially|partly"
            r"|fully"
            r"|completely|slightly|extremely|moderately|reasonably|largely)\s[a-z-]{4,20} \(NUM\)"
            r"(?=\.?\s{0,3}(?:\n|$))"
        ),
    ),
    ("is an is a", r"\bis an? NUM(?=\s{0,3}(?:out of|/|in terms|for|because|as|,|\.))"),
    ("making it makes it", r"\b(?:making|makes) it an? NUM"),
    ("put", rf"\bput (?:it|this) at {_AN}NUM{_ENDS}"),
    ("stands", rf"\bas it stands,? (?:it(?:['’]s| is) )?{_AN}NUM{_ENDS}"),
    ("leav", rf"\bleav(?:ing|es)(?: it)?(?: at| with)? {_AN}NUM{_ENDS}"),
    (
        "hold keep bring drop pull limit lower reduc",
        (
            r"\b(?:hold|keep|bring|drop|pull|limit|lower|reduce)s? it (?:\w{1,12} )?(?:to|at) "
            rf"{_AN}NUM{_ENDS}"
        ),
    ),
    (
        "appropriate fair right justif warrant reasonabl fitting suitabl",
        (
            r"NUM[\])]{0,2} (?:is|seems|feels|would be) (?:more |the )?(?:appropriate|fair|fairer"
            r"|right|justified|warranted|reasonable|fitting|suitable)\b"
        ),
    ),
    (
        "call consider find deem judge",
        r"\b(?:call|consider|find|deem|judge) (?:it|this) (?:[a-z-]{3,15} ){0,2}\(NUM\)",
    ),
    ("call", rf"\bcall (?:it|this) an? NUM{_ENDS}"),
    ("say", rf"\bi(?:['’]d| would|['’]ll)? say (?:it(?:['’]s| is) )?{_AN}NUM{_ENDS}"),
    (
        "strong solid clear weak low high fair",
        rf"\ban? (?:strong|solid|clear|weak|low|high|fair) NUM{_ENDS}",
    ),
    (
        "settl land go",
        rf"\b(?:settle|settling|settled|land|go|going) (?:on|at|with) {_AN}NUM{_ENDS}",
    ),
    (
        "down up lowered reduced raised drop",
        rf"\b(?:down|up|lowered|reduced|raised|dropped|drops) to {_AN}NUM{_ENDS}",
    ),
    (
        "[",
        (
            r"\[(?:RESULT|SCORE|RATING|ERGEBNIS|RÉSULTAT|RESULTADO|NOTE|NOTA|KẾT QUẢ|ĐIỂM|결과|점수"
            r"|结果|评分|結果|スコア)\][\s:*_]{0,5}[\[(]{0,2}NUM"
        ),
    ),
    (
        "#",
        (
            r"(?:^|\n)[*_]{0,2}#{1,4}\s{0,2}(?:final\s)?(?:result|score|rating"
            r"|grade)s?[\s*_]{1,4}NUM"
            r"(?=[*_\s.]|$)"
        ),
    ),
    ("star", rf"\b{MARKS}NUM[*_]{{0,3}}\s{{0,6}}stars?\b"),
    # Korean
    (
        "점",
        (
            rf"{MARKS}NUM\s{{0,3}}점[*_\]]{{0,4}}\s{{0,3}}(?:으로|을|를|이라고|정도로|만점에서|이"
            rf"|의 점수를)?"
            r"\s{0,3}(?:평가|부여|매기|매깁|주|줍|드리|드립|책정|채점|입니다|이다|적절|적합|타당"
            r"|합당|정도(?:입니다|이다|로)|수준|낮춥|낮추|조정|정합|결정|산정)"
        ),
    ),
    (
        "만점",
        (
            r"(?P<value>(?<!\d)\d{1,4}\s?점\s?만점(?:에서|에"
            r"|\s?중에?)\s{0,3}\d{1,4}(?:[.,]\d)?\s{0,3}점)"
        ),
    ),
    ("점", rf"(?:종합|총점|합계|최종)\s?(?:점수)?(?:은|는|:)?\s{{0,3}}{MARKS}NUM\s?점"),
    (
        "평점 점수 평가",
        rf"(?:평점|점수|평가)\s{{0,3}}(?:은|는|이|가|를|을|:|-|–)?\s{{0,3}}{MARKS}NUM\s{{0,3}}점?",
    ),
    ("점 分", r"NUM\s?[점分][.。]?\s*\Z"),
    # Chinese
    ("分", r"(?:评分|打分|得分|给|评|评为|打|应得)[^\d\n。！？]{0,8}NUM\s{0,3}分"),
    ("分", r"(?:(?<![值获取])得|定为|定在|只有|仅有)\s{0,3}NUM\s{0,3}分"),
    ("分", r"(?:改为|改成|降为|降到|提高到)\s{0,3}NUM\s{0,3}分"),
    ("分", r"(?:评分|得分|分数)(?:为|是|：|:)\s{0,3}NUM"),
    ("满分", r"(?P<value>满分\s?\d{1,4}\s?分[,，、]?\s?(?:得|给|评|打)\s?\d{1,4}(?:[.,]\d)?\s?分)"),
    # Japanese
    ("評価 点数 スコア", rf"(?:評価|点数|スコア)[^\d\n。！？]{{0,8}}{MARKS}NUM\s{{0,3}}点?"),
    ("点", r"NUM\s?点(?:です|とします|と評価|をつけ|を与え|が妥当|が適切)"),
    ("満点", r"(?P<value>(?<!\d)\d{1,4}\s?点満点(?:中|で|の)\s?\d{1,4}(?:[.,]\d)?\s?点)"),
    # Vietnamese
    (
        "điểm /",
        r"(?:chấm|cho|đạt|được|đánh giá|xứng đáng)[^\d\n.!?]{0,20}NUM\s{0,3}(?:điểm|/\s?\d{1,9})",
    ),
    ("điểm", r"(?:còn|chỉ|cuối cùng là)(?: lại| được| còn)?\s{1,3}NUM\s{1,3}điểm"),
    ("tôi này", r"(?:tôi (?:cho|chấm)|này được)\s{1,3}NUM(?=[.,;\s]*+(?:\n|$))"),
    ("điểm", r"điểm\s{0,3}(?:số)?[^\d\n.:]{0,20}(?:là|:)\s{0,3}NUM"),
    # German
    (
        "bewert gebe punktzahl note würde verdient erhält bekommt",
        (
            r"\b(?:bewerte|vergebe|gebe|(?:gesamt)?(?:bewertung|punktzahl|note)|ich würde|verdient"
            r"|erhält|bekommt)\b[^\d\n.]{0,40}NUM"
        ),
    ),
    # French, Spanish, Portuguese
    (
        "note nota punt calific valor pont avalia",
        (
            r"\b(?:note|nota|puntuación|puntaje|calificación|valoración|pontuação|avaliação)"
            r"(?: (?:finale?|globale?|general|geral|total|de la réponse|de la respuesta))?\s?"
            r"(?::|de|est(?: de)?|es(?: de)?|é(?: de)?|será)\s?(?:une? |una? "
            r"|uma? )?[*_\[(]{0,4}NUM"
        ),
    ),
    (
        (
            "donne mettrais noterais attrib mérite obt accorde doy dar otorgo asigno merece"
            " recib dou atrib receb"
        ),
        (
            r"\b(?:donne(?:rais)?|mettrais|noterais|attribue(?:rais)?|mérite|obtient|accorde|doy"
            r"|daría|otorgo|asigno|merece|obtiene|recibe|dou|daria|atribuo|recebe"
            r"|obtém)\b[^\d\n.]{0,40}NUM"
        ),
    ),
)


_GRADES = tuple(
    (tuple(signs.split()), re.compile(pattern.replace("NUM", NUM), re.IGNORECASE))
    for signs, pattern in _PATTERNS
)
# The one that names two values.
BETWEEN = re.compile(rf"(?P<value>{BETWEEN_TWO_GRADES})", re.IGNORECASE)


@lru_cache(maxsize=256)
def _under_name(names: tuple[str, ...]) -> re.Pattern[str]:
    """ "Its coherence is 3", for a criterion of one of these names."""
    return re.compile(
        rf"(?<!\w)(?:{one_of(set(names))})(?: (?:score|rating|level|grade))?\s?(?:is|as|at|of|to be"
        rf"|[=:：은는は])\s?{_AN}{MARKS}{NUM}",
        re.IGNORECASE,
    )


def grades_in(text: str, names: tuple[str, ...] = ()) -> list[re.Match[str]]:
    """Wherever the words give a grade, in no order; `names` are those of the criterion."""
    small = text.lower()
    patterns = [pattern for signs, pattern in _GRADES if any(sign in small for sign in signs)]
    patterns += [BETWEEN, *([_under_name(names)] if names else [])]
    return [match for pattern in patterns for match in pattern.finditer(text)]
