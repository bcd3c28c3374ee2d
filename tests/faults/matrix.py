"""The fault matrix of docs/reliability.md: its rows and columns, and what each cell promises.

`table` writes the page's table; test_matrix.py holds every cell of it.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from tests.servers import fails, resets

from . import scenes
from .machine import Aftermath, Machine
from .scenes import BROKEN, dies, meets, sends, server_fails

COLUMNS = {
    "nothing_lost": "nothing lost",
    "nothing_twice": "nothing twice",
    "no_money_twice": "no money twice",
    "clear_message": "clear message",
    "state_usable": "state usable afterwards",
}


@dataclass(frozen=True)
class Fault:
    """One row of the table.

    `words` are what the user is told, `code` is the exit code. `broken` rows get no good answer;
    of the others at most `again` are asked for twice. `cells` has what is special in a column; a
    cell that begins with a dash does not apply, and says why.
    """

    title: str
    happens: Callable[[Machine], Aftermath]
    words: tuple[str, ...]
    code: int = 1
    again: int = 0
    broken: range = range(0)
    cells: Mapping[str, str] = field(default_factory=dict)

    def cell(self, column: str) -> str:
        return self.cells.get(column, "held")

    def applies(self, column: str) -> bool:
        return not self.cell(column).startswith("—")


_KILLED = -signal.SIGKILL
_GOES_ON = ("interrupted", "continues")
_RUNS_SAY = {"clear_message": "`adjudge runs` says `interrupted`, and how to continue"}
_IN_FLIGHT = {"no_money_twice": "only requests in flight are sent again"}
_SILENT = {"clear_message": "no message: the run continues, exit code 0"}
_NO_ANSWER = "3 verdicts have no answer"
_NO_COMPLETION = (_NO_ANSWER, "sent no chat completion but")


def _killed(title: str, stage: str, again: int = 0) -> Fault:
    cells = _RUNS_SAY | (_IN_FLIGHT if again else {})
    return Fault(f"`kill -9` {title}", dies(stage), _GOES_ON, _KILLED, again, cells=cells)


def _server(title: str, how: Callable[[Machine], Aftermath], *words: str) -> Fault:
    return Fault(title, how, words, 0, broken=BROKEN)


FAULTS: Mapping[str, Fault] = {
    "kill-before-request": _killed("before a request is sent", "kill_before_request"),
    "kill-in-flight": Fault(
        "`kill -9` with requests in flight",
        scenes.dies_in_flight,
        _GOES_ON,
        _KILLED,
        again=2,
        cells=_RUNS_SAY | _IN_FLIGHT,
    ),
    "kill-before-stored": _killed("before a reply is stored", "kill_before_reply_is_stored", 1),
    "kill-before-verdict": _killed("between reply and verdict", "kill_before_verdict"),
    "kill-in-commit": _killed("during a commit", "kill_in_commit", 1),
    # The disk is waited for by a thread of its own, so the next request is under way meanwhile.
    "kill-before-sync": _killed("after a commit, before it is on disk", "kill_before_sync", 1),
    "kill-in-export": Fault(
        "`kill -9` during an export",
        scenes.dies_in_export,
        ("written: out.jsonl",),
        _KILLED,
        cells={"clear_message": "the old file stays until the new one is complete"},
    ),
    "storm": _server(
        "429 to every request",
        server_fails(lambda _: fails(429, Retry_After="0.01")),
        *(_NO_ANSWER, "answered HTTP 429"),
    ),
    "hang": _server(
        "the server never answers",
        server_fails(lambda _: scenes.never, "--timeout", "0.2"),
        *(_NO_ANSWER, "within 0.2 s; --timeout allows more"),
    ),
    "reset": _server(
        "connections are reset", server_fails(lambda _: resets()), _NO_ANSWER, "broke (closed"
    ),
    "drip": _server(
        "a few bytes at long intervals",
        server_fails(lambda _: scenes.drips, "--timeout", "0.2"),
        *(_NO_ANSWER, "within 0.2 s; --timeout allows more"),
    ),
    "truncated": _server(
        "the body ends early",
        server_fails(lambda _: scenes.breaks_off),
        *(_NO_ANSWER, "closed before the answer was whole"),
    ),
    "html": _server(
        "HTML instead of JSON",
        server_fails(sends(b"<html>bad gateway</html>", "text/html")),
        *(_NO_ANSWER, "sent no chat completion but: <html>bad gateway"),
    ),
    "list": _server(
        "a list instead of an object", server_fails(sends([{"choices": []}])), *_NO_COMPLETION
    ),
    "null-choices": _server(
        "`choices` is null",
        server_fails(sends({"choices": None, "usage": None})),
        *_NO_COMPLETION,
    ),
    "rubbish": _server(
        "null, numbers instead of texts, broken UTF-8, 100,000 brackets",
        server_fails(scenes.rubbish()),
        *_NO_COMPLETION,
    ),
    "numbers-as-strings": Fault(
        "numbers as strings",
        server_fails(scenes.with_texts_for_numbers),
        (),
        0,
        cells={"clear_message": "no message: they are read as numbers"},
    ),
    "clock-forward": Fault(
        "the clock is set ten years ahead",
        meets("clock_forward"),
        (),
        0,
        cells=_SILENT | {"state_usable": "held; `latest` follows the clock"},
    ),
    "clock-back": Fault(
        "the clock is set ten years back",
        meets("clock_back"),
        (),
        0,
        cells=_SILENT | {"state_usable": "held; `latest` follows the clock"},
    ),
    "clock-of-the-machine": Fault(
        "the monotonic clock jumps by an hour",
        meets("clock_of_the_machine", scenes.later),
        (),
        0,
        again=1,
        cells=_SILENT | _IN_FLIGHT,
    ),
    "disk-full": Fault(
        "the disk is full",
        meets("no_room"),
        ("is full", "Make room and run the same command again"),
        again=1,
        cells=_IN_FLIGHT,
    ),
    "locked": Fault(
        "another process locks the database",
        scenes.is_locked,
        ("Another process is writing to it",),
        again=1,
        cells=_IN_FLIGHT,
    ),
    "moved": Fault(
        "the database is moved away, and back",
        scenes.is_moved_away,
        ("deleted or moved away while it was in use", "Put it back"),
        again=1,
        cells=_IN_FLIGHT,
    ),
    "deleted": Fault(
        "the database is deleted",
        scenes.is_deleted,
        ("deleted or moved away while it was in use", "starts from the beginning"),
        cells={
            "nothing_lost": "— the answers were deleted with the file",
            "no_money_twice": "— the answers were deleted with the file",
        },
    ),
    "replaced": Fault(
        "another file replaces the database",
        scenes.is_replaced,
        ("another file took its place", "continues with what that one holds"),
        again=4,
        cells={
            "nothing_lost": "the content of the new file is not changed",
            "no_money_twice": "what was only in the old file is asked again",
        },
    ),
    "no-descriptors": Fault(
        "no file descriptor is left",
        meets("no_descriptors", scenes.closing),
        ("Too many open files", "ulimit -n"),
        again=1,
        cells=_IN_FLIGHT,
    ),
    "no-memory": Fault(
        "no memory is left",
        meets("no_memory", scenes.large),
        ("there is no memory left", "What was answered is kept"),
        again=1,
        cells=_IN_FLIGHT,
    ),
}


def table() -> Iterator[str]:
    """The lines of the page's table."""
    yield f"| fault | {' | '.join(COLUMNS.values())} |"
    yield f"| --- |{' --- |' * len(COLUMNS)}"
    for name, fault in FAULTS.items():
        cells = " | ".join(fault.cell(column) for column in COLUMNS)
        yield f"| {fault.title} `[{name}]` | {cells} |"
