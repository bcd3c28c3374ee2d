from __future__ import annotations

from tests.commands import Command
from tests.servers import ChatServer, says

from .conftest import reply


def test_an_alarm_ends_with_3_and_is_in_the_file(adjudge: Command, server: ChatServer) -> None:
    """The built-in anchors, two samples each; another grade of every one at the third check."""
    asking = ["drift", "--judge", "helpfulness", "-m", "openai/m", "--base-url", server.base_url]
    asking += ["-n", "12", "--repeat", "2", "--quiet"]
    server.answer = lambda _: says(reply(2))
    first = adjudge(*asking)
    assert (first.code, "12 anchor items: built-in anchors." in first.out) == (0, True)
    assert adjudge(*asking).code == 0
    server.answer = lambda _: says(reply(3))
    ended = adjudge(*asking, "-o", "drift.md", "-o", "drift.csv")
    assert ended.code == 3
    assert "no longer grades" in ended.err
    assert "no longer grades as in the first check: rating" in (
        adjudge.folder / "drift.md"
    ).read_text("utf-8")
    assert (adjudge.folder / "drift.csv").read_text("utf-8-sig").count("\n") == 6
    assert adjudge(*asking, "--json").code == 3
