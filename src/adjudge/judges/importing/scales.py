"""The scale that a prompt speaks of: labelled levels, a range, the highest score, choices."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from .choices import SURE, ChoiceFound, find_bracketed, find_choices
from .levels import Levels, find_levels

_NUMBER = r"[-−]?\d{1,4}(?:[.,]\d{1,2})?"
_UNIT = r"\s{0,3}(?:점|点|分|điểm|points?\b|stars?\b|Punkten?\b|puntos?\b|pontos?\b)?\s{0,3}"
_ASIDE = r"(?:[(（][^()（）\n]{1,60}[)）]\s{0,3})?"
_RANGE = re.compile(
    rf"(?<![\d.,/A-Za-z_-])(?P<low>{_NUMBER}){_UNIT}{_ASIDE}"
    r"(?P<sign>-|–|—|−|~|〜|～|∼|to\b|through\b|and\b|đến\b|tới\b|và\b|부터|에서|到|至|から"
    r"|\.\.\.?|bis\b|und\b"
    r"|à\b|a\b|al\b|et\b|y\b|e\b|até\b|hasta\b)"
    rf"\s{{0,3}}(?P<high>{_NUMBER})(?![\d%/]|[.,]\d)",
    re.IGNORECASE,
)
_OPENED = re.compile(
    r"[(（<\[【]\s?(?:(?:int(?:eger)?|float|number|score|rating|정수|숫자|số(?: nguyên)?|điểm"
    r"|整数|分数|zahl|entero|entier)\s?:?,?\s?)?$",
    re.IGNORECASE,
)
_JOINING = frozenset({"and", "und", "et", "y", "e", "và"})
_BETWEEN = re.compile(
    r"(?:between|zwischen|entre|giữa|khoảng)\s*(?:the\s+|les\s+)?$", re.IGNORECASE
)
# Words near a range that make it one of scores.
_CUE = re.compile(
    r"scal|scor|rat(?:e|ing)|grad|mark|point|star|between|evaluat|điểm|thang|đánh giá|mức"
    r"|점수|점|척도|평가|평점|分|评|打分|点|評価|スコア|採点|段階|skala|bewert|punkt|not[ae]"
    r"|zwischen"
    r"|échelle|évalu|barème|entre|escala|puntu|calific|evalú|valora|pontu|avali",
    re.IGNORECASE,
)
_SCORED = re.compile(
    r"scor|rating|\brate|grade|verdict|label|assign|answer|reply|return|output|respond|điểm"
    r"|점수|평점|分|点"
    r"|スコア|bewert|punkt"
    r"|not[ae]|puntu|採点|評価|평가",
    re.IGNORECASE,
)
_CUE_BEHIND = re.compile(
    r"\W*(?:\w{0,2}\s?(?:점|点|分|까지|評価|评|スコア|の)|scale|điểm|stars?\b|rating|scor|punkt"
    r"|puntos|pontos|skala)"
)
# A range so near the beginning of its line may belong to words in the line above.
_WRAPPED = 20
_FROM = re.compile(r"(?:\bfrom|\btừ|从|\bvon|\bde|\bdesde)\s*$", re.IGNORECASE)
COUNTED = re.compile(
    r"^\s*(?:\w+\s+){0,2}(?:words?|sentences?|paragraphs?|items?|examples?|steps?|strengths?"
    r"|lines?|ways?|bullets?"
    r"|câu|từ|bước|đoạn|문장|개|단어|가지|줄|번째|句|字|文字|文|条|個|行|criteria|specific"
    r"|concrete|sätzen?|wörtern?|phrases?|mots"
    r"|frases?|oraciones|palabras|palavras|linhas|líneas|lignes)\b",
    re.IGNORECASE,
)
# What is stated about how sure the judge is, and no score.
CONFIDENT = re.compile(
    r"confiden|certain|konfidenz|sicherheit|신뢰도|확신|độ tin cậy|tự tin|置信|自信|確信"
    r"|confian|certeza|probab",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    r"\binteger|\bint\b|whole number|정수|자연수|số nguyên|整数|ganz(?:e|zahl)"
    r"|nombres? entiers?|\bentier\b|número entero|\benter[oa]s?\b|inteir[oa]",
    re.IGNORECASE,
)
_HIGHEST = re.compile(
    r"(?P<a>\d{1,3})\s?점\s?만점|(?:满分|滿分)\s?(?:为|是|：|:)?\s?(?P<b>\d{1,3})|"
    r"(?P<c>\d{1,3})\s?分(?:制|满分)|(?P<d>\d{1,3})\s?点満点"
    r"|thang(?: điểm)?\s?(?:tối đa\s?)?(?:là\s?|:\s?)?(?P<e>\d{1,3})\b(?!\s?(?:-|–|đến|tới"
    r"|mức))|(?:điểm )?tối đa\s?(?:là\s?)?(?P<f>\d{1,3})\s?(?:điểm|\))"
    r"|(?:[\[<({_?]{1,2}|\b[xXnN]{1,2}\b|\.\.\.|…)[^/\n\d]{0,16}?[\]>)}_?]{0,2}\s?/\s?"
    r"(?P<g>\d{1,3})\b"
    r"|(?:score|rate|judge|evaluate|assess|rating|grade|mark|points?)\b[^\n.]{0,60}?\bout of "
    r"(?P<h>\d{1,3})\b"
    r"|(?:not[ae]r?|notez|évalue[rz]?|puntúa|califica|puntuación|nota)\b[^\n.]{0,140}?\b(?:sur"
    r"|sobre) (?P<i>\d{1,3})\b"
    r"|(?:bewert|punkt)[^\n.]{0,60}?\bvon (?:maximal )?(?P<j>\d{1,3}) Punkten"
    r"|(?:maximum|max\.?|maximale?|máxim[ao])\s(?:score|points?|punktzahl|punkte|note|nota"
    r"|puntuación|de)\D{0,12}(?P<k>\d{1,3})\b",
    re.IGNORECASE,
)
_STEPS = re.compile(
    r"(?P<a>\d{1,2})\s?(?:段階|단계|级|个等级|등급)|(?P<b>\d{1,2})[- ]point (?:likert )?scale"
    r"|likert[^\n]{0,20}?(?P<c>\d)\s?(?:mức|point|점)"
    r"|(?P<d>\d{1,2})[- ]?(?:stufig|Stufen)|échelle de (?P<e>\d{1,2}) (?:points|niveaux)"
    r"|escala de (?P<f>\d{1,2}) (?:puntos|niveles|pontos|níveis)"
    r"|thang (?:đo )?(?P<g>\d{1,2}) mức",
    re.IGNORECASE,
)
_LOWEST = re.compile(
    r"(?:score|rating|grade|점수[는를가]?|điểm|note|nota|puntuación|punkte?|分数"
    r"|スコア)[^\n.。]{0,40}?(?<![\d.,-])"
    r"(?:of |to |is |be |as |a |là |de |um |uma |una |un |une )?[`\"*]*(?P<a>0|-1)[`\"*]*(?:점"
    r"|điểm|分|点)?\s?"
    r"(?:if|when|for|in case|처리|부여|nếu|khi|wenn|falls|si\b|se\b|とする|とし|。|\.|,)"
    r"|(?P<b>0)\s?점\s?(?:처리|을 부여|으로)|(?:给|打|得|计|記)\s?(?P<c>0)\s?分|(?P<d>0)\s?点"
    r"(?:とする|にする|を付け|をつけ)"
    r"|(?:give|assign|return|output|use|award)\s+(?:it\s+|a\s+|the\s+)?(?:score\s+|rating\s+)?"
    r"(?:of\s+)?[`\"*]*(?P<e>0|-1)[`\"*]*\s+(?:points?\s+)?(?:if|when|for)"
    r"|(?:cho|chấm)\s+(?P<f>0)\s+(?:điểm)?",
    re.IGNORECASE,
)
_DEDUCTED = re.compile(
    r"deduct|subtract|trừ|감점|减|扣|減点|abzug|retir|rest[ae]r|descont", re.IGNORECASE
)
# "a score of 1, 2 or 3", "1,2,3,4,5の5段階".
_LISTED = re.compile(
    r"(?<![\d.,])(?P<first>\d{1,2})(?P<more>(?:\s?[,、，]\s?\d{1,2}){0,10})"
    r"(?:,?\s*(?:or|oder|ou|o|hoặc|또는|或|または)\s*|\s?[,、]\s?)(?P<last>\d{1,2})(?!\d|\.\d"
    r"|,?\s*(?:or|oder|ou|o|hoặc|또는|或|または|,|、)\s*\d)",
    re.IGNORECASE,
)
# "1.0 if it is right, 0.5 if partly", "1 nếu …, 0 nếu …": values with their conditions.
_VALUE_IF = re.compile(
    r"(?<![\w.,/-])[`\"*]{0,2}(?P<value>\d{1,3}(?:\.\d{1,2})?)[`\"*]{0,2}"
    r"\s?(?:점|分|点|điểm|points?|Punkte?|puntos?|pontos?)?\s?"
    r"(?:\b(?:if|when|for|otherwise|nếu|khi|wenn|falls|sonst|si|sinon|quando"
    r"|caso|se|cuando)\b|:\s?if\b)",
    re.IGNORECASE,
)
_CONDITIONS_APART = 240  # characters between two such values, at most
# "9-10: excellent", "7~8점: …", "10: perfect": bands that together make a scale.
_BAND = re.compile(
    r"^[ \t]*(?:[-*•|][ \t]*)?[*_`【\[(（]{0,3}(?:(?:score|rating|điểm|점수)\s{0,2})?"
    r"(?P<low>\d{1,3}(?:\.\d+)?)"
    r"(?:\s?(?:점|分|点)?\s?(?:-|–|—|~|〜|～|to|đến|bis|à|a)\s?(?P<high>\d{1,3}"
    r"(?:\.\d+)?))?\s?(?:점|分|点|điểm|points?|Punkte)?[*_`】\])）]{0,3}"
    r"\s{0,2}(?:[:：=|(（]|[–—-]\s|→|->)",
    re.IGNORECASE | re.MULTILINE,
)
_WIDE = str.maketrans("０１２３４５６７８９．", "0123456789.")


@dataclass(frozen=True, slots=True)
class ScaleFound:
    """A scale as a judge file writes it, where it was read, and what else was seen.

    `doubt` says what was assumed beyond the words; "" where nothing was.
    """

    scale: dict[str, Any]
    at: int
    rivals: tuple[str, ...] = ()
    doubt: str = ""


def find_scale(text: str, *, floats: bool = False, labelled: bool = False) -> ScaleFound | None:
    """The scale of the text; None when nothing in it speaks of one.

    Labelled levels count most, since they name every value; among ranges the commonest.
    `floats` says that the reply's sample shows numbers with a fraction, `labelled` that the text
    stands behind a label or key of the reply.
    """
    text = text.translate(_WIDE)
    bracketed = find_bracketed(text)
    if bracketed:
        return _of_choice(bracketed)
    choice = find_choices(text, labelled=labelled)
    ranges = _ranges(text, labelled=labelled)
    levels = find_levels(text)
    bands = _bands(text)
    if bands:
        ranges = [match for match in ranges if not _BAND.match(text, _line_start(text, match))]
    if levels and bands and len(bands) > len(levels.values):
        levels = None
    sure = choice if choice and choice.weight >= SURE else None
    if levels and not _contradicted(levels, ranges):
        return _with_lowest(text, ScaleFound(levels.scale, levels.at))
    if ranges:
        return _beside(_with_lowest(text, _commonest(text, ranges, floats=floats)), sure)
    if bands:
        low, high = min(bands)[0], max(high for _, high, _ in bands)
        return ScaleFound(_numbers(f"{low:g}", f"{high:g}"), bands[0][2])
    rest = None if sure else _listed(text) or _highest(text) or _steps(text)
    return rest or (_of_choice(choice) if choice else None)


def _beside(scale: ScaleFound, choice: ChoiceFound | None) -> ScaleFound:
    """A range beside a choice that is just as plain."""
    if choice is None:
        return scale
    rival = " / ".join(choice.scale.get("options", ("yes", "no")))
    return replace(scale, rivals=(*scale.rivals, rival))


def _of_choice(choice: ChoiceFound) -> ScaleFound:
    return ScaleFound(choice.scale, choice.at)


def _contradicted(levels: Levels, ranges: list[re.Match[str]]) -> bool:
    """Whether the ranges go beyond the levels, which are then only some of the values."""
    bounds = {_bounds(match) for match in ranges}
    lowest, highest = float(levels.values[0]), float(levels.values[-1])
    if levels.inline and (lowest, highest) == (0, 1) and bounds == {(0, 1)}:
        return True  # the ends of a range: 0 = worst, 1 = best
    return bool(bounds) and (lowest, highest) not in bounds


def _bounds(match: re.Match[str]) -> tuple[float, float]:
    low, high = (match[name].replace(",", ".").replace("−", "-") for name in ("low", "high"))
    return float(low), float(high)


def _ranges(text: str, *, labelled: bool = False) -> list[re.Match[str]]:
    matches = _RANGE.finditer(text)
    return [match for match in matches if _speaks_of_scores(text, match, labelled=labelled)]


def _speaks_of_scores(text: str, match: re.Match[str], *, labelled: bool) -> bool:
    low, high = _bounds(match)
    if not low < high or COUNTED.match(text[match.end() : match.end() + 40]):
        return False
    before = _words_before(text, match.start())
    if CONFIDENT.search(before) and not _SCORED.search(before):
        return False
    if match["sign"].casefold() in _JOINING and not _BETWEEN.search(before):
        return False
    after = text[match.end() : match.end() + 12].partition("\n")[0]
    bracketed = _OPENED.search(before) and after.startswith(
        (")", ",", " ", "）", ">", "]", "점", "分", "点")
    )
    usual = low in {0, 1} or low == -high
    cue = labelled or bool(_CUE.search(before) or _CUE_BEHIND.match(after))
    cue = cue or bool(_FROM.search(before) and _CUE.search(text))
    strong = re.search(
        r"(?:scale|skala|échelle|escala)\s*(?:of|from|:|von|de|des)?\s*$|thang điểm\s*(?:từ)?\s*$",
        before,
        re.IGNORECASE,
    )
    return bool(strong or (usual and (cue or bracketed)))


def _words_before(text: str, at: int) -> str:
    """The words before an offset in its line, and in the line above where that one was wrapped."""
    start = text.rfind("\n", 0, at) + 1
    end_of_above = text[max(0, start - 2) : max(0, start - 1)]
    if at - start < _WRAPPED and end_of_above not in {"", *"\n.:!?。：！？"}:
        start = text.rfind("\n", 0, start - 1) + 1
    return text[max(start, at - 60) : at]


def _commonest(text: str, ranges: list[re.Match[str]], *, floats: bool) -> ScaleFound:
    votes = Counter(_bounds(match) for match in ranges)
    best = votes.most_common(1)[0][0]
    first = next(match for match in ranges if _bounds(match) == best)
    rivals = tuple(f"{low:g} to {high:g}" for low, high in votes if (low, high) != best)
    near = text[text.rfind("\n", 0, first.start()) + 1 : first.end() + 40].partition("\n")[0]
    same = [match["low"] + match["high"] for match in ranges if _bounds(match) == best]
    decimal = floats or any("." in digits or "," in digits for digits in same)
    whole = not decimal and any(
        _WHOLE.search(text, max(0, match.start() - 60), match.end() + 40)
        for match in ranges
        if _bounds(match) == best
    )
    whole = whole or (not decimal and bool(_WHOLE.search(near)))
    low, high = (f"{bound:g}" for bound in best)
    return ScaleFound(_numbers(low, high, whole=whole), first.start(), rivals)


def _numbers(low: str, high: str, *, whole: bool = False) -> dict[str, Any]:
    """Fractions are allowed unless the prompt speaks of whole numbers: a 7.5 is no mistake."""
    bounds = [float(bound) if "." in bound else int(bound) for bound in (low, high)]
    kind = "integer" if whole and all(isinstance(bound, int) for bound in bounds) else "number"
    return {"type": kind, "min": bounds[0], "max": bounds[1]}


def _with_lowest(text: str, base: ScaleFound) -> ScaleFound:
    """The 0 or -1 that the text gives beside the range: “otherwise the score is 0”."""
    scale = base.scale
    if scale["type"] not in {"number", "integer"} or scale["min"] not in {0, 1}:
        return base
    for match in _LOWEST.finditer(text):
        value = int(next(group for group in match.groups() if group))
        around = text[max(0, match.start() - 20) : match.end() + 10]
        if value == scale["min"] - 1 and not _DEDUCTED.search(around):
            return replace(base, scale=scale | {"min": value})
    return base


def _bands(text: str) -> list[tuple[float, float, int]]:
    """Lines with bands that follow one another without a gap; empty where there are none."""
    bands = [
        (float(match["low"]), float(match["high"] or match["low"]), match.start())
        for match in _BAND.finditer(text)
    ]
    run: list[tuple[float, float, int]] = []
    best: list[tuple[float, float, int]] = []
    for band in bands:
        if run and not _touch(run[-1], band):
            run = []
        run.append(band)
        if len(run) > 1 and len(run) > len(best) and any(low < high for low, high, _ in run):
            best = list(run)
    return best


def _line_start(text: str, match: re.Match[str]) -> int:
    return text.rfind("\n", 0, match.start()) + 1


def _touch(one: tuple[float, float, int], other: tuple[float, float, int]) -> bool:
    (low, high, _), (below, above, _) = sorted((one, other))
    return low <= high and below <= above and 0 <= below - high <= 1


def _listed(text: str) -> ScaleFound | None:
    """Values one by one, where the words before them speak of a score."""
    for match in _LISTED.finditer(text):
        more = [int(value) for value in re.findall(r"\d+", match["more"])]
        values = [int(match["first"]), *more, int(match["last"])]
        low, high = min(values), max(values)
        start = max(0, match.start() - 60)
        around = text[start : match.start()].rpartition("\n")[2] + text[match.end() :][:12]
        steps = sorted(values) == list(range(low, high + 1))
        if low in {0, 1} and low < high and steps and _SCORED.search(around):
            whole = {"type": "integer", "min": low, "max": high}
            binary = (low, high) == (0, 1)
            return ScaleFound({"type": "binary"} if binary else whole, match.start())
    return _conditional(text)


def _conditional(text: str) -> ScaleFound | None:
    """Values with the condition of each, near one another: 1 if …, 0.5 if …, 0 otherwise."""
    run: list[re.Match[str]] = []
    for match in [*_VALUE_IF.finditer(text), None]:
        if match and run and match.start() - run[-1].end() <= _CONDITIONS_APART:
            run.append(match)
            continue
        values = {float(condition["value"]) for condition in run}
        before = text[max(0, run[0].start() - 80) : run[0].start()] if run else ""
        if len(values) > 1 and min(values) in {0, 1} and _SCORED.search(before):
            if values == {0, 1}:
                return ScaleFound({"type": "binary"}, run[0].start())
            low, high = min(values), max(values)
            whole = values == {float(step) for step in range(int(low), int(high) + 1)}
            return ScaleFound(_numbers(f"{low:g}", f"{high:g}", whole=whole), run[0].start())
        run = [match] if match else []
    return None


def _highest(text: str) -> ScaleFound | None:
    """“out of 10”, 10점 만점, X/5: the highest score alone, so the lowest is taken to be 0."""
    votes: Counter[int] = Counter()
    first: dict[int, int] = {}
    for match in _HIGHEST.finditer(text):
        value = int(next(group for group in match.groups() if group))
        if value >= 2:
            votes[value] += 1
            first.setdefault(value, match.start())
    if not votes:
        return None
    best = votes.most_common(1)[0][0]
    low = "1" if re.search(r"(?<![\d.,/])1\s?(?:점|点|分|điểm)?\s?[(（=:：]", text) else "0"
    rivals = tuple(f"0 to {value}" for value in votes if value != best)
    return ScaleFound(
        _numbers(low, str(best), whole=bool(_WHOLE.search(text))),
        first[best],
        rivals,
        doubt=f"{low} is taken to be the lowest, since only the highest is named",
    )


def _steps(text: str) -> ScaleFound | None:
    """“in 5 levels”, 5段階: 1 to 5 in whole numbers."""
    for match in _STEPS.finditer(text):
        high = int(next(group for group in match.groups() if group))
        if 2 < high <= 10:
            doubt = f"the {high} levels are taken to be 1 to {high}"
            return ScaleFound({"type": "integer", "min": 1, "max": high}, match.start(), (), doubt)
    return None
