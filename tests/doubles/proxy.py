"""A wire between a program and a server that a test can cut."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

# Whether to cut the wire at these bytes from the program: before they pass, or behind them.
Cut = Callable[[bytes], str | None]


class Wire:
    """Everything passes until `cut_at` says otherwise; while `is_down`, nobody gets through."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.cut_at: Cut = lambda _: None
        self.is_down = False
        self.cuts = 0
        self._open: set[socket.socket] = set()
        self._lock = threading.RLock()
        self._is_closed = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Breaks all connections."""
        with self._lock:
            self.cuts += 1
            for end in self._open:
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()
            self._open.clear()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            self.cut()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                program, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self.is_down or self._is_closed:
                    program.close()
                    continue
                try:
                    server = socket.create_connection(("127.0.0.1", self._target))
                except OSError:
                    program.close()
                    continue
                self._open |= {program, server}
            for ends in ((program, server, True), (server, program, False)):
                threading.Thread(target=self._pass, args=ends, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket, is_program: bool) -> None:
        with suppress(OSError):
            while some := source.recv(65536):
                where = self.cut_at(some) if is_program else None
                if where != "before":
                    target.sendall(some)
                if where:
                    self.cut()
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def wire_to(port: int) -> Iterator[Wire]:
    wire = Wire(port)
    try:
        yield wire
    finally:
        wire.close()
