from __future__ import annotations

import os
from pathlib import Path

import pytest

from adjudge.errors import UsageError
from adjudge.settings import dotenv


def providers() -> list[str]:
    return ["openai", "my-own"]


def load(folder: Path, text: str) -> dotenv.DotEnv:
    (folder / ".env").write_text(text, "utf-8")
    found = dotenv.load(providers)
    assert found is not None
    return found


def test_takes_what_adjudge_can_use(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("https_proxy", "SSL_CERT_FILE"):
        monkeypatch.delenv(name, raising=False)
    found = load(
        folder,
        "\ufeff# keys\r\n\r\nexport OPENAI_API_KEY='sk-1'\r\nADJUDGE_TIMEOUT=5 # seconds\n"
        "MY_OWN_HOST=here\nhttps_proxy=p\nSSL_CERT_FILE=/c\nDATABASE_URL=x\nOPENAIX=y\nPATH=z\n",
    )
    assert found.lines == {
        "OPENAI_API_KEY": 3,
        "ADJUDGE_TIMEOUT": 4,
        "MY_OWN_HOST": 5,
        "https_proxy": 6,
        "SSL_CERT_FILE": 7,
    }
    assert os.environ["OPENAI_API_KEY"] == "sk-1"
    assert os.environ["ADJUDGE_TIMEOUT"] == "5"
    assert "DATABASE_URL" not in os.environ
    assert found.origin("MY_OWN_HOST") == ".env, line 5"
    assert found.origin("PATH") is None


def test_the_real_environment_goes_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.setenv("OPENAI_BASE_URL", "real")
    found = load(folder, "OPENAI_API_KEY=file\nOPENAI_BASE_URL=file\n")
    assert found.lines == {}
    assert (os.environ["OPENAI_API_KEY"], os.environ["OPENAI_BASE_URL"]) == ("", "real")


def test_nothing_is_filled_in(folder: Path) -> None:
    load(folder, 'OPENAI_API_KEY=a$HOME${HOME}`pwd`\nOPENAI_ORG="$HOME"\nOPENAI_EMPTY=\n')
    assert os.environ["OPENAI_API_KEY"] == "a$HOME${HOME}`pwd`"
    assert os.environ["OPENAI_ORG"] == "$HOME"
    assert "OPENAI_EMPTY" not in os.environ


@pytest.mark.parametrize(
    "text",
    [
        "A=1\n\nsk-hidden\n",
        "A=1\n\nOPENAI API KEY=sk-hidden\n",
        "A=1\n\nOPENAI_API_KEY='sk-hidden\n",
        'A=1\n\nOPENAI_API_KEY="sk-hidden" more\n',
        "A=1\n\nsk-hidden=\n",
        "A=1\n\nOPENAI_API_KEY=sk-\0hidden\n",
    ],
)
def test_a_bad_line_is_named_and_not_shown(folder: Path, text: str) -> None:
    with pytest.raises(UsageError) as raised:
        load(folder, f"OPENAI_ORG=before\n{text}")
    assert str(raised.value).startswith(".env, line 4: cannot be read.")
    assert "hidden" not in str(raised.value)
    assert "OPENAI_ORG" not in os.environ


def test_no_text(folder: Path) -> None:
    (folder / ".env").write_bytes(b"A=\xff")
    with pytest.raises(UsageError, match="not UTF-8"):
        dotenv.load(providers)


def test_is_read_once(folder: Path) -> None:
    first = load(folder, "OPENAI_API_KEY=1\n")
    assert load(folder, "OPENAI_API_KEY=2\nOPENAI_ORG=3\n") is first
    assert "OPENAI_ORG" not in os.environ


@pytest.mark.parametrize(("value", "reads"), [("1", False), ("true", False), ("0", True)])
def test_can_be_switched_off(
    folder: Path, monkeypatch: pytest.MonkeyPatch, value: str, reads: bool
) -> None:
    monkeypatch.setenv("ADJUDGE_NO_DOTENV", value)
    (folder / ".env").write_text("OPENAI_API_KEY=1\n")
    assert (dotenv.load(providers) is not None) == reads
    assert ("OPENAI_API_KEY" in os.environ) == reads


def test_without_a_file_nobody_is_asked(folder: Path) -> None:
    def unasked() -> list[str]:
        raise AssertionError

    assert dotenv.load(unasked) is None
