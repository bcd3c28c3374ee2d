"""What trees of processes use over time: CPU, memory of their own, bytes over TCP."""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from types import TracebackType

_TICKS = os.sysconf("SC_CLK_TCK")
_EARLY, _LATE = (0.3, 0.5), (0.8, 1.0)  # of the time
_SOCKET = re.compile(r"(\S+):(\d+)\s+(\S+):(\d+)\s+users:\(\((.*?)\)\)")


class Resources:
    """`with Resources({"run": pid, "server": pid}, {"model": port}) as used:` looks twice a second
    at the processes and all their children.

    `memory` is what is theirs alone, in MB (`RssAnon`). `network` has the bytes that went to and
    came from a port, of connections that lived to be looked at; "other" is what was sent elsewhere.
    """

    def __init__(self, roots: Mapping[str, int], ports: Mapping[str, int]) -> None:
        self._roots, self._ports = roots, {port: name for name, port in ports.items()}
        self._names = {pid: name for name, pid in roots.items()}
        self._cpu: dict[int, float] = {}
        self._waited: dict[int, float] = {}  # what the children of a root used that have ended
        self._parents: dict[int, int] = {}
        self._living: set[int] = set()
        self._memory: dict[str, list[float]] = defaultdict(list)
        self._sockets: dict[tuple[str, ...], tuple[str, int]] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)

    def __enter__(self) -> Resources:
        self._look()
        self._before, self._waited_before = dict(self._cpu), dict(self._waited)
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

    def cpu(self, name: str) -> float:
        """Seconds since the beginning. Of what ended between two looks, the children of the root
        count whole, others as far as they were seen."""
        seen = {
            pid: seconds - self._before.get(pid, 0.0)
            for pid, seconds in self._cpu.items()
            if self._names[pid] == name
        }
        root = self._roots[name]
        ended = sum(
            self._cpu[pid] for pid in seen if self._parents[pid] == root and pid not in self._living
        )
        waited = self._waited.get(root, 0.0) - self._waited_before.get(root, 0.0)
        return sum(seen.values()) + max(0.0, waited - ended)

    def peak(self, name: str) -> float:
        return max(self._memory[name], default=0.0)

    def memory(self, name: str) -> tuple[float, float]:
        """Early and late, where what is loaded once is there: the same where it is flat."""
        seen = self._memory[name]
        parts = (seen[int(a * len(seen)) : int(b * len(seen))] for a, b in (_EARLY, _LATE))
        early, late = (median(part or seen or [0.0]) for part in parts)
        return early, late

    def network(self) -> dict[str, int]:
        sums: dict[str, int] = defaultdict(int)
        for name, amount in self._sockets.values():
            sums[name] += amount
        return sums

    def _look_on(self) -> None:
        while not self._over.wait(0.5):
            self._look()

    def _look(self) -> None:
        parents, ticks, roots = {}, {}, set(self._roots.values())
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                except OSError:  # it has ended
                    continue
                parents[int(entry.name)] = int(fields[1])
                own, of_children = (
                    int(fields[11]) + int(fields[12]),
                    int(fields[13]) + int(fields[14]),
                )
                ticks[int(entry.name)] = own / _TICKS
                if int(entry.name) in roots:
                    self._waited[int(entry.name)] = of_children / _TICKS
        for pid in parents:
            self._name(pid, parents)
        self._parents |= parents
        self._living = set(parents)
        memory: dict[str, float] = defaultdict(float)
        for pid in self._names.keys() & ticks.keys():
            self._cpu[pid] = max(ticks[pid], self._cpu.get(pid, 0.0))
            memory[self._names[pid]] += _own_memory(pid)
        for name, amount in memory.items():
            self._memory[name].append(amount)
        self._look_at_sockets()

    def _name(self, pid: int, parents: Mapping[int, int]) -> None:
        """A process is of the tree that one of its ancestors is of."""
        line = [pid]
        while line[-1] in parents and line[-1] not in self._names and len(line) < 50:
            line.append(parents[line[-1]])
        if line[-1] in self._names:
            self._names |= dict.fromkeys(line, self._names[line[-1]])

    def _look_at_sockets(self) -> None:
        listing = subprocess.run(
            ["ss", "-tinpHO"], capture_output=True, text=True, check=False
        ).stdout
        ours = {pid for pid, name in self._names.items() if name == "run"}
        for line in listing.splitlines():
            socket = _SOCKET.search(line)
            if not socket or not {int(pid) for pid in re.findall(r"pid=(\d+)", socket[5])} & ours:
                continue
            name = self._ports.get(int(socket[4]), "other")
            wanted = ("bytes_sent",) if name == "other" else ("bytes_sent", "bytes_received")
            counts = (re.search(rf"{what}:(\d+)", line) for what in wanted)
            amount = sum(int(count[1]) for count in counts if count)
            self._sockets[socket.groups()[:4]] = (name, amount)


def _own_memory(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    anonymous = re.search(r"RssAnon:\s+(\d+)", status)
    return int(anonymous[1]) / 1024 if anonymous else 0.0
