"""The probabilities of a text that is given, from a completions endpoint that echoes its prompt.

The prompt is `given` and `text` in one; the server tells how likely each of its tokens was. Where
`text` begins is found by spelling the tokens out: a token that straddles the boundary counts as
one of `text`. Nothing is guessed: tokens that do not spell the prompt, and a first token that no
probability is known of, are errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple

from adjudge.core.reply import Reply, TokenLogprob
from adjudge.errors import ProviderError

from .base import Likelihoods
from .json_body import decode, encode
from .openai_answer import usage_of
from .openai_dialect import Dialect
from .prices import Price
from .wire import Endpoint, complaint_of, pause_of

_PIECE = "\ufffd"  # stands for bytes that are not a whole character


class _Token(NamedTuple):
    """A token of the prompt; `logprob` is None for one that nothing comes before."""

    text: str
    logprob: float | None
    top: Mapping[str, float]


class EchoLikelihoods(Likelihoods):
    """`POST {completions}` with `echo` and `logprobs`.

    One token is generated, as not every server takes a limit of none; it is left out. (vLLM takes
    its `prompt_logprobs` from `logprobs` where the prompt is echoed.)
    """

    def __init__(
        self, model: str, dialect: Dialect, endpoint: Endpoint, price: Price | None
    ) -> None:
        self._model, self._dialect, self._endpoint, self._price = model, dialect, endpoint, price

    async def of(self, given: str, text: str) -> Reply:
        if not text:
            return Reply(text="", logprobs=())
        started = perf_counter()
        answer = await self._endpoint.call(
            "POST", self._dialect.completions or "", encode(self._body(given + text), "")
        )
        latency_ms = (perf_counter() - started) * 1000
        data = decode(answer.body)
        if answer.status != 200 or (isinstance(data, dict) and data.get("error")):
            raise self._endpoint.failure(complaint_of(answer, data))
        try:
            tokens = _tokens(data)
            tells_cost = self._dialect.tells_cost
            usage = usage_of(data, self._price, batch=False, tells_cost=tells_cost)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            raise self._endpoint.malformed(answer.body) from None
        if not tokens:
            raise self._untold("does not tell the probabilities of a given text")
        return Reply(
            text="",
            logprobs=self._of_text(tokens, given, text),
            usage=usage,
            latency_ms=latency_ms,
            pause=pause_of(answer.headers),
        )

    def _body(self, prompt: str) -> dict[str, object]:
        return {
            "model": self._model,
            "prompt": prompt,
            "max_tokens": 1,
            "temperature": 0.0,
            "echo": True,
            "logprobs": 1,
        }

    def _of_text(self, tokens: Sequence[_Token], given: str, text: str) -> tuple[TokenLogprob, ...]:
        spans = spans_of([token.text for token in tokens], given + text)
        if spans is None:
            raise self._untold("sent tokens that do not spell the text", fatal=False)
        found = []
        for token, (start, end, whole) in zip(tokens, spans, strict=True):
            if end <= len(given):
                continue
            if start < len(given) and not whole:
                raise self._untold("split a character where the text begins", fatal=False)
            if token.logprob is None:
                raise self._untold(
                    "has no probability for the first token: something has to come before the text",
                    fatal=False,
                )
            found.append(TokenLogprob(token.text, token.logprob, token.top))
        return tuple(found)

    def _untold(self, why: str, *, fatal: bool = True) -> ProviderError:
        return ProviderError(f"{self._endpoint.place} {why}", status=200, fatal=fatal, sent=True)


def _tokens(data: Any) -> list[_Token]:
    """The tokens of the prompt; none when the server does not tell."""
    for part in data.get("prompt") or ():  # a list of its own, apart from what was generated
        if part and part.get("logprobs"):
            return _in_columns(part["logprobs"])
    tokens = _in_columns(data["choices"][0].get("logprobs") or {})
    # Without an echo there are only the tokens that were generated.
    asked = int((data.get("usage") or {}).get("prompt_tokens") or 0)
    return tokens[:asked] if len(tokens) >= asked > 1 else []


def _in_columns(logprobs: Mapping[str, Any]) -> list[_Token]:
    tokens = logprobs.get("tokens") or []
    tops = logprobs.get("top_logprobs") or [None] * len(tokens)
    return [
        _Token(token, None if value is None else float(value), top or {})
        for token, value, top in zip(
            tokens, logprobs.get("token_logprobs") or [], tops, strict=True
        )
    ]


def spans_of(tokens: Sequence[str], whole: str) -> list[tuple[int, int, bool]] | None:
    """Where each token lies in the text, and whether it consists of whole characters.

    Pieces of characters share the place that they make up together. A first token that is not in
    the text marks its beginning. None when the tokens do not spell the text.
    """
    spans: list[tuple[int, int, bool]] = []
    at, pieces, most = 0, 0, 0
    for token in tokens:
        if token and not pieces and whole.startswith(token, at):
            spans.append((at, at + len(token), True))
            at += len(token)
        elif not spans and not pieces and _PIECE not in token:
            spans.append((0, 0, True))
        elif not token or _PIECE in token:
            pieces, most = pieces + 1, most + max(1, len(token))
        else:
            found = whole.find(token, at + 1)
            if not (pieces and at < found <= at + most):
                return None
            spans += [(at, found, False)] * pieces + [(found, found + len(token), True)]
            at, pieces, most = found + len(token), 0, 0
    if pieces:
        spans += [(at, len(whole), False)] * pieces
        at = len(whole)
    return spans if at == len(whole) else None
