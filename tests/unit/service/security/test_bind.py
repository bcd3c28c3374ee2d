from __future__ import annotations

from pathlib import Path

import pytest
from tests.commands import Command

from adjudge.errors import UsageError
from adjudge.service.app import create_app
from adjudge.service.options import ServeOptions
from adjudge.service.security.bind import check_address, is_loopback
from adjudge.service.security.tokens import new_token
from adjudge.stores.registry import open_store

EVERYWHERE = "0.0.0.0"  # noqa: S104 - refused
OUTSIDE = [EVERYWHERE, "::", "192.0.2.7", "2001:db8::1", "", "no such host", "host.invalid"]


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost"])
def test_this_machine_alone(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", OUTSIDE)
def test_others_too(host: str) -> None:
    assert not is_loopback(host)


def test_others_need_a_token(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "s.db"))
    check_address("127.0.0.1", store)
    for host in OUTSIDE:
        with pytest.raises(UsageError, match="adjudge tokens new"):
            check_address(host, store)
    _, kept = new_token("x", "read")
    store.tokens.put(kept)
    check_address(EVERYWHERE, store)
    store.tokens.revoke(kept.id)
    with pytest.raises(UsageError, match="adjudge tokens new"):
        check_address(EVERYWHERE, store)
    store.close()


def test_the_application_does_not_start(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--host 0\.0\.0\.0"):
        create_app(ServeOptions(store=str(tmp_path / "s.db"), host=EVERYWHERE))
    with pytest.raises(UsageError, match="--allow-host https"):
        create_app(ServeOptions(store=str(tmp_path / "s.db"), allowed_hosts=("https://x",)))


def test_the_command_does_not_start(adjudge: Command) -> None:
    started = adjudge.process("serve", "--host", EVERYWHERE, "--port", "0")
    out, err = started.communicate(timeout=60)
    assert started.returncode == 2
    assert "adjudge tokens new NAME" in err
    assert out == ""
