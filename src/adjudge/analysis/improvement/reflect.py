"""Guides and steps by reflective search: the package `gepa` decides which candidate to build on and
which to keep; judging, writing and counting are ours."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from threading import Event
from typing import Any, TypeVar, cast

from gepa.api import optimize
from gepa.core.adapter import EvaluationBatch

from adjudge.judges.rewrite import JudgeTexts

from .findings import Candidate
from .search import BATCH, JudgeSearch

T = TypeVar("T")
Texts = dict[str, str]  # by criterion, its guide and steps as JSON: what gepa calls a candidate
_LOOK_AGAIN = 0.2  # seconds between two looks whether the search is to stop
_IDLE_ROUNDS = 4  # rounds without a new guide that are still worth a try, as a multiple of `tries`


class _Stopped(Exception):  # noqa: N818 - says what is the case
    """The search was interrupted."""


async def rewrite(search: JudgeSearch) -> None:
    """Adds candidates with other guides and steps to the search, from the best one on."""
    adapter = _Adapter(search, asyncio.get_running_loop(), search.best.candidate)
    rows = list(range(len(search.sample.items)))

    def reflect() -> None:
        optimize(
            seed_candidate=adapter.texts(search.best.candidate.texts),
            trainset=rows,
            valset=rows,
            adapter=cast(Any, adapter),  # a class of its own kind: nothing of gepa's is inherited
            reflection_minibatch_size=min(BATCH, len(rows)),
            stop_callbacks=adapter.is_over,
            logger=_Silent(),
            seed=search.seed,
        )

    thread = asyncio.ensure_future(asyncio.to_thread(reflect))
    try:
        await asyncio.shield(thread)
    finally:
        adapter.stopped.set()
        await asyncio.gather(thread, return_exceptions=True)  # it ends before the caches do


class _Silent:
    def log(self, message: str) -> None: ...


class _Adapter:
    """Between gepa, which runs in a thread, and the search, which runs in the loop."""

    def __init__(
        self, search: JudgeSearch, loop: asyncio.AbstractEventLoop, first: Candidate
    ) -> None:
        self._search, self._loop, self._first = search, loop, first
        self._known: dict[str, Candidate] = {self._key(self.texts(first.texts)): first}
        self._made = self._rounds = 0
        self.stopped = Event()

    def is_over(self, gepa_state: object) -> bool:  # noqa: ARG002 - gepa's signature
        self._rounds += 1
        idle = self._rounds > _IDLE_ROUNDS * self._search.tries
        done = self._made >= self._search.tries or idle
        return self.stopped.is_set() or done or self._search.asker.used_up

    def evaluate(
        self, batch: list[int], candidate: Texts, capture_traces: bool = False
    ) -> EvaluationBatch[int, float]:
        """How near the candidate is to people on these items, 0-1 each."""
        search = self._search
        known = self._known[self._key(candidate)]
        part = search.sample.part(batch)
        verdicts = self._wait(search.asker.judge(search.judge(known.texts), part.items))
        values = part.values(verdicts)
        if batch == list(range(len(search.sample.items))) and not search.asker.used_up:
            search.settle(known, values, len(batch))
        scores = part.closeness(values).tolist()
        self._first_look(known, batch, scores)
        return EvaluationBatch(
            outputs=scores, scores=scores, trajectories=list(batch) if capture_traces else None
        )

    def make_reflective_dataset(
        self,
        candidate: Texts,  # noqa: ARG002 - gepa's signature
        eval_batch: EvaluationBatch[int, float],
        components_to_update: list[str],
    ) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """The items that the writer is shown: those that judge and people differ on come first."""
        scores = zip(eval_batch.trajectories or (), eval_batch.scores, strict=True)
        rows = [{"at": at} for at, _ in sorted(scores, key=lambda pair: pair[1])]
        return dict.fromkeys(components_to_update, rows)

    def propose_new_texts(
        self,
        candidate: Texts,
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> Texts:
        """Asks the writer; where it writes nothing of use, the texts stay as they are."""
        parent = self._known[self._key(candidate)]
        for name in components_to_update:
            batch = [int(row["at"]) for row in reflective_dataset[name]]
            self._made += 1
            made = self._wait(self._search.propose(parent, name, batch))
            if made is None:
                continue
            texts = self.texts(made.texts)
            self._known.setdefault(self._key(texts), made)
            return texts
        return dict(candidate)

    def texts(self, texts: JudgeTexts) -> Texts:
        return {
            name: json.dumps([texts.guides[name], list(texts.steps[name])], ensure_ascii=False)
            for name in self._search.criteria
        }

    def _first_look(self, known: Candidate, batch: Sequence[int], scores: Sequence[float]) -> None:
        """Keeps how a new guide did beside its parent on the items that it was written from."""
        if known.parent is None or len(batch) == len(self._search.sample.items):
            return
        parent = self._search.candidates[known.parent]
        part = self._search.sample.part(batch)
        judging = self._search.asker.judge(self._search.judge(parent.texts), part.items)
        before = float(part.closeness(part.values(self._wait(judging))).mean())
        self._search.compare(known, sum(scores) / len(scores), before, len(batch))

    def _key(self, texts: Texts) -> str:
        return json.dumps(texts, sort_keys=True)

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of work that is done in the loop; _Stopped once the search is over."""
        future: Future[T] = asyncio.run_coroutine_threadsafe(work, self._loop)
        while not self.stopped.is_set():
            with suppress(TimeoutError):
                return future.result(_LOOK_AGAIN)
        future.cancel()
        raise _Stopped
