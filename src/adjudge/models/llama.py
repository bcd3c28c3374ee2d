"""llama.cpp in this process: one model, one slot, one request after the other."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from adjudge.core.reason import Reason
from adjudge.errors import ModelUnavailable, ProviderError

# A rubric with a long article fits; the key-value memory stays near 230 MB with 1.5B parameters,
# and more would not be used: reading 8192 tokens takes minutes on a few cores. llama.cpp lowers it
# by itself for a model that was trained with less.
CONTEXT = 8192
# Tokens read between two looks at whether to stop. Measured: no slower than 512, and even two
# cores get through 128 tokens of a 1.5B model in four seconds.
_BATCH = 128
# Megabytes of earlier prompts kept for reuse, some 18,000 tokens of a 1.5B model: judges that ask
# one call per criterion come back to each criterion's prefix at every item.
_KEPT_PROMPTS = 512


# Called with the tokens of the prompt, those of it that were read, and those written.
OnProgress = Callable[[int, int, int], None]


@dataclass(slots=True)
class LlamaAnswer:
    """What the model wrote; `tokens` are llama.cpp's own records of token probabilities."""

    text: str = ""
    finish: str = "stop"
    tokens: list[dict[str, Any]] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)


def library() -> Any:
    """The module xllamacpp, or ModelUnavailable with what is missing."""
    # Read once, when the OpenMP runtime is loaded. Without it threads that wait for each other
    # spin, and where cores are shared that starves the one they wait for (0.6 tokens/s).
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import xllamacpp  # noqa: PLC0415 - optional, and to be imported after the line above
    except ImportError as error:
        raise ModelUnavailable(_why_not(error)) from error
    return xllamacpp


def _why_not(error: ImportError) -> Reason:
    if "libgomp" in str(error):
        return Reason("embedded.libgomp")
    if error.name == "xllamacpp":
        return Reason("embedded.extra")
    return Reason("embedded.unimportable", why=str(error))


def start(path: Path, template: str | None, key: str | None) -> Any:
    """A running xllamacpp server; it listens on a free loopback port and ends with its last use.

    `key` is what requests to the port must carry, None lets every process of this machine ask.
    """
    lib = library()
    params = lib.CommonParams()
    params.model.path = str(path)
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.n_batch = params.n_ubatch = _BATCH
    params.cache_ram_mib = _KEPT_PROMPTS
    params.cpuparams.n_threads, params.cpuparams_batch.n_threads = threads()
    params.warmup = False
    params.verbosity = -1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.ui = False
    params.cors_origins = ""  # by default any page in the user's browser may ask
    if template is not None:
        params.chat_template = template
    if key is not None:
        params.api_keys = [key]
    try:
        return lib.Server(params)
    except RuntimeError as error:
        raise ModelUnavailable(Reason("embedded.unloadable", file=str(path))) from error


def threads() -> tuple[int, int]:
    """Threads for writing and for reading; ADJUDGE_EMBEDDED_THREADS sets the first.

    Reading gains from every core. Writing waits for memory: half the cores do, and with one of two
    it is not slowed down by other work. Fixed, not fitted to the load, because the number of
    threads changes how sums are rounded, and with that sometimes a reply.
    """
    cores = _cores()
    setting = os.environ.get("ADJUDGE_EMBEDDED_THREADS", "")
    writing = int(setting) if setting.isdecimal() and int(setting) else min(4, max(1, cores // 2))
    return writing, max(writing, min(cores, 16))


def _cores() -> int:
    """The cores that this process may use, a container's share included."""
    affinity = getattr(os, "sched_getaffinity", None)  # Linux alone has it
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    with contextlib.suppress(OSError, ValueError):
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text("ascii").split()
        cores = min(cores, max(1, int(quota) // int(period)))
    return cores


class Engine:
    """Loads the model with the first request and answers one request after the other.

    Each request has a thread of its own, so the event loop is never blocked. The threads are no
    daemons, since llama.cpp crashes when the interpreter goes away under it; nor are they an
    executor's, which the interpreter waits for before a running request could notice its end.
    """

    def __init__(self, path: Path, template: str | None) -> None:
        self._path, self._template = path, template
        self._server: Any = None
        self._turn = threading.Lock()

    async def chat(
        self, body: Mapping[str, object], limit: float, on_progress: OnProgress | None = None
    ) -> LlamaAnswer:
        """The answer to a chat request, which may take `limit` seconds once it is its turn.

        `on_progress` is called in another thread.
        """
        stop = threading.Event()
        answer: Future[LlamaAnswer] = Future()
        stream = _Stream(stop.is_set, limit, on_progress)
        threading.Thread(target=self._work, args=(answer, body, stream)).start()
        try:
            return await asyncio.wrap_future(answer)
        finally:
            # After a cancellation the thread still runs: it ends with its next batch or token.
            stop.set()

    def _work(
        self, answer: Future[LlamaAnswer], body: Mapping[str, object], stream: _Stream
    ) -> None:
        with self._turn:
            if not answer.set_running_or_notify_cancel():
                return
            try:
                answer.set_result(self._chat(body, stream))
            except BaseException as error:  # raised again where it is awaited
                answer.set_exception(error)

    def _chat(self, body: Mapping[str, object], stream: _Stream) -> LlamaAnswer:
        if self._server is None:
            self._server = start(self._path, self._template, secrets.token_urlsafe())
        stream.begin()
        request = {
            **body,
            "stream": True,
            "stream_options": {"include_usage": True},
            "return_progress": True,
        }
        try:
            self._server.handle_chat_completions(request, stream)
        except (ValueError, RuntimeError) as error:
            raise ProviderError(Reason("model.embedded_refused", why=str(error))) from error
        if stream.error is not None:
            raise _as_provider_error(stream.error)
        if stream.late:
            raise ProviderError(Reason("model.no_reply", seconds=stream.limit), retryable=True)
        return stream.answer


class _Stream:
    """Takes the pieces of an answer as they come; returns True to stop the model."""

    def __init__(
        self, stopped: Callable[[], bool], limit: float, on_progress: OnProgress | None
    ) -> None:
        self.answer = LlamaAnswer()
        self.error: dict[str, Any] | None = None
        self.late = False
        self.limit = limit
        self._stopped, self._on_progress, self._deadline = stopped, on_progress, 0.0
        self._prompt = self._read = self._written = 0

    def begin(self) -> None:
        self._deadline = time.monotonic() + self.limit

    def __call__(self, piece: dict[str, Any]) -> bool:
        if "error" in piece:
            self.error = piece["error"]
            return True
        for choice in piece["choices"]:
            self.answer.text += choice["delta"].get("content") or ""
            self.answer.tokens += (choice.get("logprobs") or {}).get("content") or ()
            self.answer.finish = choice["finish_reason"] or self.answer.finish
        if "usage" in piece:
            self.answer.usage = piece["usage"]
            return False
        if self._on_progress:
            self._count(piece, self._on_progress)
        self.late = time.monotonic() > self._deadline
        # The main thread counts as ended once the interpreter waits for the other threads.
        return self.late or self._stopped() or not threading.main_thread().is_alive()

    def _count(self, piece: dict[str, Any], on_progress: OnProgress) -> None:
        if read := piece.get("prompt_progress"):
            self._prompt, self._read = read["total"], read["processed"]
        if any(choice["delta"].get("content") for choice in piece["choices"]):
            self._read = self._prompt
            self._written += 1
        on_progress(self._prompt, self._read, self._written)


def _as_provider_error(error: dict[str, Any]) -> ProviderError:
    if error.get("type") == "exceed_context_size_error":
        tokens, most = error.get("n_prompt_tokens"), error.get("n_ctx")
        reason = Reason("model.embedded_too_long", tokens=tokens, most=most)
        return ProviderError(reason, status=413)
    return ProviderError(Reason("embedded.failed", why=error.get("message", error)))


# The engine for a file. The last one stays loaded, with the prompts that it has read: judging one
# item at a time would otherwise read the same rubric again for every item. Another file takes its
# place, so that one model at most lies in memory for nothing.
engine = lru_cache(maxsize=1)(Engine)
