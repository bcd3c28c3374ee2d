"""Weights, an overall score, what may not apply and what is to be quoted, in an existing prompt.

Weights are read where every criterion has one ("Accuracy (40%)", "Tone - weight: 2"): with fewer it
is not clear what the others count. What a prompt leaves open can be set.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from adjudge.errors import UsageError

from .findings import ImportFindings
from .options import Options

_WORD = r"(?:weight(?:ed|ing|age)?|가중치|비중|trọng số)"
# Behind the criterion's name: (40%), (weight: 2), - 40 %, : weight 0.4, weight = 40%
_WEIGHT = re.compile(
    rf"[*_`\"\]]{{0,4}}\s{{0,3}}[-–—:：(\[]\s{{0,3}}(?:"
    rf"{_WORD}\s{{0,2}}[:：=]?\s{{0,2}}(?P<worded>\d{{1,3}}(?:\.\d{{1,3}})?)\s?%?"
    rf"|(?P<percent>\d{{1,3}}(?:\.\d)?)\s?%\s{{0,2}}(?:{_WORD})?[)\]]?)",
    re.IGNORECASE,
)
_NOT_APPLICABLE = re.compile(
    r"[\"'“(]?\bN/A\b[\"'”)]?\s{1,2}(?:if|when|where|for)\b|\bor\s[\"'“]?N/A\b"
    r"|[\"'“](?:not applicable|해당 없음|không áp dụng)[\"'”]",
    re.IGNORECASE,
)
_KINDS = ("weighted_mean", "sum", "min", "all", "any")


def weigh_criteria(
    text: str, criteria: dict[str, dict[str, Any]], options: Options, findings: ImportFindings
) -> dict[str, Any]:
    """Puts weights and the like into the criteria; the keys that the file gets besides."""
    weights = _set_weights(criteria, options, findings) or _read_weights(text, criteria, findings)
    for name, weight in weights.items():
        criteria[name]["weight"] = weight
    for name in _named("required", criteria, options, findings):
        criteria[name]["required"] = True
    for name in _named("may_not_apply", criteria, options, findings) or _may_not_apply(
        text, criteria, findings
    ):
        criteria[name]["may_not_apply"] = True
    if quoted := options.names("evidence"):
        findings.set("evidence", ", ".join(quoted))
        for criterion in criteria.values():
            criterion["evidence"] = {"from": quoted}
    kind = options.get("overall")
    if kind is not None:
        if kind not in _KINDS:
            raise UsageError(f"--set overall={kind}: write one of {', '.join(_KINDS)}.")
        findings.set("overall", kind)
    needed = bool(weights) or bool(options.names("required"))
    made = kind or ("weighted_mean" if needed and _ordered(criteria) else None)
    return {"overall": {"from": made}} if made else {}


def _ordered(criteria: Mapping[str, Mapping[str, Any]]) -> bool:
    return all(criterion["scale"]["type"] != "category" for criterion in criteria.values())


def _named(
    key: str, criteria: Mapping[str, Any], options: Options, findings: ImportFindings
) -> list[str]:
    names = options.names(key)
    for name in names:
        if name not in criteria:
            raise UsageError(f"--set {key}={name}: the criteria are {', '.join(criteria)}.")
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
            wrong = f"--set weights={options.get('weights')}: write name:number for each of"
            raise UsageError(f"{wrong} {', '.join(criteria)}.")
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
        match = next(filter(None, (_weight_of(text, title) for title in titles)), None)
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


def _weight_of(text: str, title: str) -> re.Match[str] | None:
    for place in re.finditer(re.escape(title), text, re.IGNORECASE):
        if match := _WEIGHT.match(text, place.end()):
            return match
    return None


def _may_not_apply(
    text: str, criteria: Mapping[str, Mapping[str, Any]], findings: ImportFindings
) -> list[str]:
    """All criteria where the prompt allows N/A as an answer."""
    match = _NOT_APPLICABLE.search(text)
    if match is None:
        return []
    findings.read("may_not_apply", "yes", match.start(), doubt="which criteria is not said")
    return list(criteria)
