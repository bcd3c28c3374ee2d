"""What a prompt says beside its scales: weights, an overall score, what must not fail, what may not
apply and what is to be quoted.

Weights are read where every criterion has one ("Accuracy (40%)", "Tone - weight: 2"): with fewer it
is not clear what the others count. What a prompt leaves open can be set.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

from .choice import category
from .findings import ImportFindings
from .inputs import Inputs
from .options import Options
from .roles import role_of, roles_in
from .sample import SampleField
from .words import RATINGS, SUMS, spaced

_WORD = (
    r"(?:weight(?:ed|ing|age)?|가중치|비중|trọng số|权重|權重|占比|占|重み|ウェイト|比重"
    r"|gewicht(?:ung)?|poids|pondération|peso|ponderación|ponderação)"
)
# Behind the criterion's name: (40%), (weight: 2), - 40 %, : weight 0.4, weight = 40%
_WEIGHT = re.compile(
    rf"[*_`\"\]]{{0,4}}\s{{0,3}}[-–—:：(\[（【]\s{{0,3}}(?:"
    rf"{_WORD}\s{{0,2}}[:：=]?\s{{0,2}}(?P<worded>\d{{1,3}}(?:\.\d{{1,3}})?)\s?%?"
    rf"|(?P<percent>\d{{1,3}}(?:\.\d)?)\s?%\s{{0,2}}(?:{_WORD})?[)\]）】]?)",
    re.IGNORECASE,
)
_NOT_APPLICABLE = re.compile(
    r"[\"'“(]?\bN/A\b[\"'”)]?\s{1,2}(?:if|when|where|for)\b|\bor\s[\"'“]?N/A\b"
    r"|[\"'“](?:not applicable|해당 없음|không áp dụng)[\"'”]",
    re.IGNORECASE,
)
_KINDS = ("weighted_mean", "sum", "min", "all", "any")
# Behind the criterion's name: (required), - must pass, 【必須】
_REQUIRED = re.compile(
    r"[*_`\"\]]{0,4}\s{0,3}[-–—:：(\[（【]\s{0,3}(?:required|mandatory|critical|must[ -]pass"
    r"|hard (?:requirement|gate)|필수|bắt buộc|必须|必須|必需|pflicht(?:kriterium)?|zwingend"
    r"|obligatoire|obligatori[oa]|obrigatóri[oa])\b",
    re.IGNORECASE,
)
# "The final score is the average of …", 总分为各项之和
_OVERALL = re.compile(
    r"(?:\b(?:overall|final|total|aggregate)(?: \w+)?|종합 ?점수|최종 ?점수|총점"
    r"|(?:tổng|điểm) (?:điểm|tổng|cuối)"
    r"|综合(?:得分|评分)|总分|最终(?:得分|评分)|総合(?:スコア|点|評価)|合計(?:点)?|最終スコア"
    r"|gesamt(?:note|punktzahl|bewertung|score)|(?:note|score) (?:finale?|globale?|totale?)"
    r"|(?:puntuación|nota|pontuação) (?:final|total|global|geral))"
    r"[^.。\n\d]{0,40}?(?:\b(?:is|are|as|equals|là|bằng|ist|est|es|é)\W|=|[:：]|为|是|等于|は|는|은)"
    r"[^.。\n]{0,40}?(?:(?P<mean>\b(?:average|mean)\b|평균|trung bình|平均|durchschnitt|mittelwert"
    r"|moyenne|promedio|media\b|média)|(?P<sum>\bsum\b|합계|의 합|\btổng\b|之和|总和|合計"
    r"|\bsumme\b|\bsomme\b|\bsuma\b|\bsoma\b)|(?P<min>\b(?:minimum|lowest)\b"
    r"|최저|최솟값|thấp nhất|最低|niedrigste|\ble plus bas|mínim[oa]|más baj[oa]|menor))",
    re.IGNORECASE,
)
# Quotations that are to stand to the letter.
_TO_THE_LETTER = re.compile(
    r"\b(?:verbatim|word[ -]for[ -]word|exact(?:ly)? (?:quot|sentence|passage|text|phrase)"
    r"|direct quot|quot\w+ (?:directly|exactly))|원문 그대로|그대로 인용|직접 인용|nguyên văn"
    r"|trích dẫn (?:chính xác|trực tiếp)|逐字|原文引用|原文摘录|直接引用|そのまま引用|原文のまま"
    r"|wörtlich|mot pour mot|textuel(?:le)?ment|textualmente|palabra por palabra"
    r"|literalmente|palavra por palavra",
    re.IGNORECASE,
)
_QUOTES = frozenset(
    ["quotes", "quote", "quotations", "quotation", "evidence", "evidence quotes", "citations",
     "인용", "인용문", "인용구", "trích dẫn", "trich dan"]
)  # fmt: skip
_NONE_OF_IT = frozenset(
    ["n/a", "na", "not applicable", "not_applicable", "해당 없음", "해당없음", "không áp dụng"]
)


def weigh_criteria(
    text: str,
    criteria: dict[str, dict[str, Any]],
    sample: Sequence[SampleField],
    inputs: Inputs,
    options: Options,
    findings: ImportFindings,
) -> dict[str, Any]:
    """Puts weights and the like into the criteria; the keys that the file gets besides."""
    weights = _set_weights(criteria, options, findings) or _read_weights(text, criteria, findings)
    for name, weight in weights.items():
        criteria[name]["weight"] = weight
    required = _named("required", criteria, options, findings) or _read_required(
        text, criteria, findings
    )
    for name in required:
        criteria[name]["required"] = True
    for name in _named("may_not_apply", criteria, options, findings) or _may_not_apply(
        text, criteria, findings
    ):
        criteria[name]["may_not_apply"] = True
    _quote(text, criteria, sample, inputs, options, findings)
    kind = options.get("overall")
    if kind is not None:
        if kind not in _KINDS:
            why = Reason("import.one_of", known=tuple(_KINDS))
            raise UsageError(why.at_option("set", f"overall={kind}"))
        findings.set("overall", kind)
    stated = (
        "" if kind or not _ordered(criteria) else _read_overall(text, criteria, sample, findings)
    )
    needed = (bool(weights) or bool(required)) and _ordered(criteria)
    # Weights that are stated count in the mean.
    made = kind or ("weighted_mean" if needed and stated in {"", "sum"} and weights else stated)
    made = made or ("weighted_mean" if needed else "")
    return {"overall": {"from": made}} if made else {}


def _ordered(criteria: Mapping[str, Mapping[str, Any]]) -> bool:
    return all(one.get("scale", {}).get("type") != "category" for one in criteria.values())


def _read_overall(
    text: str,
    criteria: Mapping[str, Mapping[str, Any]],
    sample: Sequence[SampleField],
    findings: ImportFindings,
) -> str:
    """How the prompt makes one score of several, unless the reply gives that score itself."""
    if len(criteria) < 2 or any(name in RATINGS | SUMS for name in criteria):
        return ""
    scales = [one.get("scale") for one in criteria.values()]
    total = next((one for one in sample if one.key in SUMS and not one.within), None)
    match = _OVERALL.search(text)
    if match:
        kinds = {"mean": "weighted_mean", "sum": "sum", "min": "min"}
        findings.read("overall", kinds[str(match.lastgroup)], match.start())
        return kinds[str(match.lastgroup)]
    if total and all(scale == scales[0] for scale in scales):
        findings.read("overall", "sum", total.at)
        return "sum"
    return ""


def _read_required(
    text: str, criteria: Mapping[str, Mapping[str, Any]], findings: ImportFindings
) -> list[str]:
    """The criteria that the prompt marks as those that must not fail, where others are not."""
    places = {
        name: place
        for name, criterion in criteria.items()
        for title in (name.replace("_", " "), str(criterion.get("title") or name))
        if (place := _behind(_REQUIRED, text, title))
    }
    if not places or len(places) == len(criteria) or not _ordered(criteria):
        return []
    for name, place in places.items():
        binary = criteria[name].get("scale", {}).get("type") == "binary"
        doubt = "" if binary else Reason("import.doubt.upper_half")
        key = "" if binary else "required"
        findings.read("required", name, place.start(), doubt=doubt, key=key)
    return list(places)


def _quote(
    text: str,
    criteria: dict[str, dict[str, Any]],
    sample: Sequence[SampleField],
    inputs: Inputs,
    options: Options,
    findings: ImportFindings,
) -> None:
    """The texts that the reply quotes: as set, or where a key of the sample holds quotations that
    are to stand to the letter."""
    quoted = options.names("evidence")
    if quoted:
        findings.set("evidence", ", ".join(quoted))
    else:
        field = next((one for one in sample if spaced(one.key) in _QUOTES and not one.within), None)
        letter = _TO_THE_LETTER.search(text)
        if field is None or letter is None or len(criteria) != 1:
            return
        sources = [name for name, title in inputs.titles.items() if role_of(title) == "source"]
        said = text[max(0, letter.start() - 100) : letter.end() + 100]
        meant = {role for _, role, _ in roles_in(said)}
        quoted = sources if sources and "source" in meant else inputs.judged
        doubt = "" if meant & {"source", "answer"} else Reason("import.doubt.quoted")
        shown = ", ".join(quoted)
        findings.read(
            "evidence", shown, letter.start(), doubt=doubt, key="evidence" if doubt else ""
        )
    for criterion in criteria.values():
        if "claims" not in criterion and "checklist" not in criterion:
            criterion["evidence"] = {"from": list(quoted)}


def _named(
    key: str, criteria: Mapping[str, Any], options: Options, findings: ImportFindings
) -> list[str]:
    names = options.names(key)
    for name in names:
        if name not in criteria:
            why = Reason("import.no_criterion", known=tuple(criteria))
            raise UsageError(why.at_option("set", f"{key}={name}"))
    if names:
        findings.set(key, ", ".join(names))
    return names


def _set_weights(
    criteria: Mapping[str, Any], options: Options, findings: ImportFindings
) -> dict[str, float]:
    weights = {}
    for part in options.names("weights"):
        name, _, number = part.partition(":")
        if name.strip() not in criteria or not re.fullmatch(r"\s*-?\d+(\.\d+)?\s*", number):
            why = Reason("import.weights", known=tuple(criteria))
            raise UsageError(why.at_option("set", f"weights={options.get('weights')}"))
        weights[name.strip()] = float(number)
    if weights:
        findings.set("weights", options.get("weights") or "")
    return weights


def _read_weights(
    text: str, criteria: Mapping[str, Mapping[str, Any]], findings: ImportFindings
) -> dict[str, float]:
    """By criterion; none unless every one of several has a weight of its own."""
    if len(criteria) < 2:
        return {}
    weights: dict[str, float] = {}
    places: list[int] = []
    percents: list[bool] = []
    for name, criterion in criteria.items():
        titles = {name.replace("_", " "), str(criterion.get("title") or name)}
        match = next(filter(None, (_behind(_WEIGHT, text, title) for title in titles)), None)
        if match is None:
            return {}
        weights[name] = float(match["worded"] or match["percent"])
        percents.append(match["worded"] is None)
        places.append(match.start())
    # Percentages without the word are weights only where they are shares of the whole.
    if not all(weights.values()) or (any(percents) and abs(sum(weights.values()) - 100) > 1):
        return {}
    stated = ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
    findings.read("weights", stated, min(places))
    return weights


def _behind(pattern: re.Pattern[str], text: str, title: str) -> re.Match[str] | None:
    """What a pattern finds right behind a title, also behind brackets: "Tone (Ton) (40%)"."""
    for place in re.finditer(re.escape(title), text, re.IGNORECASE):
        aside = _ASIDE.match(text, place.end())
        for end in (place.end(), aside.end() if aside else place.end()):
            if match := pattern.match(text, end):
                return match
    return None


_ASIDE = re.compile(r"\s?[(（][^()（）\n]{1,40}[)）]")


def _may_not_apply(
    text: str, criteria: Mapping[str, Mapping[str, Any]], findings: ImportFindings
) -> list[str]:
    """Those whose own options have N/A among them; all where the prompt allows it elsewhere."""
    own = [name for name, one in criteria.items() if _without_none(one.get("scale", {}))]
    if own:
        findings.set("may_not_apply", ", ".join(own))
        return own
    match = _NOT_APPLICABLE.search(text)
    if match is None:
        return []
    doubt = Reason("import.doubt.which_criteria")
    findings.read("may_not_apply", Reason("import.value.yes"), match.start(), doubt=doubt)
    return list(criteria)


def _without_none(scale: dict[str, Any]) -> bool:
    """Takes N/A out of the options of a choice; whether it was there."""
    options = scale.get("options", [])
    rest = [option for option in options if str(option).casefold() not in _NONE_OF_IT]
    if len(rest) == len(options) or len(rest) < 2:
        return False
    scale.update(category(rest) or {})
    if scale["type"] == "binary":
        scale.pop("options", None)
    return True
