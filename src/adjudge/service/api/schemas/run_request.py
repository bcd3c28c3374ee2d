"""Many items to be judged."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import ConfigDict, Field

from .asking import ITEM, Asking, Definition
from .sizes import Rows, Tags

Number = Annotated[int, Field(ge=1, le=1_000_000_000)]

_MANY: dict[str, Any] = {"judges": ["helpfulness"], "rows": [{"id": "a", **ITEM}], "limit": 100}


class RunRequest(Asking):
    """Many items, judged one after the other; the answer comes before the first of them."""

    judges: list[str | Definition] = Field(
        min_length=1, max_length=20, description="Names of offered judges, or definitions."
    )
    models: list[str] | None = Field(
        None,
        min_length=1,
        max_length=20,
        description="Offered models; the first where none is named.",
    )
    title: str | None = Field(None, max_length=200, description="What the data are called.")
    limit: Number | None = Field(None, description="The first rows only.")
    repeat: int | None = Field(None, ge=1, le=100, description="Samples an item.")
    stop_when_stable: bool | None = Field(
        None, description="With repeat: take no sample that cannot change the result."
    )
    rpm: Number | None = Field(None, description="Most requests a minute to one model.")
    tpm: Number | None = Field(None, description="Most tokens a minute to one model.")
    budget: str | None = Field(
        None,
        max_length=40,
        examples=["5usd", "2Mtok"],
        description="The most that the run may spend.",
    )
    price: str | None = Field(
        None,
        max_length=80,
        examples=["in=0.15,out=0.6"],
        description="US dollars a million tokens, where the price is not known.",
    )
    no_cache: bool | None = Field(None, description="Use no replies that other runs paid for.")
    skip_bad_rows: bool | None = Field(None, description="Go on without rows that cannot be used.")
    keep_texts: bool | None = Field(
        None, description="false keeps scores and hashes of texts, but no text, in the store."
    )
    tags: Tags | None = Field(None, description="Notes on the run, by name.")

    def options(self) -> dict[str, Any]:
        left_out = {"judges", "models", "title", "rows"}
        return self.model_dump(exclude_none=True, exclude=left_out)


class RowsRequest(RunRequest):
    """A run whose rows come along in the request."""

    model_config = ConfigDict(json_schema_extra={"examples": [_MANY]})

    rows: Rows = Field(
        min_length=1, description="One object an item: its inputs, or columns that feed them."
    )
