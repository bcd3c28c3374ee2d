from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.servers import ChatServer, fails, says

import adjudge as package
from adjudge.errors import UsageError
from adjudge.running.asking import retry

Judged = Callable[..., package.Run]


@pytest.fixture
def judged(
    server: ChatServer, politeness: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Judged:
    """Judges two rows five times each, and stops where the majority is settled."""
    monkeypatch.setattr(retry, "_FIRST_WAIT", 0.001)
    data = tmp_path / "data.csv"
    data.write_text("id,answer\nsame,Certainly.\nmixed,Perhaps.\n")

    def judged(**more: object) -> package.Run:
        options: dict[str, object] = {"repeat": 5, "stop_when_stable": True, "concurrency": 1}
        return package.run(
            data,
            judge=politeness,
            model="openai/m",
            base_url=server.base_url,
            store=str(tmp_path / "store.db"),
            **(options | more),
        )

    return judged


def reply(score: int) -> str:
    return f'{{"politeness": {{"score": {score}, "explanation": "As it is."}}, "insult": false}}'


def by_row(server: ChatServer, **scores: list[int]) -> None:
    """Gives each row its scores, one a request."""
    texts = {"same": "Certainly.", "mixed": "Perhaps."}

    def answer(body: dict[str, object]) -> object:
        (row,) = (row for row, text in texts.items() if text in str(body["messages"]))
        return says(reply(scores[row].pop(0)))

    server.answer = answer  # type: ignore[assignment]


def samples(run: package.Run) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {}
    for verdict in run.verdicts():
        found.setdefault(verdict.item, []).append(verdict.scores["politeness"].value)
    return found


def test_it_stops_where_the_majority_is_certain(server: ChatServer, judged: Judged) -> None:
    by_row(server, same=[4, 4, 4], mixed=[4, 2, 4, 2, 4])
    run = judged()
    assert samples(run) == {"same": [4, 4, 4], "mixed": [4, 2, 4, 2, 4]}
    assert len(server.asked) == 8
    assert run.record.state == "finished"
    run.close()


def test_the_same_again_asks_nothing(server: ChatServer, judged: Judged) -> None:
    by_row(server, same=[4, 4, 4], mixed=[4, 2, 4, 4])
    judged().close()
    run = judged()
    assert samples(run) == {"same": [4, 4, 4], "mixed": [4, 2, 4, 4]}
    assert len(server.asked) == 7
    run.close()


def test_a_sample_without_an_answer_is_taken_later(server: ChatServer, judged: Judged) -> None:
    by_row(server, same=[4, 4, 4, 4, 4], mixed=[2, 2, 2])
    server.script = [fails(400)]
    first = judged()
    assert [v.outcome for v in first.verdicts() if v.item == "same"].count("provider_error") == 1
    assert len(list(first.entries("same"))) == 4  # three that agree among five
    first.close()
    asked = len(server.asked)
    run = judged()
    assert len(server.asked) == asked  # three of five say 4 already
    run.close()


def test_replies_of_a_run_with_all_samples_serve(server: ChatServer, judged: Judged) -> None:
    by_row(server, same=[4] * 5, mixed=[4, 2, 4, 2, 4])
    whole = judged(stop_when_stable=False)
    early = judged()
    assert early.id != whole.id
    assert len(server.asked) == 10
    assert samples(early)["same"] == [4, 4, 4]
    whole.close()
    early.close()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"repeat": 2}, "--repeat 3 or more"),
        ({"batch": True}, "--batch asks everything at once"),
        ({"method": "expected"}, "scores of --method expected do not vote"),
    ],
)
def test_what_makes_no_sense(judged: Judged, options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        judged(**options)
