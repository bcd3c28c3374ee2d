"""What a server answers, and what it says when it complains."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from .waits import retry_after

_TOO_LONG = re.compile(
    r"context.{0,3}(length|window|size)|maximum prompt length|(prompt|input) is too (long|large)"
    r"|input tokens exceed|request too large|range of input length"
    r"|inputs?\W+(must have less|tokens \+)",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model_not_found|not a valid model|model\W.{0,80}(not found|does ?n.t exist|not exist)",
    re.IGNORECASE,
)
# Looked for in the code alone: some servers word a passing rate limit as a quota.
_NO_CREDIT = re.compile(r"insufficient_(quota|balance|credits)|billing", re.IGNORECASE)


class Answer(NamedTuple):
    """An HTTP answer, whatever its status. `headers` are found in any case of letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """An error that the server reports.

    `code` joins what it gives as code and type, `param` is the field that it blames. Both are empty
    when it does not say. `retry_after` is in seconds.
    """

    status: int
    message: str
    code: str = ""
    param: str = ""
    retry_after: float | None = None

    @property
    def too_long(self) -> bool:
        """Whether the prompt does not fit the model."""
        text = f"{self.code} {self.message}"
        return self.status == 413 or "exceed_context" in text or bool(_TOO_LONG.search(text))

    @property
    def no_credit(self) -> bool:
        """Whether the account has to be filled up first."""
        return self.status == 402 or bool(_NO_CREDIT.search(self.code))

    @property
    def nothing_there(self) -> bool:
        """Whether the address leads to no such model, or to no such API."""
        if 300 <= self.status < 400 or self.status in (404, 405):
            return True
        return bool(_NO_MODEL.search(self.code + self.message))


def complaint_of(answer: Answer, data: object) -> Complaint:
    """What the server complains about, in any of the shapes in use.

    Known: `{"error": {…}}`, `{"error": "text"}`, the fields at the top, `detail` with one or many
    faults, and a body that is no JSON. A status 200 gives way to the code inside the error.
    """
    told: Any = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(told, dict):
        told = {
            "message": told if told is not None else answer.body[:2000].decode(errors="replace")
        }
    message = told.get("message") or told.get("detail") or told
    inner = told.get("metadata")
    inner = inner if isinstance(inner, dict) else {}
    if inner.get("raw"):
        message = f"{message}: {inner['raw']}"  # a gateway passes on what its own provider said
    status = answer.status
    if status == 200:
        code = told.get("code")
        status = code if isinstance(code, int) and 400 <= code < 600 else 502
    return Complaint(
        status=status,
        message=one_line(message if isinstance(message, str) else orjson.dumps(message).decode()),
        code=f"{told.get('code') or ''} {told.get('type') or ''}".strip(),
        param=str(told.get("param") or ""),
        retry_after=_wait(answer.headers, inner.get("headers")),
    )


def one_line(text: str) -> str:
    return " ".join(text[:2000].split())


def _wait(headers: Mapping[str, str], inside: object) -> float | None:
    """Seconds to wait; a gateway may put the headers of its own limits into the body."""
    wait = retry_after(headers)
    if wait is None and isinstance(inside, dict):
        return retry_after({str(name).lower(): str(value) for name, value in inside.items()})
    return wait
