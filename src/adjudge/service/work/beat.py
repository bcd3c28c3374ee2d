"""Something that is done every few seconds for as long as the service lives."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

_LOG = logging.getLogger("adjudge.service")


class Beat:
    """Calls `what` in a thread of its own; what goes wrong is in the log, and tried again."""

    def __init__(self, what: Callable[[], None], seconds: float) -> None:
        self._what, self._seconds = what, seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._go, name="adjudge-beat", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        """Waits for a call that is under way; may be called twice, and without a start."""
        self._over.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()

    def _go(self) -> None:
        while not self._over.wait(self._seconds):
            try:
                self._what()
            except Exception as error:
                _LOG.error("jobs cannot be looked after", exc_info=error)
