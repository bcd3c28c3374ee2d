from __future__ import annotations

import socket
from pathlib import Path

import pytest
from tests.commands import Command

from adjudge.cli.serve import _bytes
from adjudge.errors import UsageError


@pytest.mark.parametrize(
    ("text", "size"), [("32MB", 32_000_000), ("500 kb", 500_000), ("2g", 2 * 10**9), ("77", 77)]
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert _bytes(text) == size


@pytest.mark.parametrize("text", ["", "0", "MB", "1.5MB", "-3", "12TB"])
def test_other_sizes_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="32MB"):
        _bytes(text)


def test_a_port_that_is_taken_is_told(adjudge: Command) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = adjudge("serve", "--port", str(port), "--store", "runs.db")
    assert ended.code == 2
    assert "--port 0 takes a free port" in ended.err


def test_an_unknown_host_is_told(adjudge: Command) -> None:
    ended = adjudge("serve", "--host", "no.such.host.invalid", "--port", "0")
    assert ended.code == 2
    assert "no.such.host.invalid" in ended.err


def test_others_are_not_served_without_tokens(adjudge: Command) -> None:
    ended = adjudge("serve", "--host", "0.0.0.0", "--port", "0")  # noqa: S104
    assert ended.code == 2
    assert "adjudge tokens new" in ended.err


def test_wrong_judge_files_keep_it_from_starting(adjudge: Command, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("judge: mine\n")
    ended = adjudge("serve", "--judges", "mine.yaml", "--port", "0")
    assert ended.code == 2
    assert "mine.yaml, line 1" in ended.err
    assert adjudge("serve", "--judges", "none", "--port", "0").code == 2


def test_a_model_of_no_provider_is_told_before_it_listens(adjudge: Command) -> None:
    ended = adjudge("serve", "-m", "nosuch/x", "--port", "0", "--store", "runs.db")
    assert ended.code == 2
    assert "nosuch/x" in ended.err
    assert ended.out == ""
