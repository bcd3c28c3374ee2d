"""Listens on a port and serves until a signal comes: requests end, runs drain, exit code 0."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import uvicorn
from fastapi import FastAPI

from adjudge.errors import UsageError
from adjudge.running.interrupt import SIGNALS

from .app import create_app
from .connections import ACCEPTED, Connection
from .observing import log
from .options import ServeOptions
from .start_checks import check_at_start
from .state import Service

GRACE = 10  # seconds that requests under way, and the replies of runs, may take to end
_BACKLOG = 1024  # connections that wait to be accepted
_TICKS = 10  # of uvicorn's loop in a second
_ARENA_MAX, _ARENAS = -8, 2  # M_ARENA_MAX of malloc.h, and what it is set to


class Server(uvicorn.Server):
    """uvicorn with a word when it listens, and one to the application when it is to end.

    `listening` is told the URL. `end` may be called from any thread.
    """

    def __init__(
        self, app: FastAPI, bound: socket.socket, listening: Callable[[str], None]
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Connection,
                ws="none",
                lifespan="on",
                access_log=False,
                log_config=None,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=GRACE,
                backlog=ACCEPTED,
            )
        )
        self._service: Service = app.state.service
        self._bound, self._listening = bound, listening
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def url(self) -> str:
        host, port = self._bound.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)
        if self.started:
            self._bound.listen(_BACKLOG)  # asyncio would also accept so many at once
            # What was made so far stays: looking through it again and again would hold requests up.
            gc.collect()
            gc.freeze()
            self._listening(self.url)

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS == 0:
            now = asyncio.get_running_loop().time()
            for each in list(self.server_state.connections):
                if isinstance(each, Connection):
                    each.sweep(now)
        return await super().on_tick(counter)

    def serve_until_told(self) -> None:
        """Blocks; raises what kept the application from starting."""
        self.run([self._bound])

    def end(self) -> None:
        self.should_exit = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._service.stopping.set)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """The first signal ends the service, a second one does not wait for anybody.

        Unlike uvicorn's own, it does not raise the signal again: ending this way is no failure.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        # `nohup` has the end of the terminal ignored; that stays.
        heard = [each for each in SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]
        before = {each: signal.signal(each, self.handle_exit) for each in heard}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's
        if self.should_exit and self._loop is not None:
            self.force_exit = True
            self._loop.call_soon_threadsafe(self._service.jobs.cancel)
        self.end()


def bind(options: ServeOptions) -> socket.socket:
    """The port is taken before anything is opened; 0 takes a free one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            options.host, options.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        try:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            bound.bind(address)
        except BaseException:
            bound.close()
            raise
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"--host {options.host} --port {options.port}: cannot be listened on: {error}."
            " Another service may be there; --port 0 takes a free port."
        ) from None
    return bound


def share_free_memory() -> None:
    """What one thread has freed serves the others too.

    The C library of Linux keeps it apart for up to eight times as many threads as there are cores,
    and a service that carries out runs all day would grow by that. Elsewhere nothing is done.
    """
    with suppress(OSError, TypeError, AttributeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


def serve(options: ServeOptions, listening: Callable[[str], None]) -> None:
    """Serves until a signal comes. Raises UsageError before it listens where something is wrong."""
    share_free_memory()
    bound = bind(options)
    try:
        with log.written(options.log):
            app = create_app(options)
            try:
                check_at_start(app.state.service)
                Server(app, bound, listening).serve_until_told()
            finally:
                app.state.service.jobs.cancel()  # after a second signal, runs are not waited for
    finally:
        bound.close()
