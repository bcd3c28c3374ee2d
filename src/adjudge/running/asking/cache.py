"""The reply cache as one run sees it: what is kept is not asked, what is being asked is awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

import orjson

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import NO_USAGE, Reply
from adjudge.models import Model
from adjudge.stores import KeptReply

from ..recorder import Recorder
from .stop import Stop

NO_RUN = ""  # of replies about items that are judged without a run
_LOOK_AGAIN = 0.5  # seconds between two looks for the reply that another process waits for


@dataclass(slots=True)
class _Expected:
    """A request that rows of this run are about to make: how many, and what is known of it.

    While one of them is asking, the others wait in a future that the first of those makes.
    """

    rows: int = 0
    kept: KeptReply | None = None
    asking: bool = False
    waited: asyncio.Future[Reply | None] | None = None

    def answered(self, reply: Reply | None) -> None:
        self.asking, waited, self.waited = False, self.waited, None
        if waited is not None:
            waited.set_result(reply)


class ReplyCache:
    """`expect` looks many requests up in advance; `reply` then asks or not.

    A reply that another run has paid for comes with no usage, and so does one whose usage another
    row of this run has been given.
    """

    def __init__(self, recorder: Recorder, stop: Stop, run: str, model: str) -> None:
        self._recorder, self._stop = recorder, stop
        self._run, self._model = run, model
        self._expected: dict[str, _Expected] = {}
        # Of replies that this run has paid for before: several rows may share one.
        self._counted: set[str] = set()

    async def expect(self, keys: Sequence[str]) -> set[str]:
        """Looks all of them up and claims the missing ones; returns those that others are asking.

        Each key that is not returned has to be asked for once, or given to `forget`.
        """
        taken = await self._recorder.take(keys)
        for key in keys:
            if key in taken.kept or key in taken.ours:
                there = self._expected.setdefault(key, _Expected())
                there.rows += 1
                there.kept = there.kept or taken.kept.get(key)
        return set(keys) - set(taken.kept) - taken.ours

    def forget(self, keys: Iterable[str]) -> None:
        """These will not be asked for after all; others may."""
        free = [key for key in keys if not self._drop(key).rows]
        self._recorder.give_up(free)

    async def known(self, key: str) -> Reply | None:
        """The reply, when one is there or under way; else None, and the key is ours to ask.

        Then `settle` or `fail` has to follow.
        """
        if key not in self._expected:
            # It was not expected: looked up alone, and awaited if others ask it.
            while await self.expect([key]):
                await self._stop.sleep(_LOOK_AGAIN)
        expected = self._expected[key]
        while expected.asking:  # another row of this run asks the very same
            if expected.waited is None:
                expected.waited = asyncio.get_running_loop().create_future()
            reply = await asyncio.shield(expected.waited)
            if reply is not None:
                self._drop(key)
                return replace(reply, usage=NO_USAGE, latency_ms=0.0)
        if expected.kept is not None:
            self._drop(key)
            return self._ours(expected.kept)
        expected.asking = True
        return None

    def settle(self, key: str, reply: Reply) -> None:
        """Keeps the reply, and gives it to all that wait for it."""
        self._recorder.keep(KeptReply(key, self._run, self._model, reply))
        expected = self._drop(key)
        # Rows that come later find it here, though it may not be written yet.
        expected.kept = KeptReply(key, "", self._model, reply)
        expected.answered(reply)

    def fail(self, key: str) -> None:
        """No reply came; the next row that wants it asks again."""
        expected = self._drop(key)
        expected.answered(None)
        if not expected.rows:
            self._recorder.give_up([key])

    def _drop(self, key: str) -> _Expected:
        expected = self._expected[key]
        expected.rows -= 1
        if not expected.rows:
            del self._expected[key]
        return expected

    def _ours(self, kept: KeptReply) -> Reply:
        if kept.run == self._run != NO_RUN and kept.key not in self._counted:
            self._counted.add(kept.key)
            return kept.reply
        return replace(kept.reply, usage=NO_USAGE, latency_ms=0.0)


def request_key(model: Model, prompt: Prompt, sampling: Sampling, namespace: str) -> str:
    """64 hexadecimal digits over everything that shapes the reply.

    `namespace` keeps the requests of a run apart that must not share replies with others.
    """
    request = (
        model.identity,
        prompt.messages,
        prompt.schema,
        sampling,
        prompt.sample,
        namespace,
        # Left out where there is none: what was paid for before there were any stays good.
        *((prompt.target,) if prompt.target is not None else ()),
        *((prompt.check,) if prompt.check is not None else ()),
    )
    try:
        content = orjson.dumps(request, default=dict)
    except TypeError:  # half of a surrogate pair: such a prompt is refused later, with its reason
        content = repr(request).encode(errors="surrogatepass")
    return blake2b(content, digest_size=32).hexdigest()
