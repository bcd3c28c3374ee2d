from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.service.options import ServeOptions
from adjudge.service.state import check_models, open_service


def test_a_model_of_no_provider_keeps_it_from_starting(tmp_path: Path) -> None:
    options = ServeOptions(store=str(tmp_path / "runs.db"), models=("embedded", "nosuch/x"))
    with pytest.raises(UsageError, match="nosuch/x"):
        check_models(open_service(options))


def test_a_missing_key_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    tmp_path.chmod(0o700)
    service = open_service(ServeOptions(store=str(tmp_path / "runs.db"), models=("openai/gpt-4o",)))
    check_models(service)
    service.store.close()
    assert [each.levelname for each in caplog.records] == ["WARNING"]
    assert "openai/gpt-4o needs a key: set OPENAI_API_KEY" in caplog.text


def test_a_store_that_others_can_read_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "runs.db").touch()
    (tmp_path / "runs.db").chmod(0o644)
    service = open_service(ServeOptions(store=str(tmp_path / "runs.db")))
    check_models(service)
    service.store.close()
    assert "other users of this machine can read the store" in caplog.text
