"""Processes that need not load the program: forks of one that has.

To load what `adjudge run` needs takes half a second of CPU, `adjudge serve` two. `Forked(command)`
is a `subprocess.Popen` whose process has its own id, folder, environment, pipes and end, and begins
where its script does. The process that has all loaded starts with the first of them, once for each
process of pytest, and ends with it. Commands that load by themselves are tried from the wheel
(docs/test_installing.py), and where `Command.process` is given an environment.
"""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import runpy
import select
import selectors
import signal
import socket
import subprocess
import sys
import termios
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

LOADED = (
    *("adjudge.cli.main", "adjudge.cli.run", "adjudge.cli.runs", "adjudge.cli.export"),
    *("adjudge.api", "adjudge.cli.serve", "adjudge.service.app"),
)
_LONGEST = 2**20  # bytes of a command with its environment
_LOCK = Lock()


class Forked(subprocess.Popen[str]):
    """`args` are a Python script and its arguments."""

    def _execute_child(self, args: Any, *usual: Any) -> None:
        """As Popen's own, with the pipes that Popen has made."""
        cwd, env, pipes = usual[4], usual[5], usual[9:15]
        stdin, _, _, stdout, _, stderr = pipes
        ends = [end if end != -1 else n for n, end in enumerate((stdin, stdout, stderr))]
        command = {"args": [*map(str, args)], "cwd": str(cwd or Path.cwd()), "env": env}
        command["env"] = dict(os.environ if env is None else env)
        self._ended, told = os.pipe()
        with _LOCK:
            socket.send_fds(_loaded(), [json.dumps(command).encode()], [*ends, told])
            self.pid = int(_loaded().recv(20))
        self._child_created = True
        os.close(told)
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        """It is no child of ours: who forked it says how it ended."""
        if wait_flags & os.WNOHANG and not select.select([self._ended], [], [], 0)[0]:
            return 0, 0
        status = int(os.read(self._ended, 20) or signal.SIGKILL)
        os.close(self._ended)
        return self.pid, status

    def _internal_poll(self, *_: object, **__: object) -> int | None:
        if self.returncode is None and self._waitpid_lock.acquire(False):  # type: ignore[attr-defined]
            try:
                pid, status = self._try_wait(os.WNOHANG) if self.returncode is None else (0, 0)
                if pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode


@cache
def _loaded() -> socket.socket:
    """A way to the process that forks; it ends when this one does."""
    ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    for end in (ours, its):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST)
    parent = subprocess.Popen(
        [sys.executable, __file__, str(its.fileno())], pass_fds=[its.fileno()]
    )
    its.close()

    def end() -> None:
        ours.close()
        parent.wait()

    atexit.register(end)
    return ours


def _next_command(way: socket.socket) -> dict[str, Any]:
    """Forks for each command; returns in the fork. The parent ends when there is nobody to ask."""
    selector, ending = selectors.DefaultSelector(), dict[int, tuple[int, int]]()
    selector.register(way, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            if key.fd in ending:  # a fork has ended
                pid, told = ending.pop(key.fd)
                os.write(told, str(os.waitpid(pid, 0)[1]).encode())
                selector.unregister(key.fd)
                os.close(key.fd)
                os.close(told)
                continue
            data, fds, _, _ = socket.recv_fds(way, _LONGEST, 4)
            if not data:
                os._exit(0)
            *ends, told = fds
            pid = os.fork()
            if not pid:
                selector.close()
                way.close()
                for inherited in (*ending, *(at for _, at in ending.values()), told):
                    os.close(inherited)
                for n, end in enumerate(ends):
                    os.dup2(end, n)
                    os.close(end)
                command: dict[str, Any] = json.loads(data)
                return command
            for end in ends:
                os.close(end)
            watched = os.pidfd_open(pid)
            ending[watched] = pid, told
            selector.register(watched, selectors.EVENT_READ)
            way.send(str(pid).encode())


def _main() -> None:
    import gc

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # typed at the terminal, it is for pytest
    for name in LOADED:
        import_module(name)
    gc.freeze()
    command = _next_command(socket.socket(fileno=int(sys.argv[1])))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if os.isatty(0):  # which controls the process: Ctrl-C typed into it arrives as a signal
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    # Those of the start know how the ends of then could be read and written.
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr
    os.chdir(command["cwd"])
    os.environ.clear()
    os.environ.update(command["env"])
    sys.argv[:] = command["args"]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    _main()
