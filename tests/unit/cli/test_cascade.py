from __future__ import annotations

import asyncio
import csv
import json

import pytest
from tests.commands import Command

from adjudge.models.base import ModelOptions
from adjudge.models.model_checks import ModelCheck, save_check
from adjudge.models.registry import open_plain

from .conftest import reply

ITEMS = 60
ARGUMENTS = ("run", "data.jsonl", "--judge", "helpfulness", "--repeat", "3", "--no-progress")
CASCADE = ("--cascade", "replay:small.jsonl,replay:large.jsonl", "--labels", "people.csv")


@pytest.fixture
def files(adjudge: Command) -> Command:
    """The small model is of three minds about the last ten, the large one about the last two."""
    items = [f"r{n}" for n in range(ITEMS)]
    adjudge.write("data.jsonl", [{"id": i, "question": f"{i}?", "answer": i} for i in items])
    for model, unsure in (("small", 10), ("large", 2)):
        rows = [
            {"item": i, "replies": [reply(r) for r in (3, 3, 3)]}
            if n < ITEMS - unsure
            else {"item": i, "replies": [reply(r) for r in (1, 2, 3)]}
            for n, i in enumerate(items)
        ]
        adjudge.write(f"{model}.jsonl", rows)
    labels = "item,rating\n" + "".join(f"{i},3\n" for i in items)
    (adjudge.folder / "people.csv").write_text(labels)
    return adjudge


def test_a_cascade(files: Command) -> None:
    ended = files(*ARGUMENTS, *CASCADE, "--agree", "0.9", "--delta", "0.2")
    assert ended.code == 0
    assert "replay:large.jsonl judged 10 of 60 items; 83.3% were saved" in ended.out
    assert "replay:large.jsonl decides nothing: 10 labelled items with a score" in ended.out
    assert "10 items are left to people\nreplay:large.jsonl decides nothing: 10" in ended.out
    assert "All of them are labelled already." in ended.out
    shown = files("cascade", "--left", "-o", "left.csv", "-o", "report.md")
    assert shown.code == 0
    assert left_in(files) == []


def test_five_samples_where_nothing_says_how_sure_a_model_is(files: Command) -> None:
    """The same run as with the flag; the choice is said, with its reason."""
    for model in ("small", "large"):
        path = files.folder / f"{model}.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        files.write(
            path.name, [row | {"replies": [*row["replies"], *[reply(3)] * 2]} for row in rows]
        )
    bare = [each for each in ARGUMENTS if each not in ("--repeat", "3")]
    ended = files(*bare, *CASCADE, "--agree", "0.9")
    assert ended.code == 0, ended.err
    said = "--cascade uses 5 samples of each item (--repeat 5) as confidence"
    assert f"{said}: replay:small.jsonl gives no token probabilities." in ended.err
    for more in (("--repeat", "5"), ("--method", "text")):
        again = files(*bare, *CASCADE, *more, "--json")
        assert again.json["run"] in ended.out
        assert (said in again.err) == ("--repeat" not in more)
    assert said not in files(*bare, *CASCADE, "--quiet").err
    alone = files(*bare, *CASCADE, "--logprobs", "prefer")
    assert "--logprobs belongs to --method expected" in alone.err


def test_a_setting_counts_as_given(files: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_REPEAT", "3")
    bare = [each for each in ARGUMENTS if each not in ("--repeat", "3")]
    ended = files(*bare, *CASCADE)
    assert ended.code == 0
    assert "nothing tells how sure" not in ended.err
    assert files("show", "--json").json["repeats"] is not None
    monkeypatch.setenv("ADJUDGE_REPEAT", "1")
    assert "nothing shows how sure the judge is" in files(*bare, *CASCADE).err


def test_probabilities_where_all_models_are_known_to_tell_them(
    files: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADJUDGE_CACHE", str(files.folder / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    url = ("--base-url", "http://127.0.0.1:9/v1", "--dry-run", "--json")
    models = ["openai/a", "openai/b"]
    arguments = ("run", "data.jsonl", "--judge", "helpfulness", "--cascade", ",".join(models))
    arguments += ("--labels", "people.csv", *url)
    for name in models:
        ended = files(*arguments)
        assert f"whether {name} gives token probabilities is not known" in ended.err
        assert ended.json["run"] == files(*arguments, "--repeat", "5").json["run"]
        model = open_plain(name, ModelOptions(base_url=url[1]))
        save_check(
            ModelCheck(identity=model.identity, date="2025-01-01", logprobs=True, ways=model.ways)
        )
        asyncio.run(model.aclose())
    ended = files(*arguments)
    assert "uses the probability of a score (--method expected)" in ended.err
    assert ended.json["run"] == files(*arguments, "--method", "expected").json["run"]
    assert files(*arguments, "--method", "expected").err == ""


def left_in(files: Command) -> list[dict[str, str]]:
    with (files.folder / "left.csv").open(encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_what_is_labelled_is_not_to_be_labelled(files: Command) -> None:
    labels = "item,rating\n" + "".join(f"r{n},3\n" for n in range(53))
    (files.folder / "people.csv").write_text(labels)
    ended = files(*ARGUMENTS, *CASCADE, "--delta", "0.2")
    assert "Label these: r53 (1.00), r54" in ended.out
    assert "Labelled already: 3." in ended.out
    assert files("cascade", "--left", "-o", "left.csv").code == 0
    rows = left_in(files)
    assert [row["item"] for row in rows] == [f"r{n}" for n in range(53, 60)]
    assert {row["outcome"] for row in rows} == {"abstained"}
    assert {row["scores.rating.value"] for row in rows} == {""}


def test_what_is_left_is_labelled(files: Command) -> None:
    """Seven items are left without a label; they are asked about, and then left no more."""
    given = "item,rating\n" + "".join(f"r{n},3\n" for n in range(53))
    (files.folder / "people.csv").write_text(given)
    assert files(*ARGUMENTS, *CASCADE, "--delta", "0.2", "--quiet").code == 0
    asked = ("label", "--rater", "ann", "--pick", "abstained")
    shown = files(*asked, stdin=b"1\n2\n")
    assert "7 items, left to people by the cascade, in random order (seed 0)" in shown.out
    assert "2 of 7 items labelled by ann. The same command continues." in shown.out
    assert files("label", "--export", "labels.jsonl").code == 0
    rows = [json.loads(row) for row in (files.folder / "labels.jsonl").read_text().splitlines()]
    assert {row["draw"] for row in rows} == {"abstained"}
    assert {row["item"] for row in rows} < {f"r{n}" for n in range(53, 60)}
    assert files("cascade", "--left", "-o", "left.csv").code == 0
    assert len(left_in(files)) == 5
    assert "7 of 7 items labelled by ann.\n" in files(*asked, stdin=b"1\n" * 5).out
    assert files("cascade", "--json").json["to_label"] == []
    told = files("calibrate", "-m", "replay:small.jsonl", "--json").json["criteria"]["rating"]
    assert told["picked_as_uncertain"] == told["n"] == 7
    assert told["mean"]["corrected"]["value"] is None


def test_nothing_is_left_to_label(files: Command) -> None:
    assert files(*ARGUMENTS, *CASCADE, "--delta", "0.2", "--quiet").code == 0
    ended = files("label", "--rater", "ann", "--pick", "abstained")
    assert ended.code == 2
    assert "has nothing to label: the 10 items it left had labels" in ended.err


def test_as_json(files: Command) -> None:
    shown = files(*ARGUMENTS, *CASCADE, "--json").json
    assert shown["cascade"]["asked"] == {"replay:small.jsonl": 60, "replay:large.jsonl": 10}
    assert shown["panel"] is None
    again = files("cascade", "--json", "-o", "all.jsonl").json
    assert again["decided"] == 50
    assert again["stages"][0]["bound"] >= 0.9
    assert len((files.folder / "all.jsonl").read_text().splitlines()) == 60
    assert (len(again["abstained"]), again["to_label"]) == (10, [])


def test_foreseen(files: Command) -> None:
    assert "at most: --cascade asks later" in files(*ARGUMENTS, *CASCADE, "--dry-run").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (CASCADE[:2], "--cascade needs labels"),
        ((*CASCADE, "-m", "embedded"), "leave -m out"),
        (("--agree", "0.8"), "--agree belongs to --cascade"),
        (("--labels", "people.csv"), "--labels belongs to --cascade"),
        ((*CASCADE, "--agree", "2"), "--agree 2: name a share"),
        ((*CASCADE, "--repeat", "1"), "nothing shows how sure the judge is"),
        ((*CASCADE, "-n", "5"), "at least 29 are needed"),
        ((CASCADE[0], "replay:small.jsonl", *CASCADE[2:]), "at least two models"),
    ],
)
def test_wrong_usage(files: Command, arguments: tuple[str, ...], said: str) -> None:
    ended = files(*ARGUMENTS, *arguments)
    assert ended.code == 2
    assert said in ended.err


def test_a_run_that_is_none(files: Command) -> None:
    assert files(*ARGUMENTS, "-m", "replay:small.jsonl", "--quiet").code == 0
    ended = files("cascade")
    assert ended.code == 2
    assert "is not a cascade" in ended.err
    assert "write the report as .md" in files("cascade", "-o", "x.html").err
    ended = files("label", "--pick", "abstained")
    assert ended.code == 2
    assert "is not a cascade, so it left nothing to people" in ended.err
