"""What went wrong with a request, as an error of one line that says what to do.

Nothing of the key is ever in it, whatever the server repeats.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterable
from dataclasses import dataclass

from adjudge import open_files
from adjudge.errors import ProviderError

from .complaints import Complaint, one_line
from .http import failures
from .http.failures import NoAnswer, cause

_LONGEST = 300  # characters of what a server says
_SECRET = 8  # characters of a key that is one
_RETRYABLE = frozenset({408, 409, 425, 429})
_FLAGGED = re.compile(r"flagged|moderation", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedies:
    """What the user can do about a refused key and about a wrong address or name.

    `name` says what names the model there, `start` how a server of one's own is started.
    """

    key: str
    address: str
    name: str = "the model's name"
    start: str = "start it"


class Faults:
    """The errors of one server; `place` names it, `proxy` is the host that leads there, if any."""

    def __init__(
        self, place: str, remedies: Remedies, secrets: Iterable[str], proxy: str | None
    ) -> None:
        self._place, self._remedies, self._proxy = place, remedies, proxy
        self._secret = _secret(secrets)

    def told(self, told: Complaint) -> ProviderError:
        """The error that stands for what the server reported."""
        status, message = told.status, self.clean(told.message)
        head = f"{self._place} answered HTTP {status}"
        if status == 401 or (status == 403 and not _FLAGGED.search(message)):
            # Servers quote a part of a wrong key in their message; the code says enough.
            why = self.clean(told.code.removeprefix("401").strip()) if status == 401 else message
            head += f" ({why})" if why else ""
            return ProviderError(f"{head}: {self._remedies.key}", status=status, fatal=True)
        if told.too_long:
            return ProviderError(f"the prompt is too long for the model: {message}", status=413)
        if told.no_credit:
            return ProviderError(
                f"{head}: {message}; add credit to the account or use another key",
                status=status,
                fatal=True,
            )
        if told.nothing_there:
            remedies = self._remedies
            message = message.rstrip(".")
            text = f"{head}: {message}; check {remedies.name} and {remedies.address}"
            return ProviderError(text, status=status, fatal=True)
        retryable = status in _RETRYABLE or status >= 500
        wait = told.retry_after if retryable else None
        return ProviderError(
            f"{head}: {message}", status=status, retryable=retryable, retry_after=wait
        )

    def malformed(self, body: bytes) -> ProviderError:
        """The error for an answer that is not what the protocol promises."""
        start = self.clean(one_line(body[:200].decode(errors="replace")))
        return ProviderError(
            f"{self._place} sent no chat completion but: {start or 'nothing'}",
            retryable=True,
            status=200,
            sent=True,
        )

    def network(self, error: NoAnswer | OSError) -> ProviderError:
        """The error for a request that nothing answered."""
        place, address = self._place, self._remedies.address
        why = cause(error) if isinstance(error, OSError) else str(error)
        unreachable = isinstance(error, failures.Unreachable | socket.gaierror)
        if unreachable and (too_many := open_files.remedy_if_full()):
            return ProviderError(f"no connection to {place}: {too_many}", retryable=True)
        match error:
            case failures.Late():
                text = f"no answer from {place} within {why} s; --timeout allows more"
            case ssl.SSLError():
                text = (
                    f"no secure connection to {place} ({why}): check {address}; "
                    "SSL_CERT_FILE can name your own authority's certificates"
                )
                return ProviderError(text, fatal=True)
            case failures.ProxyFailed():
                text = (
                    f"the proxy {self._proxy} does not lead to {place} ({why}): check the proxy in "
                    "the environment, or name the host in no_proxy"
                )
            case socket.gaierror():
                text = f"no host is called {place}: check the network and {address}"
            case failures.Unreachable():
                text = (
                    f"nothing answers at {place} ({why}): {self._remedies.start}, "
                    f"or check {address}"
                )
            case failures.TooLarge():
                text = f"{place} sent more than {failures.MOST >> 20} MB, which is no answer"
            case _:
                text = f"the connection to {place} broke ({why})"
        sent = isinstance(error, NoAnswer) and error.sent
        return ProviderError(self.clean(text), retryable=True, sent=sent)

    def clean(self, text: str) -> str:
        """What the server said, without the key and not too long."""
        text = self._secret.sub("[key]", text) if self._secret else text
        return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _secret(keys: Iterable[str]) -> re.Pattern[str] | None:
    """Finds the keys in what a server says.

    One that is a word, as servers of one's own are given, is no secret within other words.
    """
    found = [
        re.escape(key) if len(key) >= _SECRET else rf"(?<!\w){re.escape(key)}(?!\w)"
        for key in dict.fromkeys(keys)
        if key
    ]
    return re.compile("|".join(found)) if found else None
