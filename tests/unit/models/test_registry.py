from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from adjudge.core.prompt import PLAIN
from adjudge.errors import ModelUnavailable, UsageError
from adjudge.models import registry
from adjudge.models.base import ModelOptions

HERE = ModelOptions(base_url="http://localhost:8000/v1")


def test_providers() -> None:
    assert {"openai", "embedded", "replay"} <= set(registry.providers())
    assert registry.providers() == sorted(registry.providers())


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("openai/gpt-4o", "openai/gpt-4o"),
        ("openai:gpt-4o", "openai/gpt-4o"),
        ("openai:ft:gpt-4o:us::1", "openai/ft:gpt-4o:us::1"),
        ("openai/meta-llama/Llama-3", "openai/meta-llama/Llama-3"),
        ("gpt-4o", "openai/gpt-4o"),
        ("meta-llama/Llama-3", "openai/meta-llama/Llama-3"),
        ("qwen2.5:7b", "openai/qwen2.5:7b"),
    ],
)
def test_names_with_a_base_url(spec: str, name: str) -> None:
    assert registry.open_model(spec, HERE).name == name


def test_replay_takes_the_rest_as_its_file(tmp_path: Path) -> None:
    file = tmp_path / "a:b.jsonl"
    file.write_text('{"item": "1", "replies": ["4"]}\n')
    model = registry.open_model(f"replay:{file}", ModelOptions())
    assert model.name == f"replay:{file}"
    model._file.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("opnai/gpt-4o", "did you mean openai/gpt-4o?"),
        ("OpenAI:gpt-4o", "did you mean openai:gpt-4o?"),
        ("embeded", "did you mean embedded?"),
        ("gpt-4o", "for instance openai/gpt-4o"),
        ("meta-llama/Llama-3", "add --base-url"),
        ("", "known: "),
        ("/x", "known: "),
    ],
)
def test_unknown(spec: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        registry.open_model(spec, ModelOptions())
    assert hint in str(caught.value)
    assert "deepseek, embedded, gemini" in str(caught.value)


def test_nothing_as_a_name_with_a_base_url() -> None:
    with pytest.raises(UsageError):
        registry.open_model("", HERE)


def test_a_provider_that_does_not_load(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adjudge.models.replay", None)
    with pytest.raises(ModelUnavailable, match="'replay' cannot be loaded"):
        registry.open_model("replay:x", ModelOptions())


def test_only_the_named_provider_is_imported(tmp_path: Path) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text('{"item": "1", "replies": ["4"]}\n')
    code = (
        "import asyncio, sys\n"
        "from adjudge.models.base import ModelOptions\n"
        "from adjudge.models.registry import open_model\n"
        "model = open_model('replay:' + sys.argv[1], ModelOptions())\n"
        "asyncio.run(model.aclose())\n"
        "sys.exit('httptools' in sys.modules or 'adjudge.models.embedded' in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code, file], check=True)


def test_how_messages_are_made_is_told_without_opening_a_model() -> None:
    assert registry.profile_of("embedded").facts
    assert registry.profile_of("embedded/smollm2-135m").flags_first
    assert registry.profile_of("openai/m") == PLAIN
    assert registry.profile_of("replay:nowhere.jsonl") == PLAIN
    assert registry.profile_of("unknown/m") == PLAIN
