from __future__ import annotations

from adjudge.models.ways import after, best, further, known

FORMS = {"json": ("strict", "loose", None), "limit": ("new", "old")}


def test_the_best_comes_first_and_the_last_has_no_next() -> None:
    ways = best(FORMS)
    assert ways == {"json": "strict", "limit": "new"}
    second = after(FORMS, ways, "json")
    assert second == {"json": "loose", "limit": "new"}
    third = after(FORMS, second, "json")
    assert third == {"json": None, "limit": "new"}
    assert after(FORMS, third, "json") is None
    assert after(FORMS, {"json": None, "limit": "old"}, "limit") is None


def test_what_is_no_longer_known_is_tried_anew() -> None:
    assert known(FORMS, {"json": None, "limit": "old"}) == {"json": None, "limit": "old"}
    assert known(FORMS, {"json": "gone", "other": "x"}) == best(FORMS)


def test_two_findings_together() -> None:
    one: dict[str, str | None] = {"json": None, "limit": "new"}
    other: dict[str, str | None] = {"json": "loose", "limit": "old"}
    assert further(FORMS, one, other) == {"json": None, "limit": "old"}
