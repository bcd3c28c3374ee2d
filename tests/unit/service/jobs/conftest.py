from __future__ import annotations

import json
from pathlib import Path

from tests.servers import ChatServer, says
from tests.service import Running

from adjudge.service.jobs.plan import JobSpec
from adjudge.service.options import ServeOptions
from adjudge.stores import KeptJob

GOOD = json.dumps({"evaluation": "It says what was wanted, and it is right.", "rating": 4})
ROWS = b'{"id": "a", "question": "Q?", "answer": "A."}\n'


def options(tmp_path: Path, server: ChatServer, *models: str) -> ServeOptions:
    server.answer = lambda _: says(GOOD)
    return ServeOptions(
        store=str(tmp_path / "runs.db"), models=models or ("openai/m",), base_url=server.base_url
    )


def spec(running: Running, rows: bytes = ROWS, model: str = "openai/m") -> JobSpec:
    kept = running.service.jobs.uploads.keep_rows(map(json.loads, rows.splitlines()))
    return JobSpec(data=kept, title="mine.jsonl", judges=("helpfulness",), models=(model,))


def ended(running: Running, job: KeptJob) -> KeptJob:
    running.ask(f"/api/v1/runs/{job.run}/events")
    found = running.service.store.jobs.find(job.id)
    assert found is not None
    return found
