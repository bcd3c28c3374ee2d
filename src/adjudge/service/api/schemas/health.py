"""Whether the service is there."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field


class Health(BaseModel):
    status: Literal["ok"] = Field(description="ok where the store can be read.")
    version: str = Field(description="Of adjudge.")
