"""What a job is to do, made ready as `adjudge run` does it, with the names that users know."""

from __future__ import annotations

import re
from collections.abc import Container
from contextlib import suppress

from adjudge.errors import DataError, DefinitionError, UnknownName, UsageError
from adjudge.running.options import RunOptions
from adjudge.running.plan import Planned, load_judges, plan_run
from adjudge.service.offered import OfferedJudges
from adjudge.service.options import ServeOptions

from .definitions import SHOWN
from .desk import Desk
from .spec import JobSpec
from .uploads import Uploads

_KEPT_JUDGE = re.compile(r"[0-9a-f]{64}\.yaml")


class JobPlans:
    """`where` is the store's place, which messages do not tell."""

    def __init__(
        self,
        options: ServeOptions,
        judges: OfferedJudges,
        desk: Desk,
        uploads: Uploads,
        where: str,
    ) -> None:
        self._options, self._judges, self._desk = options, judges, desk
        self._uploads, self._where = uploads, where

    def plan(self, spec: JobSpec) -> Planned:
        """Raises what `adjudge run` would say before anything is spent."""
        options = self.run_options(spec)
        models = [self._desk.open(name) for name in spec.models]
        try:
            return plan_run(
                self.data(spec), load_judges(self.judges(spec), options), models, options
            )
        except (DataError, DefinitionError, UsageError) as error:
            raise type(error)(self.told(str(error), spec)) from None

    def data(self, spec: JobSpec) -> str:
        return str(self._uploads.path(spec.data))

    def judges(self, spec: JobSpec) -> list[str]:
        """Their files; UnknownName for one that is not offered."""
        return [self._source(name) for name in spec.judges]

    def run_options(self, spec: JobSpec) -> RunOptions:
        served = self._options
        return RunOptions(
            **spec.options,
            base_url=served.base_url,
            timeout=served.timeout,
            concurrency=served.concurrency,
            store=served.store,
            data_title=spec.title,
        )

    def forget(self, spec: JobSpec, needed: Container[str]) -> None:
        """The data of a run that keeps no texts are gone with its end, unless others need them."""
        if spec.options.get("keep_texts") is False and spec.data not in needed:
            self._uploads.path(spec.data).unlink(missing_ok=True)

    def told(self, message: str, spec: JobSpec) -> str:
        """Where we keep something, and under which name, means nothing to whoever sent it."""
        for name in spec.judges:
            shown = SHOWN if _KEPT_JUDGE.fullmatch(name) else name
            with suppress(UnknownName):  # not offered any more
                message = message.replace(self._source(name), shown)
        message = self._uploads.told(message, spec.data, spec.title)
        return message.replace(self._where, "the store")

    def _source(self, name: str) -> str:
        # Nothing that a request names leads out of the folder: a kept judge is named by its hash.
        if _KEPT_JUDGE.fullmatch(name):
            return str(self._uploads.path(name))
        return self._judges.source(name)
