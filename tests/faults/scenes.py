"""How the faults of the matrix (matrix.py) are brought about."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from collections.abc import Callable
from itertools import cycle

from aiohttp import web
from tests.commands import Ended
from tests.servers import Answer, after

from .machine import OUT, ROWS, Aftermath, Machine, ended, go_on, good, locked, look_around

BROKEN = range(9, ROWS)  # rows that a faulty server never answers well


def dies(stage: str) -> Callable[[Machine], Aftermath]:
    """Killed by itself at a point of staged.py, one request after the other."""

    def happens(machine: Machine) -> Aftermath:
        code = machine.run(stage, "-j", "1").code
        return go_on(look_around(machine, code, machine.ask("runs").err))

    return happens


def dies_in_flight(machine: Machine) -> Aftermath:
    machine.breaks(BROKEN, lambda _: never)
    process = machine.start("quick", *machine.command, "-j", "2")
    machine.server.wait_for(BROKEN.start + 2)
    process.kill()
    code = ended(process).code
    return go_on(look_around(machine, code, machine.ask("runs").err))


def dies_in_export(machine: Machine) -> Aftermath:
    """A file that was there keeps its content until the new one is whole."""
    assert machine.ask(*machine.command, "--quiet").code == 0
    file = machine.folder / OUT
    file.write_text("what was here before\n")
    code = ended(machine.start("kill_in_export", "export", "-o", OUT)).code
    assert file.read_text() == "what was here before\n"
    return go_on(look_around(machine, code, machine.ask("export", "-o", OUT).out))


def server_fails(how: Callable[[int], Answer], *more: str) -> Callable[[Machine], Aftermath]:
    def happens(machine: Machine) -> Aftermath:
        machine.breaks(BROKEN, how)
        met = machine.run("quick", "-j", "2", *more)
        return go_on(look_around(machine, met.code, met.err))

    return happens


def meets(stage: str, how: Callable[[int], Answer] = good) -> Callable[[Machine], Aftermath]:
    """A fault of the machine, at a point of staged.py."""

    def happens(machine: Machine) -> Aftermath:
        machine.breaks(range(5, ROWS), how)
        met = machine.run(f"quick,{stage}", "-j", "1")
        return go_on(look_around(machine, met.code, met.err))

    return happens


def is_locked(machine: Machine) -> Aftermath:
    process = machine.start("impatient", *machine.command, "-j", "1")
    with locked(machine, after=5):
        met = ended(process)
    return go_on(look_around(machine, met.code, met.err))


def is_deleted(machine: Machine) -> Aftermath:
    """With the folder that it is in."""
    met = meanwhile(machine, lambda: shutil.rmtree(machine.store.parent))
    return go_on(look_around(machine, met.code, met.err))


def is_moved_away(machine: Machine) -> Aftermath:
    """And back again, when the run has noticed."""
    away = machine.store.with_name("away.db")
    met = meanwhile(machine, lambda: machine.store.rename(away))
    away.rename(machine.store)
    return go_on(look_around(machine, met.code, met.err))


def is_replaced(machine: Machine) -> Aftermath:
    """By a copy that was made on the way, as when somebody takes back an older state."""
    machine.run("kill_before_request", "-j", "1")
    copy = machine.store.with_name("copy.db")
    machine.query(f"VACUUM INTO '{copy}'")
    met = meanwhile(machine, lambda: copy.replace(machine.store), row=8)
    return go_on(look_around(machine, met.code, met.err))


def meanwhile(machine: Machine, happens: Callable[[], object], row: int = 5) -> Ended:
    """A run that something happens to while the request for this row waits for its answer."""
    go = threading.Event()

    def slowly(row: int) -> Answer:
        async def answer(request: web.Request) -> web.StreamResponse:
            await asyncio.to_thread(go.wait, 20)
            return await good(row)(request)

        return answer

    machine.breaks(range(row, row + 1), slowly)
    process = machine.start("quick", *machine.command, "-j", "1")
    try:
        machine.server.wait_for(row + 1)
        happens()
    finally:
        go.set()
    return ended(process)


async def never(request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(60)
    return web.Response()


async def drips(request: web.Request) -> web.StreamResponse:
    """A byte now and then, and never the last."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    for _ in range(600):
        await response.write(b" ")
        await asyncio.sleep(0.05)
    return response


async def breaks_off(request: web.Request) -> web.StreamResponse:
    """Half of what the headers promise."""
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"choices": [{"message": {"content": "4"}}]' + b" " * 400)
    if request.transport:
        request.transport.close()
    return response


def sends(content: object, content_type: str = "application/json") -> Callable[[int], Answer]:
    """With status 200, and nothing that could be read as a chat completion."""

    async def answer(request: web.Request) -> web.StreamResponse:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return web.Response(body=body, content_type=content_type)

    return lambda _: answer


def with_texts_for_numbers(row: int) -> Answer:
    """Tokens and rating in quotation marks, as some gateways write them."""

    async def answer(request: web.Request) -> web.StreamResponse:
        text = json.dumps({"evaluation": "It is right.", "rating": str(1 + row % 4)})
        usage = {"prompt_tokens": "100", "completion_tokens": "10"}
        choice = {"message": {"content": text}, "finish_reason": "stop", "index": "0"}
        return web.json_response({"choices": [choice], "usage": usage})

    return answer


def large(row: int) -> Answer:
    """A good reply in a body of 32 MB."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = await good(row)(request)
        assert isinstance(response, web.Response)
        assert isinstance(response.body, bytes)
        return web.Response(body=response.body + b" " * 2**25, content_type="application/json")

    return answer


def rubbish() -> Callable[[int], Answer]:
    """Another one each time: JSON of every wrong shape, and what is none."""
    shapes: list[object] = [
        b"",
        b"\xff\xfe{",
        b"[" * 100_000,
        None,
        {"choices": [None]},
        {"choices": [{"message": None}]},
        {"choices": [{"message": {"content": 7}}]},
        {"choices": [{"message": {"content": [1]}, "finish_reason": []}]},
    ]
    turn = cycle(sends(shape)(0) for shape in shapes)
    return lambda _: next(turn)


def later(row: int) -> Answer:
    """A good reply that takes a while."""
    return after(0.2, good(row))


def closing(row: int) -> Answer:
    """A good reply, after which the connection is closed."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = await good(row)(request)
        response.force_close()
        return response

    return answer
