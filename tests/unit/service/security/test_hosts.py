"""Names that others let point to this machine are not ours."""

from __future__ import annotations

import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.commands import Command

from adjudge.errors import UsageError
from adjudge.service.app import create_app
from adjudge.service.options import ServeOptions
from adjudge.service.security.hosts import Hosts, check_address, is_local, is_loopback
from adjudge.service.security.tokens import new_token
from adjudge.stores import open_store

from .client import Client

EVERYWHERE = "0.0.0.0"  # noqa: S104 - a test
LOOPBACK = ["localhost", "LOCALHOST:8484", "127.0.0.1", "127.0.0.1:1", "[::1]:8484", "localhost."]
NAMES = ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "a.localhost"]
NONSENSE = [
    "",
    "local host",
    "localhost:",
    "localhost:123456",
    "a@localhost",
    "localhost/x",
    "[::1",
]


@pytest.mark.parametrize("header", LOOPBACK)
def test_this_machine(header: str) -> None:
    assert Hosts("127.0.0.1").serves(header)
    assert is_local(header)


@pytest.mark.parametrize("header", [*NAMES, *NONSENSE])
def test_others(header: str) -> None:
    for bound in ("127.0.0.1", "localhost", "::1", EVERYWHERE, "192.0.2.7"):
        assert not Hosts(bound, ["judge.example.com"]).serves(header)
    assert not is_local(header)


def test_addresses_serve_where_others_can_reach_us() -> None:
    assert not Hosts("127.0.0.1").serves("192.0.2.7")
    assert Hosts(EVERYWHERE).serves("192.0.2.7:8484")
    assert Hosts("::").serves("[2001:db8::1]:80")
    assert Hosts("192.0.2.7").serves("192.0.2.7")
    assert not is_local("192.0.2.7")
    assert not is_local("judge.example.com")


def test_names_that_were_allowed() -> None:
    hosts = Hosts("127.0.0.1", ["Judge.Example.com.", "192.0.2.7"])
    assert hosts.serves("judge.example.com:443")
    assert hosts.serves("192.0.2.7")
    assert not hosts.serves("x.judge.example.com")


@pytest.mark.parametrize("name", ["https://x.example", "x.example:443", "x/y", "*", "", ".example"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(UsageError, match="write a name alone"):
        Hosts("127.0.0.1", [name])


@pytest.mark.parametrize("path", ["/", "/api/v1/judges", "/healthz", "/static/app.css", "/login"])
def test_requests_for_another_name(local: Client, path: str) -> None:
    answer = local.get(path, {"Host": "evil.example"})
    assert answer.status == 421
    assert "--allow-host" in answer.text


def test_a_name_from_outside_is_not_this_machine(remote: Client) -> None:
    assert remote.get("/healthz", {"Host": "judge.example.com"}).status == 200


@pytest.mark.parametrize("hosts", [b"", b"Host: localhost\r\nHost: evil.example\r\n"])
def test_no_host_or_two(local: Client, hosts: bytes) -> None:
    address = urlsplit(local.url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        connection.sendall(
            b"GET /api/v1/judges HTTP/1.1\r\n" + hosts + b"Connection: close\r\n\r\n"
        )
        assert connection.recv(100).split()[1] in {b"400", b"421"}


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
