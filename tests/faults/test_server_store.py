"""A store on a server that goes away in the middle of a run: waited for, said, and nothing lost."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections import Counter
from contextlib import closing
from typing import Any

import pytest
from tests.commands import Command
from tests.doubles.proxy import wire_to
from tests.faults.test_service_restart import ANSWERED, ROWS, hold_back, row_of, start
from tests.postgres import PostgresServer
from tests.postgres import ask as ask_store
from tests.servers import ChatServer, after, says
from tests.service import running_service

from adjudge.service.options import ServeOptions
from adjudge.service.security.tokens import new_token
from adjudge.stores import open_store

pytestmark = pytest.mark.slow
GOOD = json.dumps({"evaluation": "The answer is right and names what was asked.", "rating": 3})


def begin(adjudge: Command, server: ChatServer, store: str, *more: str) -> subprocess.Popen[str]:
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer number {n}."} for n in range(ROWS)]
    data = adjudge.write("data.jsonl", rows)
    command = ["run", data, "--judge", "helpfulness", "-m", "openai/m", "--json", "-j", "4",
               "--base-url", server.base_url, "--explain-in", "any", "--no-progress",
               "--store", store, *more]  # fmt: skip
    return adjudge.process(*command)


def whole(process: subprocess.Popen[str], server: ChatServer) -> str:
    """Each row was asked once and has its verdict; what the user was told."""
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert json.loads(out)["outcomes"] == {"scored": ROWS}
    assert Counter(map(row_of, server.asked)) == Counter(range(ROWS))
    return err


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_the_server_is_started_again(
    adjudge: Command, server: ChatServer, postgres_server: PostgresServer, postgres: str, how: str
) -> None:
    server.answer = lambda _: after(0.15, says(GOOD))
    process = begin(adjudge, server, postgres, "--budget", "1Mtok")
    server.wait_for(6)
    postgres_server.stop(how)
    time.sleep(2.5)
    postgres_server.start()
    said = whole(process, server)
    assert "the store cannot be reached" in said
    assert "the store is there again" in said
    ((tokens,),) = ask_store(postgres, "SELECT tokens FROM runs")
    assert tokens == ROWS * 110
    assert adjudge("store", "check", "--store", postgres).code == 0


def test_the_way_to_it_is_cut_again_and_again(
    adjudge: Command, server: ChatServer, postgres_server: PostgresServer, postgres: str
) -> None:
    server.answer = lambda _: after(0.1, says(GOOD))
    with wire_to(postgres_server.port) as wire:
        store = postgres.replace(str(postgres_server.port), str(wire.port))
        process = begin(adjudge, server, store)
        server.wait_for(4)
        for _ in range(8):
            wire.cut()
            time.sleep(0.1)
        whole(process, server)
    ((tokens,),) = ask_store(postgres, "SELECT tokens FROM runs")
    assert tokens == ROWS * 110


def test_a_store_that_stays_away_can_be_left(
    adjudge: Command, server: ChatServer, postgres_server: PostgresServer, postgres: str
) -> None:
    """Ctrl-C does not wait ten minutes."""
    server.answer = lambda _: after(0.1, says(GOOD))
    with wire_to(postgres_server.port) as wire:
        store = postgres.replace(str(postgres_server.port), str(wire.port))
        process = begin(adjudge, server, store)
        server.wait_for(6)
        wire.is_down = True
        wire.cut()
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        wire.is_down = False
        _, err = process.communicate(timeout=40)
        assert time.monotonic() - began < 30
        assert process.returncode == 130, err


def test_parts_are_one_run_and_the_last_one_ends_it(
    adjudge: Command, server: ChatServer, postgres: str
) -> None:
    server.answer = lambda _: after(0.02, says(GOOD))
    first = [begin(adjudge, server, postgres, "--shard", f"{part}/3") for part in (1, 2)]
    ended = [_json(process, f"part {n}/3 is done; ") for n, process in enumerate(first, 1)]
    assert len({told["run"] for told in ended}) == 1
    assert {told["state"] for told in ended} <= {"running", "interrupted"}
    assert adjudge("runs", "--json", "--store", postgres).json[0]["state"] == "interrupted"
    last = begin(adjudge, server, postgres, "--shard", "3/3")
    told = _json(last, f"part 3/3 is done; {ROWS} of {ROWS} verdicts of the run are there")
    assert told["state"] == "finished"
    (run,) = adjudge("runs", "--json", "--store", postgres).json
    assert (run["state"], run["rows"]) == ("finished", ROWS)
    assert adjudge("show", "--json", "--store", postgres).json["verdicts"] == ROWS
    assert Counter(map(row_of, server.asked)) == Counter(range(ROWS))


def _json(process: subprocess.Popen[str], said: str = "") -> Any:
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert said in err
    return json.loads(out)


def test_a_service_takes_over_the_run_of_one_that_is_killed(
    adjudge: Command, server: ChatServer, postgres: str
) -> None:
    """Both are there all the time, as behind a balancer; the data came to the one that dies."""
    hold_back(server, 60)
    options = ServeOptions(store=postgres, models=("openai/m",), base_url=server.base_url)
    with running_service(options) as other:
        doomed = adjudge.process(
            *("serve", "--port", "0", "--store", postgres, "--log", "off"),
            *("-m", "openai/m", "--base-url", server.base_url, "-j", "4"),
        )
        assert doomed.stdout is not None
        url = doomed.stdout.readline().strip()
        run = start(url)
        server.wait_for(ANSWERED + 4)
        while other.ask(f"/api/v1/runs/{run}").json["verdicts"] < ANSWERED:
            time.sleep(0.02)
        server.answer = lambda _: says(GOOD)
        doomed.kill()
        doomed.communicate()
        deadline = time.monotonic() + 30
        while (told := other.ask(f"/api/v1/runs/{run}").json)["state"] != "finished":
            assert time.monotonic() < deadline, told
            time.sleep(0.05)
    assert told["outcomes"] == {"scored": ROWS}
    asked = Counter(map(row_of, server.asked))
    assert sum(asked.values()) <= ROWS + 4  # only what was under way when it died


def test_services_share_tokens_and_a_stop_reaches_the_one_that_has_the_run(
    server: ChatServer, postgres: str
) -> None:
    hold_back(server, 1.0)
    options = ServeOptions(
        store=postgres,
        models=("openai/m",),
        base_url=server.base_url,
        concurrency=4,
        require_token=True,
    )
    with closing(open_store(postgres)) as store:
        token, kept = new_token("ci", "admin", None)
        store.tokens.put(kept)
    bearer = {"Authorization": f"Bearer {token}"}
    rows = [{"id": f"r{n}", "question": "?", "answer": f"answer number {n}."} for n in range(ROWS)]
    with running_service(options) as one, running_service(options) as other:
        body = {"judges": ["helpfulness"], "rows": rows}
        run = one.ask("/api/v1/runs", body, headers=bearer).json["run"]
        server.wait_for(ANSWERED + 2)
        stopped = other.ask(f"/api/v1/runs/{run}/stop", b"", headers=bearer, method="POST")
        assert stopped.status in (200, 202, 204), stopped.body
        while one.service.jobs.state_of(run):
            time.sleep(0.02)
        assert other.ask(f"/api/v1/runs/{run}", headers=bearer).json["state"] == "interrupted"
    assert len(server.asked) < ROWS
