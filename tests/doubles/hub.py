"""A model hub on loopback: repositories of files, with the answers that huggingface_hub needs."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Hub:
    """`files` by their path `ORG/REPO/FILE`. `stops_after` breaks a download off, once, after so
    many bytes and refuses all further ones; `claims` is a hash to state in the place of the real
    one. `asked` are the requests for content, each with its range."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.stops_after: int | None = None
        self.refuses = False
        self.claims: str | None = None
        self.asked: list[tuple[str, str | None]] = []
        self.url = ""

    def info(self, repo: str) -> dict[str, Any]:
        mine = {k.removeprefix(f"{repo}/"): v for k, v in self.files.items() if k.startswith(repo)}
        return {
            "id": repo,
            "sha": COMMIT,
            "siblings": [
                {
                    "rfilename": name,
                    "size": len(data),
                    "blobId": "b",
                    "lfs": {"sha256": self.hash(data), "size": len(data), "pointerSize": 1},
                }
                for name, data in mine.items()
            ],
        }

    def hash(self, data: bytes) -> str:
        return self.claims or hashlib.sha256(data).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    double: Hub

    def log_message(self, *_: Any) -> None: ...

    def do_HEAD(self) -> None:
        self._answer(head=True)

    def do_GET(self) -> None:
        self._answer(head=False)

    def _answer(self, *, head: bool) -> None:
        path = self.path.partition("?")[0].removeprefix("/")
        if path.startswith("api/models/"):
            repo = "/".join(path.split("/")[2:4])
            known = any(name.startswith(f"{repo}/") for name in self.double.files)
            said = self.double.info(repo) if known else {"error": "not found"}
            self._send(200 if known else 404, json.dumps(said).encode(), head=head)
            return
        org, repo, _, _, file = path.split("/", 4)
        self._content(self.double.files[f"{org}/{repo}/{file}"], head=head)

    def _content(self, data: bytes, *, head: bool) -> None:
        wanted = self.headers.get("Range")
        if not head:
            self.double.asked.append((self.path, wanted))
            if self.double.refuses:
                self._send(503, b"later", head=False)
                return
        begin = int(wanted.removeprefix("bytes=").partition("-")[0]) if wanted else 0
        more = {
            "ETag": f'"{self.double.hash(data)}"',
            "X-Repo-Commit": COMMIT,
            "Accept-Ranges": "bytes",
        }
        if wanted:
            more["Content-Range"] = f"bytes {begin}-{len(data) - 1}/{len(data)}"
        self._send(206 if wanted else 200, data[begin:], head=head, **more)

    def _send(self, status: int, body: bytes, *, head: bool, **more: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **more}.items():
            self.send_header(name, value)
        self.end_headers()
        if head:
            return
        stops = self.double.stops_after if "ETag" in more else None
        self.wfile.write(body[:stops])
        if stops is not None:
            self.double.refuses, self.double.stops_after = True, None
            self.close_connection = True


@contextmanager
def hub() -> Iterator[Hub]:
    double = Hub()
    handler = type("Handler", (_Handler,), {"double": double})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    double.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield double
    finally:
        server.shutdown()
        server.server_close()
