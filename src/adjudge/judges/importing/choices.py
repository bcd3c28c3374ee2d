"""Scales without an order: the few answers that a prompt lets its judge choose from.

Every place that may list the answers is weighed: what its options are, the words before it, how it
is written. The heaviest wins, and of equals the last, since prompts end with what they want.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.core.scale import NO_WORDS, YES_WORDS

_OPEN, _CLOSE = r"(?:[\"'“‘「『`]{1,2}|«\s?)", r"(?:[\"'”’」』`]{1,2}|\s?»)"
_OR = (
    r"(?:,?\s*\b(?:or|oder|ou|hoặc|hay|atau)\b|,?\s*또는|,?\s*혹은|,?\s*이나|或者?|または"
    r"|もしくは|か"
    r"|,\s*o\b|\s+[oe]\b|/|\||(?<=[」』])(?=[「『])|,\s*and\b|\band\b|\b(?:und|et|y|và)\b|와"
    r"|과|和|と|[,，、;；])"
)
_OPTION = r"(?:[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f? ?)?[^\W_][\w +<>=()-]{0,24}"
_QUOTED = re.compile(
    rf"{_OPEN}{_OPTION}{_CLOSE}(?:\s{{0,3}}{_OR}\s{{0,3}}{_OPEN}{_OPTION}{_CLOSE}){{1,7}}",
    re.IGNORECASE,
)
# One word, or two in capitals; a sign behind it as in A++.
_WORD = r"(?:[^\W\d_][\w+-]{0,19}(?:[ _][A-Z]{2,14})?|[01](?![\d.]))"
_SPLIT = re.compile(
    r"\s{0,3}(?:\||/|,\s*(?:or\b|oder\b|ou\b|o\b)?|\b(?:or|oder|ou|hoặc|hay)\b|또는|혹은|或者?"
    r"|または|[，、])\s{0,3}",
    re.IGNORECASE,
)
_BARE = re.compile(rf"(?<![\w/|]){_WORD}(?:\s{{0,2}}(?:\||/)\s{{0,2}}{_WORD}){{1,7}}(?![\w/|])")
_ENCLOSED = re.compile(
    rf"[\[<({{【（]\s{{0,2}}(?P<list>{_WORD}"
    rf"(?:{_SPLIT.pattern}{_WORD}){{1,7}})\s{{0,2}}[\]>)}}】）]",
    re.IGNORECASE,
)
# "fully right|partly right|wrong" in one pair of quotes: options of several words.
_WORDS = r"[^\W_][\w+-]{0,19}(?: [\w+-]{1,20}){0,3}"
_PIPED = re.compile(
    rf"(?<=[\"'“`<\[(]){_WORDS}(?:\s?\|\s?{_WORDS}){{1,7}}(?=[\"'”`>\])])", re.IGNORECASE
)
# "Verdict: GOOD" or "Verdict: BAD"
_LABELLED = re.compile(
    rf"{_OPEN}(?P<label>[^\W\d_][\w ]{{1,24}}): ?{_OPTION}{_CLOSE}"
    rf"(?:\s{{0,3}}{_OR}\s{{0,3}}{_OPEN}(?P=label): ?{_OPTION}{_CLOSE}){{1,7}}",
    re.IGNORECASE,
)
# A, B, C, D, or F
_LETTERS = re.compile(
    r"(?<![\w\"'])[A-F](?:\s?[,、，]\s?[A-F]){1,5}(?:,?\s?(?:or|oder|ou|o|hoặc"
    r"|또는|或|または)?\s?[A-F])"
    r"(?![\w\"'])"
)
_CAPITAL = r"[A-ZÀ-Ý][A-ZÀ-Ý_]{2,20}(?: [A-ZÀ-Ý]{3,14})?"
_CAPITALS = re.compile(
    rf"(?<![\w_]){_CAPITAL}(?:(?:,\s*(?:or\s+|or\s+)?|\s+(?:or|oder|ou|o|hoặc|또는|或"
    rf"|または)\s+){_CAPITAL}){{1,6}}(?![\w_])"
)
_EITHER = re.compile(r"\beither\s+(?P<one>[a-z]{2,20})\s+or\s+(?P<other>[a-z]{2,20})\b")
_TWO_WORDS = re.compile(
    r"\b(?:yes|true)\b\W{0,3}(?:/|or|,)\W{0,3}\b(?:no|false)\b|\bja\b\W{0,3}(?:oder|/)\W{0,3}nein\b"
    r"|\boui\b\W{0,3}(?:ou|/)\W{0,3}non\b|\bsí\b\W{0,3}(?:o|/)\W{0,3}no\b"
    r"|\bsim\b\W{0,3}(?:ou|/)\W{0,3}não\b|예\W{0,4}(?:또는|혹은|/)\W{0,3}아니[오요]"
    r"|\bcó\W{0,3}(?:hoặc|hay|/)\W{0,3}không\b|是\W{0,3}(?:或者?|/)\W{0,3}否"
    r"|はい\W{0,3}(?:か|または|/)\W{0,3}いいえ",
    re.IGNORECASE,
)
# “"A" if …, "B" if …”, “'yes' when …. Answer 'no' otherwise”: one by one, with what each means.
_ONE_BY_ONE = re.compile(
    rf"{_OPEN}(?P<option>{_OPTION}){_CLOSE}\s{{0,3}}(?:if|when|for|means?|otherwise|else"
    rf"|indicates?|[:：=–—-]"
    r"|nếu|khi|wenn|falls|sonst|si|sinon|se|caso|cuando|이면|일 때|면|로|으로|如果|表示|代表"
    r"|の場合|なら)",
    re.IGNORECASE,
)
# “if it is right, print "Y"; otherwise "N"”, “정답이면 "O", 아니면 "X"”: the condition goes first.
_AFTER_IF = re.compile(
    r"(?:\b(?:if|otherwise|else|nếu|ngược lại|wenn|falls|sonst|andernfalls|si|sinon|se|caso"
    r"|contrario|contrário|senão)\b|으면|이면|다면|아니면|그렇지 않으면|如果"
    r"|否则|若|則|则|場合|なら"
    rf"|れば|それ以外)[^\"“「『'`\n]{{0,80}}{_OPEN}(?P<option>{_OPTION}){_CLOSE}",
    re.IGNORECASE,
)
# "- poor: hard to follow", "2. partial_refusal": names of levels or classes, a line each.
_NAMED_LINE = re.compile(
    r"^[ \t]*(?:[-−–*•+]|\d{1,2}[.)])[ \t]*[*_`\"“']{0,3}(?P<name>[^\W\d_][\w-]*(?: [\w-]+){0,3})"
    r"[*_`\"”']{0,3}[ \t]*(?:[:：](?:[*_]{0,2}[ \t]|$)|[–—-][ \t]|[(（]|$)",
    re.MULTILINE,
)
_LEADS_TO_NAMES = re.compile(
    r"\b(?:scale|ratings?|categor(?:y|ies)|class(?:es|ify)?|labels?|verdicts?|one of|grades?"
    r"|levels?|options?|outcomes?|kategorien?|klassen?|stufen?|einstufung|catégories?|niveaux"
    r"|étiquettes?|categorías?|clases?|etiquetas?|niveles|categorias?|rótulos?|níveis)\b"
    r"|등급|범주|분류|라벨|판정|mức|phân loại|nhãn|等级|类别|分类|标签|区分|分類|ラベル|判定|段階",
    re.IGNORECASE,
)
_LEADS_TO_CRITERIA = re.compile(
    r"criteri|aspect|dimension|factor|consider|metric|tiêu chí|기준|항목|标准|维度|方面|基準|観点"
    r"|kriteri|critère|criterio|critério|aspekt",
    re.IGNORECASE,
)
# "exactly one of: good, bad, mixed"
_NAMED = re.compile(
    r"(?:one of(?: the following)?|중 (?:정확히 )?하나|một trong các lựa chọn"
    r"|eine[rs]? der folgenden"
    r"|un[eo]? d[eo]s? (?:los |as |os )?(?:siguientes|seguintes|suivants))\s?[:：]\s?"
    r"(?P<list>[^\n:：\"'“”<>()\[\]{}]{3,160})",
    re.IGNORECASE,
)
_LETTERED = re.compile(
    r"^[ \t]*(?:[-*•][ \t]*)?[*_]{0,2}[(\[（]?(?P<letter>[A-H])[)\].:：）][*_]{0,2}[ \t]+"
    r"(?P<rest>[^\n{}$<]{2,300})$",
    re.MULTILINE,
)
# [[A]], and as mathematics marks a result: \boxed{yes}
_BRACKETED = re.compile(
    r"\[\[([A-Za-z01][\w <>=+]{0,14})\]\]"
    r"|\\boxed\s?\{{1,2}\s?(?:\\text\{)?([A-Za-z01][\w ]{0,14})\s?\}"
)
_ONE_OF = re.compile(r"(?:Output|Response|Answer|Assistant)\s*\(?\b([AaBb12])\b\)?")
_SIDE = re.compile(
    r"(?:the )?(?:output|response|answer|assistant|model|option|candidate|text|summary"
    r"|respuesta|resposta|réponse|antwort"
    r"|câu trả lời|답변|응답|回答|助手|アシスタント)\s?\(?[a-z0-9]\)?",
    re.IGNORECASE,
)
# A++, A+, A=B, B+, B++: how much better one is.
_GRADED = re.compile(r"(?<![\w+])(?:[AB]\+{1,2}(?![+\w])|A=B|(?<=[\"'`])(?:tie|same|C)(?=[\"'`]))")
_NOT_OPTIONS = frozenset(
    ["rating", "score", "verdict", "x", "answer", "number", "n", "점수", "choice", "grade", "your"]
)
# Words that make of a list a choice to be made.
_CUE = re.compile(
    r"either|only|single|one of|respon[ds]|answer|output|return|print|label|verdict|classif"
    r"|grade|reply"
    r"|say|choose|select|pick|judg|decid|result|value|must be|correct|trả lời|đáp|chọn|kết quả"
    r"|kết luận|답|출력|회답|판정|결과|선택|평가"
    r"|回答|输出|判断|选择|结果|结论|答え|出力|判定|結果|選|antwort|gib|urteil|ergebnis|wähl"
    r"|répond|verdict|choisi|responde|respond[ae]"
    r"|veredicto|resultado|elige|escolh|devuelv|retorn",
    re.IGNORECASE,
)
_STRONG_CUE = re.compile(
    r"(?:one of|either|exactly|only|just|simply|single word|nur|chỉ|오직|只|のみ|seulement"
    r"|uniquement|solo|apenas|exatamente|exactamente|genau)"
    r"[^\n]{0,60}$|[:：]\W{0,6}$",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"(?:e\.g\.|for (?:example|instance)|such as|\blike\b|consider the following|ví dụ"
    r"|예[:를시]|예컨대|例如|比如|例えば|たとえば"
    r"|z\. ?B\.|zum beispiel|par exemple|por ejemplo|por exemplo|\bex:)[^.\n]{0,60}$",
    re.IGNORECASE,
)
_FORBIDDEN = re.compile(
    r"\b(?:not|never|don't|avoid|không|nicht|jamais|nunca|não)\b[^.\n]{0,24}$|(?:不要|不得"
    r"|请勿)[^。\n]{0,12}$",
    re.IGNORECASE,
)
_VERDICT_WORDS = frozenset(
    """yes no true false y n pass fail passed failed correct incorrect partial partially_correct
    partially correct right wrong good bad a b c d e tie same draw neither both none unknown
    uncertain unsure win lose loss
    not_attempted not attempted relevant irrelevant safe unsafe supported unsupported
    contradicted contradictory factual
    hallucinated faithful unfaithful valid invalid accept reject approved rejected met not_met
    satisfied high medium low excellent fair poor
    better worse equal o x average satisfactory unsatisfactory
    acceptable unacceptable complete incomplete refuted
    entailment neutral contradiction toxic positive negative 1 0
    đúng sai đạt không đạt có không hòa đúng một phần tốt khá kém
    정답 오답 통과 실패 적합 부적합 합격 불합격 정확 부정확 맞음 틀림 예 아니오 동점 무승부
    正确 错误 通过 不通过 合格 不合格 部分正确 平局 是 否 对 错 相关 不相关 正しい 誤り 正解
    不正解 適切 不適切 はい いいえ 引き分け
    richtig falsch korrekt inkorrekt teilweise bestanden ja nein unentschieden vrai faux
    correcte incorrecte oui non égalité
    correcto incorrecto correcta incorrecta incompleta incompleto parcial empate sí verdadero
    falso aprobado suspenso
    correto incorreto sim não verdadeiro aprovado reprovado""".replace("\n", " ").split(" ")
) - {""}
_MOST_OPTIONS = 8
# How many lines may lie between two names: their meanings may take some.
_WIDEST_GAP = 5
# From here on a list is taken for a choice.
_ENOUGH = 3
SURE = 6


@dataclass(frozen=True, slots=True)
class ChoiceFound:
    """A choice as a judge file writes it, where it stands, and how heavy it weighs."""

    scale: dict[str, Any]
    at: int
    weight: int


def find_choices(text: str, *, labelled: bool = False) -> ChoiceFound | None:
    """The heaviest choice; `labelled` says that the text stands behind a label of the reply."""
    best: ChoiceFound | None = None
    for choice in _candidates(text, labelled=labelled):
        if choice.weight >= _ENOUGH and (best is None or choice.weight >= best.weight):
            best = choice
    return best or _named(text)


def _named(text: str) -> ChoiceFound | None:
    """Output (a) and Output (b), wherever they stand."""
    matches = list(_ONE_OF.finditer(text))
    scale = category([match[1] for match in matches])
    return ChoiceFound(scale, matches[0].start(), _ENOUGH) if scale else None


def find_bracketed(text: str) -> ChoiceFound | None:
    """[[A]] and [[B]], which no prompt shows but for its verdict."""
    marked = [(match[1] or match[2], match.start()) for match in _BRACKETED.finditer(text)]
    marked = [(word, at) for word, at in marked if word.casefold() not in _NOT_OPTIONS]
    scale = category([word for word, _ in marked])
    return ChoiceFound(scale, marked[0][1], 9) if scale else None


def _candidates(text: str, *, labelled: bool) -> Iterator[ChoiceFound]:
    own = 2 if labelled else 0
    for pattern, group, extra in (
        (_QUOTED, 0, 1), (_ENCLOSED, "list", 1), (_BARE, 0, 0), (_CAPITALS, 0, 1),
        (_PIPED, 0, 2), (_LABELLED, 0, 1), (_LETTERS, 0, 2), (_TWO_WORDS, 0, 1),
    ):  # fmt: skip
        for match in pattern.finditer(text):
            words = ["yes", "no"] if pattern is _TWO_WORDS else _words(match[group])
            scale = category(words)
            if scale:
                weight = own + extra + _weight(text, match.start(), match.end(), words)
                yield ChoiceFound(scale, match.start(), weight)
    yield from _of_names(text)
    if labelled:
        yield from _all_of(text)
    for match in _EITHER.finditer(text):
        scale = category([match["one"], match["other"]])
        if scale:
            yield ChoiceFound(scale, match.start(), 3)
    yield from _by_meaning(text, own)
    yield from _lettered(text)
    yield from _line_by_line(text)
    graded = list(_GRADED.finditer(text))
    if {"A++", "B++"} <= {match[0] for match in graded}:
        scale = category([match[0] for match in graded])
        if scale:
            yield ChoiceFound(scale, graded[0].start(), 8)


def _of_names(text: str) -> Iterator[ChoiceFound]:
    """ "exactly one of: good, bad, mixed"."""
    for match in _NAMED.finditer(text):
        words = [word.strip(" .`*") for word in _SPLIT.split(match["list"])]
        scale = category(words) if all(re.fullmatch(_OPTION, word) for word in words) else None
        if scale:
            yield ChoiceFound(scale, match.start(), 7)


def _all_of(text: str) -> Iterator[ChoiceFound]:
    """A label's line that is nothing but its options: "选择：A 或 B 或 平局"."""
    line = text.strip().partition("\n")[0].strip(" \t.。\"'<>[]()（）")
    words = [word.strip(" \"'") for word in _SPLIT.split(line)]
    scale = category(words) if all(re.fullmatch(_OPTION, word) for word in words) else None
    known = sum(word.casefold() in _VERDICT_WORDS for word in words)
    if scale and known * 2 >= len(words):
        yield ChoiceFound(scale, 0, _ENOUGH + known)


def _words(listed: str) -> list[str]:
    quoted = re.findall(rf"{_OPEN}(?:[^\W\d_][\w ]{{1,24}}: ?)?({_OPTION}){_CLOSE}", listed)
    words = quoted or [word for word in _SPLIT.split(listed) if word]
    if not quoted and len(words) < 2:
        words = re.split(r"\W{1,5}", listed)
    words = [_bare(word) for word in words]
    if all(_SIDE.fullmatch(word) for word in words):
        # Output (a) and Output (b) are told apart by their letters; numbers would say too little.
        letters = [re.sub(r"[()]", "", word)[-1] for word in words]
        return letters if "".join(letters).isalpha() else words
    return words


def _bare(option: str) -> str:
    """An option without the picture before it: "✅ Approved"."""
    return re.sub(r"^[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\s]+", "", option).strip()


def _weight(text: str, start: int, end: int, words: Sequence[str]) -> int:
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - 90) : start]
    if not before.strip(" \t-*•#") and line:  # the line above leads to a list on its own line
        before = text[text.rfind("\n", 0, line - 1) + 1 : start][-90:]
    behind = text[end : end + 40].partition("\n")[0]
    if _EXAMPLE.search(before) or _FORBIDDEN.search(before):
        return 0
    known = sum(word.casefold() in _VERDICT_WORDS or bool(_SIDE.fullmatch(word)) for word in words)
    weight = 3 if known == len(words) else 2 if known * 2 >= len(words) else 0
    weight += 2 if _CUE.search(before) else 1 if _CUE.search(behind) else 0
    return weight + (2 if _STRONG_CUE.search(before) else 0)


def _by_meaning(text: str, own: int) -> Iterator[ChoiceFound]:
    """Options that stand one by one, near each other, each with its meaning."""
    run: list[re.Match[str]] = []
    options = [*_ONE_BY_ONE.finditer(text), *_AFTER_IF.finditer(text)]
    for match in sorted(options, key=lambda option: option.start("option")):
        if run and match.start() - run[-1].end() > 400:
            yield from _of_run(text, run, own)
            run = []
        run.append(match)
    yield from _of_run(text, run, own)


def _of_run(text: str, run: Sequence[re.Match[str]], own: int) -> Iterator[ChoiceFound]:
    known = [match for match in run if _bare(match["option"]).casefold() in _VERDICT_WORDS]
    words = [_bare(match["option"]) for match in known]
    scale = category(words)
    if scale:
        weight = own + 1 + _weight(text, known[0].start(), known[0].end(), words)
        yield ChoiceFound(scale, known[0].start(), weight)


def _lettered(text: str) -> Iterator[ChoiceFound]:
    """Lines (A) … (E), each with its meaning; with placeholders they would be the texts judged."""
    run: list[re.Match[str]] = []
    for match in [*_LETTERED.finditer(text), None]:
        follows = match and run and ord(match["letter"]) == ord(run[-1]["letter"]) + 1
        if match and follows and text.count("\n", run[-1].end(), match.start()) <= 3:
            run.append(match)
            continue
        if len(run) > 1 and _is_asked(text, run):
            scale = category([line["letter"] for line in run])
            if scale:
                yield ChoiceFound(scale, run[0].start(), 7)
        run = [match] if match and match["letter"] == "A" else []


def _line_by_line(text: str) -> Iterator[ChoiceFound]:
    """Lines "- poor: …", "- good: …" below words that speak of levels, classes or labels."""
    run: list[re.Match[str]] = []
    for match in [*_NAMED_LINE.finditer(text), None]:
        near = match and run and text.count("\n", run[-1].end(), match.start()) <= _WIDEST_GAP
        if match and near:
            run.append(match)
            continue
        names = [line["name"] for line in run]
        scale = category(names) if run else None
        lead = _lead(text, run[0].start()) if scale else ""
        if scale and _LEADS_TO_NAMES.search(lead):
            known = sum(name.casefold() in _VERDICT_WORDS for name in names)
            if known * 2 >= len(names) or not _LEADS_TO_CRITERIA.search(lead):
                yield ChoiceFound(scale, run[0].start(), _ENOUGH + min(known, 3))
        run = [match] if match else []


def _lead(text: str, at: int) -> str:
    """The last two lines with words before an offset."""
    rows = [row for row in text[max(0, at - 400) : at].split("\n") if row.strip()]
    return " ".join(rows[-2:])


def _is_asked(text: str, run: Sequence[re.Match[str]]) -> bool:
    """Whether the words around a lettered list make it the answers of the judge."""
    around = text[max(0, run[0].start() - 200) : run[0].start()] + text[run[-1].end() :][:300]
    asked = (
        r"one of|option|choice|choose|select|letter|grade|answer by|category|chọn|선택|选择|选项"
        r"|選択|wähl|choisi|elige|escolh|opci"
    )
    return re.search(asked, around, re.IGNORECASE) is not None


def category(words: Sequence[str]) -> dict[str, Any] | None:
    """Two to eight options that differ by more than case; a yes and a no are no options."""
    options = list(dict.fromkeys(words))
    distinct = {option.casefold() for option in options}
    if not 2 <= len(options) <= _MOST_OPTIONS or len(distinct) < len(options) or "" in distinct:
        return None
    if (
        len(options) == 2
        and distinct & YES_WORDS
        and distinct & NO_WORDS
        and not _is_right_or_wrong(distinct)
    ):
        return {"type": "binary"}
    return {"type": "category", "options": options}


def _is_right_or_wrong(words: set[str]) -> bool:
    """đúng and sai are the options of a category: they say more than yes and no."""
    return bool(words & {"đúng", "sai", "참", "거짓"})
