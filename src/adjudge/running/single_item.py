"""Items that come one at a time: one judge and one model, ready for the next."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.verdict import Verdict
from adjudge.judges import renderer_for
from adjudge.judges.first import requests
from adjudge.models import Model
from adjudge.stores import Store

from .asking.budget import Ledger
from .asking.cache import NO_RUN, ReplyCache
from .asking.client import ModelClient
from .asking.limits import Limits, SharedSlots
from .asking.stop import Stop
from .call import Caller
from .fitting import Fitter, judge_fitted
from .one import judge_item
from .options import RunOptions
from .recorder import Recorder


def limits_of(model: Model, most: int, slots: SharedSlots | None = None) -> Limits:
    """The slots for requests to the model: `most`, or fewer where it takes fewer at once."""
    return Limits(min(most, model.capabilities.concurrency or most), Stop(), slots=slots)


@asynccontextmanager
async def reply_cache(store: Store, model: Model, stop: Stop) -> AsyncIterator[ReplyCache]:
    """The replies in the store for items without a run: what is kept is not asked again."""
    async with Recorder(store, NO_RUN, 0, lambda _: None) as recorder:
        yield ReplyCache(recorder, stop, NO_RUN, model.name)


class SingleItemJudge:
    """Judges without a run: no verdict is kept, and without a cache no reply is looked up.

    `limits` may be shared by several that ask one model; `secret` is the store's, see fence.py.
    `ledger` has the budget, if any.
    """

    def __init__(
        self,
        judge: Judge,
        model: Model,
        limits: Limits,
        options: RunOptions,
        secret: bytes,
        ledger: Ledger | None = None,
    ) -> None:
        renderer = renderer_for(judge, secret, model.capabilities.profile)
        client = ModelClient(model, options.sampling, limits, ledger or Ledger())
        self.client = client
        client.offline = bool(options.offline)
        self._caller = Caller(judge, client, samples=options.logprobs in ("prefer", "off"))
        self._renderer, self._fitter = renderer, None
        if options.shorten is not None:
            self._fitter = Fitter(renderer, model.capabilities, options.max_tokens)

    async def judge(self, item: Item) -> Verdict:
        """A failure is an outcome; a fatal ProviderError (wrong key, unknown model) is raised."""
        if self._fitter is None:
            prompts = self._renderer.prompts(item)
            return await judge_item(self._caller, prompts, self._keys(prompts))
        fitted = self._fitter.fit(item)
        keys = self._keys(fitted.prompts)
        return await judge_fitted(self._caller, self._fitter, item, fitted, keys)

    def _keys(self, prompts: Sequence[Prompt]) -> Sequence[str]:
        if self.client.cache is None:
            return ()
        return [self.client.key(prompt) for prompt in requests(prompts)]
