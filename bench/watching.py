"""A process over time: its memory and its descriptors, and whether they stay what they were."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import linear_regression, median
from types import TracebackType

EARLY = (0.1, 0.2)  # of the time: what is loaded once is there by then
LATE = (0.9, 1.0)


@dataclass(frozen=True, slots=True)
class Sample:
    at: float  # seconds since the first one
    memory_mb: float
    descriptors: int


class Watched:
    """`with Watched(pid) as seen:` looks at the process until the end, 300 times in `seconds`."""

    def __init__(self, pid: int, seconds: float) -> None:
        self._process = Path(f"/proc/{pid}")
        self._pause = max(0.2, seconds / 300)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self.samples: list[Sample] = []

    def __enter__(self) -> Watched:
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def _look_on(self) -> None:
        while not self._over.wait(self._pause):
            try:
                status = (self._process / "status").read_text()
                descriptors = sum(1 for _ in (self._process / "fd").iterdir())
            except OSError:  # it has ended
                return
            if "VmRSS:" not in status:  # it is about to
                return
            memory = int(status.split("VmRSS:")[1].split()[0]) / 1024
            self.samples.append(Sample(time.monotonic() - self._began, memory, descriptors))

    def between(self, part: tuple[float, float]) -> list[Sample]:
        """The samples of a part of the time, 0.0 to 1.0; at least one."""
        if not self.samples:
            raise SystemExit("the process ended before it was looked at: take more seconds")
        end = self.samples[-1].at
        some = [s for s in self.samples if part[0] * end <= s.at <= part[1] * end]
        return some or self.samples[-1:]

    def memory(self, part: tuple[float, float]) -> float:
        """The median, in MB."""
        return median(sample.memory_mb for sample in self.between(part))

    def descriptors(self, part: tuple[float, float]) -> float:
        return median(sample.descriptors for sample in self.between(part))

    @property
    def peak_mb(self) -> float:
        return max(sample.memory_mb for sample in self.samples)

    @property
    def slope(self) -> float:
        """MB per hour after the early part, by least squares; 0.0 of fewer than ten samples."""
        later = self.between((EARLY[1], 1.0))
        if len(later) < 10:
            return 0.0
        line = linear_regression([s.at for s in later], [s.memory_mb for s in later])
        return line.slope * 3600

    @property
    def grown_mb(self) -> float:
        """What the slope comes to over the time that it was measured in."""
        later = self.between((EARLY[1], 1.0))
        return self.slope * (later[-1].at - later[0].at) / 3600
