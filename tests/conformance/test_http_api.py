"""Whatever is sent to the API, what comes back is what its description says, and never a 5xx.

Requests are made up from the description itself, fitting ones and others, the same each time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from tests.servers import chat_server, says
from tests.service import Running, running_service

from adjudge.service.options import ServeOptions
from adjudge.service.security.tokens import new_token

pytestmark = pytest.mark.slow
GOOD = json.dumps(
    {"evaluation": "The answer is right and says what the person wanted to know.", "rating": 3}
)
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
EXAMPLES = 25  # as many as take some 40 s
DESCRIPTION = Path(__file__).parents[1] / "golden/openapi.json"


class Asked:
    """A service, how to ask it, and a run that it holds."""

    def __init__(self, running: Running, token: str) -> None:
        self.running, self.headers = running, {"Authorization": f"Bearer {token}"} if token else {}
        self.run = self._ended("A.")
        # What may be deleted and revoked: the other requests need the rest.
        self.spare_run = self._ended("Spare.")
        made = running.ask("/api/v1/tokens", {"name": "spare"}, headers=self.headers).json
        self.spare_token = made["id"]

    def _ended(self, answer: str) -> str:
        """The id of a run over one row."""
        rows = [{"id": "a", "question": "Q?", "answer": answer}]
        body = {"judges": ["helpfulness"], "rows": rows}
        run: str = self.running.ask("/api/v1/runs", body, headers=self.headers).json["run"]
        self.running.ask(f"/api/v1/runs/{run}/events", headers=self.headers)
        return run

    def fill_in(self, case: schemathesis.Case) -> None:
        """Names that are there, in half of the cases: made-up ones alone would only meet 404."""
        deletes = case.method == "DELETE"
        there = {"run": self.spare_run if deletes else self.run, "token": self.spare_token}
        for name, value in there.items():
            if name in case.path_parameters and len(str(case.path_parameters[name])) % 2:
                case.path_parameters[name] = value

    @cached_property
    def schema(self) -> Any:
        url = f"{self.running.url}/api/v1/openapi.json"
        return schemathesis.openapi.from_url(url, headers=dict(self.headers))


@pytest.fixture(scope="module", params=["open", "tokens"])
def asked(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Asked]:
    store = tmp_path_factory.mktemp("api") / "runs.db"
    with chat_server() as model:
        model.answer = lambda _: says(GOOD)
        options = ServeOptions(
            store=str(store),
            models=("openai/m",),
            base_url=model.base_url,
            require_token=request.param == "tokens",
            rate=1_000_000,
        )
        with running_service(options) as running:
            token = ""
            if request.param == "tokens":
                token, kept = new_token("tests", "admin")
                running.service.store.tokens.put(kept)
            yield Asked(running, token)


OPERATIONS = [
    (path, method)
    for path, operations in json.loads(DESCRIPTION.read_text("utf-8"))["paths"].items()
    for method in operations
]


@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_answers_are_as_described(
    asked: Asked, path: str, method: str, mode: GenerationMode
) -> None:
    operation = asked.schema[path][method]
    # What cannot be wrong cannot be sent wrong.
    if mode is GenerationMode.NEGATIVE and not _takes_anything(operation.definition.raw):
        return
    checks = [*CHECKS, negative_data_rejection]

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def ask(case: schemathesis.Case) -> None:
        asked.fill_in(case)
        case.call_and_validate(headers=dict(asked.headers), checks=checks, timeout=30)

    ask()


def _takes_anything(operation: dict[str, Any]) -> bool:
    """More than a name in its address, which may be any text."""
    asked = [each for each in operation.get("parameters", ()) if each["in"] == "query"]
    return bool(asked) or "requestBody" in operation


def test_without_a_token_nothing_but_health_is_told(asked: Asked) -> None:
    for path, method in OPERATIONS:
        body = {} if method == "post" else None
        answer = asked.running.ask(path, body, method=method.upper())
        refused = bool(asked.headers) and path != "/healthz"
        assert (answer.status == 401) is refused, path
