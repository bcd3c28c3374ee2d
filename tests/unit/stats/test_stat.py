from __future__ import annotations

from adjudge.stats.stat import Stat, undefined


def test_a_stat_as_the_json_output_has_it() -> None:
    assert Stat(0.5, 0.4, 0.6).as_dict() == {"value": 0.5, "low": 0.4, "high": 0.6, "why": None}


def test_undefined_is_said_with_its_reason() -> None:
    assert undefined("no rows").as_dict() == {
        "value": None,
        "low": None,
        "high": None,
        "why": "no rows",
    }
