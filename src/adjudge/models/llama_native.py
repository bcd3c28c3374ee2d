"""llama.cpp by its C interface, for what its server does not report: how likely a text is.

The runtime's own module exports the functions, at least on Linux. A struct that is passed by value
is a block of bytes here, larger than the real one: only its first numbers are read or written, and
they are checked against llama.cpp's published defaults first, so that another layout is noticed and
not used.
"""

from __future__ import annotations

import ctypes as c
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from adjudge.core.reason import Reason
from adjudge.errors import ModelUnavailable, ProviderError

from .llama import CONTEXT, library, threads

_SMALL = 2048  # tokens of the smaller of the two contexts
_MARGIN = 8  # tokens that two texts may have in common by chance
_BATCH = (
    256  # tokens read at once; the distributions after each take 4 bytes per word of the vocabulary
)
_DEFAULTS = (512, 2048, 512)  # n_ctx, n_batch, n_ubatch, the first numbers of llama_context_params
_THREADS = 4  # llama.cpp's own default, by which the place of the two numbers is found
_NOT_THERE = Reason("embedded.runtime")


class _Params(c.Structure):
    _fields_ = (("bytes", c.c_uint8 * 2048),)


class _Batch(c.Structure):
    _fields_ = (
        ("n_tokens", c.c_int32),
        ("token", c.POINTER(c.c_int32)),
        ("embd", c.c_void_p),
        ("pos", c.POINTER(c.c_int32)),
        ("n_seq_id", c.POINTER(c.c_int32)),
        ("seq_id", c.POINTER(c.POINTER(c.c_int32))),
        ("logits", c.POINTER(c.c_int8)),
    )


_LOG = c.CFUNCTYPE(None, c.c_int, c.c_char_p, c.c_void_p)
_silent = _LOG(lambda *_: None)  # kept here: the library keeps only its address

_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "llama_backend_init": (None,),
    "llama_log_set": (None, _LOG, c.c_void_p),
    "llama_model_default_params": (_Params,),
    "llama_context_default_params": (_Params,),
    "llama_model_load_from_file": (c.c_void_p, c.c_char_p, _Params),
    "llama_model_free": (None, c.c_void_p),
    "llama_init_from_model": (c.c_void_p, c.c_void_p, _Params),
    "llama_free": (None, c.c_void_p),
    "llama_model_n_ctx_train": (c.c_int32, c.c_void_p),
    "llama_model_get_vocab": (c.c_void_p, c.c_void_p),
    "llama_vocab_n_tokens": (c.c_int32, c.c_void_p),
    "llama_vocab_bos": (c.c_int32, c.c_void_p),
    "llama_vocab_get_add_bos": (c.c_bool, c.c_void_p),
    "llama_tokenize": (
        *(c.c_int32, c.c_void_p, c.c_char_p, c.c_int32),
        *(c.POINTER(c.c_int32), c.c_int32, c.c_bool, c.c_bool),
    ),
    "llama_token_to_piece": (
        *(c.c_int32, c.c_void_p, c.c_int32, c.c_char_p, c.c_int32, c.c_int32, c.c_bool),
    ),
    "llama_batch_init": (_Batch, c.c_int32, c.c_int32, c.c_int32),
    "llama_batch_free": (None, _Batch),
    "llama_decode": (c.c_int32, c.c_void_p, _Batch),
    "llama_get_logits_ith": (c.POINTER(c.c_float), c.c_void_p, c.c_int32),
    "llama_get_memory": (c.c_void_p, c.c_void_p),
    "llama_memory_seq_rm": (c.c_bool, c.c_void_p, c.c_int32, c.c_int32, c.c_int32),
}


@cache
def _lib() -> Any:
    """The functions, silent; ModelUnavailable where they are not as expected."""
    module = library().xllamacpp
    try:
        lib = c.CDLL(module.__file__)
        for name, (result, *arguments) in _SIGNATURES.items():
            function = getattr(lib, name)
            function.restype, function.argtypes = result, arguments
    except (OSError, AttributeError) as error:
        raise ModelUnavailable(Reason("embedded.runtime_since", why=str(error))) from error
    if _numbers(lib.llama_context_default_params())[:3] != list(_DEFAULTS):
        raise ModelUnavailable(_NOT_THERE)
    lib.llama_log_set(_silent, None)
    lib.llama_backend_init()
    return lib


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Log-probabilities of the tokens asked about, and how many tokens that took to read."""

    tokens: list[bytes]
    logprobs: list[float]
    total: int
    reused: int


class Native:
    """A model that reads; not again what a text has in common with one that was read recently.

    Two such texts are kept, the shorter one in a smaller context: an item's texts with their source
    and without it, in turn, would otherwise push each other out.
    """

    def __init__(self, path: Path) -> None:
        lib = self._lib = _lib()
        self._model = lib.llama_model_load_from_file(
            str(path).encode(), lib.llama_model_default_params()
        )
        if not self._model:
            raise ModelUnavailable(Reason("embedded.no_gguf", file=str(path)))
        self.context = min(CONTEXT, lib.llama_model_n_ctx_train(self._model))
        self._vocab = lib.llama_model_get_vocab(self._model)
        self._readers = [
            _Reader(self._model, size) for size in (min(_SMALL, self.context), self.context)
        ]
        self._turn = threading.Lock()

    def close(self) -> None:
        with self._turn:
            for reader in self._readers:
                reader.close()
            self._lib.llama_model_free(self._model)

    def likelihood(self, prefix: str, text: str) -> Evaluated:
        """How likely each token of `text` is after `prefix`; each is split into tokens alone."""
        before, after = self._begin() + self.ids(prefix), self.ids(text)
        if not after:
            raise ProviderError(Reason("model.no_text"))
        if not before:
            raise ProviderError(Reason("model.no_prompt"))
        whole = before + after
        if len(whole) > self.context:
            raise ProviderError(
                Reason("model.embedded_too_long", tokens=len(whole), most=self.context), status=413
            )
        with self._turn:
            logprobs, reused = self._reader(whole).evaluate(whole, len(before))
        return Evaluated([self._piece(token) for token in after], logprobs, len(whole), reused)

    def _reader(self, ids: list[int]) -> _Reader:
        """The one that has read most of this already; else the one that was idle for longest."""
        fitting = [reader for reader in self._readers if len(ids) <= reader.size]
        best = max(fitting, key=lambda reader: reader.known(ids))
        if best.known(ids) <= _MARGIN:
            best = fitting[0]
        self._readers.remove(best)
        self._readers.append(best)
        return best

    def _begin(self) -> list[int]:
        if self._lib.llama_vocab_get_add_bos(self._vocab):
            return [self._lib.llama_vocab_bos(self._vocab)]
        return []

    def ids(self, text: str) -> list[int]:
        """Signs of turn in the text are read as text, since it comes from outside."""
        data = text.encode(errors="replace")
        room = len(data) + 8
        ids = (c.c_int32 * room)()
        count = self._lib.llama_tokenize(self._vocab, data, len(data), ids, room, False, False)
        return list(ids[:count])

    def _piece(self, token: int) -> bytes:
        room = c.create_string_buffer(256)
        count = self._lib.llama_token_to_piece(self._vocab, token, room, len(room), 0, True)
        return room.raw[: max(count, 0)]


class _Reader:
    """A context of the model: what it has read, and how likely it finds each next token."""

    def __init__(self, model: Any, size: int) -> None:
        self._lib, self.size = _lib(), size
        self._context = self._lib.llama_init_from_model(model, _params(self._lib, size))
        if not self._context:
            raise ModelUnavailable(Reason("embedded.memory"))
        self._words = self._lib.llama_vocab_n_tokens(self._lib.llama_model_get_vocab(model))
        self._read: list[int] = []

    def close(self) -> None:
        self._lib.llama_free(self._context)

    def known(self, ids: Sequence[int]) -> int:
        """How many tokens of the beginning have been read already."""
        count = 0
        for left, right in zip(self._read, ids, strict=False):
            if left != right:
                break
            count += 1
        return count

    def evaluate(self, ids: list[int], first: int) -> tuple[list[float], int]:
        """The log-probabilities of `ids[first:]`, and how many tokens had been read before."""
        # The distribution after the last known token is gone: that one is read again.
        known = min(self.known(ids), first - 1)
        memory = self._lib.llama_get_memory(self._context)
        if known < len(self._read) and not self._lib.llama_memory_seq_rm(memory, 0, known, -1):
            known = 0  # a kind of model that cannot forget a part
            self._lib.llama_memory_seq_rm(memory, -1, -1, -1)
        self._read = ids[:known]
        logprobs: list[float] = []
        # The last token is not read: what comes after it is not needed.
        for start in range(known, len(ids) - 1, _BATCH):
            some = ids[start : min(start + _BATCH, len(ids) - 1)]
            self._decode(some, start, first)
            self._read += some
            places = range(max(start, first - 1), start + len(some))
            logprobs += [self._logprob(at - start, ids[at + 1]) for at in places]
        return logprobs, known

    def _decode(self, ids: Sequence[int], start: int, first: int) -> None:
        batch = self._lib.llama_batch_init(len(ids), 0, 1)
        try:
            batch.n_tokens = len(ids)
            for at, token in enumerate(ids):
                batch.token[at], batch.pos[at] = token, start + at
                batch.n_seq_id[at], batch.seq_id[at][0] = 1, 0
                batch.logits[at] = start + at >= first - 1
            failed = self._lib.llama_decode(self._context, batch)
        finally:
            self._lib.llama_batch_free(batch)
        if failed:
            self._read = []
            memory = self._lib.llama_get_memory(self._context)
            self._lib.llama_memory_seq_rm(memory, -1, -1, -1)
            raise ProviderError(Reason("model.not_decoded"))

    def _logprob(self, at: int, token: int) -> float:
        import numpy  # noqa: PLC0415 - heavy, and only likelihoods need it

        logits = self._lib.llama_get_logits_ith(self._context, at)
        scores = numpy.ctypeslib.as_array(logits, shape=(self._words,)).astype(numpy.float64)
        highest = scores.max()
        return float(scores[token] - highest - numpy.log(numpy.exp(scores - highest).sum()))


def _params(lib: Any, size: int) -> _Params:
    params: _Params = lib.llama_context_default_params()
    numbers = c.cast(c.byref(params), c.POINTER(c.c_uint32))
    numbers[0], numbers[1], numbers[2] = size, _BATCH, _BATCH
    known = _numbers(params)
    pairs = [at for at in range(3, 12) if known[at] == known[at + 1] == _THREADS]
    if len(pairs) != 1:
        raise ModelUnavailable(_NOT_THERE)
    numbers[pairs[0]], numbers[pairs[0] + 1] = threads()
    return params


def _numbers(params: _Params) -> list[int]:
    return list(c.cast(c.byref(params), c.POINTER(c.c_uint32))[:16])
