"""How an exchange over HTTP can fail, and the error of one line that says what to do about it.

Nothing of the key is ever in it, whatever the server repeats.
"""

from __future__ import annotations

import os
import re
import socket
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from adjudge import open_files
from adjudge.core.reason import Reason
from adjudge.errors import ProviderError

from .complaints import Complaint, one_line

MOST = 64 * 2**20  # bytes of an answer, or of one line of a long one: more is no answer to a prompt
_ERRNO = re.compile(r"\[Errno (\d+)\]")


class NoAnswer(Exception):  # noqa: N818 - says what is the case
    """No whole answer came. `sent` says that the server may have worked on the request."""

    def __init__(self, why: str = "", *, sent: bool = True) -> None:
        super().__init__(why)
        self.sent = sent


class TimedOut(NoAnswer):
    """Says after how many seconds."""


class Unreachable(NoAnswer):
    def __init__(self, why: str) -> None:
        super().__init__(why, sent=False)


class ProxyFailed(Unreachable):
    pass


class Broken(NoAnswer):
    pass


class TooLarge(NoAnswer):
    pass


def cause_of(error: OSError) -> str:
    """The cause, in the words of the system; else what the error says."""
    if isinstance(error, ssl.SSLError):
        return error.reason or type(error).__name__
    if isinstance(error, socket.gaierror):
        return error.strerror or "unknown host"
    # Several addresses were tried: asyncio puts their errors into one text.
    number = error.errno or next(map(int, _ERRNO.findall(str(error))), None)
    return os.strerror(number) if number else str(error) or type(error).__name__


_LONGEST = 300  # characters of what a server says
_SECRET = 8  # characters of a key that is one
_RETRYABLE = frozenset({408, 409, 425, 429})
_FLAGGED = re.compile(r"flagged|moderation", re.IGNORECASE)


MODEL_NAME = Reason("model.name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedies:
    """What the user can do about a refused key and about a wrong address or name.

    `start` is the command that starts a server of one's own, "" where there is none.
    """

    key: Reason
    address: Reason
    name: Reason = MODEL_NAME
    start: str = ""


class ServerErrors:
    """The errors of one server; `place` names it, `proxy` is the host that leads there, if any."""

    def __init__(
        self, place: str, remedies: Remedies, secrets: Iterable[str], proxy: str | None
    ) -> None:
        self._place, self._remedies, self._proxy = place, remedies, proxy
        self._secret = _secret(secrets)

    def reported(self, complaint: Complaint) -> ProviderError:
        """The error that stands for what the server reported."""
        status, message = complaint.status, self.clean(complaint.message)
        answered: dict[str, Any] = {"place": self._place, "status": status}
        if status == 401 or (status == 403 and not _FLAGGED.search(message)):
            # Servers quote a part of a wrong key in their message; the code says enough.
            why = (
                self.clean(complaint.code.removeprefix("401").strip()) if status == 401 else message
            )
            answered["remedy"] = self._remedies.key
            reason = Reason("model.wrong_key", **answered)
            if why:
                reason = Reason("model.wrong_key_since", why=why, **answered)
            return ProviderError(reason, status=status, fatal=True)
        if complaint.too_long:
            return ProviderError(Reason("model.too_long", why=message), status=413)
        if complaint.no_credit:
            reason = Reason("model.no_credit", why=message, **answered)
            return ProviderError(reason, status=status, fatal=True)
        if complaint.not_found:
            remedies = self._remedies
            where = {"name": remedies.name, "address": remedies.address}
            reason = Reason("model.not_there", why=message.rstrip("."), **answered, **where)
            return ProviderError(reason, status=status, fatal=True)
        retryable = status in _RETRYABLE or status >= 500
        wait = complaint.retry_after if retryable else None
        reason = Reason("model.http", why=message, **answered)
        return ProviderError(reason, status=status, retryable=retryable, retry_after=wait)

    def malformed(self, body: bytes) -> ProviderError:
        """The error for an answer that is not what the protocol promises."""
        start = self.clean(one_line(body[:200].decode(errors="replace")))
        reason = Reason("model.nothing", place=self._place)
        if start:
            reason = Reason("model.no_completion", place=self._place, text=start)
        return ProviderError(reason, retryable=True, status=200, sent=True)

    def network(self, error: NoAnswer | OSError) -> ProviderError:
        """The error for a request that nothing answered."""
        place, address = self._place, self._remedies.address
        why = self.clean(cause_of(error) if isinstance(error, OSError) else str(error))
        unreachable = isinstance(error, Unreachable | socket.gaierror)
        if unreachable and (too_many := open_files.remedy_if_full()):
            reason = Reason("model.no_connection", place=place, remedy=too_many)
            return ProviderError(reason, retryable=True)
        match error:
            case TimedOut():
                reason = Reason("model.late", place=place, seconds=why)
            case ssl.SSLError():
                reason = Reason("model.not_secure", place=place, why=why, address=address)
                return ProviderError(reason, fatal=True)
            case ProxyFailed():
                reason = Reason("model.proxy", proxy=self._proxy, place=place, why=why)
            case socket.gaierror():
                reason = Reason("model.no_host", place=place, address=address)
            case Unreachable():
                fields: dict[str, Any] = {"place": place, "why": why, "address": address}
                reason = Reason("model.down", **fields)
                if command := self._remedies.start:
                    reason = Reason("model.down_start", command=command, **fields)
            case TooLarge():
                reason = Reason("model.too_much", place=place, megabytes=MOST >> 20)
            case _:
                reason = Reason("model.broke", place=place, why=why)
        sent = isinstance(error, NoAnswer) and error.sent
        return ProviderError(reason, retryable=True, sent=sent)

    def clean(self, text: str) -> str:
        """What the server said, without the key and not too long."""
        text = self._secret.sub("[key]", text) if self._secret else text
        return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _secret(keys: Iterable[str]) -> re.Pattern[str] | None:
    """Finds the keys in what a server says.

    One that is a word, as servers of one's own are given, is no secret within other words.
    """
    patterns = [
        re.escape(key) if len(key) >= _SECRET else rf"(?<!\w){re.escape(key)}(?!\w)"
        for key in dict.fromkeys(keys)
        if key
    ]
    return re.compile("|".join(patterns)) if patterns else None
