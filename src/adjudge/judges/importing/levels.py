"""Labelled levels: lines that give each value of a scale a name or a meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

# "1: …", "3 - …", "Score 2: …", "**4점**: …", "A score of 1 (bad) means …"; "1. …" counts steps.
_LEVEL = re.compile(
    r"^[ \t]*(?:[-*•+|][ \t]*)?[*_]{0,2}"
    r"(?:(?:a\s+)?(?:score|rating|level|grade|điểm|mức|점수)\s*(?:of\s+)?)?"
    r"(?P<value>\d{1,3})(?:\s*(?:점|点|分|điểm|points?|stars?))?[*_]{0,2}[ \t]*"
    r"(?:[(（](?P<name>[^()（）\n]{1,40})[)）][*_]{0,2}[ \t]*(?P<how>means?|[:：=–—-])?"
    r"|(?P<sign>[:：=]|[–—-](?=[ \t])|means\b|\|))[*_]{0,2}[ \t]*(?P<rest>[^\n]+)$",
    re.IGNORECASE | re.MULTILINE,
)
_LONGEST_LABEL = 5  # words
# How many lines may lie between two levels: their meanings may take some.
_WIDEST_GAP = 6


@dataclass(frozen=True, slots=True)
class Levels:
    """Values with what stands for them; `scale` as a judge file writes it."""

    values: tuple[int, ...]
    scale: dict[str, Any]
    at: int


def find_levels(text: str) -> Levels | None:
    """The first run of at least two lines whose numbers go up or down one by one."""
    for run in _runs(text):
        values = [int(each["value"]) for each in run]
        labels = [label for each in run if (label := _label(each))]
        if len({label.casefold() for label, _ in labels}) == len(run):
            named = sorted(zip(values, labels, strict=True))
            levels = {value: _entry(*label) for value, label in named}
            scale: dict[str, Any] = {"type": "ordinal", "levels": levels}
        else:
            scale = {"type": "integer", "min": min(values), "max": max(values)}
        return Levels(tuple(sorted(values)), scale, run[0].start())
    return None


def _runs(text: str) -> list[list[re.Match[str]]]:
    runs: list[list[re.Match[str]]] = []
    for found in _LEVEL.finditer(text):
        last = runs[-1][-1] if runs else None
        if last is not None and _follows(text, last, found, runs[-1]):
            runs[-1].append(found)
        else:
            runs.append([found])
    return [run for run in runs if len(run) > 1]


def _follows(
    text: str, last: re.Match[str], found: re.Match[str], run: list[re.Match[str]]
) -> bool:
    step = int(found["value"]) - int(last["value"])
    if abs(step) != 1 or text.count("\n", last.end(), found.start()) > _WIDEST_GAP:
        return False
    return len(run) < 2 or step == int(run[1]["value"]) - int(run[0]["value"])


def _entry(label: str, meaning: str) -> str | dict[str, str]:
    return {"label": label, "meaning": meaning} if meaning else label


def _label(found: re.Match[str]) -> tuple[str, str] | None:
    """Label and meaning: "The answer is terrible: off topic" → ("terrible", "off topic")."""
    rest = found["rest"].strip(" \t*_|.")
    if rest.startswith(("{", "<", "[", "$", "%")):
        return None  # a placeholder: what the level means comes with the item
    if found["name"]:
        meaning = re.sub(r"^(?:means?\s+)?(?:that\s+)?", "", rest, flags=re.IGNORECASE)
        return found["name"].strip(), meaning.strip()
    head, _, meaning = _split(rest)
    said = re.search(r"\bis\s+((?:\w+[\s-]?){1,5})$", head)
    label = said[1] if said else head
    label = label.strip(" *_`\"'“”.")
    if not label or len(label.split()) > _LONGEST_LABEL or len(label) > 40:
        return None
    if re.fullmatch(r"[\d.,\s-]+", label):
        return None
    return label, meaning.strip(" *_|")


def _split(rest: str) -> tuple[str, str, str]:
    found = re.search(r"\s*(?:[:：;；|,，.。(（]|\s[–—-]\s)\s*", rest)
    return (rest[: found.start()], found[0], rest[found.end() :]) if found else (rest, "", "")
