"""What a check found is kept in one place, and used when the model is opened again."""

from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.models import model_checks
from adjudge.models.base import ModelOptions
from adjudge.models.model_checks import ModelCheck
from adjudge.models.openai import open_model
from adjudge.models.registry import open_model as open_any
from adjudge.models.registry import open_plain

HERE = ModelOptions(base_url="http://127.0.0.1:9/v1")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path))
    return tmp_path


def found(**more: object) -> ModelCheck:
    model = open_model("m", HERE)
    fields = {"identity": model.identity, "date": "2026-11-16", "ways": dict(model.ways)} | more
    return ModelCheck(**fields)  # type: ignore[arg-type]


def test_kept_and_recalled() -> None:
    one = found(json_schema=False, context=4096)
    model_checks.save_check(one)
    assert model_checks.load_check(one.identity) == one
    assert model_checks.saved_checks() == [one]
    model_checks.save_check(found(json_schema=True))
    assert [each.json_schema for each in model_checks.saved_checks()] == [True]


def test_used_when_the_model_is_opened() -> None:
    ways = dict(open_model("m", HERE).ways) | {"response_format": None, "logprobs": None}
    model_checks.save_check(found(json_schema=False, logprobs=False, context=4096, ways=ways))
    model = open_any("openai/m", HERE)
    assert not model.capabilities.json_schema
    assert not model.capabilities.logprobs
    assert model.capabilities.context == 4096
    assert model.capabilities.seed  # it was not looked at
    assert model.ways == ways
    assert open_plain("openai/m", HERE).capabilities.json_schema


def test_another_server_is_another_model() -> None:
    model_checks.save_check(found(json_schema=False))
    other = open_any("openai/m", ModelOptions(base_url="http://127.0.0.1:10/v1"))
    assert other.capabilities.json_schema


def test_forms_that_this_version_does_not_know_are_passed_over() -> None:
    model_checks.save_check(found(ways={"colour": "green"}))
    assert "colour" not in open_any("openai/m", HERE).ways


def test_a_broken_file_is_as_good_as_none(own_cache: Path) -> None:
    one = found(json_schema=False)
    model_checks.save_check(one).write_bytes(b"{")
    assert model_checks.load_check(one.identity) is None
    assert model_checks.saved_checks() == []
    assert open_any("openai/m", HERE).capabilities.json_schema


def test_what_a_later_check_could_not_tell_stays() -> None:
    model_checks.save_check(found(json_schema=False, context=4096))
    model_checks.save_check(found(context=8192))
    (kept,) = model_checks.saved_checks()
    assert (kept.json_schema, kept.context) == (False, 8192)
