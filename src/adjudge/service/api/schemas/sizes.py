"""Limits that are looked at before a body is checked field by field: every fault in it would
become an error of its own, and there may be hundreds of thousands."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, FailFast, Field
from pydantic_core import PydanticCustomError

FIELDS = 100  # of an object with fields that we name
TAGS, TAG = 50, 200  # the most; characters of a key or a value
NAME = 1_000  # characters of an item's id, a criterion, a run


def few_fields(value: Any) -> Any:
    """For an object; PydanticCustomError where it has far more fields than there are names."""
    if isinstance(value, dict) and len(value) > FIELDS:
        raise PydanticCustomError("too_many", f"it has more than {FIELDS} fields")
    return value


def all_of_few_fields(value: Any) -> Any:
    """The same for each object in a list."""
    if isinstance(value, list):
        for each in value:
            few_fields(each)
    return value


def _few_tags(value: Any) -> Any:
    if isinstance(value, dict) and len(value) > TAGS:
        raise PydanticCustomError("too_many", f"there are more than {TAGS} tags")
    return value


_Tag = Annotated[str, Field(max_length=TAG)]
# `max_length` is for the description: by itself it would come after every tag has been checked.
Tags = Annotated[dict[_Tag, _Tag], Field(max_length=TAGS), BeforeValidator(_few_tags)]
Map = Annotated[dict[str, str], BeforeValidator(few_fields)]
Rows = Annotated[list[dict[str, Any]], FailFast()]
Name = Annotated[str, Field(max_length=NAME)]
