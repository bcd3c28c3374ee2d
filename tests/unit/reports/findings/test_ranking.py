from __future__ import annotations

from dataclasses import replace

from adjudge.analysis.ranking import (
    Ranked,
    Ranking,
    RankingPart,
    RankingSlice,
    RankOptions,
    Standing,
)
from adjudge.core.reason import Reason
from adjudge.reports.encode import encode
from adjudge.reports.findings.ranking import SHAPES
from adjudge.reports.findings.ranking import ranking as composed
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import command_line
from adjudge.stats.length_control import LengthControlledRate
from adjudge.stats.position_bias import PositionBias
from adjudge.stats.stat import Stat, undefined


def standing(system: str, strength: float, best: int, worst: int) -> Standing:
    return Standing(
        system=system,
        n=10,
        unscored=0,
        strength=Stat(strength, strength - 0.2, strength + 0.2),
        best=best,
        worst=worst,
        win_rate=Stat(0.6, 0.4, 0.8),
        bounds=(0.6, 0.6),
    )


RANKED = Ranked(
    standings=(standing("x", 1.0, 1, 1), standing("y", -0.4, 2, 3), standing("z", -0.6, 2, 3)),
    wins={("x", "y"): 4.0, ("y", "x"): 1.0, ("y", "z"): 2.5, ("z", "y"): 2.5},
    open_between=(("y", "z"),),
    comparisons=10,
    ties=1,
    unscored=0,
    questions=5,
)
POSITION = PositionBias(10, Stat(0.7, 0.6, 0.8), Stat(0.5, 0.3, 0.7), Stat(0.1, 0.0, 0.2), 5, 4)
PART = RankingPart(
    judge="preference", model="m", criterion="winner", ranked=RANKED, position=POSITION
)


def page(*parts: RankingPart, left_out: dict[str, Reason] | None = None) -> str:
    ranking = Ranking(run="r1", options=RankOptions(), parts=parts, left_out=left_out or {})
    return as_text([composed(ranking, command_line())])


def test_places_and_what_is_open() -> None:
    shown = page(PART)
    assert "2–3    y" in shown
    assert "No clear order between y and z" in shown
    assert "80% of 5" in shown  # x against y
    assert "x              –" in shown


def test_decided_throughout() -> None:
    assert "clearly ahead" in page(replace(PART, ranked=replace(RANKED, open_between=())))


def test_the_leaning_of_the_judge() -> None:
    def leaning(low: float, high: float) -> str:
        first = Stat((low + high) / 2, low, high)
        shown = page(replace(PART, position=replace(POSITION, first=first)))
        return " ".join(shown.split())  # lines are wrapped

    assert "prefers the first place" in leaning(0.6, 0.8)
    assert "prefers the second place" in leaning(0.2, 0.4)
    assert "no sign" in leaning(0.4, 0.6)


def test_unscored_rows_stand_beside_the_rate() -> None:
    first = replace(RANKED.standings[0], unscored=5, bounds=(0.4, 0.73))
    told = replace(RANKED, standings=(first, *RANKED.standings[1:]))
    assert "60% [40%, 80%], with the unscored 40% to 73%" in page(replace(PART, ranked=told))


def test_equal_length_and_why_not() -> None:
    one, two, three = RANKED.standings
    one = replace(one, controlled=LengthControlledRate(Stat(0.55, 0.5, 0.6), 1.2))
    two = replace(
        two,
        controlled=LengthControlledRate(undefined(Reason("", text="won every comparison")), None),
    )
    told = replace(RANKED, standings=(one, two, three))
    shown = page(replace(PART, ranked=told, baseline="z"))
    assert "At equal length, against z" in shown
    assert "55% [50%, 60%]" in shown
    assert "y at equal length: won every comparison." in shown
    assert "--baseline" in page(PART)


def test_cautions_slices_and_what_is_left_out() -> None:
    told = replace(RANKED, cautions=(Reason("", text="Mind this."),))
    sliced = RankingSlice(column="topic", value="law", ranked=told)
    shown = page(
        replace(PART, slices=(sliced,)), left_out={"chatbot": Reason("", text="no columns")}
    )
    assert "topic law\nCaution: Mind this." in shown
    assert "Not ranked: chatbot: no columns." in shown


def test_no_words_on_order_without_a_scale() -> None:
    lost = tuple(
        replace(each, strength=undefined(Reason("", text="apart"))) for each in RANKED.standings
    )
    shown = page(replace(PART, ranked=replace(RANKED, standings=lost)))
    assert "decisive" not in shown


def test_several_parts_are_a_list() -> None:
    two = Ranking(run="r", options=RankOptions(), parts=(PART, PART), left_out={})
    assert [each["criterion"] for each in encode(two, SHAPES)["rankings"]] == ["winner", "winner"]
    one = encode(replace(two, parts=(PART,)), SHAPES)
    assert one["not_decisive"] == [["y", "z"]]
    assert one["orders"]["reversed"] == 4
