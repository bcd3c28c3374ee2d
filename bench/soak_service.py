"""What people do to a service all day: judge single items, open pages, start and follow runs."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Any

from drivers.common import row

JUDGING = 4  # clients that judge, one item after the other
ROWS = 20  # of a run that is started over HTTP
BETWEEN_RUNS = 10.0  # seconds
_PLOT = "/runs/{run}/plots/distribution.svg?judge=helpfulness&model=openai/stub&criterion=rating"
PAGES = ("/", "/judges", "/runs/{run}", "/runs/{run}/item?id=r1", "/api/v1/runs?limit=20", _PLOT,
         "/api/v1/runs/{run}/verdicts", "/metrics")  # fmt: skip
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Visitors:
    """`with Visitors(url) as seen:` until the end; then `done` and `errors` say what came of it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._run = ""  # one that has ended, for the pages
        self._next = 0
        self.done: Counter[str] = Counter()
        self.errors: list[str] = []
        works = [*[self._judge] * JUDGING, self._open_page, self._follow_run]
        self._threads = [threading.Thread(target=self._again, args=(work,)) for work in works]

    def __enter__(self) -> Visitors:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _again(self, work: Callable[[], None]) -> None:
        while not self._over.is_set():
            try:
                work()
            except (OSError, ValueError, KeyError) as error:
                self._note_error(f"{work.__name__}: {error} {getattr(error, 'url', '')}".rstrip())
                self._over.wait(0.5)

    def _note_error(self, text: str) -> None:
        with self._lock:
            self.errors.append(text[:300])

    def _count(self, what: str) -> None:
        with self._lock:
            self.done[what] += 1

    def _number(self) -> int:
        with self._lock:
            self._next += 1
            return self._next

    def _ask(self, path: str, body: object = None) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(  # noqa: S310 - our own address
            self._url + path, data, {"Content-Type": "application/json"}
        )
        with _OPENER.open(request, timeout=120) as answer:
            told: bytes = answer.read()
        return told

    def _judge(self) -> None:
        asked = row(self._number())
        item = {"id": str(asked.id), "question": asked.question, "answer": asked.answer}
        told = json.loads(self._ask("/api/v1/judge", {"judge": "helpfulness", "item": item}))
        value = told["scores"]["rating"]["value"]
        if value not in (None, asked.mark):
            self._note_error(f"item {asked.id}: {value} in place of {asked.mark}")
        self._count("judged" if value is not None else told["outcome"])
        self._over.wait(0.05)

    def _open_page(self) -> None:
        self._over.wait(0.2)
        run = self._run
        if run:
            page = PAGES[self._number() % len(PAGES)]
            self._ask(page.format(run=run))
            self._count("pages")

    def _follow_run(self) -> None:
        """Starts a run, leaves its events in the middle, and comes back until they end."""
        number = self._number()
        rows = [self._row(number, n) for n in range(ROWS)]
        body = {"judges": ["helpfulness"], "rows": rows}
        run: str = json.loads(self._ask("/api/v1/runs", body))["run"]
        events = f"{self._url}/api/v1/runs/{run}/events"
        with _OPENER.open(events, timeout=120) as stream:
            stream.readline()
        self._count("streams left")
        if b"event: end" not in self._ask(f"/api/v1/runs/{run}/events"):
            self._note_error(f"run {run}: its events had no end")
        told: dict[str, Any] = json.loads(self._ask(f"/api/v1/runs/{run}"))
        if told["state"] != "finished" or told["verdicts"] != ROWS:
            self._note_error(f"run {run}: {told['state']}, {told['verdicts']} of {ROWS} verdicts")
        self._run = run
        self._count("runs followed")
        self._over.wait(BETWEEN_RUNS)

    @staticmethod
    def _row(number: int, n: int) -> dict[str, str]:
        asked = row(1_000_000 + number * ROWS + n)
        return {"id": f"r{n}", "question": asked.question, "answer": asked.answer}
