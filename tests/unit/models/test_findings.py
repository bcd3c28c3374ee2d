"""What a check found is kept in one place, and used when the model is opened again."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.models import findings
from adjudge.models.base import ModelOptions
from adjudge.models.findings import Findings
from adjudge.models.openai import open_model
from adjudge.models.registry import open_model as open_any
from adjudge.models.registry import open_plain

HERE = ModelOptions(base_url="http://127.0.0.1:9/v1")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path))
    return tmp_path


def found(**more: object) -> Findings:
    model = open_model("m", HERE)
    fields = {"identity": model.identity, "date": "2026-11-16", "ways": dict(model.ways)} | more
    return Findings(**fields)  # type: ignore[arg-type]


def test_kept_and_recalled() -> None:
    one = found(json_schema=False, context=4096)
    findings.keep(one)
    assert findings.recall(one.identity) == one
    assert findings.kept() == [one]
    findings.keep(found(json_schema=True))
    assert [each.json_schema for each in findings.kept()] == [True]


def test_used_when_the_model_is_opened() -> None:
    ways = dict(open_model("m", HERE).ways) | {"response_format": None, "logprobs": None}
    findings.keep(found(json_schema=False, logprobs=False, context=4096, ways=ways))
    model = open_any("openai/m", HERE)
    assert not model.capabilities.json_schema
    assert not model.capabilities.logprobs
    assert model.capabilities.context == 4096
    assert model.capabilities.seed  # it was not looked at
    assert model.ways == ways
    assert open_plain("openai/m", HERE).capabilities.json_schema


def test_another_server_is_another_model() -> None:
    findings.keep(found(json_schema=False))
    other = open_any("openai/m", ModelOptions(base_url="http://127.0.0.1:10/v1"))
    assert other.capabilities.json_schema


def test_forms_that_this_version_does_not_know_are_passed_over() -> None:
    findings.keep(found(ways={"colour": "green"}))
    assert "colour" not in open_any("openai/m", HERE).ways


def test_a_broken_file_is_as_good_as_none(own_cache: Path) -> None:
    one = found(json_schema=False)
    findings.keep(one).write_bytes(b"{")
    assert findings.recall(one.identity) is None
    assert findings.kept() == []
    assert open_any("openai/m", HERE).capabilities.json_schema


def test_what_a_later_check_could_not_tell_stays() -> None:
    findings.keep(found(json_schema=False, context=4096))
    findings.keep(found(context=8192))
    (kept,) = findings.kept()
    assert (kept.json_schema, kept.context) == (False, 8192)
