"""A service with a stub as its model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.servers import ChatServer, chat_server, says
from tests.service import Running, running_service

from adjudge.service.options import ServeOptions

GOOD = json.dumps(
    {"evaluation": "The answer is right and says what the person wanted to know.", "rating": 3}
)
ITEM = {"question": "How long can cooked rice stand?", "answer": "Two hours, then chill it."}
JUDGE = """\
judge: politeness
version: 1
title: Is the reply polite?
language: en
explain_in: any
inputs:
  answer: {required: true, judged: true}
criteria:
  politeness:
    title: Politeness
    guide: Does the reply treat the customer with respect?
    scale: {type: integer, min: 1, max: 5}
reply: json
"""


@dataclass(frozen=True)
class Api:
    """The API of a running service, and the model behind it. What the data of `run` are about is
    the test's own: tests that share a service share no run and no reply."""

    running: Running
    model: ChatServer
    about: str = ""

    @property
    def item(self) -> dict[str, str]:
        return {**ITEM, "question": f"{ITEM['question']}{self.about}"}

    def get(self, path: str, **given: Any) -> Any:
        answer = self.running.ask(f"/api/v1/{path}", **given)
        assert answer.status == 200, answer.body
        return answer.json

    def post(self, path: str, body: object, status: int = 200, **given: Any) -> Any:
        answer = self.running.ask(f"/api/v1/{path}", body, **given)
        assert answer.status == status, answer.body
        return answer.json

    def problem(self, path: str, body: object = None, **given: Any) -> dict[str, Any]:
        answer = self.running.ask(f"/api/v1/{path}", body, **given)
        assert answer.headers["content-type"] == "application/problem+json"
        problem: dict[str, Any] = answer.json
        assert problem["status"] == answer.status >= 400
        assert problem["request_id"] == answer.headers["x-request-id"]
        assert problem["instance"] == f"/api/v1/{path}".partition("?")[0]
        return problem

    def run(self, rows: int = 3, **fields: Any) -> str:
        """The id of a run over so many rows, once it has ended."""
        data = [{"id": f"r{n}", **self.item, "answer": f"Answer {n}."} for n in range(rows)]
        started = self.post("runs", {"judges": ["helpfulness"], "rows": data, **fields}, 202)
        return self.ended(started["run"])

    def ended(self, run: str) -> str:
        answer = self.running.ask(f"/api/v1/runs/{run}/events")
        assert answer.body.rstrip().splitlines()[-2] == b"event: end"
        return run


_TESTS = count()


@contextmanager
def _served(folder: Path) -> Iterator[Api]:
    with chat_server() as server:
        server.answer = lambda _: says(GOOD)
        options = ServeOptions(
            store=str(folder / "store" / "runs.db"),
            models=("openai/small", "openai/large"),
            base_url=server.base_url,
        )
        with running_service(options) as running:
            yield Api(running, server)


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    """A service of the test's own, over an empty store."""
    with _served(tmp_path) as served:
        yield served


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with _served(tmp_path_factory.mktemp("served")) as served:
        yield served


@pytest.fixture
def shared(served: Api) -> Api:
    """The service of all tests in the file: for those that do not mind the runs of others."""
    served.model.answer = lambda _: says(GOOD)
    served.model.script.clear()
    served.model.asked.clear()
    return replace(served, about=f" ({next(_TESTS)})")
