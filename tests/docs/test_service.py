"""What docs/service.md says, run: its requests, and what it says about them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import click
import pytest
from tests.servers import ChatServer, says
from tests.service import Answer, Running, running_service

from adjudge.cli.main import cli
from adjudge.service.options import ServeOptions
from adjudge.service.security.tokens import new_token

PAGE = (Path(__file__).parents[2] / "docs/service.md").read_text("utf-8")
REQUESTS = [line.removeprefix("$ ") for line in PAGE.splitlines() if line.startswith("$ curl ")]
GOOD = json.dumps({"evaluation": "It says what was wanted, and it is right.", "rating": 4})


@pytest.fixture
def running(tmp_path: Path, server: ChatServer) -> Iterator[Running]:
    server.answer = lambda _: says(GOOD)
    (tmp_path / "answers.csv").write_text("id,question,answer\na,Q?,A.\nb,Q?,B.\nc,Q?,C.\n")
    store = str(tmp_path / "runs.db")
    with running_service(
        ServeOptions(store=store, models=("openai/m",), base_url=server.base_url)
    ) as started:
        yield started


def curl(running: Running, line: str, folder: Path, token: str) -> Answer:
    """What curl would do with these few flags."""
    words = shlex.split(line.replace("$URL", "").replace("$TOKEN", token))[1:]
    method = words[words.index("-X") + 1] if "-X" in words else None
    path = next(word for word in words if word.startswith("/"))
    flags = list(pairwise(words))
    headers = dict(value.split(": ", 1) for flag, value in flags if flag == "-H")
    body = next((value.encode() for flag, value in flags if flag == "-d"), None)
    fields = [value.split("=", 1) for flag, value in flags if flag == "-F"]
    if fields:
        parts = []
        for name, value in fields:
            file = value.removeprefix("@")
            told = f'; filename="{file}"' if value.startswith("@") else ""
            text = (folder / file).read_text() if told else value
            parts.append(
                f'--x\r\nContent-Disposition: form-data; name="{name}"{told}\r\n\r\n{text}'
            )
        body = "\r\n".join([*parts, "--x--\r\n"]).encode()
        headers["Content-Type"] = "multipart/form-data; boundary=x"
    return running.ask(path, body, method=method, headers=headers)


def test_every_request_on_the_page(running: Running, tmp_path: Path) -> None:
    token, kept = new_token("docs", "judge")
    running.service.store.tokens.put(kept)
    one, rows, form, figures, events, verdicts, labels, told, *admins = REQUESTS
    delete, make, tokens, revoke = admins

    def asked(line: str) -> Answer:
        return curl(running, line, tmp_path, token)

    assert asked(one).json["scores"]["rating"]["value"] == 4
    started = asked(rows)
    assert started.status == 202
    assert started.json.keys() == {"run", "job", "state", "notes"}
    assert b"event: end" in asked(events).body
    assert asked(figures).json["verdicts"] == 1
    assert asked(verdicts).json["verdicts"][0]["data"]["answer"] == "Two hours."
    assert asked(labels).json == {"labels": 1, "replaced": 0, "elsewhere": 0}
    assert asked(told).json["labels"][0]["value"] == 3
    assert asked(form).status == 202
    gone = asked(delete.replace("$RUN", started.json["run"])).json
    shown = json.loads(re.findall(r'^\{"run": .*"replies".*$', PAGE, re.MULTILINE)[0])
    assert gone == shown | {"run": started.json["run"]}
    made = asked(make)
    assert (made.status, made.json["rate"]) == (201, 600)
    assert asked(revoke.replace("$ID", made.json["id"])).json["revoked"]
    assert [each["name"] for each in asked(tokens).json["tokens"]] == ["docs", "nightly"]


def test_the_flags_on_the_page_are_those_of_the_command() -> None:
    command = cli.get_command(click.Context(cli), "serve")
    assert command is not None
    known = {name for option in command.params for name in option.opts}
    named = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", PAGE.partition("## The API")[0]))
    assert named <= known | {"-"}


def test_the_errors_on_the_page(running: Running, tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("id,question,answer\na,Q?,A.\nb,,B.\n")
    token, kept = new_token("docs", "judge")
    running.service.store.tokens.put(kept)
    problem = curl(running, REQUESTS[2], tmp_path, token).json
    assert problem["type"] == "urn:adjudge:problem:bad-data"
    assert problem["detail"].startswith("answers.csv: 1 of 2 rows are bad")
    assert problem["errors"][1]["line"] == 3


def test_the_pages_that_it_names_are_there() -> None:
    folder = Path(__file__).parents[2] / "docs"
    for name in re.findall(r"\]\(([\w-]+\.md)\)", PAGE):
        assert (folder / name).exists(), name
