"""`adjudge calibrate`, and gates of `adjudge run`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.commands import Command, Ended
from tests.unit.cli.conftest import reply

import adjudge as front
from adjudge.errors import UsageError

RATINGS = [1, 2, 2, 3, 3, 3, 4, 4] * 10
PEOPLE = [max(1, rating - (n % 3 == 0)) for n, rating in enumerate(RATINGS)]
RUN = ["data.jsonl", "--judge", "helpfulness", "-m", "replay:replies.jsonl"]
CALIBRATE = ["calibrate", "--labels", "people.csv", "--rounds", "200"]


@pytest.fixture
def judged(adjudge: Command) -> Command:
    """Eighty items in forty topics, two of them unreadable; labels for sixty at random."""
    rows = [
        {"id": f"r{n}", "question": f"Question {n}?", "answer": "…", "topic": f"t{n // 2}"}
        for n in range(80)
    ]
    replies = [
        {"item": f"r{n}", "replies": ["no" if n in (40, 70) else reply(rating)]}
        for n, rating in enumerate(RATINGS)
    ]
    adjudge.write("data.jsonl", rows)
    adjudge.write("replies.jsonl", replies)
    lines = [f"r{n},{PEOPLE[n]}" for n in range(80) if n % 4]
    (adjudge.folder / "people.csv").write_text("\n".join(["item,rating", *lines]))
    assert adjudge("run", *RUN, "--quiet").code == 0
    return adjudge


class TestCalibrate:
    def test_the_page(self, judged: Command) -> None:
        ended = judged(*CALIBRATE, "--group", "topic")
        assert ended.code == 0, ended.err
        for part in (
            "helpfulness by replay:replies.jsonl beside people",
            "2 of 80",
            "mean of groups",
            "judge 4",
            "judge says",
            "May helpfulness by replay:replies.jsonl be used?",
            "Yes for rating",
            "higher than people, report the corrected mean",
        ):
            assert part in ended.out

    def test_how_much_worse_than_a_rater_the_judge_may_be(self, judged: Command) -> None:
        """Three raters say the same, the judge something else of a third of the items."""
        lines = [f"r{n},{rater},{PEOPLE[n]}" for n in range(40) for rater in "abc"]
        (judged.folder / "raters.csv").write_text("\n".join(["item,rater,rating", *lines]))

        def winning_rate(epsilon: str) -> float:
            asked = ("calibrate", "--labels", "raters.csv", "--rounds", "200", "--json")
            rating = judged(*asked, "--epsilon", epsilon).json["criteria"]["rating"]
            test = rating["raters"]["alternative_annotator_test"]
            assert test["epsilon"] == float(epsilon)
            return float(test["winning_rate"]["value"])

        assert (winning_rate("0.1"), winning_rate("0.6")) == (0.0, 1.0)
        ended = judged(*CALIBRATE, "--epsilon", "2")
        assert (ended.code, "--epsilon" in ended.err) == (2, True)

    def test_json_as_promised(self, judged: Command) -> None:
        found = judged(*CALIBRATE, "--json", "--group", "topic").json
        rating = found["criteria"]["rating"]
        assert (rating["n"], rating["unscored"]) == (59, 2)
        overall = {"pearson", "spearman", "kendall", "kappa", "alpha"}
        overall |= {"exact", "adjacent", "bias", "mae"}
        assert overall <= rating["overall"].keys()
        assert {"pearson", "spearman", "kendall"} <= rating["by_group"].keys()
        for stat in (*rating["overall"].values(), rating["mean"]["raw"]):
            assert stat.keys() == {"value", "low", "high", "why"}
        corrected, raw = rating["mean"]["corrected"], rating["mean"]["raw"]
        assert corrected["low"] < sum(PEOPLE) / 80 < corrected["high"]
        assert corrected["value"] < raw["value"]
        assert found["gates"] == []

    def test_without_groups_the_reason_is_said(self, judged: Command) -> None:
        found = judged(*CALIBRATE, "--json").json["criteria"]["rating"]["by_group"]["kendall"]
        assert found["value"] is None
        assert "--group" in found["why"]

    def test_files(self, judged: Command) -> None:
        ended = judged(*CALIBRATE, "-o", "trust.md", "-o", "items.jsonl")
        assert "written: trust.md" in ended.out
        page = (judged.folder / "trust.md").read_text("utf-8")
        assert page.startswith("## helpfulness by replay:replies.jsonl beside people")
        lines = (judged.folder / "items.jsonl").read_text("utf-8").splitlines()
        items = [json.loads(line) for line in lines]
        assert len(items) == 80
        assert items[0]["score"] == 1
        assert items[0]["low"] <= items[0]["people"] <= items[0]["high"]
        assert items[40]["score"] is items[40]["people"] is None

    def test_labels_of_the_store(self, judged: Command) -> None:
        assert judged("calibrate").code == 2
        labels = judged("label", "latest", "--import", "people.csv", "--rater", "kim")
        assert labels.code == 0, labels.err
        assert judged("calibrate", "--json").json["criteria"]["rating"]["n"] == 59

    def test_a_judge_of_the_settings_is_not_meant(
        self, judged: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ADJUDGE_JUDGE", "./other.yaml")
        monkeypatch.setenv("ADJUDGE_MODEL", "openai/other")
        assert judged(*CALIBRATE).code == 0
        assert judged(*CALIBRATE, "--model", "openai/other").code == 2

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (["--labels", "nope.csv"], "nope.csv"),
            (["--group", "topik"], "The data have: topic"),
            (["--gate", "ratng.kappa>=0.2"], "Did you mean rating?"),
            (["--gate", "rating.kappa"], "quotes"),
            (["--confidence", "95"], "between 0 and 1"),
            (["--rounds", "5"], "too few"),
            (["--width", "-1"], "above 0"),
            (["-o", "trust.pdf"], ".md"),
            (["--judge", "chatbot"], "helpfulness by replay:replies.jsonl"),
        ],
    )
    def test_what_is_wrong(self, judged: Command, arguments: list[str], says: str) -> None:
        ended = judged(*CALIBRATE, *arguments)
        assert ended.code == 2
        assert says in ended.err
        assert not ended.out

    def test_gates(self, judged: Command) -> None:
        gates = ["--gate", "rating.spearman>=0.4", "--gate", "rating.kappa.lower>=0.99"]
        ended = judged(*CALIBRATE, *gates, "-o", "trust.md")
        assert ended.code == 3
        assert "rating.kappa.lower>=0.99 is" in ended.err
        assert "Gates: 1 of 2 failed" in ended.out
        page = (judged.folder / "trust.md").read_text("utf-8")
        assert page.startswith("## Gates: 1 of 2 failed")
        found = judged(*CALIBRATE, *gates, "--json").json["gates"]
        assert [each["passed"] for each in found] == [True, False]
        assert found[1]["short_by"] > 0


class TestRunGates:
    def gated(self, adjudge: Command, *gates: str) -> Ended:
        flags = [part for gate in gates for part in ("--gate", gate)]
        return adjudge("run", *RUN, "--no-progress", *flags)

    def test_passed(self, judged: Command) -> None:
        ended = self.gated(judged, "rating.mean>=2", "unscored<=5%", "rating.share(>=2)>=80%")
        assert ended.code == 0, ended.err
        assert "Gates: all 3 passed" in ended.out

    def test_failed_and_by_how_much(self, judged: Command) -> None:
        ended = self.gated(judged, "rating.mean>=3", "rating.unscored<=1%")
        assert ended.code == 3
        assert "2 gates failed: rating.mean>=3 is 2.756" in ended.err
        assert "rating.unscored<=1% is 2.5%, short by 1.5%" in ended.err

    def test_json_and_markdown(self, judged: Command) -> None:
        ended = judged("run", *RUN, "--json", "--gate", "rating.mean>=3", "-o", "out.md")
        assert ended.code == 3
        assert ended.json["gates"][0]["passed"] is False
        page = (judged.folder / "out.md").read_text("utf-8")
        assert page.startswith("## Gates: 1 of 1 failed")
        assert "# Verdicts" in page

    @pytest.mark.parametrize(
        "gate", ["tone.mean>=3", "rating.spearman>=0.4", "rating.mean", "rating.share(=superb)>1%"]
    )
    @pytest.mark.parametrize("more", [[], ["--dry-run"]])
    def test_refused_before_anything_is_spent(
        self, adjudge: Command, answers: list[str], gate: str, more: list[str]
    ) -> None:
        ended = adjudge("run", *answers, "--gate", gate, *more)
        assert ended.code == 2
        assert "--gate" in ended.err
        assert not (adjudge.folder / ".adjudge").exists()

    def test_corrected_needs_a_calibration(self, judged: Command) -> None:
        before = self.gated(judged, "rating.corrected>=2")
        assert before.code == 3
        assert "adjudge calibrate" in before.err
        assert judged(*CALIBRATE).code == 0
        after = self.gated(judged, "rating.corrected>=2", "rating.corrected<2.6")
        assert after.code == 0, after.err

    def test_corrected_of_another_judge_is_stale(self, judged: Command) -> None:
        assert judged(*CALIBRATE).code == 0
        ended = judged(
            "run", *RUN, "--no-progress", "--gate", "rating.corrected>=2", "--explain-in", "any"
        )
        assert ended.code == 3
        assert "stale" in ended.err

    def test_several_models(self, judged: Command) -> None:
        rows = [{"item": f"r{n}", "replies": [reply(1)]} for n in range(80)]
        judged.write("low.jsonl", rows)
        ended = judged("run", *RUN, "-m", "replay:low.jsonl", "--gate", "rating.mean>=2", "--quiet")
        assert ended.code == 3
        assert "helpfulness by replay:low.jsonl" in ended.err
        assert "replay:replies.jsonl" not in ended.err
        several = judged(*CALIBRATE, "--json").json
        assert [each["model"] for each in several["graders"]] == [
            "replay:replies.jsonl",
            "replay:low.jsonl",
        ]
        one = judged(*CALIBRATE, "--json", "-m", "replay:low.jsonl").json
        assert one["criteria"]["rating"]["overall"]["spearman"]["value"] is None


class TestPython:
    @pytest.fixture
    def run(self, judged: Command) -> Iterator[front.Run]:
        opened = front.open_run("latest")
        yield opened
        opened.close()

    def test_as_promised(self, run: front.Run) -> None:
        found = front.calibrate(run, labels="people.csv", rounds=200)
        spearman = found.criteria["rating"].spearman
        assert spearman.value is not None
        assert spearman.value > 0.8
        assert next(run.entries()).position == 0  # still open

    def test_by_name(self, run: front.Run) -> None:
        found = front.calibrate(run.id[:6], labels=Path("people.csv"), gate="rating.kappa>=0.2")
        assert [each.passed for each in found.gates] == [True]

    def test_gates_of_a_run(self, judged: Command) -> None:
        options = {"judge": "helpfulness", "model": "replay:replies.jsonl"}
        finished = front.run("data.jsonl", gate=["rating.mean>=3"], **options)
        finished.close()
        assert [each.passed for each in finished.gates] == [False]
        with pytest.raises(UsageError, match="criterion"):
            front.run("data.jsonl", gate="tone.mean>=3", **options)
