"""What the user sets instead of leaving it to be inferred."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from adjudge.core.reason import Reason
from adjudge.errors import UsageError

# The language of a text: a code, "?" for one that is not known, None for too short a text.
Detect = Callable[[str], str | None]

KEYS = {
    "scale": "1-5, 0.0-10.0, yes/no, a/b/tie, 1=bad,2=fair,3=good",
    "criteria": "names, e.g. accuracy,tone",
    "judged": "the inputs that are judged, e.g. answer",
    "optional": "the inputs that may be empty, e.g. context",
    "text": "placeholders that are none, e.g. score: they stay as they are",
    "style": "format, replace, mustache, jinja, dollar, bare, percent, angle, square or none",
    "reply": "json or text",
    "explain": "yes or no: whether the reply explains its scores",
    "language": "language of the prompt, e.g. en",
    "explain_in": "language of the explanations, e.g. ko, or any",
    "title": "the judge's title",
    "weights": "what each criterion counts, e.g. accuracy:2,tone:1",
    "overall": "weighted_mean, sum, min, all or any: one score over all criteria",
    "required": "criteria whose failure voids the overall score, e.g. safety",
    "may_not_apply": "criteria that may not apply, e.g. tone",
    "evidence": "the inputs that the reply quotes word for word, e.g. context",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to import a prompt. `settings` holds the values of --set by their key."""

    name: str
    detect: Detect
    settings: Mapping[str, str] = field(default_factory=dict)
    harden: bool = False

    def get(self, key: str) -> str | None:
        return self.settings.get(key)

    def names(self, key: str) -> list[str]:
        """The names in a setting, separated by commas."""
        return [part.strip() for part in self.settings.get(key, "").split(",") if part.strip()]


def parse_settings(settings: Iterable[str]) -> dict[str, str]:
    """key=value … → a mapping; an unknown key lists the known ones."""
    out: dict[str, str] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        key = key.strip()
        if key not in KEYS:
            known = "; ".join(f"{name} ({what})" for name, what in KEYS.items())
            why = Reason("import.no_key", key=key, known=known)
            raise UsageError(why.at_option("set", setting))
        if not equals or not value.strip():
            why = Reason("import.no_value", key=key, what=KEYS[key])
            raise UsageError(why.at_option("set", setting))
        out[key] = value.strip()
    return out


def parse_scale(setting: str) -> dict[str, Any]:
    """The scale of --set scale=…"""
    number = r"(-?\d{1,9}(?:\.\d{1,9})?)"
    match = re.fullmatch(rf"{number}\s*(?:-|–|to|\.\.)\s*{number}", setting)
    if match:
        return scale_of_range(match[1], match[2])
    if setting.casefold() in {"binary", "yes/no", "true/false"}:
        return {"type": "binary"}
    if "=" in setting:
        levels = [part.partition("=") for part in setting.split(",")]
        if all(re.fullmatch(r"\s*-?\d{1,9}\s*", value) and label for value, _, label in levels):
            return {"type": "ordinal", "levels": {int(v): label.strip() for v, _, label in levels}}
    options = [part.strip() for part in re.split(r"[,/|]", setting) if part.strip()]
    if len(options) > 1 and "=" not in setting:
        return {"type": "category", "options": options}
    why = Reason("import.no_scale", examples=KEYS["scale"])
    raise UsageError(why.at_option("set", f"scale={setting}"))


def scale_of_range(low: str, high: str, *, floats: bool = False) -> dict[str, Any]:
    """Whole numbers, unless a bound is written with a point or `floats` says otherwise."""
    if floats or "." in low + high:
        return {"type": "number", "min": float(low), "max": float(high)}
    return {"type": "integer", "min": int(low), "max": int(high)}
