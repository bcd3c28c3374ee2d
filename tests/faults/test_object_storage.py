"""Data in object storage, judged by a cluster into object storage, and added to a store."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator

import pytest
from tests.clusters import RayCluster
from tests.commands import Command, Ended
from tests.doubles.s3 import object_storage
from tests.servers import ChatServer, says

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

BUCKET = "bucket"
REPLY = json.dumps({"evaluation": "The answer is correct and names everything.", "rating": 4})


@pytest.fixture
def storage(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """An S3-compatible server, as the environment names one; its objects."""
    with object_storage() as (address, objects):
        for name, value in {
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "XSECRET",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_ENDPOINT_URL": address,
        }.items():
            monkeypatch.setenv(name, value)
        yield objects


def rows(numbers: range) -> bytes:
    lines = ({"id": f"r{n}", "question": "?", "answer": f"answer number {n}."} for n in numbers)
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def ended(process: subprocess.Popen[str]) -> Ended:
    out, err = process.communicate(timeout=300)
    return Ended(process.returncode, out, err)


def test_from_a_bucket_to_a_bucket(
    storage: dict[str, bytes],
    ray_cluster: RayCluster,
    adjudge: Command,
    server: ChatServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    storage[f"{BUCKET}/answers/0.jsonl"] = rows(range(10))
    storage[f"{BUCKET}/answers/1.jsonl"] = rows(range(10, 16))
    storage[f"{BUCKET}/answers/notes.txt"] = b"not data"
    server.answer = lambda _: says(REPLY)
    asks = ("--judge", "helpfulness", "-m", "openai/m", "--base-url", server.base_url)
    on_ray = ("--engine", "ray", "--ray-address", ray_cluster.address, "--workers", "2")
    run = ("run", f"s3://{BUCKET}/answers/*.jsonl", *asks, *on_ray, "--json")
    into = ("--store", f"parquet:s3://{BUCKET}/runs")
    first = ended(adjudge.process(*run, *into))
    assert first.code == 0, first.err
    assert first.json["outcomes"] == {"scored": 16}
    again = ended(adjudge.process(*run, *into))
    assert again.code == 0, again.err
    assert len(server.asked) == 16  # what is there is not asked for again
    added = adjudge("store", "add", f"s3://{BUCKET}/runs", "--store", "added.db")
    assert added.code == 0, added.err
    shown = adjudge("show", "latest", "--json", "--store", "added.db").json
    assert shown["outcomes"] == {"scored": 16}
    finished = [name for name in storage if name.endswith(".parquet")]
    assert finished
    assert not any("/parts/" in name for name in finished)
    assert "XSECRET" not in first.err + again.err + added.err


@pytest.mark.usefixtures("joined")
@pytest.mark.parametrize("place", ["ftp://host/a.jsonl", f"s3://{BUCKET}/nothing/*.jsonl"])
def test_what_cannot_be_read_is_named_before_anything_is_asked(
    place: str, storage: dict[str, bytes], adjudge: Command, server: ChatServer
) -> None:
    storage[f"{BUCKET}/answers/0.jsonl"] = rows(range(1))
    asks = ("--judge", "helpfulness", "-m", "openai/m", "--base-url", server.base_url)
    ended = adjudge("run", place, *asks, "--engine", "ray", "--store", "parquet:files")
    assert ended.code == 2
    assert place in ended.err
    assert not server.asked
