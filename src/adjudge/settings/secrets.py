"""What must not be shown, nor stand in a file that is shared."""

from __future__ import annotations

import re

_NAME = re.compile(
    r"(^|[_-])(api[_-]?keys?|key|token|secret|password|passwd|credentials?)$", re.IGNORECASE
)
_IN_URL = re.compile(r"//[^/@\s]*:[^/@\s]*@")
# With a scheme or, as proxies are written, without, and where the scheme is written wrong. Greedy:
# rather hide a path than show a secret.
_BEFORE_HOST = re.compile(r"(?<=//)\S*@|^[^\s/=]+:[^\s/]*@|(?<=:/)[^\s/]+:\S*@")
_QUERY = re.compile(r"(?<=://)([^\s?]*)\?\S*")


def names_a_secret(name: str) -> bool:
    """Whether something of this name is a key or a password: `api_key`, `OPENAI_API_KEY`, `token`.

    `max_tokens` is not.
    """
    return bool(_NAME.search(name))


def has_password(value: str) -> bool:
    """Whether this is a URL with a password before its host."""
    return bool(_IN_URL.search(value))


def without_secrets(value: str) -> str:
    """The value with what stands before a URL's host, and its query, as `…`."""
    return _QUERY.sub(r"\1?…", _BEFORE_HOST.sub("…@", value))
