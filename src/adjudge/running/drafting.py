"""Drafts: a model is shown some of the data, and proposes what it should be judged by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adjudge.core.item import Item
from adjudge.core.judge import Input
from adjudge.core.prompt import Prompt
from adjudge.core.reason import Reason
from adjudge.datasets import DataLike, scan
from adjudge.errors import UsageError
from adjudge.judges import draft
from adjudge.models import Model
from adjudge.reading.json import find_objects

from .asking.budget import Ledger
from .asking.client import ModelClient
from .one import gather
from .options import RunOptions
from .single_item import limits_of

_INPUTS = {
    name: Input(name=name, title=name.capitalize(), required=name == "question", judged=judged)
    for name, judged in (
        ("question", False),
        ("context", False),
        ("reference", False),
        ("answer", True),
    )
}
_SECRET = b"draft"  # nothing is kept that the mark could give away


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The judge file, and for checklists per item the rows of the data with their lists.

    `without` are the items for which the model proposed no list.
    """

    judge: str
    rows: tuple[Mapping[str, object], ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftOptions:
    name: str
    language: str = "en"
    per_item: bool = False
    limit: int | None = None


async def drafted_judge(
    data: DataLike, model: Model, wanted: DraftOptions, options: RunOptions
) -> Draft:
    """UsageError where the model proposes nothing that can be used."""
    limit = wanted.limit if wanted.limit or wanted.per_item else 8
    dataset = scan(data, [_INPUTS], options.map, limit, options.skip_bad_rows)
    items = list(dataset.items())
    client = ModelClient(model, options.sampling, limits_of(model, options.concurrency), Ledger())
    if not wanted.per_item:
        asked = draft.rubric_prompt([i.fields for i in items], wanted.language, _SECRET)
        raw = await _proposed(client, asked)
        return Draft(judge=draft.rubric_file(wanted.name, wanted.language, model.name, raw or {}))
    asked_each = [draft.list_prompt(item.fields, wanted.language, _SECRET) for item in items]
    proposals = await gather(_proposed(client, prompt) for prompt in asked_each)
    lists = [draft.questions_of(raw or {}) for raw in proposals]
    if not any(lists):
        raise UsageError(Reason("draft.no_lists", model=model.name))
    return Draft(
        judge=draft.list_file(wanted.name, wanted.language, model.name),
        rows=tuple(_rows(items, lists, model.name)),
        without=tuple(item.id for item, some in zip(items, lists, strict=True) if not some),
    )


def _rows(
    items: Sequence[Item], lists: Sequence[list[dict[str, Any]]], model: str
) -> Iterator[dict[str, object]]:
    for item, questions in zip(items, lists, strict=True):
        if questions:
            drafted = {draft.LIST_COLUMN: questions, "drafted_by": model}
            yield {"id": item.id, **item.fields, **item.extra, **drafted}


async def _proposed(client: ModelClient, prompt: Prompt) -> Mapping[str, Any] | None:
    """The object in the model's reply; None where there is none."""
    reply, _ = await client.ask(prompt, "")
    objects = find_objects(reply.text, repair=True)
    return objects[0].obj if objects else None
