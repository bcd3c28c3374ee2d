from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Command

from adjudge.core.reason import Reason
from adjudge.errors import StoreError, StoreInterrupted, UsageError
from adjudge.stores import DEFAULT, Store, open_store, path_of


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("runs.db", "runs.db"),
        ("sqlite:///runs.db", "runs.db"),
        ("sqlite:////tmp/runs.db", "/tmp/runs.db"),  # noqa: S108 - a name, nothing is written
        ("sqlite://runs.db", "runs.db"),
        ("sqlite", DEFAULT),
    ],
)
def test_path(url: str, path: str) -> None:
    assert path_of(url) == Path(path)


def test_other_databases() -> None:
    with pytest.raises(UsageError, match="postgresql://host/database"):
        open_store("mysql://x")


@pytest.mark.parametrize("url", ["postgresql://host/db", "postgres:///x?host=/run"])
def test_a_server_has_no_file(url: str) -> None:
    assert path_of(url) is None


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="this is a folder; name a file"):
        open_store(str(tmp_path))


def test_one_that_must_exist(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store here"):
        open_store(str(tmp_path / "x.db"), must_exist=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        ["runs"],
        ["doctor"],
        ["cache", "info"],
        ["tokens", "list"],
        ["export", "latest", "-o", "x.jsonl"],
        ["run", "data.csv", "--judge", "helpfulness"],
        ["run", "data.csv", "--judge", "helpfulness", "--dry-run"],
        ["probe", "--judge", "helpfulness"],
        ["serve", "--port", "0"],
        ["tokens", "new", "ci"],
        ["label", "--export", "x.csv"],
        ["report", "latest", "-o", "x.html"],
    ],
    ids=" ".join,
)
def test_no_command_shows_a_password(adjudge: Command, command: list[str]) -> None:
    Path("data.csv").write_text("question,answer\na,b\n")
    ended = adjudge(*command, "--store", "postgresql://ann:s3cret@127.0.0.1:1/db?password=s3cret")
    assert ended.code in (1, 2)
    assert "postgresql://…@127.0.0.1:1/db" in ended.out + ended.err
    assert "s3cret" not in ended.out + ended.err


def test_no_help_shows_a_password(adjudge: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ADJUDGE_STORE", "postgresql://ann:s3cret@127.0.0.1:1/db")
    assert "s3cret" not in adjudge("run", "--help").out
    assert "s3cret" not in adjudge("doctor", "--store", "other.db").out
    assert (
        "s3cret" not in adjudge("runs", "--store", "postgresql://a:s3cret@h/d", "delete", "x").err
    )
    ended = adjudge("runs")
    assert "postgresql://…@127.0.0.1:1/db" in ended.err
    assert "s3cret" not in ended.err


def test_the_way_may_be_cut_again_while_it_recovers(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the heartbeat after a cut is sent again if it is cut."""
    cut = StoreInterrupted(Reason("store.failed", why="cut", remedy=""))
    beats, actions = [cut, None, None], [cut, cut, "done"]

    def next_of(left: list[object]) -> object:
        came = left.pop(0)
        if isinstance(came, StoreInterrupted):
            raise came
        return came

    monkeypatch.setattr(store.owner, "heartbeat", lambda: next_of(beats))
    assert store.steadily(lambda: next_of(actions)) == "done"
    assert not beats
