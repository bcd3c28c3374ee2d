from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Command
from tests.servers import ChatServer, says

from adjudge.analysis.probing.subject import texts_in

from .conftest import reply

GOOD = [built.good for built in texts_in("en").items]


@pytest.fixture
def asking(server: ChatServer) -> list[str]:
    """The arguments that probe a robust judge."""
    server.answer = lambda body: says(reply(_rating(body["messages"][-1]["content"])))
    return ["--judge", "helpfulness", "-m", "openai/m", "--base-url", server.base_url]


def _rating(prompt: str) -> int:
    return 4 if any(good in prompt for good in GOOD) else 1


def test_a_robust_judge(adjudge: Command, asking: list[str]) -> None:
    ended = adjudge("probe", *asking, "--only", "padding", "--only", "contrast", "--only", "order")
    assert ended.code == 0
    (padding,) = (line.split() for line in ended.out.splitlines() if line.startswith("padding "))
    assert (padding[5], padding[-3:]) == ("+0.00", ["16", "0", "fine"])
    assert "order    it judges one text at a time, not a pair" in ended.out
    assert "2 probes: 2 fine, 0 worrying, 0 bad, 0 unclear." in ended.out
    assert "asking about 16 items and 16 altered twins" in ended.err


def test_one_that_falls_for_padding(
    adjudge: Command, asking: list[str], server: ChatServer
) -> None:
    padding = texts_in("en").padding[:40]
    server.answer = lambda body: says(reply(4 if padding in str(body) else 1))
    ended = adjudge("probe", *asking, "--only", "padding", "--json", "-o", "p.md")
    assert ended.code == 3
    assert "clearly beyond the limit of: padding" in ended.err
    (shown,) = ended.json["probes"]
    assert (shown["probe"], shown["verdict"], shown["effect"]["value"]) == ("padding", "bad", 1.0)
    assert ended.json["verdicts"] == {"bad": 1}
    assert "| padding | empty phrases are added | +1.00" in Path("p.md").read_text("utf-8")
    lenient = adjudge("probe", *asking, "--only", "padding", "--max-gain", "100%")
    assert lenient.code == 0


def test_a_judge_that_cannot_be_read(
    adjudge: Command, asking: list[str], server: ChatServer
) -> None:
    server.answer = lambda _: says("I would rather not.")
    ended = adjudge("probe", *asking, "--only", "padding")
    assert ended.code == 3
    assert "32 of 32 verdicts are unscored" in ended.out
    assert "All probes are unclear" in ended.err


def test_too_few_items_to_tell_anything(adjudge: Command, asking: list[str]) -> None:
    ended = adjudge("probe", *asking, "--only", "padding", "--limit", "2")
    assert ended.code == 3
    assert "There is no result from fewer than 5 items" in ended.out
    assert "unscored." not in ended.out


def test_dry_run_names_what_will_not_be_run(adjudge: Command, asking: list[str]) -> None:
    given = ["--only", "padding", "--only", "order", "--dry-run"]
    ended = adjudge("probe", *asking, *given)
    assert ended.code == 0
    assert "Would not be run\norder: it judges one text at a time, not a pair." in ended.out
    assert list(adjudge("probe", *asking, *given, "--json").json["not_run"]) == ["order"]


def test_dry_run(adjudge: Command, asking: list[str], server: ChatServer) -> None:
    ended = adjudge("probe", *asking, "--only", "padding", "--only", "repeat", "--dry-run")
    assert ended.code == 0
    assert "would make 32 verdicts" in ended.out
    assert "would make 48 verdicts" in ended.out
    assert server.asked == []
    assert not Path(".adjudge").exists()
    runs = adjudge("probe", *asking, "--only", "padding", "--dry-run", "--json").json["runs"]
    assert [run["calls"] for run in runs] == [32]


def test_own_data_through_a_replay(adjudge: Command) -> None:
    rows = [{"id": f"r{n}", "frage": f"{n}?", "answer": f"Answer {n}."} for n in range(6)]
    adjudge.write("data.jsonl", rows)
    ids = [row["id"] for row in rows] + [f"{row['id']}#padding" for row in rows]
    adjudge.write("replies.jsonl", [{"item": name, "replies": [reply(3)]} for name in ids])
    ended = adjudge(
        "probe", "data.jsonl", "--judge", "helpfulness", "-m", "replay:replies.jsonl",
        "--map", "question=frage", "--only", "padding",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "On 6 items of data.jsonl" in ended.out


def test_a_budget_that_is_used_up(adjudge: Command, asking: list[str]) -> None:
    given = ["--only", "padding", "--budget", "2000tok", "--max-tokens", "200", "-j", "1"]
    ended = adjudge("probe", *asking, *given)
    assert ended.code == 3
    assert "The budget is used up" in ended.err


@pytest.mark.parametrize(
    ("arguments", "says_what"),
    [
        (["--only", "paddings"], "write one of contrast, repeat"),
        (["--max-flip", "most"], "--max-flip most: write a share such as 2%"),
        (["--max-flip", "200%"], "--max-flip 200%"),
        (["--samples", "1"], "--samples 1: asking again takes at least 2 samples"),
        (["--language", "fr"], "write one of en, ko, vi"),
        (
            ["-o", "p.html"],
            "write the page as .md, or its tables as one of: .md, .tex, .csv, .json",
        ),
        (["missing.jsonl"], "there is no such file"),
        (["--limit", "0"], "--limit 0"),
    ],
)
def test_wrong_usage(
    adjudge: Command, asking: list[str], server: ChatServer, arguments: list[str], says_what: str
) -> None:
    ended = adjudge("probe", *asking, *arguments)
    assert ended.code == 2
    assert says_what in ended.err
    assert server.asked == []
