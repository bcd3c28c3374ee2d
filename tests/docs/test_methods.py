"""The commands and the Python that docs/methods.md shows of repeats, panels and cascades, run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command
from tests.servers import ChatServer, says
from tests.unit.cli.conftest import reply

import adjudge as package

PAGE = (Path(__file__).parents[2] / "docs/methods.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
ITEMS = 60


@pytest.fixture
def served(adjudge: Command, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Sixty answers whose rating is known to every model, but for each sixth, of which models are
    unsure; people have said theirs of all but the last six."""
    asked = 0

    def answer(body: dict[str, Any]) -> Any:
        nonlocal asked
        asked += 1
        (number,) = set(re.findall(r"Answer number (\d+)\.", body["messages"][-1]["content"]))
        item = int(number)
        return says(reply(asked % 4 + 1 if item % 6 == 0 else item % 4 + 1))

    server.answer = answer
    monkeypatch.setenv("ADJUDGE_BASE_URL", server.base_url)
    items = range(ITEMS)
    rows = [{"id": str(n), "question": "Why?", "answer": f"Answer number {n}."} for n in items]
    adjudge.write("answers.jsonl", rows)
    labels = "".join(f"{n},{n % 4 + 1}\n" for n in items[:-6])
    (adjudge.folder / "people.csv").write_text(f"item,rating\n{labels}")
    return adjudge


@pytest.mark.parametrize("section", ["Repeats", "Panels", "Cascades"])
def test_commands(served: Command, section: str) -> None:
    lines = re.findall(r"^\$ adjudge (.*)$", SECTIONS[section], re.MULTILINE)
    assert lines
    for line in lines:
        ended = served(*shlex.split(line))
        assert ended.code == 0, ended.err


def test_python(served: Command, server: ChatServer) -> None:
    (code,) = re.findall(r"^```python\n(.*?)^```", SECTIONS["In Python"], re.MULTILINE | re.DOTALL)

    class Served:
        """adjudge on the test's server."""

        def __getattr__(self, name: str) -> Any:
            return getattr(package, name)

        def run(self, *args: Any, **options: Any) -> package.Run:
            return package.run(*args, base_url=server.base_url, **options)

    exec(code, found := {"adjudge": Served()})  # noqa: S102 - that is the test
    assert len(package.cascade(found["run"]).abstained) > 0
    found["run"].close()
