"""Model files of other programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import Command
from tests.doubles.gguf_file import gguf

from adjudge.models.local_models import LocalModel, local_models


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OLLAMA_MODELS", raising=False)
    return home


def ollama(base: Path, owner: str, name: str, tag: str, data: bytes) -> Path:
    blob = base / "blobs" / f"sha256-{name}"
    manifest = base / "manifests" / "registry.ollama.ai" / owner / name / tag
    for path in (blob, manifest):
        path.parent.mkdir(parents=True, exist_ok=True)
    blob.write_bytes(data)
    layers = [
        {"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:other"},
        {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{name}"},
    ]
    manifest.write_text(json.dumps({"layers": layers}))
    return blob


def only() -> LocalModel:
    (found,) = local_models()
    return found


def test_there_may_be_none() -> None:
    assert local_models() == []


def test_those_of_ollama(home: Path) -> None:
    blob = ollama(home / ".ollama/models", "library", "qwen", "7b", gguf("qwen2", 32768))
    found = only()
    assert (found.origin, found.name, found.path) == ("Ollama", "qwen:7b", blob)
    assert found.model == f"embedded:{blob}"
    assert (found.context, found.chats, found.judges) == (32768, True, True)


def test_ollama_may_keep_them_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / "far"))
    ollama(tmp_path / "far", "me", "mine", "latest", gguf())
    assert only().name == "me/mine:latest"


def test_those_of_lm_studio(home: Path) -> None:
    path = home / ".lmstudio/models/org/repo/model.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(gguf(template=False))
    found = only()
    assert (found.origin, found.name) == ("LM Studio", "org/repo/model.gguf")
    assert (found.chats, found.judges) == (False, True)


@pytest.mark.parametrize("data", [b"", b"GGUF", b"no model", b"GGUF" + b"\xff" * 64, gguf()[:90]])
def test_a_broken_file_is_left_out(home: Path, data: bytes) -> None:
    ollama(home / ".ollama/models", "library", "broken", "1b", data)
    (home / ".ollama/models/manifests/registry.ollama.ai/library/broken/2b").write_text("{")
    assert local_models() == []


def test_the_list_says_what_each_can_do(adjudge: Command, home: Path) -> None:
    base = home / ".ollama/models"
    blob = ollama(base, "library", "chat", "1b", gguf())
    ollama(base, "library", "embed", "1b", gguf("bert", template=False))
    out = adjudge("models").out
    assert f"embedded:{blob}" in out
    assert "judge, schema, patterns, logprobs, likelihood" in out
    assert "no judging: it writes no text" in out
    here = adjudge("models", "--json").json["here"]
    assert [each["judges"] for each in here] == [True, False]
