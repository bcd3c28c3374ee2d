"""A PostgreSQL store that is away for a minute in the middle of a run: stopped, then cut off.

`python bench/scale.py --only outages`; about three minutes.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

AWAY = 60.0  # seconds


def is_waited_for(
    process: subprocess.Popen[str],
    answers: Callable[[], int],
    leave: Callable[[], None],
    come_back: Callable[[], None],
    rows: int,
) -> tuple[float, str]:
    """Takes the store away once a fifth of the rows is answered, for a minute; how long the run
    went on after that, in seconds, and what it said."""
    while answers() < rows // 5:
        if process.poll() is not None:
            raise SystemExit("the run ended before its store was taken away")
        time.sleep(0.05)
    leave()
    time.sleep(AWAY)
    if process.poll() is not None:
        raise SystemExit("the run did not wait")
    come_back()
    back = time.perf_counter()
    _, said = process.communicate(timeout=600)
    if process.returncode:
        raise SystemExit(f"the run failed: {said}")
    return time.perf_counter() - back, said
