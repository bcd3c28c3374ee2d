"""Replies of nine real judging projects: read as a careful person would, and no wrong ones."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from tests.replay.recorded import ABSENT, Row, judged, present, recorded

pytestmark = pytest.mark.skipif(not present("messy_replies"), reason=ABSENT)

# All of them today. The bars leave a handful to be missed, and none to be read wrong.
LEAST_RIGHT, LEAST_RIGHT_OF_ALL = 0.995, 0.98

# Where the hints of the data are not what the reply says: id → what it says, None when a careful
# person cannot tell. Every disagreement of reader and hints was looked at.
_LAST_DIGIT = "the hint is the 5 of “… out of 5” or a digit of the text, not the grade"
_CUT_SIDE = "chosen in plain words; the project's own rule missed it"
_WRONG_SIDE = "the hint is the first option named, the conclusion names the other"
_STUCK = "one digit over and over: stuck, or a number off the scale"
CORRECTIONS: dict[str, tuple[float | str | None, str]] = {
    "m00020": (2.5, _LAST_DIGIT),
    "m00059": (4, _LAST_DIGIT),
    "m00153": (1, _LAST_DIGIT),
    "m00458": (4, _LAST_DIGIT),
    **{
        f"m00{number}": (4, _LAST_DIGIT)
        for number in (
            *(840, 842, 844, 845, 851, 852, 859),
            *(889, 909, 910, 919, 925, 926, 939),
        )
    },
    "m00949": (3, _LAST_DIGIT),
    "m01047": (None, "goes on with the prompt and ends before a grade; the hint is out of a name"),
    "m01072": (None, "grades two responses where one was asked about"),
    "m01077": (None, "makes up responses and numbers them; no grade"),
    "m01261": (None, "says yes and 0, which contradict each other"),
    "m01445": (2, "grades under the aspect's name, then leaves a second label empty"),
    "m01779": ("a", _CUT_SIDE),
    "m01786": ("b", _CUT_SIDE),
    "m01787": ("a", _CUT_SIDE),
    "m01811": ("a", _CUT_SIDE),
    "m01812": ("b", _CUT_SIDE),
    "m01896": ("b", _WRONG_SIDE),
    "m02016": ("b", _WRONG_SIDE),
    "m02083": ("b", _WRONG_SIDE),
    "m02098": ("b", _WRONG_SIDE),
    "m02275": (3, "brackets closed in the wrong place, the number plain"),
    "m02785": ("A", "concludes in Korean that A gave the better answer"),
    "m04702": (None, _STUCK),
    "m04714": (None, _STUCK),
    "m04718": (None, _STUCK),
    "m04725": (None, _STUCK),
    "m04729": (None, _STUCK),
}
# Replies that compare two answers and never say which is better: the choice on record came in a
# field of its own. Not to read them is right; to read what the record says is no mistake.
_CONCLUDED = {f"m048{number}" for number in ("24", "27", "30", "31", "36", "38", "49", "51", "53")}
ARGUED = {f"m{number:05}" for number in range(4819, 4854)} - _CONCLUDED
LETTERS = "ABCDE"


def _by_letter(row: Row) -> bool:
    return str(row["format"]).startswith("one letter")


def _hint(row: Row) -> float | str | None:
    hint = row["extracted"] if row.get("reading") is None else row["reading"]
    if hint is None or row["kind"] == "choice":
        return hint
    return LETTERS[int(hint) - 1] if _by_letter(row) else float(hint)


def _truth(row: Row) -> float | str | None:
    return CORRECTIONS[row["id"]][0] if row["id"] in CORRECTIONS else _hint(row)


def _scale(rows: list[Row]) -> dict[str, Any]:
    """As somebody would write it who knows what was asked for."""
    first = rows[0]
    if first["kind"] == "choice":
        return {"type": "category", "options": first["scale"]}
    if _by_letter(first):
        return {"type": "category", "options": list(LETTERS)}
    values = [value for row in rows if (value := _truth(row)) is not None]
    whole = all(float(value).is_integer() for value in values)
    low, high = first["scale"]
    return {"type": "integer" if whole else "number", "min": low, "max": high}


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Row, Row]]:
    """Every row with its score, by a judge for each scale, kind and source."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in recorded("messy_replies"):
        if row["kind"] in {"score", "choice"}:
            key = [row["scale"], row["kind"], row["source"], _by_letter(row)]
            groups[json.dumps(key)].append(row)
    out: list[tuple[Row, Row]] = []
    for rows in groups.values():
        folder: Path = tmp_path_factory.mktemp("group")
        scores = judged(folder, _scale(rows), {row["id"]: [row["reply"]] for row in rows})
        by_id = {score["item"]: score for score in scores}
        out += [(row, by_id[row["id"]]) for row in rows]
    return out


def _kind(row: Row, score: Row) -> str:
    """How the reading compares with the truth."""
    value, truth = score["value"], _truth(row)
    if row["id"] in ARGUED:
        return "argued" if value in {None, truth} else "wrong"
    if value is None:
        return "left alone" if truth is None else "missed"
    return "right" if value == truth else "wrong"


def test_read_as_a_careful_person_would(read: list[tuple[Row, Row]]) -> None:
    kinds = [(_kind(row, score), row["id"]) for row, score in read]
    counts = Counter(kind for kind, _ in kinds)
    readable = sum(row["id"] not in ARGUED and _truth(row) is not None for row, _ in read)
    named = {kind: [each for k, each in kinds if k == kind] for kind in ("wrong", "missed")}
    message = f"{dict(counts)} of {len(read)}, {readable} of them readable; {named}"
    assert len(read) == 1975, message
    assert counts["right"] >= LEAST_RIGHT * readable, message
    assert counts["wrong"] == 0, message


def test_right_even_if_whoever_argues_had_chosen(read: list[tuple[Row, Row]]) -> None:
    """The choices that were only on record are few enough to be counted as missed."""
    readable = [(row, score) for row, score in read if _truth(row) is not None]
    right = sum(score["value"] == _truth(row) for row, score in readable)
    assert right >= LEAST_RIGHT_OF_ALL * len(readable), f"{right} of {len(readable)}"


def test_what_is_not_read_says_why(read: list[tuple[Row, Row]]) -> None:
    assert all(score["why"] for _, score in read if score["value"] is None)


def test_corrections_are_about_rows_that_exist(read: list[tuple[Row, Row]]) -> None:
    known = {row["id"]: row for row, _ in read}
    assert set(CORRECTIONS) | ARGUED <= set(known)
    assert all(_hint(known[each]) != value for each, (value, _) in CORRECTIONS.items())
