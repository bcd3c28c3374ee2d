"""Ray is loaded only where it is asked for, and says how it is installed where it is not there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from tests.clusters import RayCluster
from tests.commands import Command

from adjudge.cli.run import command
from adjudge.errors import UsageError
from adjudge.running import RunOptions

pytestmark = pytest.mark.cluster

EXAMPLE = "s3://your-bucket/answers/ --judge helpfulness -m openai/gpt-4o-mini --engine ray"


def test_a_local_run_loads_nothing_of_ray(tmp_path: Path) -> None:
    row = {"id": "a", "question": "?", "answer": "x"}
    (tmp_path / "data.jsonl").write_text(json.dumps(row), "utf-8")
    reply = {"item": "a", "replies": ['{"rating": 3, "evaluation": "It is fine."}']}
    (tmp_path / "replies.jsonl").write_text(json.dumps(reply), "utf-8")
    code = (
        "import sys, adjudge\n"
        "adjudge.run('data.jsonl', judge='helpfulness', model='replay:replies.jsonl').close()\n"
        "print([name for name in sys.modules if name.partition('.')[0] == 'ray'])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ended.stdout.strip() == "[]"


def test_no_reference_is_left_when_it_disconnects(ray_cluster: RayCluster) -> None:
    """Ray ends the process at once if Python clears one away while it shuts down."""
    code = (
        "import gc, sys, ray\n"
        "from adjudge.running.engines.ray import cluster\n"
        "gc.disable()\n"
        "cluster.connect(sys.argv[1])\n"
        "cycle = [ray.put('a block')]\n"
        "cycle.append(cycle)\n"
        "del cycle\n"
        "core = ray._private.worker.global_worker.core_worker\n"
        "assert len(core.get_all_reference_counts()) == 1\n"
        "ray.shutdown = lambda: print(core.get_all_reference_counts(), flush=True)\n"
        "cluster.disconnect()"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, ray_cluster.address],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout.strip() == "{}"


def test_without_the_extra_the_error_names_the_command(
    adjudge: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "ray"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setitem(sys.modules, "ray.data", None)
    (adjudge.folder / "data.jsonl").write_text('{"question": "?", "answer": "x"}', "utf-8")
    ended = adjudge("run", "data.jsonl", "--judge", "helpfulness", "--engine", "ray")
    assert ended.code == 2
    assert "pip install 'adjudge[ray]'" in ended.err


def test_the_command_of_a_ray_job_is_understood() -> None:
    arguments = f"{EXAMPLE} --ray-address auto --workers 8".split()
    context = command.make_context("run", arguments)
    assert isinstance(context, click.Context)
    chosen = {name: context.params[name] for name in ("engine", "ray_address", "workers")}
    assert chosen == {"engine": "ray", "ray_address": "auto", "workers": 8}


@pytest.mark.parametrize("flag", [{"ray_address": "auto"}, {"workers": 2}])
def test_what_is_for_ray_alone(flag: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="--engine ray"):
        RunOptions(**flag)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "flag", [{"batch": True}, {"shard": "1/2"}, {"repeat": 3, "stop_when_stable": True}]
)
def test_what_does_not_go_with_ray(flag: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="does not go with --engine ray"):
        RunOptions(engine="ray", **flag)  # type: ignore[arg-type]


def test_workers_are_at_least_one() -> None:
    with pytest.raises(UsageError, match="--workers"):
        RunOptions(engine="ray", workers=0)


def test_files_of_a_cluster_are_no_store_for_a_local_run(adjudge: Command) -> None:
    (adjudge.folder / "data.jsonl").write_text('{"question": "?", "answer": "x"}', "utf-8")
    server = ("-m", "openai/m", "--base-url", "http://127.0.0.1:9/v1")
    named = ("--judge", "helpfulness", *server, "--store", "parquet:files")
    ended = adjudge("run", "data.jsonl", *named)
    assert ended.code == 2
    assert "--engine ray" in ended.err
    assert not (adjudge.folder / "parquet:files").exists()
