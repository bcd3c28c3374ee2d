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

from adjudge.core.reason import Reason
from adjudge.errors import UsageError
from adjudge.running import SIGNALS

from .app import create_app
from .connections import ACCEPTED, ClientConnection
from .observability import logging_to_stderr
from .options import ServeOptions
from .state import Service, check_models

_BACKLOG = 1024  # connections that wait to be accepted
_TICK = 0.1  # seconds between two turns of the loop
_TICKS = 864_000  # in a day, after which counting begins again
_ARENA_MAX, _ARENAS = -8, 2  # M_ARENA_MAX of malloc.h, and what it is set to


class AppServer(uvicorn.Server):
    """uvicorn with a word when it listens, and one to the application when it is to end.

    `listening` is told the URL. `end` may be called from any thread.
    """

    def __init__(
        self, app: FastAPI, bound: socket.socket, listening: Callable[[str], None]
    ) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=ClientConnection,
                ws="none",
                lifespan="on",
                access_log=False,
                log_config=None,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=app.state.service.options.waits.requests,
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

    async def main_loop(self) -> None:
        """As uvicorn's, but it does not sleep on once it is told to end."""
        counter = 0
        while not await self.on_tick(counter):
            counter = (counter + 1) % _TICKS
            with suppress(TimeoutError):
                await asyncio.wait_for(self._service.stopping.wait(), _TICK)

    async def on_tick(self, counter: int) -> bool:
        if counter % round(self._service.options.waits.sweep / _TICK) == 0:
            now = asyncio.get_running_loop().time()
            for connection in list(self.server_state.connections):
                if isinstance(connection, ClientConnection):
                    connection.sweep(now)
        return await super().on_tick(counter)

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
        heard = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, self.handle_exit) for number in heard}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

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
            Reason("host.taken", host=options.host, port=options.port, why=str(error))
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
        with logging_to_stderr(options.log):
            app = create_app(options)
            try:
                check_models(app.state.service)
                AppServer(app, bound, listening).run([bound])
            finally:
                app.state.service.jobs.cancel()  # after a second signal, runs are not waited for
    finally:
        bound.close()
