"""What the drivers share: the rows, the rubric, the measuring, and the line that they print.

Standard library only, as it is imported in every peer's venv. A driver is called with the base
URL, the number of rows and the concurrency, in that order.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

# No peer may report home: the stub is the only address that a benchmark talks to, and no proxy of
# the machine stands between. What a driver starts inherits this.
os.environ.update(
    OPENAI_API_KEY="stub",
    NO_PROXY="127.0.0.1",
    no_proxy="127.0.0.1",
    DO_NOT_TRACK="1",
    DEEPEVAL_TELEMETRY_OPT_OUT="1",
    DEEPEVAL_DISABLE_DOTENV="1",
    DEEPEVAL_UPDATE_WARNING_OPT_IN="0",
    ERROR_REPORTING="0",
    RAGAS_DO_NOT_TRACK="true",
    LANGSMITH_TRACING="false",
    LANGCHAIN_TRACING_V2="false",
    LOGFIRE_SEND_TO_LOGFIRE="false",
    LOGFIRE_IGNORE_NO_CONFIG="1",
    OTEL_SDK_DISABLED="true",
    PHOENIX_TELEMETRY_ENABLED="false",
    INSPECT_DISPLAY="none",
    INSPECT_LOG_LEVEL="critical",
    LITELLM_LOCAL_MODEL_COST_MAP="True",
)

RUBRIC = """\
You assess answers that a support assistant gave. Rate how well the answer serves the person who \
asked, all in all, on a scale of four marks: 1, it has nothing to do with what was asked; 2, it \
leaves out main points of the question; 3, it is of real use but leaves room for improvement; 4, \
it is to the point, thorough, and takes care of every concern in the question.

Look at it from six sides. Accuracy: is what it says true, and does it give reasons? Relevance and \
completeness: does it take up the question itself and every part of it that matters? Clarity: can \
a reader follow it without effort? Reasoning: does each step follow from the one before, without \
contradiction? Utility: can the person act on it, and does it say what to do next? Tone: does it \
fit the situation, and stay polite and professional?

Name what the answer does well and where it falls short, go through the six sides in a short \
paragraph, recommend one or two changes, and give the mark at the end. Be even-handed: answers can \
be strong in different ways, and one need not be perfect to be good."""

_TOPICS = ("delivery address", "payment method", "return label", "invoice", "gift wrapping")


@dataclass(frozen=True, slots=True)
class Row:
    id: int
    question: str
    answer: str
    mark: int  # what the stub will say; it is written in the answer


def row(n: int) -> Row:
    topic, mark = _TOPICS[n % len(_TOPICS)], 1 + n // 3 % 4
    question = (
        f"How do I change the {topic} of order {n}? It has been paid for but not sent, and I "
        "cannot find the place where that is done, neither in the app nor on the page."
    )
    answer = (
        f"Open order {n}, choose Details and then {topic}, and enter what is to hold from now on. "
        "The change is free until the parcel has left the house. Afterwards, please call us with "
        f"the number of the order at hand, and we see what can be done. (case {n}, mark={mark})"
    )
    return Row(n, question, answer, mark)


def rows(count: int) -> Iterator[Row]:
    return map(row, range(count))


@dataclass
class Driver:
    """The command line of a driver, and what it measures on the way."""

    base: str
    rows: int
    concurrency: int
    import_s: float = 0.0
    wall_s: float = 0.0

    @classmethod
    def called(cls) -> Driver:
        base, count, concurrency = sys.argv[1:]
        if os.environ.get("BENCH_GUARD"):
            sys.addaudithook(_only_here)
        return cls(base, int(count), int(concurrency))

    @contextmanager
    def importing(self) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.import_s = time.perf_counter() - began

    @contextmanager
    def judging(self) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.wall_s = time.perf_counter() - began

    def report(self, scores: Mapping[int, Any], **instead: float) -> None:
        """Prints the result: `scores` by row; one counts if it is the mark of its row."""
        right = sum(scores.get(row.id) == row.mark for row in rows(self.rows))
        told = {
            "rows": self.rows,
            "scored": right,
            "wall_s": self.wall_s,
            "cpu_s": _cpu(),
            "peak_mb": _peak_mb(),
            "import_s": self.import_s,
            "strangers": sorted(_STRANGERS),
        }
        print("\n" + json.dumps(told | instead), flush=True)


async def each(
    count: int, concurrency: int, judge: Callable[[Row], Awaitable[Any]]
) -> dict[int, Any]:
    """`judge` for every row, by as many workers as there may be requests in flight."""
    waiting, found = rows(count), {}

    async def work() -> None:
        for row in waiting:
            found[row.id] = await judge(row)

    await asyncio.gather(*(work() for _ in range(concurrency)))
    return found


def _cpu() -> float:
    """Seconds of processor time of this process and of its children that ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _peak_mb() -> float:
    """The most memory that this process held. Not ru_maxrss: that counts who started it, too."""
    with open("/proc/self/status") as status:  # noqa: PTH123 - pathlib would be one more import
        line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


_STRANGERS: set[str] = set()


def _only_here(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuses and notes every address but this machine's own."""
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    if host not in ("127.0.0.1", "::1", "localhost", b"127.0.0.1", None):
        _STRANGERS.add(str(host))
        raise PermissionError(f"a benchmark talks to the stub only, not to {host}")
