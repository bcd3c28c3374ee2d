"""The fault matrix of docs/reliability.md, a test a cell.

Each fault is met once (scenes.py), by a real process on a real server and a real store; then it is
over, and the same command continues. The columns look at what both have left.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.servers import chat_server

from .machine import ROWS, TOKENS, Aftermath, Machine, rating_of
from .matrix import COLUMNS, FAULTS, Fault


def cells(column: str) -> Any:
    """The faults to which a column applies."""
    assert column in COLUMNS
    names = [name for name, fault in FAULTS.items() if fault.applies(column)]
    return pytest.mark.parametrize("met", names, indirect=True, scope="module")


@pytest.fixture(scope="module")
def met(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Fault, Aftermath]]:
    fault = FAULTS[request.param]
    with chat_server() as server:
        machine = Machine(tmp_path_factory.mktemp(request.param), server)
        yield fault, fault.happens(machine)


@cells("nothing_lost")
def test_nothing_lost(met: tuple[Fault, Aftermath]) -> None:
    """What the store held after the fault is there unchanged, and every other row was judged."""
    _, after = met
    machine = after.machine
    kept = machine.verdicts()
    assert {item: kept[item] for item in after.before} == after.before
    assert after.replies <= machine.replies()
    ratings = [row["scores"]["rating"]["value"] for row in machine.exported()]
    assert ratings == [rating_of(row) for row in range(ROWS)]


@cells("nothing_twice")
def test_nothing_twice(met: tuple[Fault, Aftermath]) -> None:
    """Every row has one verdict and one reply, and is there once in the file."""
    _, after = met
    items = [f"r{row}" for row in range(ROWS)]
    assert [row["item"] for row in after.machine.exported()] == items
    run = after.resumed.json["run"]
    verdicts = after.machine.query("SELECT item FROM verdicts WHERE run = ?", run)
    assert sorted(item for (item,) in verdicts) == sorted(items)
    assert len(after.machine.replies()) == ROWS


@cells("no_money_twice")
def test_no_money_twice(met: tuple[Fault, Aftermath]) -> None:
    """What has a stored reply is not asked for again, and the fault cost no more than it says."""
    fault, after = met
    assert set(after.again.values()) <= {1}
    assert len(after.again) == ROWS - len(after.replies)
    good = {row: times for row, times in after.asked.items() if row not in fault.broken}
    twice = sum(times + after.again[row] - 1 for row, times in good.items())
    assert twice <= fault.again
    used = (row["usage"] for row in after.machine.exported())
    assert sum(each["input_tokens"] + each["output_tokens"] for each in used) == TOKENS * ROWS


@cells("clear_message")
def test_clear_message(met: tuple[Fault, Aftermath]) -> None:
    """One line that names the fault and the remedy, and the exit code that goes with it."""
    fault, after = met
    assert after.code == fault.code
    assert "Traceback" not in after.told
    for words in fault.words:
        assert words in after.told
    lines = [line for line in after.told.splitlines() if not line.startswith("continuing")]
    assert len(lines) == (1 if fault.words else 0)
    if after.code == 1:
        assert lines[0].startswith("adjudge: ")


@cells("state_usable")
def test_state_usable(met: tuple[Fault, Aftermath]) -> None:
    """The same command finishes, the store is sound, and nothing is claimed by the dead."""
    _, after = met
    machine = after.machine
    assert after.resumed.code == 0, after.resumed.err
    assert after.resumed.json["state"] == "finished"
    assert after.resumed.json["outcomes"] == {"scored": ROWS}
    assert machine.query("PRAGMA integrity_check") == [("ok",)]
    assert machine.query("SELECT key FROM claims") == []
    assert machine.query("SELECT owner FROM workers UNION SELECT id FROM owners") == []
    assert machine.ask("show", after.resumed.json["run"], "--json").json["verdicts"] == ROWS
