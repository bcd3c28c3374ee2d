"""Pulling from a model hub, against a double of it on loopback."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import constants
from tests.commands import Command
from tests.doubles.gguf_file import gguf
from tests.doubles.hub import COMMIT, Hub
from tests.doubles.hub import hub as double

from adjudge.errors import ModelUnavailable, UsageError
from adjudge.models import embedded, hub
from adjudge.models.base import ModelOptions

SMALL, LARGE = "org/tiny-GGUF/tiny-q4_k_m.gguf", "org/tiny-GGUF/tiny-q8_0.gguf"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    monkeypatch.setenv("ADJUDGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    with double() as served:
        served.files = {SMALL: gguf(), LARGE: gguf(context=8192), "org/none/README.md": b"x"}
        monkeypatch.setenv("HF_ENDPOINT", served.url)
        yield served


def pulled(name: str) -> Path:
    return hub.pull(name, lambda done, total, text: None)


def test_a_named_file_is_fetched_checked_and_kept(served: Hub) -> None:
    path = pulled(f"hf:{LARGE}")
    assert path.read_bytes() == served.files[LARGE]
    note = json.loads(path.with_name(f"{path.name}.json").read_text())
    assert note["revision"] == COMMIT
    assert note["sha256"] == served.hash(served.files[LARGE])
    assert hub.find(f"hf:{LARGE}") == hub.find("hf:org/tiny-GGUF") == path
    assert hub.find(f"hf:{LARGE}@{COMMIT[:8]}") == path
    assert hub.find(f"hf:{LARGE}@fffff") is None


def test_what_is_here_is_not_fetched_again(served: Hub) -> None:
    pulled(f"hf:{LARGE}")
    asked = len(served.asked)
    pulled(f"hf:{LARGE}")
    assert len(served.asked) == asked


def test_a_full_disk_is_noticed_before_anything_is_fetched(
    served: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = shutil.disk_usage("/")._replace(free=5_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda place: full)
    with pytest.raises(ModelUnavailable, match=r"67 MB are needed .* 5 MB are free"):
        pulled(f"hf:{LARGE}")
    assert hub.find(f"hf:{LARGE}") is None


def test_of_several_files_the_usual_one_is_taken(served: Hub) -> None:
    assert pulled("hf:org/tiny-GGUF").name == "tiny-q4_k_m.gguf"


def test_where_none_is_usual_all_are_listed(served: Hub) -> None:
    served.files["org/tiny-GGUF/other-q4_k_m.gguf"] = b"x"
    with pytest.raises(UsageError, match=r"(?s)name one of its files:.*tiny-q8_0\.gguf"):
        pulled("hf:org/tiny-GGUF")
    with pytest.raises(UsageError, match="no GGUF file"):
        pulled("hf:org/none")


def test_an_interrupted_pull_goes_on_where_it_stopped(
    served: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is lost is less than a piece; the real ones are of 10 MB.
    monkeypatch.setattr(constants, "DOWNLOAD_CHUNK_SIZE", 10_000)
    served.files[LARGE] = gguf() + bytes(300_000)
    served.stops_after = 100_000
    with pytest.raises(ModelUnavailable, match="the same command continues"):
        pulled(f"hf:{LARGE}")
    assert hub.find(f"hf:{LARGE}") is None
    served.refuses = False
    served.asked.clear()
    assert pulled(f"hf:{LARGE}").read_bytes() == served.files[LARGE]
    (_, wanted), *_ = served.asked
    assert wanted == "bytes=100000-"


def test_a_file_with_another_hash_is_not_kept(served: Hub) -> None:
    served.claims = "0" * 64
    with pytest.raises(ModelUnavailable, match="SHA-256"):
        pulled(f"hf:{LARGE}")
    assert hub.find(f"hf:{LARGE}") is None


def test_what_is_not_there_is_said(served: Hub) -> None:
    with pytest.raises(ModelUnavailable, match="could not be fetched") as failed:
        pulled("hf:org/unknown")
    assert "127.0.0.1" not in str(failed.value)


@pytest.mark.parametrize("name", ["hf:tiny", "hf:org/repo/file.bin", "hf:", "hf:org/repo@"])
def test_the_form_of_a_name(name: str) -> None:
    with pytest.raises(UsageError, match="hf:ORG/REPO"):
        pulled(name)


def test_nothing_is_fetched_unless_asked(served: Hub) -> None:
    with pytest.raises(ModelUnavailable, match=f"adjudge models pull hf:{LARGE}"):
        embedded.open_model(f"hf:{LARGE}", ModelOptions())
    assert served.asked == []
    path = pulled(f"hf:{LARGE}")
    assert embedded.locate(f"hf:{LARGE}") == (path, None)
    model = embedded.open_model(f"hf:{LARGE}", ModelOptions())
    assert model.name == f"embedded/hf:{LARGE}"
    assert str(path.stat().st_size) in model.identity


def test_on_the_command_line(adjudge: Command, served: Hub) -> None:
    ended = adjudge("models", "pull", f"hf:{SMALL}")
    assert ended.code == 0, ended.err
    path = Path(ended.out.strip())
    assert path.is_file()
    assert path.is_relative_to(os.environ["ADJUDGE_CACHE"])  # not the user's own
    assert f"-m embedded/hf:{SMALL}" in ended.err
    assert f"embedded/hf:{SMALL}" in adjudge("models").out
