"""What the functions of the Python front have in common.

Each is written once, async; `blocking` makes its twin for code that is not. The twins also work
where a loop already runs, as in notebooks: the work then happens in a thread.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from adjudge.core.item import Item
    from adjudge.core.verdict import Verdict

P = ParamSpec("P")
T = TypeVar("T")
Front = TypeVar("Front", bound=Callable[..., object])


def spelled_out(keywords: type, defaults: type) -> Callable[[Front], Front]:
    """Lists the keywords of `**options` in the signature one by one, for `help()` and notebooks."""

    def spell_out(front: Front) -> Front:
        signature = inspect.signature(front)
        *own, _ = signature.parameters.values()
        known = inspect.signature(defaults).parameters
        more = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=known[name].default if name in known else ...,
                annotation=hint.__forward_arg__,
            )
            for name, hint in keywords.__annotations__.items()
        ]
        front.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        return front

    return spell_out


def blocking(front: Callable[P, Coroutine[Any, Any, T]]) -> Callable[P, T]:
    """The same function for code that is not async: it returns when the work is done."""

    @wraps(front)
    def twin(*args: P.args, **keywords: P.kwargs) -> T:
        return wait_for(front(*args, **keywords))

    twin.__name__ = twin.__qualname__ = front.__name__.removeprefix("a")
    return twin


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        runs_already = False
    else:
        runs_already = True
    # Not while that error is handled: it would stand in the story of every other one.
    return _in_a_thread(work) if runs_already else _in_this_thread(work)


def _in_this_thread(work: Coroutine[Any, Any, T]) -> T:
    """The task itself returns nothing: when asyncio ends it writes the task down, with what it
    returned, and a run would be read as a whole to be shown to nobody."""
    returned: list[T] = []

    async def main() -> None:
        returned.append(await work)

    asyncio.run(main())
    return returned[0]


def _in_a_thread(work: Coroutine[Any, Any, T]) -> T:
    begun: Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = Future()

    async def main() -> T:
        task = asyncio.ensure_future(work)
        begun.set_result((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(asyncio.run, main())
        try:
            return ending.result()
        except KeyboardInterrupt:
            # Stopping a notebook's cell reaches this thread only; the other must hear of it.
            loop, task = begun.result()
            loop.call_soon_threadsafe(task.cancel)
            raise


@dataclass(frozen=True, slots=True)
class SessionVerdict:
    """An item that was judged alone, with the judge's text and what was changed about it."""

    item: Item
    source: Mapping[str, str]
    verdict: Verdict


@dataclass(slots=True)
class TestSession:
    """What a session of tests says once for every item: options, and who hears of verdicts."""

    __test__ = False  # no class of tests, whatever its name begins with
    defaults: dict[str, Any] = field(default_factory=dict)
    listeners: list[Callable[[SessionVerdict], None]] = field(default_factory=list)


session = TestSession()
