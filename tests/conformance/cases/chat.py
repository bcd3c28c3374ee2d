"""What the cases of the chat completions servers share. No provider has this name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.conformance.case import Body


def text_of(body: Body) -> str:
    text: str = body["messages"][-1]["content"]
    return text


def schema_of(body: Body) -> Mapping[str, Any] | None:
    schema: Mapping[str, Any] | None = body["response_format"]["json_schema"]["schema"]
    return schema


def misnamed(body: Body) -> Body:
    return {**body, "messages": [{"role": "model", "content": "x"}]}
