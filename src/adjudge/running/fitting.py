"""Texts that are too long for a model, cut in the middle until they fit: `--shorten head-tail`.

What fits is estimated with a fixed rule, not from what was learned during the run: the same row is
then cut in the same way in every run, and its reply is found again. If the rule was wrong, the
model says so, and the texts are cut once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from adjudge.core.item import Item
from adjudge.core.prompt import Prompt
from adjudge.core.score import Outcome
from adjudge.core.verdict import Cut, Verdict
from adjudge.judges import PromptRenderer
from adjudge.judges.first import requests
from adjudge.judges.prepare import cut_for, prepared_texts
from adjudge.models import Capabilities

from .asking.tokens import TokenGuess, size
from .call import Caller
from .one import judge_item

_TIGHTER = 0.7  # of the tokens that were too many are tried next
_TIMES = 5  # that a prompt is made smaller before the model's refusal is final
_LEAST = 200  # characters of a text that are left in any case
_SIGN = 20  # tokens for the words that stand where a text was cut
_REPLY = 4  # a reply gets this part of the context at the most


@dataclass(frozen=True, slots=True)
class Fitted:
    """The prompts of one item, what its texts were shortened by, and how often that was tried."""

    prompts: Sequence[Prompt]
    cuts: Mapping[str, Cut] = field(default_factory=dict)
    times: int = 0


class Fitter:
    """Makes the prompts of one judge so that they fit one model."""

    def __init__(
        self, renderer: PromptRenderer, capabilities: Capabilities, max_tokens: int
    ) -> None:
        self._renderer = renderer
        self._guess = TokenGuess(capabilities.bytes_per_token)
        context = capabilities.context
        # What the judge writes before it sees the text is shown to it again.
        texts = 2 if renderer.judge.first else 1
        self._room = context - texts * min(max_tokens, context // _REPLY) if context else None

    def fit(self, item: Item, sample: int = 0) -> Fitted:
        """The texts whole where they fit, or where nothing is known of the model's context."""
        whole = Fitted(self._renderer.prompts(item, sample))
        if self._room is None or self._longest(whole) <= self._room:
            return whole
        return self._cut_to(self._room, item, whole) or whole

    def tighter(self, item: Item, fitted: Fitted) -> Fitted | None:
        """The same item in fewer tokens; None when there is nothing more to cut."""
        if fitted.times >= _TIMES:
            return None
        return self._cut_to(round(self._longest(fitted) * _TIGHTER), item, fitted)

    def _cut_to(self, room: int, item: Item, before: Fitted) -> Fitted | None:
        """Cut evenly: no text is left longer than another that lost something."""
        sample = before.prompts[0].sample
        texts = prepared_texts(self._renderer.judge, item.fields)
        sizes = {name: size(text, self._guess.rates) for name, text in texts.items()}
        around = self._longest(Fitted(self._renderer.prompts(item, sample))) - sum(sizes.values())
        level = _level(list(sizes.values()), room - around - _SIGN * len(sizes))
        cuts: dict[str, Cut] = {}
        for name, text in texts.items():
            keep = max(_LEAST, int(len(text) * level / sizes[name])) if sizes[name] else 0
            if len(text) > keep + _LEAST:  # less would not be worth the sign
                cuts[name] = cut_for(text, keep)
        if not cuts or cuts == before.cuts:
            return None
        prompts = self._renderer.prompts(item, sample, cuts)
        return Fitted(prompts, cuts, before.times + 1)

    def _longest(self, fitted: Fitted) -> int:
        return max(self._guess.rough(prompt) for prompt in fitted.prompts)


def _level(sizes: list[float], room: float) -> float:
    """The size to which all larger ones are brought down, so that the sum is at most `room`."""
    left, over = max(room, 0.0), sorted(sizes)
    while over and over[0] * len(over) <= left:
        left -= over.pop(0)
    return left / len(over) if over else float("inf")


async def judge_fitted(
    caller: Caller, fitter: Fitter, item: Item, fitted: Fitted, keys: Sequence[str] = ()
) -> Verdict:
    """`judge_item`, again with less of the texts for as long as the model finds them too long."""
    verdict = await judge_item(caller, fitted.prompts, keys)
    while any(score.outcome is Outcome.TOO_LONG for score in verdict.scores.values()):
        if (tighter := fitter.tighter(item, fitted)) is None:
            break
        fitted = tighter
        keys = [caller.client.key(prompt) for prompt in requests(fitted.prompts)]
        again = await judge_item(caller, fitted.prompts, keys)
        verdict = replace(
            again,
            usage=verdict.usage + again.usage,
            attempts=verdict.attempts + again.attempts,
            latency_ms=verdict.latency_ms + again.latency_ms,
        )
    return verdict
