"""Errors that say what to do, and never the key; test_wire.py and test_openai.py have the kinds."""

from __future__ import annotations

import socket

import pytest

from adjudge import open_files
from adjudge.core.reason import Reason
from adjudge.models.http.complaints import Complaint
from adjudge.models.http.failures import ProxyFailed, Remedies, ServerErrors, Unreachable

REMEDIES = Remedies(key="check KEY", address="BASE", name="the deployment's name", start="run it")


def faults(secret: str = "") -> ServerErrors:
    return ServerErrors("host:1", REMEDIES, [secret], "proxy")


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("sk-0123456789", "Bearer [key], [key]x: proxy, x"),
        ("x", "Bearer sk-0123456789, sk-0123456789x: proxy, [key]"),  # as for one's own server
        ("", "Bearer sk-0123456789, sk-0123456789x: proxy, x"),
    ],
)
def test_the_key_is_blotted_out(key: str, shown: str) -> None:
    assert faults(key).clean("Bearer sk-0123456789, sk-0123456789x: proxy, x") == shown


def test_a_long_text_is_cut() -> None:
    assert len(faults().clean("a" * 2000)) == 301


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (Complaint(status=401, message="sk-1", code="401"), "host:1 answered HTTP 401: check KEY"),
        (
            Complaint(status=401, message="sk-1", code="401 auth"),
            "host:1 answered HTTP 401 (auth): check KEY",
        ),
        (Complaint(status=403, message="No."), "host:1 answered HTTP 403 (No.): check KEY"),
        (
            Complaint(status=404, message="It does not exist."),
            "host:1 answered HTTP 404: It does not exist; check the deployment's name and BASE",
        ),
        (
            Complaint(status=402, message="Empty"),
            "host:1 answered HTTP 402: Empty; add credit to the account or use another key",
        ),
        (Complaint(status=500, message="Boom."), "host:1 answered HTTP 500: Boom."),
    ],
)
def test_what_the_server_says(told: Complaint, text: str) -> None:
    assert str(faults().reported(told)) == text


def test_a_proxy() -> None:
    assert str(faults().network(ProxyFailed("HTTP 407"))) == (
        "the proxy proxy does not lead to host:1 (HTTP 407): check the proxy in the environment, "
        "or name the host in no_proxy"
    )


@pytest.mark.parametrize("error", [Unreachable("Too many open files"), socket.gaierror(-3, "?")])
def test_no_more_connections_may_be_opened(
    error: Unreachable | OSError, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is not to blame, nor is its address."""
    usual = str(faults().network(error))
    monkeypatch.setattr(open_files, "remedy_if_full", lambda: Reason.of("Raise `ulimit -n`."))
    told = faults().network(error)
    assert str(told) == "no connection to host:1: Raise `ulimit -n`."
    assert told.retryable
    assert not told.sent
    assert "ulimit" not in usual
