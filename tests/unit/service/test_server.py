from __future__ import annotations

import subprocess
import sys

import pytest

# Threads that have memory of the C library at the same time; its figures go to standard error.
SCRIPT = """
import ctypes, sys, threading
from adjudge.service.server import share_free_memory

libc = ctypes.CDLL(None)
if not hasattr(libc, "malloc_stats"):
    sys.exit(77)
if sys.argv[1] == "shared":
    share_free_memory()
together = threading.Barrier(12)

def work():
    libc.malloc(1000)
    together.wait()

threads = [threading.Thread(target=work) for _ in range(12)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc.malloc_stats()
"""


@pytest.mark.parametrize("how", ["shared", "apart"])
def test_threads_share_what_is_free(how: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, how], capture_output=True, text=True, check=False
    )
    if ended.returncode == 77:
        pytest.skip("another C library")
    assert ended.returncode == 0, ended.stderr
    arenas = ended.stderr.count("Arena ")
    assert arenas <= 2 if how == "shared" else arenas > 2
