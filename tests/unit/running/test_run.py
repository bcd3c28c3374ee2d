"""Whole runs: what is asked, what is kept, what is asked again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.servers import Body, ChatServer, Flying, fails, says

import adjudge as package
from adjudge.core.score import Outcome
from adjudge.core.verdict import Verdict
from adjudge.errors import DataError, ModelUnavailable, ProviderError, StoreError, UsageError
from adjudge.running import Progress
from adjudge.running.asking import retry
from adjudge.running.plan import Planned

Running = Callable[..., package.Run]
REPLY = (
    '{"explanation": "It is polite, and that is what was asked for.",'
    ' "insult": false, "politeness": %d}'
)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.jsonl"
    rows = [{"id": f"row{n}", "answer": f"answer number {n}."} for n in range(6)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def running(
    server: ChatServer,
    politeness: str,
    data: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Running:
    """Runs the small judge over the data against the server; closes what it opened."""
    monkeypatch.setattr(retry, "_FIRST_WAIT", 0.001)
    server.answer = lambda _: says(REPLY % 4)

    def running(**options: Any) -> package.Run:
        usual = {
            "judge": politeness,
            "model": "openai/m",
            "base_url": server.base_url,
            "store": str(tmp_path / "runs.db"),
        }
        run = package.run(data, **(usual | options))
        request.addfinalizer(run.close)
        return run

    return running


def row_of(body: Body) -> int:
    prompt = body["messages"][-1]["content"]
    return next(n for n in range(6) if f"answer number {n}." in prompt)


class Listener:
    def __init__(self) -> None:
        self.already = -1
        self.resumed = False
        self.heard: list[str] = []

    def started(self, planned: Planned, *, resumed: bool, already: int) -> None:
        self.resumed, self.already = resumed, already

    def verdict(self, verdict: Verdict) -> None:
        self.heard.append(verdict.item)

    def note(self, text: str) -> None: ...

    def counted(self, progress: Progress) -> None: ...
    def stopping(self) -> None: ...


class TestResume:
    def test_the_same_again_asks_nothing(self, server: ChatServer, running: Running) -> None:
        first = running()
        listener = Listener()
        second = running(watcher=listener)
        assert len(server.asked) == 6
        assert (first.id, first.to_dicts()) == (second.id, second.to_dicts())
        assert (listener.resumed, listener.already, listener.heard) == (True, 6, [])

    def test_what_got_no_answer_is_asked_again(self, server: ChatServer, running: Running) -> None:
        server.answer = lambda body: fails(400) if row_of(body) % 2 else says(REPLY % 4)
        first = running()
        assert first.summary.outcomes == {"scored": 3, "provider_error": 3}
        assert first.mean("politeness") == 4.0
        server.asked.clear()
        server.answer = lambda _: says(REPLY % 1)
        second = running()
        assert sorted(map(row_of, server.asked)) == [1, 3, 5]
        assert second.id == first.id
        assert second.summary.outcomes == {"scored": 6}
        assert second.mean("politeness") == 2.5

    def test_an_answer_that_could_not_be_used_is_not(
        self, server: ChatServer, running: Running
    ) -> None:
        server.answer = lambda _: says("cut off", finish="length")
        running()
        running()
        assert len(server.asked) == 6

    def test_fresh(self, server: ChatServer, running: Running) -> None:
        assert running().id != running(fresh=True).id
        assert len(server.asked) == 12

    @pytest.mark.parametrize(
        "change", [{"temperature": 0.5}, {"seed": 1}, {"explain_in": "any"}, {"limit": 3}]
    )
    def test_what_is_asked_otherwise_is_another_run(
        self, running: Running, change: dict[str, Any]
    ) -> None:
        assert running().id != running(**change).id

    def test_how_it_is_asked_does_not_count(self, server: ChatServer, running: Running) -> None:
        assert running().id == running(concurrency=2, timeout=9.0, tags={"a": "b"}).id
        assert len(server.asked) == 6

    def test_it_is_the_latest_then(self, tmp_path: Path, running: Running) -> None:
        first, _ = running(), running(limit=2)
        running()
        latest = package.open_run(store=str(tmp_path / "runs.db"))
        assert latest.id == first.id
        assert latest.record == first.record  # nothing was asked: its times stay
        latest.close()


class TestFatal:
    def test_stops_and_keeps(self, server: ChatServer, running: Running, tmp_path: Path) -> None:
        def answer(body: Body) -> Any:
            return fails(401, "revoked") if row_of(body) == 3 else says(REPLY % 4)

        server.answer = answer
        with pytest.raises(ProviderError, match="HTTP 401"):
            running(concurrency=1)
        assert sorted(map(row_of, server.asked)) == [0, 1, 2, 3]
        kept = package.open_run(store=str(tmp_path / "runs.db"))
        assert kept.record.state == "failed"
        assert [entry.item.id for entry in kept.entries()] == ["row0", "row1", "row2"]
        kept.close()
        server.asked.clear()
        server.answer = lambda _: says(REPLY % 4)
        assert running().record.state == "finished"
        assert sorted(map(row_of, server.asked)) == [3, 4, 5]


class TestMany:
    def test_repeats(self, server: ChatServer, running: Running) -> None:
        run = running(repeat=3, seed=10)
        assert len(server.asked) == 18
        assert sorted({body["seed"] for body in server.asked}) == [10, 11, 12]
        assert {body["temperature"] for body in server.asked} == {1.0}
        assert [row["repeat"] for row in run.to_dicts()[:3]] == [0, 1, 2]
        running(repeat=3, seed=10)
        assert len(server.asked) == 18

    def test_judges_and_models(
        self, server: ChatServer, running: Running, politeness: str, tmp_path: Path
    ) -> None:
        other = tmp_path / "other.yaml"
        other.write_text(Path(politeness).read_text().replace("judge: politeness", "judge: other"))
        run = running(judge=[politeness, str(other)], model=["openai/m", "openai/n"])
        assert len(server.asked) == run.summary.verdicts == 24
        assert {body["model"] for body in server.asked} == {"m", "n"}
        assert len(run.summary.criteria) == 4
        assert run.mean("politeness", judge="other", model="openai/n") == 4.0
        with pytest.raises(UsageError, match="4 judges or models"):
            run.mean("politeness")

    def test_concurrency_is_bounded(self, server: ChatServer, running: Running) -> None:
        flying = Flying()
        server.answer = lambda _: flying.by(says(REPLY % 4))
        running(concurrency=3)
        assert flying.most == 3


class TestBeforeAnythingIsSpent:
    @pytest.mark.parametrize(
        ("options", "error", "says_what"),
        [
            ({"judge": "nobody"}, UsageError, "no judge 'nobody'"),
            ({"model": "nobody/x", "base_url": None}, UsageError, "no provider"),
            ({"model": ["openai/m", "openai:m"]}, UsageError, "models of one run share a name"),
            ({"judge": ["helpfulness", "helpfulness"]}, UsageError, "judges of one run share"),
            ({"judge": []}, UsageError, "No judges are named"),
            ({"model": []}, UsageError, "No models are named"),
            ({"judge": "helpfulness"}, DataError, "'question'"),
            ({"map": {"answer": "nope"}}, UsageError, "no column 'nope'"),
            ({"map": {"nope": "answer"}}, UsageError, "no input 'nope'"),
            ({"out": ["x.docx"]}, UsageError, "ending '.docx' is unknown"),
            ({"repeat": 0}, UsageError, "--repeat must be at least 1"),
            ({"concurrency": 0}, UsageError, "--concurrency must be at least 1"),
            ({"timeout": float("nan")}, UsageError, "--timeout must be more than 0"),
            ({"temperature": -1.0}, UsageError, "--temperature -1.0"),
            ({"explain_in": "Klingon"}, UsageError, "--explain-in Klingon"),
            ({"ask": "both"}, UsageError, "--ask both"),
            ({"limit": 0}, UsageError, "--limit 0"),
            ({"store": "mysql://host/db"}, UsageError, "postgresql://host/database"),
        ],
    )
    def test_is_said(
        self,
        server: ChatServer,
        running: Running,
        options: dict[str, Any],
        error: type[Exception],
        says_what: str,
    ) -> None:
        with pytest.raises(error, match=says_what):
            running(**options)
        assert server.asked == []

    def test_no_key(self, running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
        with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY"):
            running(base_url=None)

    def test_results_in_the_place_of_the_data(
        self, server: ChatServer, running: Running, data: Path
    ) -> None:
        with pytest.raises(UsageError, match="would replace"):
            running(out=[data])
        assert server.asked == []

    def test_a_store_that_is_none(
        self, server: ChatServer, running: Running, tmp_path: Path
    ) -> None:
        (tmp_path / "junk.db").write_text("this is no database " * 20)
        with pytest.raises(StoreError, match="not an adjudge store"):
            running(store=str(tmp_path / "junk.db"))
        assert server.asked == []

    def test_what_was_opened_is_closed(self, running: Running, tmp_path: Path) -> None:
        """A recorded file left open would be a ResourceWarning, which fails the suite."""
        replies = tmp_path / "replies.jsonl"
        replies.write_text('{"item": "row0", "replies": ["4"]}\n')
        with pytest.raises(UsageError):
            running(model=[f"replay:{replies}"], map={"nope": "answer"}, base_url=None)


def test_half_a_surrogate_pair_does_not_stop_a_run(server: ChatServer, running: Running) -> None:
    """A reply may spell one out; a store and a file cannot hold it."""
    odd = REPLY.replace("polite,", r"polite \ud83d") % 4
    server.answer = lambda body: says(odd) if row_of(body) == 2 else says(REPLY % 4)
    run = running()
    assert run.summary.outcomes == {Outcome.SCORED: 6}
