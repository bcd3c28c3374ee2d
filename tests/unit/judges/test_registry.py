from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import DefinitionError, UsageError
from adjudge.judges import registry


def test_the_built_in_judges() -> None:
    assert {"helpfulness", "chatbot", "gptscore", "preference"} <= set(registry.names())
    for name in registry.names():
        assert registry.get(name).name == name


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        registry.get("helpfullness")
    assert "Did you mean helpfulness?" in str(caught.value)
    assert ", ".join(registry.names()) in str(caught.value)


def test_a_file_is_named_by_its_path(tmp_path: Path) -> None:
    text = registry.source("helpfulness")[1]
    file = tmp_path / "mine.yaml"
    file.write_text("\ufeff" + text, encoding="utf-8")
    assert registry.get(str(file)).fingerprint == registry.get("helpfulness").fingerprint


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DefinitionError, match="there is no such file"):
        registry.get(str(tmp_path / "none.yaml"))
    with pytest.raises(DefinitionError, match="cannot be read"):
        registry.get(str(tmp_path))
    latin = tmp_path / "latin.yaml"
    latin.write_bytes("title: Höflich".encode("latin-1"))
    with pytest.raises(DefinitionError, match=r"not UTF-8 \(byte 8\). Save the file as UTF-8"):
        registry.get(str(latin))


def test_a_wording_is_named_by_its_language() -> None:
    assert registry.get("chatbot/en").language == "en"
    assert registry.get("chatbot/vi") is registry.get("chatbot")
    with pytest.raises(UsageError):
        registry.get("chatbot/fr")
