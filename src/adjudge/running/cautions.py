"""What a run will lack, said before anything is spent."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import orjson

from adjudge.core.item import stand_in
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.datasets import CheckedData
from adjudge.datasets.encodings import spoken
from adjudge.judges.sentences import known
from adjudge.models import Capabilities, FunctionModel, Model
from adjudge.models.replay import ReplayModel
from adjudge.stores import Store, TextCursor

from .options import RunOptions
from .plan import Batch
from .weighing import SAMPLES


def cautions(batch: Batch, options: RunOptions) -> list[Reason]:
    """What a model is known to lack and this run asks for, and rubrics that nobody has read."""
    drafts = [
        Reason("draft.told", judge=judge.name, model=judge.drafted)
        for judge in batch.judges
        if judge.drafted
    ]
    return drafts + [line for model in batch.models for line in _about(model, batch, options)]


def about_data(data: CheckedData, judges: Sequence[Judge]) -> list[Reason]:
    """Of each file that is not UTF-8: what it is read in; of each input that steers a judge: what
    feeds it, or what was not let."""
    coded = [
        Reason("caution.encoding", file=file, encoding=spoken(encoding))
        for file, encoding in data.encodings.items()
    ]
    names = {name for judge in judges for name, spec in judge.inputs.items() if spec.steers}
    said = [
        Reason("caution.steered", name=name, column=str(data.columns.fields[name]))
        for name in sorted(names & data.columns.fields.keys())
    ]
    for name, rows in data.set_aside.items():
        column = data.columns.set_aside[name]
        flag = shlex.quote(f"{name}={column}")
        said.append(Reason("caution.set_aside", column=column, n=rows, name=name, flag=flag))
    return [*coded, *said]


def about_replays(batch: Batch, store: Store) -> list[Reason]:
    """Of replies that are found by item id: whether the texts behind them have changed since they
    were written down, or else since the latest run that used the same file."""
    models = [model for model in batch.models if isinstance(model, ReplayModel)]
    said = [_about_replay(model, batch, store) for model in models]
    return [reason for reason in said if reason]


def _about_replay(model: ReplayModel, batch: Batch, store: Store) -> Reason | None:
    if model.has_texts:
        changed = _changed_items(batch, model.texts_of)
        return Reason("replay.changed", model=model.name, **_told(changed)) if changed else None
    known = False
    for record in store.runs.all():  # the latest first
        answered = record.manifest.settings.get("answered_by")
        if not isinstance(answered, list) or model.identity not in answered:
            continue
        known = True
        if record.id == batch.run.id:
            continue
        if record.manifest.data_hash == batch.run.manifest.data_hash:
            return None
        before = defaultdict(dict, _texts_in(store, record.id))
        changed = _changed_items(batch, before.__getitem__, store.secret)
        since = {"run": record.id, "model": model.name, **_told(changed)}
        return Reason("replay.changed_since", **since) if changed else None
    return None if known else Reason("replay.by_id", model=model.name)


def _told(items: Sequence[str]) -> dict[str, str | int]:
    shown = ", ".join(map(repr, items[:3])) + (", …" if items[3:] else "")
    return {"count": len(items), "items": shown}


def _texts_in(store: Store, run_id: str) -> dict[str, dict[str, str]]:
    texts: dict[str, dict[str, str]] = {}
    for upto, rows in store.verdicts.texts(run_id, TextCursor()):
        if upto.table != "items":
            break
        texts |= {item: orjson.loads(content)["fields"] for _, item, content in rows}
    return texts


def _changed_items(
    batch: Batch, before: Callable[[str], Mapping[str, str]], secret: bytes = b""
) -> list[str]:
    """The ids of the items that have another text now in an input that both know."""
    return [
        item.id
        for item in batch.items()
        if any(
            stand_in(text, secret) != stand_in(item.fields[name], secret)
            for name, text in before(item.id).items()
            if name in item.fields
        )
    ]


def reservations(batch: Batch) -> list[Reason]:
    """Why a forecast may be too high or too low; nothing where it is as it says."""
    said = []
    if batch.cascade:
        said.append(Reason("caution.most_cascade"))
    if batch.stop_when_stable:
        said.append(Reason("caution.most_stable"))
    if batch.samples and not all(always_sampled(model, batch) for model in batch.models):
        said.append(Reason("caution.samples", samples=SAMPLES))
    return said


def always_sampled(model: Model, batch: Batch) -> bool:
    """Whether it is known in advance that samples stand in for every probability."""
    asked_for = batch.sampling.top_logprobs > 0
    return batch.samples and not (asked_for and model.capabilities.logprobs)


def _about(model: Model, batch: Batch, options: RunOptions) -> Iterator[Reason]:
    can, name = model.capabilities, model.name
    if isinstance(model, FunctionModel):
        yield Reason("caution.function", model=name)
        if not model.named:
            yield Reason("caution.unnamed", model=name)
    judges = ", ".join(judge.name for judge in batch.judges if judge.reply == "json")
    if judges and can.converses and not can.json_schema:
        yield Reason("caution.no_schema", model=name, judges=judges)
    if can.profile.bind_language:
        for judge in batch.judges:
            language = judge.explain_in
            if judge.reply == "json" and not judge.verbatim and not known(language):
                yield Reason("caution.language", model=name, language=language, judge=judge.name)
    if batch.samples and options.wants_logprobs and not can.logprobs:
        yield Reason("caution.sampled", model=name, samples=SAMPLES, calls=SAMPLES + 1)
    if options.seed is not None and not can.seed:
        yield Reason("caution.no_seed", model=name)


def lost(model: str, before: Capabilities, now: Capabilities) -> Reason | None:
    """What the server turned out to refuse; None if that does not matter."""
    if before.json_schema and not now.json_schema:
        return Reason("caution.schema_refused", model=model)
    if before.logprobs and not now.logprobs:
        return Reason("caution.no_probabilities", model=model)
    return None
