from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.unit.analysis.graded import SCALES, Graded, labels, source

from adjudge.analysis.panel import PanelOptions, panel_of
from adjudge.errors import DataError, UsageError
from adjudge.reports.encode import encode
from adjudge.reports.findings.panel import SHAPES, panel_rows
from adjudge.reports.findings.panel import panel as composed
from adjudge.reports.renderers.terminal import as_text
from adjudge.reports.words import command_line

NOBODY = source([])
CYCLE = [1, 2, 3, 4, 5] * 8


@pytest.fixture
def three(tmp_path: Path):  # type: ignore[no-untyped-def]
    graded = Graded(tmp_path)
    graded.add(model="a", rating=[1, 4, 2, None])
    graded.add(model="b", rating=[2, 4, None, None])
    graded.add(model="c", rating=[6 - 1, 4, 4, 3])
    yield graded
    graded.close()


def test_members_are_made_one(three: Graded) -> None:
    found = panel_of(three.record, three.store, NOBODY, PanelOptions(how="median"))
    rating = found.criteria["rating"]
    assert rating.values[:3].tolist() == [2, 4, 3]
    assert np.isnan(rating.values[3])
    assert str(rating.why(3)) == "1 of 3 members scored it, fewer than half"
    assert rating.disagreement[:3].tolist() == [1.0, 0.0, 0.5]
    assert [found.items[place] for place in found.divided()[:2]] == ["i0", "i2"]
    assert [member.scored for member in rating.members] == [3, 2, 4]
    assert rating.kappa is None


def test_likelihoods_of_names_are_numbers(tmp_path: Path) -> None:
    graded = Graded(tmp_path, method="likelihood", winner=SCALES["winner"])
    graded.add(model="a", winner=[-2.0, -1.0])
    graded.add(model="b", winner=[-4.0, -1.0])
    given = source(labels(["a", "b"], criterion="winner"))
    winner = panel_of(graded.record, graded.store, given, PanelOptions()).criteria["winner"]
    with pytest.raises(UsageError, match="likelihoods lie on no scale"):
        panel_of(graded.record, graded.store, given, PanelOptions(how="weighted"))
    graded.close()
    assert [winner.shown(value) for value in winner.values] == [-3.0, -1.0]
    assert winner.disagreement.tolist() == [pytest.approx(2 / 3), 0.0]
    assert (winner.mean.value, winner.kappa) == (-2.0, None)


def test_rows_keep_what_each_member_said(three: Graded) -> None:
    found = panel_of(three.record, three.store, NOBODY, PanelOptions())
    rows = list(panel_rows(found))
    assert rows[2]["scores"] == {
        "rating": {
            "value": 3.0,
            "why": None,
            "scored": 2,
            "members": 3,
            "disagreement": 0.5,
            "given": {"a": 2.0, "b": None, "c": 4.0},
        }
    }
    first = [row["item"] for row in panel_rows(found, divided_first=True)]
    assert first[:2] == ["i0", "i2"]


def test_the_page(three: Graded) -> None:
    text = as_text(
        [
            composed(
                panel_of(three.record, three.store, NOBODY, PanelOptions()), command_line(), most=5
            )
        ]
    )
    assert "rating, member by member" in text
    assert "fewer than half of 3 members scored them: 1." in " ".join(text.split())
    assert "i0" in text.partition("Where members disagree most")[2]
    assert "i1" not in text.partition("Where members disagree most")[2]


def test_names_are_voted_on(tmp_path: Path) -> None:
    graded = Graded(tmp_path, winner=SCALES["winner"])
    for model, winner in (("a", ["a", "a"]), ("b", ["a", "b"]), ("c", ["tie", "tie"])):
        graded.add(model=model, winner=winner)
    found = panel_of(graded.record, graded.store, NOBODY, PanelOptions(how="mean"))
    winner = found.criteria["winner"]
    assert winner.how == "majority"
    assert [winner.shown(float(value)) for value in winner.values] == ["a", None]
    assert str(winner.why(1)) == "two values have equally many votes"
    assert winner.disagreement.tolist() == pytest.approx([1 / 3, 2 / 3])
    graded.close()


def test_who_agrees_with_people_weighs_more(tmp_path: Path) -> None:
    graded = Graded(tmp_path)
    noise = np.random.default_rng(1).integers(1, 6, len(CYCLE)).tolist()
    graded.add(model="good", rating=CYCLE).add(model="random", rating=noise)
    people = source(labels([float(value) for value in CYCLE]))
    found = panel_of(graded.record, graded.store, people, PanelOptions(how="weighted"))
    rating = found.criteria["rating"]
    good, random = rating.members
    assert good.weight is not None
    assert random.weight is not None
    assert good.weight > 0.7
    assert good.weight + random.weight == pytest.approx(1)
    kappas = [each and each.value for each in (good.kappa, rating.kappa, random.kappa)]
    assert kappas == sorted(kappas, reverse=True, key=lambda value: value or 0)
    members = encode(found, SHAPES)["criteria"]["rating"]["members"]  # type: ignore[index]
    assert members[0]["weight"] == good.weight
    graded.close()


def test_a_label_has_no_say_in_its_own_items_weights(tmp_path: Path) -> None:
    """Turned round, the label of one item moves weights elsewhere, never its own."""
    graded = Graded(tmp_path)
    noise = np.random.default_rng(1).integers(1, 6, len(CYCLE)).tolist()
    half = [v if n % 2 else noise[n] for n, v in enumerate(CYCLE)]
    graded.add(model="good", rating=CYCLE).add(model="half", rating=half)

    def values(changed: int | None) -> list[float]:
        said = [float(6 - v if n == changed else v) for n, v in enumerate(CYCLE)]
        options = PanelOptions(how="weighted")
        found = panel_of(graded.record, graded.store, source(labels(said)), options)
        return list(found.criteria["rating"].values.tolist())

    before = values(None)
    differing = [n for n, v in enumerate(half) if v != CYCLE[n] != 3]
    for item in differing[:3]:
        after = values(item)
        assert after[item] == before[item]
        assert after != before
    graded.close()


def test_weights_are_refused(three: Graded) -> None:
    with pytest.raises(UsageError, match="weights come from agreement with people"):
        panel_of(three.record, three.store, NOBODY, PanelOptions(how="weighted"))
    few = source(labels([1.0, 2.0, 3.0]))
    with pytest.raises(DataError, match="3 labelled items are too few"):
        panel_of(three.record, three.store, few, PanelOptions(how="weighted"))


def test_weights_of_members_that_only_guess(tmp_path: Path) -> None:
    graded = Graded(tmp_path)
    graded.add(model="a", rating=[3] * 40).add(model="b", rating=[6 - v for v in CYCLE])
    people = source(labels([float(value) for value in CYCLE]))
    with pytest.raises(DataError, match="no member agrees with people better than by chance"):
        panel_of(graded.record, graded.store, people, PanelOptions(how="weighted"))
    graded.close()


def test_one_member_is_no_panel(three: Graded) -> None:
    with pytest.raises(UsageError, match="needs two members"):
        panel_of(three.record, three.store, NOBODY, PanelOptions(models=("a",)))
    with pytest.raises(UsageError, match=r"--model z: run .* has only graded by a, graded by b"):
        panel_of(three.record, three.store, NOBODY, PanelOptions(models=("z",)))


def test_any_numbers_have_no_majority(tmp_path: Path) -> None:
    graded = Graded(tmp_path, rating={"type": "number", "min": 0.0, "max": 10.0})
    graded.add(model="a", rating=[1.5]).add(model="b", rating=[1.6])
    with pytest.raises(UsageError, match="--how majority: rating is any number"):
        panel_of(graded.record, graded.store, NOBODY, PanelOptions(how="majority"))
    graded.close()


class TestWorth:
    """Sixty items; what people say of each is its place in CYCLE."""

    HUMAN = tuple(float(value) for value in (CYCLE + CYCLE)[:60])

    def worth(self, folder: Path, prices: dict[str, float | None], **given: list[int]):  # type: ignore[no-untyped-def]
        graded = Graded(folder)
        for model, rating in given.items():
            graded.add(model=model, rating=rating, cost=prices.get(model))
        people = source(labels(self.HUMAN))
        found = panel_of(graded.record, graded.store, people, PanelOptions())
        graded.close()
        return found

    def off(self, seed: int, share: float = 0.5) -> list[int]:
        """A point off in some items, up or down by chance."""
        draw = np.random.default_rng(seed)
        step = np.where(draw.random(60) < share, draw.choice([-1, 1], 60), 0)
        return [int(v) for v in np.clip(np.array(self.HUMAN) + step, 1, 5)]

    def test_copies_are_one_vote_and_one_is_enough(self, tmp_path: Path) -> None:
        one = self.off(1)
        found = self.worth(tmp_path, {"a": 2.0, "b": 1.0, "c": 3.0}, a=one, b=one, c=one)
        rating = found.criteria["rating"]
        assert rating.worth is not None
        assert rating.worth.votes.value == pytest.approx(1)
        assert [way.verdict for way in rating.worth.ways] == ["undecided"] * 3
        smaller = rating.worth.cheapest
        assert smaller is not None
        assert (smaller.members, smaller.priced) == ((1,), True)
        assert smaller.share == pytest.approx(1 / 6)
        text = " ".join(as_text([composed(found, command_line(), most=0)]).split())
        assert "Cheapest panel that is not shown to be worse than the whole: b, for 17%" in text

    def test_one_good_member_beats_the_panel(self, tmp_path: Path) -> None:
        low = [max(1, int(v) - 2) for v in self.HUMAN]
        found = self.worth(tmp_path, {}, good=self.off(1, 0.1), low=low, lower=low)
        worth = found.criteria["rating"].worth
        assert worth is not None
        assert (worth.ways[0].how, worth.ways[0].verdict) == ("mean", "worse")
        shown = encode(found, SHAPES)["criteria"]["rating"]["worth"]
        assert (shown["best"], shown["cheapest"]["members"]) == ("good", ["good"])
        assert shown["cheapest"]["priced"] is False
        assert shown["ways"][0]["verdict"] == "worse"

    def test_members_with_errors_of_their_own_are_needed(self, tmp_path: Path) -> None:
        given = {f"m{n}": self.off(n, 0.9) for n in range(5)}
        worth = self.worth(tmp_path, {}, **given).criteria["rating"].worth
        assert worth is not None
        assert worth.votes.value is not None
        assert worth.votes.value > 3
        assert worth.ways[0].verdict == "better"
        assert worth.cheapest is None or len(worth.cheapest.members) > 1

    def test_a_tied_vote_is_drawn(self, tmp_path: Path) -> None:
        graded = Graded(tmp_path, winner=SCALES["winner"])
        graded.add(model="x", winner=["a"] * 20).add(model="y", winner=["b"] * 20)
        people = source(labels(["a"] * 20, criterion="winner"))
        worth = (
            panel_of(graded.record, graded.store, people, PanelOptions()).criteria["winner"].worth
        )
        graded.close()
        assert worth is not None
        assert (worth.ways[0].shown, worth.best_shown, worth.best) == (0.5, 1.0, 0)

    def test_few_labels_say_so(self, three: Graded) -> None:
        few = source(labels([1.0, 2.0, 3.0]))
        found = panel_of(three.record, three.store, few, PanelOptions())
        text = " ".join(as_text([composed(found, command_line())]).split())
        assert "not compared with its best member: 2 items are too few" in text
        assert "rating: no effective votes: 2 items are too few" in text


def test_without_labels_votes_rest_on_agreement(tmp_path: Path) -> None:
    graded = Graded(tmp_path)
    graded.add(model="a", rating=CYCLE).add(model="b", rating=CYCLE)
    found = panel_of(graded.record, graded.store, NOBODY, PanelOptions())
    graded.close()
    rating = found.criteria["rating"]
    assert (rating.worth, rating.votes.value) == (None, pytest.approx(1))
    assert "agreement among members alone" in as_text([composed(found, command_line())]).replace(
        "\n", " "
    )
