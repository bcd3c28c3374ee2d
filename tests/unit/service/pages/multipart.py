"""Forms with a file, as browsers send them."""

from __future__ import annotations

from collections.abc import Mapping

from ..security.client import Answer, Client

_EDGE = "----edge"


def send_file(
    client: Client, path: str, fields: Mapping[str, str], name: str, body: bytes
) -> Answer:
    """`name` and `body` are those of the file."""
    parts = [
        f'--{_EDGE}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
        for field, value in ({"csrf": client.mark()} | dict(fields)).items()
    ]
    head = f'--{_EDGE}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    parts += [head.encode(), b"Content-Type: application/octet-stream\r\n\r\n", body, b"\r\n"]
    parts.append(f"--{_EDGE}--\r\n".encode())
    kind = {"Content-Type": f"multipart/form-data; boundary={_EDGE}"}
    return client("POST", path, b"".join(parts), kind)
