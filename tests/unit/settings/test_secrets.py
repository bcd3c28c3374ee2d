from __future__ import annotations

import pytest

from adjudge.settings.secrets import has_password, names_a_secret, without_secrets


@pytest.mark.parametrize("name", ["api_key", "apikey", "OPENAI_API_KEY", "token", "db-password"])
def test_names_of_secrets(name: str) -> None:
    assert names_a_secret(name)


@pytest.mark.parametrize("name", ["max_tokens", "max-tokens", "keyboard", "model", "monkey"])
def test_other_names(name: str) -> None:
    assert not names_a_secret(name)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("http://me:hidden@host/v1", "http://…@host/v1"),
        ("http://hidden@host", "http://…@host"),
        ("http://me:hid/den@host", "http://…@host"),
        ("me:hidden@proxy:80", "…@proxy:80"),
        ("https://host/v1?key=hidden&x=1", "https://host/v1?…"),
        ("http://host:80/v1", "http://host:80/v1"),
        ("answer=@file.txt", "answer=@file.txt"),
        ("2%", "2%"),
    ],
)
def test_shown(value: str, shown: str) -> None:
    assert without_secrets(value) == shown


def test_passwords() -> None:
    assert has_password("postgresql://me:hidden@host/db")
    assert not has_password("http://host:80/a:b@c")
