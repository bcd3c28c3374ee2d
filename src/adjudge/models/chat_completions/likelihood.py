"""The probabilities of a text after a prefix, from a completions endpoint that reports its prompt.

The prompt is `prefix` and `text` in one; the server reports how likely each of its tokens was.
Where `text` begins is found by spelling the tokens out: a token that crosses the boundary counts as
one of `text`. Nothing is guessed: tokens that do not spell the prompt, and a first token without a
known probability, are errors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, NamedTuple

from adjudge.core.reason import Reason
from adjudge.core.reply import Reply, TokenLogprob
from adjudge.errors import ProviderError

from ..base import Likelihoods
from ..http import Endpoint, complaint_of, decode, pause_of
from ..http_model import encode
from ..prices import Price
from ..token_logprobs import in_columns
from .answer import usage_of
from .dialect import Dialect

_PIECE = "\ufffd"  # stands for bytes that are not a whole character
_REFUSED = (400, 422)  # a request in a form that the server does not take
_TWO = 2  # a token of the prompt and the one alternative that is asked for with an echo
_FIRST = 256  # the longest first token, in characters, where it is not reported
# How the probabilities can be asked for. vLLM has a field of its own; with 0 it reports those of
# the prompt's tokens alone, so that they need not be found among alternatives, and a server whose
# --max-logprobs is 0 takes it.
_WAYS: tuple[Mapping[str, object], ...] = ({"echo": True, "logprobs": 1}, {"prompt_logprobs": 0})


class _Token(NamedTuple):
    """A token of the prompt; `logprob` is None for one that nothing comes before, and `text` where
    the server does not spell that one out."""

    text: str | None
    logprob: float | None
    top: Mapping[str, float]


class EchoLikelihoods(Likelihoods):
    """`POST {completions}` with `echo` and `logprobs`; where that is refused, or the tokens of the
    prompt do not come, with `prompt_logprobs`, and from then on.

    One token is generated, as not every server takes a limit of none; it is left out.
    """

    def __init__(
        self, model: str, dialect: Dialect, endpoint: Endpoint, price: Price | None
    ) -> None:
        self._model, self._dialect, self._endpoint, self._price = model, dialect, endpoint, price
        self._way = _WAYS[0]

    async def of(self, prefix: str, text: str) -> Reply:
        if not text:
            return Reply(text="", logprobs=())
        first = self._way
        try:
            return await self._ask(first, prefix, text)
        except _OtherWayMayWork as refused:
            if first == _WAYS[-1]:
                raise refused.error from None
            untold = refused.error
        try:
            reply = await self._ask(_WAYS[-1], prefix, text)
        except _OtherWayMayWork:
            raise untold from None  # of the two complaints the one about the usual way
        self._way = _WAYS[-1]
        return reply

    async def _ask(self, way: Mapping[str, object], prefix: str, text: str) -> Reply:
        """_OtherWayMayWork when the server may answer if it is asked in another way."""
        body = encode(self._body(prefix + text, way), "")
        started = perf_counter()
        answer = await self._endpoint.call("POST", self._dialect.completions or "", body)
        latency_ms = (perf_counter() - started) * 1000
        data = decode(answer.body)
        if answer.status != 200 or (isinstance(data, dict) and data.get("error")):
            complaint = complaint_of(answer, data)
            error = self._endpoint.failure(complaint)
            raise (
                _OtherWayMayWork(error)
                if complaint.status in _REFUSED and not complaint.too_long
                else error
            )
        try:
            tokens = _tokens(data)
            tells_cost = self._dialect.tells_cost
            usage = usage_of(data, self._price, batch=False, tells_cost=tells_cost)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            raise self._endpoint.malformed(answer.body) from None
        if not tokens:
            raise _OtherWayMayWork(self._untold(Reason("likelihood.not_told")))
        return Reply(
            text="",
            logprobs=self._of_text(tokens, prefix, text),
            usage=usage,
            latency_ms=latency_ms,
            pause=pause_of(answer.headers),
        )

    def _body(self, prompt: str, way: Mapping[str, object]) -> dict[str, object]:
        fixed = {"prompt": prompt, "max_tokens": 1, "temperature": 0.0}
        return {"model": self._model, **fixed, **way}

    def _of_text(
        self, tokens: Sequence[_Token], prefix: str, text: str
    ) -> tuple[TokenLogprob, ...]:
        tokens = _spelled(tokens, prefix + text)
        spans = spans_of([token.text or "" for token in tokens], prefix + text)
        if spans is None:
            raise self._untold(Reason("likelihood.other_tokens"), fatal=False)
        logprobs = []
        for token, (start, end, whole) in zip(tokens, spans, strict=True):
            if end <= len(prefix):
                continue
            if start < len(prefix) and not whole:
                raise self._untold(Reason("likelihood.split"), fatal=False)
            if token.logprob is None:
                raise self._untold(Reason("likelihood.no_first"), fatal=False)
            logprobs.append(TokenLogprob(token.text or "", token.logprob, token.top))
        return tuple(logprobs)

    def _untold(self, why: Reason, *, fatal: bool = True) -> ProviderError:
        reason = Reason("likelihood.untold", place=self._endpoint.place, why=why)
        return ProviderError(reason, status=200, fatal=fatal, sent=True)


class _OtherWayMayWork(Exception):  # noqa: N818 - says what is the case
    def __init__(self, error: ProviderError) -> None:
        super().__init__(str(error))
        self.error = error


def _tokens(data: Any) -> list[_Token]:
    """The tokens of the prompt; none when the server does not report them."""
    for part in data.get("prompt") or ():  # a list of its own, apart from what was generated
        if part and part.get("logprobs"):
            return _of_columns(part["logprobs"])
    choice = data["choices"][0]
    tokens = _of_columns(choice.get("logprobs") or {})
    # Without an echo there are only the tokens that were generated.
    count = int((data.get("usage") or {}).get("prompt_tokens") or 0)
    if len(tokens) >= count > 1:
        return tokens[:count]
    listed = choice.get("prompt_logprobs") or []
    # Some servers that cannot report them send one empty entry.
    return [_listed(entry) for entry in listed] if len(listed) == count > 1 else []


def _listed(entry: Mapping[str, Any] | None) -> _Token:
    """An entry of `prompt_logprobs`, {id: token}; the first is empty.

    Where one alternative was asked for, it is the likeliest token, and the other one is our own.
    """
    if entry is None:
        return _Token(None, None, {})
    if len(entry) > _TWO:
        raise ValueError("which of them is the token of the prompt cannot be told")
    own = max(entry.values(), key=lambda token: token.get("rank") or 0)
    top = {str(token["decoded_token"]): float(token["logprob"]) for token in entry.values()}
    return _Token(str(own["decoded_token"]), float(own["logprob"]), top)


def _spelled(tokens: Sequence[_Token], whole: str) -> Sequence[_Token]:
    """With the text of the first token, where it was not reported: what the others leave over, or
    nothing where it marks the beginning."""
    first, *rest = tokens
    if first.text is not None:
        return tokens
    others = [token.text or "" for token in rest]
    for end in range(min(len(whole), _FIRST) + 1):
        if spans_of([whole[:end], *others], whole) is not None:
            return [first._replace(text=whole[:end]), *rest]
    return tokens


def _of_columns(logprobs: Mapping[str, Any]) -> list[_Token]:
    return [
        _Token(token, None if value is None else float(value), top)
        for token, value, top in in_columns(logprobs)
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
            start = whole.find(token, at + 1)
            if not (pieces and at < start <= at + most):
                return None
            spans += [(at, start, False)] * pieces + [(start, start + len(token), True)]
            at, pieces, most = start + len(token), 0, 0
    if pieces:
        spans += [(at, len(whole), False)] * pieces
        at = len(whole)
    return spans if at == len(whole) else None
