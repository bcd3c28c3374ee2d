"""Labelling as a team: whole items, comments, shares, conflicts, raters that are one, a file."""

from __future__ import annotations

import pytest
from tests.service import Running
from tests.unit.service.security.client import Client

from adjudge.analysis.labelling import LabelOptions
from adjudge.core.label import ADJUDICATED, Label
from adjudge.core.scale import Integer
from adjudge.stats.people import people_of

from .seen import Seen
from .shop import Shop


def _labels(running: Running, shop: Shop) -> list[Label]:
    return running.service.run(shop.half).labels("shop")


def _start(visit: Client, shop: Shop, rater: str) -> tuple[str, dict[str, str]]:
    """The address of the form that asks all criteria of an item, and what it knows."""
    seen = Seen(visit.get(f"/label/{shop.half}?judge=shop&rater={rater}&screen=item").text)
    action = next(a for a in seen.all("form", "action") if "/item?" in a)
    known = {
        str(attrs["name"]): str(attrs["value"])
        for tag, attrs in seen.tags
        if tag == "input" and attrs.get("type") == "hidden" and attrs["name"] != "csrf"
    }
    return action, known


def test_a_team_labels_and_settles(shop: Shop, visit: Client, open_shop: Running) -> None:
    try:
        for rater, quality in (("Mai", "3"), ("Lan", "8")):
            action, known = _start(visit, shop, rater)
            said = {"value.quality": quality, "value.polite": "y", "comment.quality": f"{rater}!"}
            assert visit.send(action, **known, **said).status == 303
        item = known["item"]
        kept = {(label.rater, label.criterion): label for label in _labels(open_shop, shop)}
        assert kept["Mai", "quality"].comment == "Mai!"
        assert ("Mai", "kind") not in kept
        # A tab that was left behind does not know of the answer: nothing is overwritten unsaid.
        late = visit.send(action, **known, **{"value.quality": "1"})
        assert late.status == 422
        assert "Another tab" in Seen(late.text).text
        page = Seen(visit.get(f"/label/{shop.half}/team?judge=shop").text)
        assert "1 of 1 are still open" in page.text
        assert page.text.count("1 / 1") == 2  # nobody labels the third criterion
        settle = {"judge": "shop", "item": item, "criterion": "quality", "value": "5"}
        assert visit.send(f"/label/{shop.half}/adjudicate", **settle).status == 303
        assert "0 of 1 are still open" in Seen(visit.get(f"/label/{shop.half}/team").text).text
        settle["value"] = "70"
        assert visit.send(f"/label/{shop.half}/adjudicate", **settle).status == 422
        table = visit.get(f"/label/{shop.half}/labels.csv").text
        assert "Lan!" in table
        merge = {"judge": "shop", "rater": "Lan", "into": "Mai", "do": "merge"}
        assert visit.send(f"/label/{shop.half}/raters", **merge).headers["Location"].endswith("=0")
        assert {label.rater for label in _labels(open_shop, shop)} == {"Mai", ADJUDICATED}
    finally:
        for rater in ("Mai", "Lan", ADJUDICATED):
            visit.send(f"/label/{shop.half}/raters", judge="shop", rater=rater, do="remove")


@pytest.mark.parametrize("overlap", [0, 2, 9])
def test_a_team_shares_the_items(overlap: int) -> None:
    queue, team = [str(n) for n in range(9)], ("a", "b", "c")
    shares = [LabelOptions(rater=name, team=team, overlap=overlap).share_of(queue) for name in team]
    assert set.intersection(*map(set, shares)) == set(queue[:overlap])
    assert set().union(*shares) == set(queue)
    assert sum(map(len, shares)) == 3 * overlap + 9 - overlap


def test_what_was_adjudicated_counts_and_is_no_rater() -> None:
    labels = [Label("x", "a", "c", 1.0), Label("x", "b", "c", 3.0), Label("y", "a", "c", 2.0)]
    settled = [*labels, Label("x", ADJUDICATED, "c", 5.0)]
    people = people_of(settled, {"x": 0, "y": 1}, {"c": Integer(1, 5)}).people["c"]
    assert people.raters == ("a", "b")
    assert people.values.tolist() == [5.0, 2.0]
