"""What bodies of requests have in common."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from .sizes import few_fields


class Sent(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")


class Body(Sent):
    @model_validator(mode="before")
    @classmethod
    def _few(cls, sent: Any) -> Any:
        return few_fields(sent)
