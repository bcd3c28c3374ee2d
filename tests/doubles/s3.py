"""A double of S3, as far as object storage is read and written here: buckets in the path, objects
whole or in ranges, lists of version 2, uploads in parts, and deletion of several at once.

After the reference "Amazon S3 API": an object is there once it, or the last part of its upload, was
taken. Signatures are not checked, but a request without one is refused.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

_RANGE = re.compile(r"bytes=(\d+)-(\d*)")
_KEYS = re.compile(r"<Key>(.*?)</Key>")
_DATE = "Wed, 18 Nov 2026 12:00:00 GMT"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    objects: dict[str, bytes]
    uploads: dict[str, dict[int, bytes]]

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - its signature
        """Says nothing."""

    def _asked(self) -> tuple[str, dict[str, str], bytes]:
        """The path, what the query says, and the body; bodies may come in signed chunks."""
        parts = urlsplit(self.path)
        query = {name: some[0] for name, some in parse_qs(parts.query, True).items()}
        body = b""
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            while size := int(self.rfile.readline().partition(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if "aws-chunked" in self.headers.get("Content-Encoding", ""):
            body = _dechunked(body)
        path = unquote(parts.path).lstrip("/")
        # A key may end with a slash, as those do that stand for folders; a bucket does not.
        return path.strip("/") if path.count("/") == path.endswith("/") else path, query, body

    def _answer(self, status: int, body: bytes = b"", *, length: int = -1, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length < 0 else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _object(self) -> None:
        path, query, _ = self._asked()
        if "Authorization" not in self.headers:
            self._answer(403, _error("AccessDenied"))
        elif "list-type" in query:
            self._answer(200, self._listed(path, query), Content_Type="application/xml")
        elif "/" not in path:
            self._answer(200)  # a bucket
        elif path not in self.objects:
            self._answer(404, _error("NoSuchKey"))
        else:
            self._content(self.objects[path])

    do_GET = do_HEAD = _object  # noqa: N815 - called so by http.server

    def _content(self, content: bytes) -> None:
        facts = {"ETag": f'"{_tag(content)}"', "Last_Modified": _DATE, "Accept_Ranges": "bytes"}
        wanted = _RANGE.fullmatch(self.headers.get("Range", ""))
        if not wanted:
            self._answer(200, content, length=len(content), **facts)
            return
        first, last = int(wanted[1]), int(wanted[2] or len(content) - 1)
        last = min(last, len(content) - 1)
        piece = content[first : last + 1]
        facts["Content_Range"] = f"bytes {first}-{last}/{len(content)}"
        self._answer(206, piece, **facts)

    def _listed(self, bucket: str, query: dict[str, str]) -> bytes:
        prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
        files, folders = [], set[str]()
        for path, content in sorted(self.objects.items()):
            key = path.removeprefix(f"{bucket}/")
            if not path.startswith(f"{bucket}/") or not key.startswith(prefix):
                continue
            below, found, _ = key[len(prefix) :].partition(delimiter or "\0")
            if found:
                folders.add(prefix + below + delimiter)
            else:
                files.append(
                    f"<Contents><Key>{escape(key)}</Key><Size>{len(content)}</Size>"
                    "<LastModified>2026-11-18T12:00:00.000Z</LastModified></Contents>"
                )
        names = (
            f"<CommonPrefixes><Prefix>{escape(name)}</Prefix></CommonPrefixes>"
            for name in sorted(folders)
        )
        count = len(files) + len(folders)
        return (
            f"<ListBucketResult><Name>{bucket}</Name><IsTruncated>false</IsTruncated>"
            f"<KeyCount>{count}</KeyCount>{''.join(files)}{''.join(names)}</ListBucketResult>"
        ).encode()

    def do_PUT(self) -> None:
        path, query, body = self._asked()
        if "uploadId" in query:
            self.uploads[query["uploadId"]][int(query["partNumber"])] = body
        elif "/" in path:
            self.objects[path] = body
        self._answer(200, ETag=f'"{_tag(body)}"')

    def do_POST(self) -> None:
        path, query, body = self._asked()
        if "delete" in query:
            for key in _KEYS.findall(body.decode()):
                self.objects.pop(f"{path}/{key}", None)
            self._answer(200, b"<DeleteResult></DeleteResult>")
        elif "uploads" in query:
            number = str(len(self.uploads))
            self.uploads[number] = {}
            self._answer(200, _upload("Initiate", path, f"<UploadId>{number}</UploadId>"))
        else:
            parts = self.uploads.pop(query["uploadId"])
            self.objects[path] = b"".join(parts[number] for number in sorted(parts))
            self._answer(200, _upload("Complete", path, '<ETag>"whole"</ETag>'))

    def do_DELETE(self) -> None:
        path, _, _ = self._asked()
        self.objects.pop(path, None)
        self._answer(204)


def _dechunked(body: bytes) -> bytes:
    content = b""
    while body:
        head, _, body = body.partition(b"\r\n")
        size = int(head.partition(b";")[0] or b"0", 16)
        if not size:
            break
        content, body = content + body[:size], body[size + 2 :]
    return content


def _upload(what: str, path: str, more: str) -> bytes:
    bucket, _, key = path.partition("/")
    name = f"{what}MultipartUploadResult"
    return f"<{name}><Bucket>{bucket}</Bucket><Key>{escape(key)}</Key>{more}</{name}>".encode()


def _error(code: str) -> bytes:
    return f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()


def _tag(content: bytes) -> str:
    return md5(content, usedforsecurity=False).hexdigest()


@contextmanager
def object_storage() -> Iterator[tuple[str, dict[str, bytes]]]:
    """The address of the server, and its objects by bucket and key."""
    kept: dict[str, bytes] = {}
    handler = type("Handler", (_Handler,), {"objects": kept, "uploads": {}})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", kept
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
