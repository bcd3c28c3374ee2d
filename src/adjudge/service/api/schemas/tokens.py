"""Who may use the service."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from adjudge.service.security.token_keeping import LONGEST_NAME, MOST_A_MINUTE
from adjudge.stores.records import Scope

from .sent import Body

_TOKEN: dict[str, Any] = {"name": "nightly", "scope": "judge", "rate": 600}


class TokenRequest(Body):
    """A token to be made."""

    model_config = ConfigDict(json_schema_extra={"examples": [_TOKEN]})

    name: str = Field(
        min_length=1, max_length=LONGEST_NAME, description="Whom or what it is for, on one line."
    )
    scope: Scope = Field("judge", description="read looks, judge also judges, admin does all.")
    rate: int | None = Field(
        None,
        ge=1,
        le=MOST_A_MINUTE,
        description="Requests a minute; what the service allows everybody where none is given.",
    )


class TokenTold(BaseModel):
    id: str = Field(description="Names the token; the part between adj_ and the next _.")
    name: str = Field(description="Whom or what it is for.")
    scope: Scope = Field(description="What it may do.")
    rate: int | None = Field(description="Requests a minute; null for what everybody may.")
    created: str = Field(description="ISO 8601, UTC.")
    revoked: str | None = Field(description="ISO 8601, UTC; null while it is valid.")


class TokenMade(TokenTold):
    token: str = Field(description="The token itself. It is told this once: only its hash is kept.")


class TokensTold(BaseModel):
    tokens: list[TokenTold] = Field(description="Revoked ones too, the oldest first.")
