from __future__ import annotations

import getpass
import json
import signal
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.commands import Command
from tests.ptys import OnTerminal

from adjudge.core.label import Label
from adjudge.stores import open_store

from .conftest import reply

JUDGE = """
judge: both
version: 1
title: Two questions
language: en
explain_in: any
inputs:
  question: {title: What was asked}
  answer: {title: What was said, judged: true}
criteria:
  fit:
    title: How well it fits
    guide: Look at the whole of it.
    scale: {type: number, min: 0, max: 10}
  polite:
    title: Polite?
    guide: Would you mind?
    scale: {type: binary}
"""
# The order of a random draw with seed 0.
ORDER = ["r1", "r3", "r2"]


@pytest.fixture
def judged(adjudge: Command, answers: list[str]) -> str:
    """A run of the judge `helpfulness`: r1 has 4, r2 has 2, r3 is unreadable."""
    return str(adjudge("run", *answers, "--json").json["run"])


@pytest.fixture
def judged_twice(adjudge: Command) -> str:
    """A run of a judge with two criteria."""
    (adjudge.folder / "both.yaml").write_text(JUDGE)
    rows = [{"id": f"r{n}", "question": "Why?", "answer": f"Answer {n}"} for n in (1, 2, 3)]
    said = json.dumps({"fit": {"score": 4}, "polite": {"score": True}})
    adjudge.write("data.jsonl", rows)
    adjudge.write("replies.jsonl", [{"item": f"r{n}", "replies": [said]} for n in (1, 2, 3)])
    run = adjudge(
        "run", "data.jsonl", "--judge", "both.yaml", "-m", "replay:replies.jsonl", "--json"
    )
    return str(run.json["run"])


def labels(adjudge: Command, judge: str = "helpfulness") -> list[Label]:
    store = open_store(adjudge.folder / ".adjudge/adjudge.db")
    try:
        return store.labels.of(store.runs.find("latest").manifest.data_hash, judge)
    finally:
        store.close()


def given(adjudge: Command, judge: str = "helpfulness") -> list[tuple[str, str, float | str]]:
    return [(each.item, each.criterion, each.value) for each in labels(adjudge, judge)]


class TestLines:
    """Where stdin is no terminal, an answer is a line."""

    def test_a_session(self, adjudge: Command, judged: str) -> None:
        ended = adjudge("label", "--rater", "ann", stdin=b"4\nUnhelpful\n1\n")
        assert ended.code == 0
        assert "3 items, drawn at random (seed 0); labelled already: 0." in ended.out
        assert "3 of 3 items labelled by ann.\n" in ended.out
        assert f"adjudge calibrate {judged}" in ended.out
        found = labels(adjudge)
        assert [(each.item, each.value) for each in found] == [*zip(ORDER, [4, 2, 1], strict=True)]
        assert {(each.rater, each.draw) for each in found} == {("ann", "random")}

    def test_blind(self, adjudge: Command, judged: str) -> None:
        shown = adjudge("label", "--rater", "ann", "--pick", "uncertain", stdin=b"1\n1\n1\n").out
        for secret in ("short and clear", "unreadable", "rather not", "names everything"):
            assert secret not in shown
        assert "Question 3?" in shown

    def test_goes_on_where_it_stopped(self, adjudge: Command, judged: str) -> None:
        first = adjudge("label", "--rater", "ann", stdin=b"4\nq\n")
        assert "1 of 3 items labelled by ann. The same command continues." in first.out
        second = adjudge("label", "--rater", "ann", stdin=b"3\n")  # ends in the middle
        assert "labelled already: 1." in second.out
        assert f"item 2 of 3 · {ORDER[1]}" in second.out
        assert f"· {ORDER[0]}" not in second.out
        assert [item for item, *_ in given(adjudge)] == ORDER[:2]
        assert second.code == 0

    def test_another_rater_starts_anew(self, adjudge: Command, judged: str) -> None:
        adjudge("label", "--rater", "ann", stdin=b"4\n4\n4\n")
        assert (
            "3 of 3 items labelled by bob"
            in adjudge("label", "--rater", "bob", stdin=b"1\n1\n1\n").out
        )
        assert len(given(adjudge)) == 6

    def test_wrong_answers_and_help(self, adjudge: Command, judged: str) -> None:
        ended = adjudge("label", "--rater", "ann", "-n", "1", stdin=b"\n9\nx\x1b[2J\n?\n3\n")
        assert "9 lies outside 1 terrible" in ended.out
        assert "'x\\x1b[2J' is none of 1 terrible" in ended.out
        assert "u undo · s skip" in ended.out.split("› ?")[1]
        assert given(adjudge) == [(ORDER[0], "rating", 3.0)]

    def test_a_value_between_levels_is_asked_again(self, adjudge: Command, judged: str) -> None:
        ended = adjudge("label", "--rater", "ann", "-n", "1", stdin=b"2.5\n3\n")
        assert "2.5 lies between two levels; give one: 1 terrible" in ended.out
        assert given(adjudge) == [(ORDER[0], "rating", 3.0)]

    def test_undo_and_skip(self, adjudge: Command, judged: str) -> None:
        ended = adjudge("label", "--rater", "ann", stdin=b"u\n4\ns\nu\nu\n2\ns\n1\n")
        assert "nothing to take back" in ended.out
        assert f"back to rating of item {ORDER[0]}" in ended.out
        assert given(adjudge) == [(ORDER[0], "rating", 2.0), (ORDER[2], "rating", 1.0)]
        assert "2 of 3 items labelled by ann. The same command continues." in ended.out
        again = adjudge("label", "--rater", "ann", stdin=b"3\n")
        assert "3 of 3 items labelled by ann.\n" in again.out

    def test_undo_reaches_an_earlier_session(self, adjudge: Command, judged: str) -> None:
        adjudge("label", "--rater", "ann", stdin=b"4\n")
        adjudge("label", "--rater", "ann", stdin=b"u\n")
        assert given(adjudge) == []

    def test_the_uncertain_first(self, adjudge: Command, judged: str) -> None:
        arguments = ["label", "--rater", "ann", "--pick", "uncertain"]
        ended = adjudge(*arguments, "-n", "1", stdin=b"1\n")
        assert "item 1 of 1 · r3" in ended.out  # it has no score
        assert [each.draw for each in labels(adjudge)] == ["uncertain"]
        adjudge("label", "--rater", "ann", stdin=b"4\n2\n")
        assert {each.item: each.draw for each in labels(adjudge)} == dict.fromkeys(ORDER, "random")

    def test_several_criteria(self, adjudge: Command, judged_twice: str) -> None:
        ended = adjudge("label", "--rater", "ann", stdin=b"8,5\ny\n3\nS\n11\n2\nn\n")
        assert given(adjudge, "both") == [
            *(("r1", "fit", 8.5), ("r1", "polite", 1.0), ("r3", "fit", 3.0)),
            *(("r2", "fit", 2.0), ("r2", "polite", 0.0)),
        ]
        assert "11 lies outside 0 to 10" in ended.out
        assert ended.out.count("Look at the whole of it.") == 1
        assert ended.out.count("What was said") == 3
        assert "2 of 3 items labelled" in ended.out
        adjudge("label", "--rater", "ann", stdin=b"yes\n")
        assert given(adjudge, "both")[-1] == ("r3", "polite", 1.0)

    def test_one_criterion(self, adjudge: Command, judged_twice: str) -> None:
        adjudge("label", "--rater", "ann", "--criterion", "polite", stdin=b"y\nn\ny\n")
        assert given(adjudge, "both") == [
            *(("r1", "polite", 1.0), ("r3", "polite", 0.0), ("r2", "polite", 1.0))
        ]

    def test_who_labels(
        self, adjudge: Command, judged: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(getpass, "getuser", lambda: "minh")
        assert (
            "You label as minh (your login name; --rater or ADJUDGE_RATER" in adjudge("label").out
        )
        monkeypatch.setenv("ADJUDGE_RATER", "lan")
        assert "You label as lan.\n" in adjudge("label").out

    def test_a_system_without_names(
        self, adjudge: Command, judged: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def unknown() -> str:
            raise KeyError("getpwuid(): uid not found: 4711")

        monkeypatch.setattr(getpass, "getuser", unknown)
        ended = adjudge("label")
        assert (ended.code, "--rater NAME" in ended.err) == (2, True)


class TestRefused:
    @pytest.mark.parametrize(
        ("arguments", "why"),
        [
            (["zzz"], "there is no run 'zzz'"),
            (["--criterion", "tone"], "helpfulness has no such criterion; it has rating"),
            (["-n", "0"], "at least 1 item"),
            (["--judge", "chatbot"], "has no such judge. It has helpfulness"),
            (["--judge", "chatbot", "--judge", "helpfulness"], "labels are for one judge"),
            (["--pick", "best"], "'best' is not one of"),
            (["--wide"], "--wide needs --export"),
            (["--import", "a.csv", "--export", "b.csv"], "one at a time"),
            (["--import", "a.csv"], "there is no such file"),
            (["--export", "b.csv"], "There are no labels by ann for run"),
            (["--export", "b.html"], "labels end in one of: .csv, .jsonl, .json"),
            (["--store", "nowhere.db"], "there is no store here"),
        ],
    )
    def test_with_its_reason(
        self, adjudge: Command, judged: str, arguments: list[str], why: str
    ) -> None:
        ended = adjudge("label", "--rater", "ann", *arguments)
        assert ended.code == (1 if "--store" in arguments else 2)
        assert why in ended.err

    def test_several_judges(self, adjudge: Command, answers: list[str]) -> None:
        adjudge.write("both.jsonl", [])
        (adjudge.folder / "both.yaml").write_text(JUDGE)
        assert adjudge("run", *answers, "--judge", "both.yaml", "--quiet").code == 0
        ended = adjudge("label", "--rater", "ann")
        assert ended.code == 2
        assert "has several judges; name one. It has helpfulness, both." in ended.err
        ended = adjudge("label", "--rater", "ann", "--judge", "both", stdin=b"1\ny\n")
        assert "1 of 3 items labelled" in ended.out

    def test_a_default_for_other_commands_is_passed_over(
        self, adjudge: Command, judged: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ADJUDGE_JUDGE", "chatbot judges/polite.yaml")
        assert adjudge("label", "--rater", "ann", stdin=b"1\n").code == 0


class TestFiles:
    @pytest.mark.parametrize("more", [[], ["--wide"]])
    @pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl", "labels.json"])
    def test_out_and_in_again(
        self, adjudge: Command, judged_twice: str, name: str, more: list[str]
    ) -> None:
        adjudge("label", "--rater", "ann", stdin=b"8.5\ny\n3\nn\n")
        adjudge("label", "--rater", "bob", "--pick", "uncertain", stdin=b"1\nn\n")
        before = labels(adjudge, "both")
        ended = adjudge("label", "--export", name, *more)
        assert ended.out == f"written: {name}\n"
        data = open_store(adjudge.folder / ".adjudge/adjudge.db")
        for each in before:
            run = data.runs.find("latest").manifest.data_hash
            data.labels.remove(run, "both", each.item, each.rater)
        data.close()
        assert labels(adjudge, "both") == []
        ended = adjudge("label", "--import", name)
        assert ended.out == "labels kept for both: 6, in place of others: 0\n"
        assert [
            (e.item, e.rater, e.criterion, e.value, e.draw) for e in labels(adjudge, "both")
        ] == [(e.item, e.rater, e.criterion, e.value, e.draw) for e in before]
        assert "in place of others: 6" in adjudge("label", "--import", name).out

    def test_of_one_rater(self, adjudge: Command, judged: str) -> None:
        for rater in ("ann", "bob"):
            adjudge("label", "--rater", rater, stdin=b"4\n")
        ended = adjudge("label", "--rater", "ann", "--export", "l.jsonl")
        assert len(Path("l.jsonl").read_text().splitlines()) == 1
        assert "without --rater also those of bob" in ended.err

    def test_labels_that_name_nobody(self, adjudge: Command, judged: str) -> None:
        Path("l.csv").write_text("item,rater,rating\nr1,,helpful\nr2,bob,1\nr9,,2\n")
        ended = adjudge("label", "--import", "l.csv", "--rater", "ann")
        assert "labels left out: 1 (run " in ended.err
        assert [(each.item, each.rater) for each in labels(adjudge)] == [
            ("r1", "ann"),
            ("r2", "bob"),
        ]

    def test_labels_of_other_data(self, adjudge: Command, judged: str) -> None:
        Path("l.csv").write_text("item,rating\nx1,helpful\n")
        ended = adjudge("label", "--import", "l.csv")
        assert ended.code == 2
        assert "The file has 'x1'; the run has 'r1', 'r2', 'r3'." in ended.err


@pytest.fixture
def screen(adjudge: Command, judged: str) -> Iterator[OnTerminal]:
    with OnTerminal("label", "--rater", "ann", folder=adjudge.folder) as opened:
        opened.expect("4 excellent › ")
        yield opened


class TestTerminal:
    """Single keys on a real pseudo-terminal."""

    def test_keys_without_enter(self, adjudge: Command, screen: OnTerminal) -> None:
        screen.press("4")
        screen.expect(f"item 2 of 3 · {ORDER[1]}")
        screen.expect("› ")
        screen.press("\x1b[A")  # an arrow is no answer
        screen.press("u")
        screen.expect(f"item 1 of 3 · {ORDER[0]}")
        screen.press("123")  # ahead of the questions
        screen.expect("3 of 3 items labelled by ann.")
        assert screen.ended() == 0
        assert screen.as_usual()
        assert given(adjudge) == [
            (item, "rating", value) for item, value in zip(ORDER, [1.0, 2.0, 3.0], strict=True)
        ]

    @pytest.mark.parametrize("key", ["q", "\x04"])
    def test_quit(self, screen: OnTerminal, key: str) -> None:
        screen.press(key)
        screen.expect("0 of 3 items labelled by ann. The same command continues.")
        assert screen.ended() == 0
        assert screen.as_usual()

    def test_ctrl_c(self, adjudge: Command, screen: OnTerminal) -> None:
        screen.press("4")
        screen.expect("item 2 of 3")
        screen.press("\x03")
        screen.expect("interrupted; what was answered is kept")
        assert screen.ended() == 130
        assert screen.as_usual()
        assert given(adjudge) == [(ORDER[0], "rating", 4.0)]

    def test_kill(self, adjudge: Command, screen: OnTerminal) -> None:
        """As soon as the next item shows, the label is safe."""
        screen.press("4")
        screen.expect("item 2 of 3")
        screen.process.kill()
        screen.process.wait()
        assert given(adjudge) == [(ORDER[0], "rating", 4.0)]
        assert "item 2 of 3" in adjudge("label", "--rater", "ann").out

    def test_stopped_and_continued(self, screen: OnTerminal) -> None:
        """A shell sets the terminal for itself meanwhile."""
        screen.process.send_signal(signal.SIGSTOP)
        termios.tcsetattr(screen.master, termios.TCSADRAIN, screen.usual)
        screen.process.send_signal(signal.SIGCONT)
        end = time.monotonic() + 60
        while termios.tcgetattr(screen.master)[3] & termios.ICANON and time.monotonic() < end:
            time.sleep(0.02)
        screen.press("4")
        screen.expect("item 2 of 3")

    def test_numbers_are_typed(self, adjudge: Command, judged_twice: str) -> None:
        with OnTerminal("label", "--rater", "ann", "-n", "1", folder=adjudge.folder) as screen:
            screen.expect("fit: 0 to 10, then Enter › ")
            screen.press("99\x159\x7f8.5\n")
            screen.expect("polite: y yes · n no › ")
            screen.press("y")
            assert screen.ended() == 0
        assert given(adjudge, "both") == [("r1", "fit", 8.5), ("r1", "polite", 1.0)]

    def test_long_texts_in_pages(self, adjudge: Command, answers: list[str]) -> None:
        text = "\n".join(f"câu {n} \x1b]0;x\x07" for n in range(60))
        adjudge.write("data.jsonl", [{"id": "r1", "question": "?", "answer": text}])
        adjudge.write("replies.jsonl", [{"item": "r1", "replies": [reply(4)]}])
        adjudge("run", *answers, "--quiet")
        with OnTerminal("label", "--rater", "ann", folder=adjudge.folder, lines=24) as screen:
            shown = screen.expect("q quits -- ")
            assert "câu 59" not in shown
            while not shown.endswith("› "):
                screen.press(" ")
                shown += screen.expect("q quits -- ", "4 excellent › ")
            for n in range(60):
                assert f"câu {n} \\x1b]0;x\\x07\n" in shown
            assert "\x1b" not in shown
            screen.press("4")
            screen.expect("1 of 1 items labelled")
            assert screen.ended() == 0


def test_a_plan_finds_the_other_run_in_the_same_store(adjudge: Command) -> None:
    pytest.importorskip("numpy")
    adjudge.write(
        "data.jsonl", [{"id": f"r{n}", "question": "?", "answer": "a"} for n in range(50)]
    )
    kept = ("--store", "kept.db")
    for name, value in (("one", 2), ("two", 3)):
        rows = [{"item": f"r{n}", "replies": [reply(value)]} for n in range(50)]
        adjudge.write(f"{name}.jsonl", rows)
        model = ("-m", f"replay:{name}.jsonl", "--name", name)
        assert adjudge("run", "data.jsonl", "--judge", "helpfulness", *model, *kept).code == 0
    lines = ["item,rating", *(f"r{n},{n % 3 + 1}" for n in range(25))]
    (adjudge.folder / "people.csv").write_text("\n".join(lines))
    planned = adjudge("label", "one", "--plan", "--against", "two", "--labels", "people.csv", *kept)
    assert planned.code == 0, planned.err
    assert "The runs differ on 50 items" in planned.out
