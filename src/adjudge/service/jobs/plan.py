"""What a job is to do, in a form that outlives the process, planned as `adjudge run` does it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from adjudge.core.reason import Reason, reason_of
from adjudge.errors import AdjudgeError, DataError, DefinitionError, UnknownName, UsageError
from adjudge.models import Model
from adjudge.running import (
    Forecast,
    LoadedJudge,
    Planned,
    RunOptions,
    about_data,
    forecast_run,
    load_judges,
    plan_run,
)
from adjudge.service.judging import INLINE_NAME, JudgingService
from adjudge.stores import KeptJob
from adjudge.strings import Strings

from .uploads import Uploads

_KEPT_JUDGE = re.compile(r"[0-9a-f]{64}\.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """`data` is the name that `Uploads.keep` gave, `title` what people call it. `judges` are names
    of offered judges, or names that `Uploads.keep_judge` gave. `options` are fields of RunOptions,
    made of what JSON can hold. `taken_up` is how often the job was begun again since the run had
    `verdicts` verdicts. `notes` are what `adjudge run` would say about the data at its start:
    Reasons as JSON has them."""

    data: str
    title: str
    judges: tuple[str, ...]
    models: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    taken_up: int = 0
    verdicts: int = 0
    notes: tuple[object, ...] = ()

    @property
    def keeps_data(self) -> bool:
        """Whether its data may stay after its end, for whoever resumes it."""
        kept = self.options.get("keep", "all")  # `keep_texts` is its earlier name
        return kept == "all" and self.options.get("keep_texts") is not False

    def told(self, say: Strings) -> list[str]:
        """The notes in the reader's language."""
        return [say.reason(Reason.of(note)) for note in self.notes]

    def restarted(self, verdicts: int) -> JobSpec:
        """The same, with one more beginning; the first where the run has got on since."""
        times = self.taken_up + 1 if verdicts <= self.verdicts else 1
        return replace(self, taken_up=times, verdicts=verdicts)

    @classmethod
    def of(cls, job: KeptJob) -> JobSpec:
        """As it was kept with the job, by `asdict`."""
        lists = {name: tuple(job.spec.get(name, ())) for name in ("judges", "models", "notes")}
        return cls(**{**job.spec, **lists})


class JobPlanner:
    """`where` is the store's place, which messages do not show."""

    def __init__(self, judging: JudgingService, uploads: Uploads, where: str) -> None:
        self._judging, self._uploads, self._where = judging, uploads, where

    def plan(self, spec: JobSpec) -> Planned:
        """Raises what `adjudge run` would say before anything is spent."""
        with self._asked(spec) as (data, judges, models, options):
            return plan_run(data, judges, models, options)

    def forecast(self, spec: JobSpec) -> Forecast:
        """The same without starting anything."""
        with self._asked(spec) as (data, judges, models, options):
            return asyncio.run(forecast_run(data, judges, models, options))

    @contextmanager
    def _asked(
        self, spec: JobSpec
    ) -> Iterator[tuple[str, tuple[LoadedJudge, ...], list[Model], RunOptions]]:
        """What a job asks; errors name things as the user does."""
        try:
            data, judges, options = self.inputs(spec)
            yield data, judges, [self._judging.open(name) for name in spec.models], options
        except (DataError, DefinitionError, UsageError) as error:
            raise type(error)(self.in_user_names(error, spec)) from None

    def inputs(self, spec: JobSpec) -> tuple[str, tuple[LoadedJudge, ...], RunOptions]:
        """The data, the judges and the options; UnknownName for a judge that is not offered."""
        options = self._judging.options.for_runs(**spec.options, data_title=spec.title)
        sources = [self._source(name) for name in spec.judges]
        return str(self._uploads.path(spec.data)), load_judges(sources, options), options

    def forget(self, spec: JobSpec, needed: Container[str]) -> None:
        """The data of a run that keeps no texts are gone with its end, unless others need them."""
        if not spec.keeps_data and spec.data not in needed:
            self._uploads.remove([spec.data])

    def notes_on(self, planned: Planned, spec: JobSpec) -> tuple[object, ...]:
        said = about_data(planned.data, planned.batch.judges)
        named = (reason.with_texts(lambda text: self._in_user_names(text, spec)) for reason in said)
        return tuple(orjson.loads(orjson.dumps(reason)) for reason in named)

    def in_user_names(self, error: AdjudgeError, spec: JobSpec) -> Reason:
        """Where we keep something, and under which name, means nothing to whoever sent it."""
        return reason_of(error).with_texts(lambda text: self._in_user_names(text, spec))

    def _in_user_names(self, message: str, spec: JobSpec) -> str:
        for name in spec.judges:
            shown = INLINE_NAME if _KEPT_JUDGE.fullmatch(name) else name
            with suppress(UnknownName):  # not offered any more
                message = message.replace(self._source(name), shown)
        message = self._uploads.in_user_names(message, spec.data, spec.title)
        return message.replace(self._where, "the store")

    def _source(self, name: str) -> str:
        # Nothing that a request names leads out of the folder: a kept judge is named by its hash.
        if _KEPT_JUDGE.fullmatch(name):
            return str(self._uploads.path(name))
        return self._judging.judges.source(name)
