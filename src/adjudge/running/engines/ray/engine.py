"""The driver's side: the data is checked by tasks, its blocks are judged by a pool of workers."""

from __future__ import annotations

import asyncio
import pickle
import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from adjudge.core.item import Item
from adjudge.core.judge import Input
from adjudge.core.reason import Reason
from adjudge.datasets import Data
from adjudge.datasets.files import files_of
from adjudge.datasets.parts import CheckedFile, PartedData, scan_parts
from adjudge.errors import AdjudgeError, UsageError
from adjudge.stores import Cost, Store, open_store, path_of
from adjudge.stores.folders import Folder
from adjudge.stores.parquet_store import open_parquet, rows_per_block
from adjudge.stores.store import PARQUET, is_parquet
from adjudge.stores.verdict_files import VerdictFiles

from ...asking.limits import Host
from ...asking.stop import Draining
from ...batch import left_behind
from ...options import RunOptions
from ...plan import Batch, Planned
from .. import Audience
from . import cluster
from .sharing import ModelBounds, Sharing
from .worker import Job, JudgedBlock, Rows, Worker

_LOOK = 0.25  # seconds between two looks at how far the workers are
_PROCESSOR = 0.05  # of one per worker, which mostly waits for models
_AHEAD = 2  # blocks that a worker has, the one that it judges among them


class RayEngine:
    """The cluster that this process is in."""

    def __init__(self, options: RunOptions, models: Sequence[str]) -> None:
        self._options, self._models = options, tuple(models)

    def scan(
        self,
        data: str | Data,
        judges_inputs: Sequence[Mapping[str, Input]],
        mapping: Mapping[str, str],
        limit: int | None,
        skip_bad: bool,
    ) -> PartedData:
        name = str(data)  # rows in memory were refused before
        files = files_of(name)
        return scan_parts(
            name, files, cluster.spread, judges_inputs, mapping, limit=limit, skip_bad=skip_bad
        )

    def open_store(self, url: str) -> Store:
        if is_parquet(url):
            return open_parquet(url, self.workers)
        if path_of(url) and cluster.machines() > 1:
            raise UsageError(Reason("options.file_on_ray").at_option("store", url))
        return open_store(url)

    @property
    def workers(self) -> int:
        """A model on the machine itself takes all of its processors."""
        if any(name.startswith("embedded") for name in self._models):
            return self._options.workers or cluster.machines()
        return self._options.workers or cluster.processors()

    async def judge(
        self, planned: Planned, store: Store, host: Host, audience: Audience, *, resumed: bool
    ) -> bool:
        """Blocks of a continued run that are done are not even sent to a worker."""
        if not isinstance(planned.data, PartedData):
            raise TypeError("the data was checked by another engine")
        ray = cluster.ray()
        job = self._job(planned.batch, store)
        run = planned.batch.run
        noted = job.files.record() if job.files else None
        rows = noted[1] if noted else rows_per_block(run.rows, job.workers)
        shared = (
            ray.remote(Sharing)
            .options(
                name=f"adjudge-{run.id}-{secrets.token_hex(4)}",
                num_cpus=0,
                resources=cluster.here(),
            )
            .remote(job.bounds, job.workers, job.files, job.variables)
        )
        try:
            if planned.batch.budget and any(gone := Cost(*await shared.left_behind.remote())):
                audience.note(left_behind(gone))
            read = partial(blocks, rows, job.files if resumed else None)
            groups = grouped(planned.data.files, rows)
            judged = _judged(cluster.yielding(read, groups), job, shared)
            used_up = await _Watching(shared, host, audience).judge(judged)
        except ray.exceptions.RayError as error:
            why = str(error).strip().splitlines()[-1]
            raise AdjudgeError(Reason("options.cluster_lost", why=why)) from None
        finally:
            with suppress(ray.exceptions.RayError):
                if job.files:
                    await shared.save.remote()
                ray.kill(shared)
        return used_up

    def _job(self, batch: Batch, store: Store) -> Job:
        bounds = {
            model.name: ModelBounds(
                min(batch.concurrency, model.capabilities.concurrency or batch.concurrency),
                batch.requests_a_minute,
                batch.tokens_a_minute,
            )
            for model in batch.models
        }
        url, files, numbers = self._options.store, None, {}
        if is_parquet(url):
            place = url.removeprefix(PARQUET)
            folder = Folder(place if "://" in place else str(Path(place).absolute()))
            files = VerdictFiles(folder, batch.run.id)
            numbers = {"id": store.id, "secret": store.secret.hex()}
        return Job(
            batch=replace(batch, items=_no_items, models=()),
            models=self._models,
            bounds=bounds,
            options=self._options,
            workers=self.workers,
            files=files,
            numbers=numbers,
            variables=cluster.variables(),
            folder=str(Path.cwd()),
        )


def _judged(rows: Any, job: Job, shared: Any) -> Any:
    """A dataset with what becomes of every block in that of the rows."""
    strategy = cluster.ray().data.ActorPoolStrategy
    return rows.map_batches(
        Worker,
        fn_constructor_args=(job, shared),
        batch_size=1,
        batch_format="pyarrow",
        num_cpus=_PROCESSOR,
        compute=strategy(size=job.workers, max_tasks_in_flight_per_actor=_AHEAD),
    )


class _Watching:
    """Waits for all blocks, and reports meanwhile how far the workers are."""

    def __init__(self, shared: Any, host: Host, audience: Audience) -> None:
        self._shared, self._host, self._audience = shared, host, audience
        self._enough = threading.Event()
        self._failure: BaseException | None = None
        self._used_up = self._left_out = False

    async def judge(self, judged: Any) -> bool:
        waiting = asyncio.create_task(asyncio.to_thread(self._take, judged))
        is_told = False
        while not waiting.done():
            await asyncio.wait([waiting], timeout=_LOOK)
            self._audience.counted(await self._shared.progress.remote())
            if (self._host.stop.asked or self._failure) and not is_told:
                is_told = True
                self._shared.stop.remote()
            if is_told and await self._shared.is_idle.remote():
                self._enough.set()
        await waiting
        self._audience.counted(await self._shared.progress.remote())
        if self._failure:
            raise self._failure
        if self._host.stop.asked or self._left_out:
            raise Draining
        return self._used_up

    def _take(self, judged: Any) -> None:
        for row in judged.iter_rows():
            block: JudgedBlock = pickle.loads(row["content"])  # noqa: S301 - from our own workers
            self._used_up |= block.used_up
            self._failure = self._failure or block.failure
            self._left_out |= not block.complete
            if self._enough.is_set():
                return


def grouped(files: Sequence[CheckedFile], rows: int) -> list[list[CheckedFile]]:
    """Files that are read one behind the other: small ones together, so that blocks are not."""
    groups: list[list[CheckedFile]] = []
    held = rows
    for file in files:
        if held >= rows:
            groups.append([])
            held = 0
        groups[-1].append(file)
        held += len(file.marks)
    return groups


def blocks(
    rows: int, verdicts: VerdictFiles | None, files: Sequence[CheckedFile]
) -> Iterator[Rows]:
    """The rows of the files, cut at the same places every time; those that are done are left out.

    A row that is not what was checked ends them with a DataError, before its block is given out.
    """
    first, items = files[0].first, list[Item]()
    for file in files:
        for position, item in file.items():
            if len(items) == rows:
                yield from _wanted(Rows(first, items), verdicts)
                first, items = position, []
            items.append(item)
    if items:
        yield from _wanted(Rows(first, items), verdicts)


def _wanted(block: Rows, verdicts: VerdictFiles | None) -> Iterator[Rows]:
    if verdicts is None or not verdicts.is_done(block.first):
        yield block


def _no_items() -> Iterator[Item]:
    return iter(())
