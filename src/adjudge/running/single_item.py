"""Items that come one at a time: one judge and one model, ready for the next."""

from __future__ import annotations

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.verdict import Verdict
from adjudge.judges import renderer_for
from adjudge.models import Model

from .asking.budget import Ledger
from .asking.client import ModelClient
from .asking.limits import Limits, SharedSlots
from .asking.stop import Stop
from .call import Caller
from .fitting import Fitter, judge_fitted
from .one import judge_item
from .options import RunOptions


def limits_of(model: Model, most: int, slots: SharedSlots | None = None) -> Limits:
    """The slots for requests to the model: `most`, or fewer where it takes fewer at once."""
    return Limits(min(most, model.capabilities.concurrency or most), Stop(), slots=slots)


class SingleItemJudge:
    """Judges without a run: no reply is looked up, and nothing is kept.

    `limits` may be shared by several that ask one model; `secret` is the store's, see fence.py.
    """

    def __init__(
        self, judge: Judge, model: Model, limits: Limits, options: RunOptions, secret: bytes
    ) -> None:
        renderer = renderer_for(judge, secret, model.capabilities.profile)
        client = ModelClient(model, options.sampling, limits, Ledger())
        self._caller = Caller(judge, client, samples=options.logprobs in ("prefer", "off"))
        self._renderer, self._fitter = renderer, None
        if options.shorten is not None:
            self._fitter = Fitter(renderer, model.capabilities, options.max_tokens)

    async def judge(self, item: Item) -> Verdict:
        """A failure is an outcome; a fatal ProviderError (wrong key, unknown model) is raised."""
        if self._fitter is None:
            return await judge_item(self._caller, self._renderer.prompts(item))
        return await judge_fitted(self._caller, self._fitter, item, self._fitter.fit(item))
