"""The settings of a run in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from adjudge.reports.strings import Strings
from adjudge.stores.records import RunRecord

_LONGEST = 120  # characters of a value
_KNOWN = (
    "answered_by",
    "repeat",
    "temperature",
    "max_tokens",
    "seed",
    "shorten",
    "logprobs",
    "stop",
    "cascade",
    "keep_texts",
)


def setting_name(name: str, say: Strings) -> str:
    """What people call it; one that is not known is called by itself."""
    return say(f"run.setting.{name}") if name in _KNOWN else name


def settings_of(record: RunRecord, say: Strings) -> list[tuple[str, str]]:
    """Names and values, without those that were not set."""
    given = record.manifest.settings.items()
    return [
        (setting_name(name, say), setting_value(name, value, say))
        for name, value in given
        if value not in (None, "", {}, [])
    ]


def setting_value(name: str, value: object, say: Strings) -> str:
    """Long ones are cut."""
    if name == "cascade" and isinstance(value, Mapping):
        told = "; ".join(_promise(value, say))
    elif name == "stop" and value == "stable":
        told = say("run.setting.stop_stable")
    elif name == "keep_texts" and value == "no":
        told = say("common.no")
    elif isinstance(value, bool):
        told = say("common.yes" if value else "common.no")
    elif isinstance(value, list | tuple):
        told = ", ".join(map(str, value))
    else:
        told = str(value)
    return told if len(told) <= _LONGEST else f"{told[: _LONGEST - 1].rstrip()}…"


def _promise(given: Mapping[str, object], say: Strings) -> Iterator[str]:
    agree, delta, within = (given.get(name) for name in ("agree", "delta", "within"))
    if isinstance(agree, float | int) and isinstance(delta, float | int):
        yield say("run.setting.promise", agree=f"{agree:.0%}", delta=f"{delta:.0%}")
    if within is not None:
        yield say("run.setting.within", within=within)
