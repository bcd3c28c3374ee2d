"""Where Ollama is, as OLLAMA_HOST says it to Ollama itself."""

from __future__ import annotations

_PORT = "11434"
_PORTS = {"http": "80", "https": "443"}
# Addresses to listen at; nobody can be called there.
_EVERYWHERE = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 - see above


def base_of(text: str) -> str:
    """The base URL for a host, with or without scheme, port and path; empty for the usual one.

    Without a scheme the port is 11434, with one it is that scheme's own. What is no address is left
    for the caller to find out.
    """
    scheme, parted, rest = text.strip().strip("\"'").partition("://")
    if not parted:
        scheme, rest = ("https", scheme + ":443") if scheme == "ollama.com" else ("http", scheme)
    place, slash, path = rest.partition("/")
    host, port = _split(place)
    port = port or (_PORTS.get(scheme, _PORT) if parted else _PORT)
    return f"{scheme}://{_EVERYWHERE.get(host, host)}:{port}{slash}{path}".rstrip("/")


def _split(place: str) -> tuple[str, str]:
    """Host and port, which may both be empty; an address of version 6 gets its brackets."""
    if place.startswith("["):
        host, _, port = place.partition("]")
        return f"{host}]", port.removeprefix(":")
    if place.count(":") > 1:
        return f"[{place}]", ""
    host, _, port = place.partition(":")
    return host, port
