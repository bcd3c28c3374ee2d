"""What went wrong, in the form of RFC 9457."""

from __future__ import annotations

from pydantic import BaseModel, Field

from adjudge.service.api.problem_kinds import Kind


class ProblemError(BaseModel):
    detail: str = Field(description="What is wrong there.")
    pointer: str | None = Field(None, description="Place in the body (RFC 6901).")
    line: int | None = Field(None, description="Line of the data or of the judge.")
    where: str | None = Field(None, description="The part of the request: body, query or path.")


class Problem(BaseModel):
    """What went wrong (RFC 9457)."""

    type: str = Field(
        description="Names the kind of problem.",
        json_schema_extra={"enum": [kind.urn for kind in Kind]},
    )
    title: str = Field(description="The status in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What went wrong, and what to do about it.")
    instance: str = Field(description="The path that was asked for.")
    request_id: str = Field(description="Stands in the log too.")
    errors: list[ProblemError] = Field(
        [], description="The places, where there are several or one is known; the first 20."
    )
    errors_left_out: int = Field(0, description="How many more there are, where that is known.")
