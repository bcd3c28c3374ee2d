"""The kinds of problems, for programs that act on what went wrong."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """The last part of a problem's type. docs/service.md says when each comes."""

    MALFORMED = "malformed"
    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not-found"
    METHOD_NOT_ALLOWED = "method-not-allowed"
    TOO_SLOW = "too-slow"
    CONFLICT = "conflict"
    TOO_LARGE = "too-large"
    UNSUPPORTED_TYPE = "unsupported-type"
    MISDIRECTED = "misdirected"
    BAD_REQUEST = "bad-request"
    BAD_JUDGE = "bad-judge"
    BAD_DATA = "bad-data"
    TOO_MANY_REQUESTS = "too-many-requests"
    INTERNAL_ERROR = "internal-error"
    PROVIDER_FAILED = "provider-failed"
    PROVIDER_BUSY = "provider-busy"
    MODEL_UNAVAILABLE = "model-unavailable"
    STORE_FAILED = "store-failed"
    SERVICE_BUSY = "service-busy"
    SERVICE_ENDS = "service-ends"

    @property
    def urn(self) -> str:
        return f"urn:adjudge:problem:{self}"


# For refusals that know no more than their status.
_OF_STATUS = {
    401: Kind.UNAUTHORIZED,
    403: Kind.FORBIDDEN,
    404: Kind.NOT_FOUND,
    405: Kind.METHOD_NOT_ALLOWED,
    408: Kind.TOO_SLOW,
    409: Kind.CONFLICT,
    413: Kind.TOO_LARGE,
    415: Kind.UNSUPPORTED_TYPE,
    421: Kind.MISDIRECTED,
    422: Kind.BAD_REQUEST,
    429: Kind.TOO_MANY_REQUESTS,
    431: Kind.TOO_LARGE,
}


def kind_of_status(status: int) -> Kind:
    """Any other status stands for the first one of its class, as RFC 9110 has it."""
    first = Kind.MALFORMED if status < 500 else Kind.INTERNAL_ERROR
    return _OF_STATUS.get(status, first)
