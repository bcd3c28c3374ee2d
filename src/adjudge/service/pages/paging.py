"""A long list page by page, as the address asks for it: `page=2`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from starlette.requests import Request

T = TypeVar("T")
_DIGITS = 10  # enough to be beyond any list; Python refuses to read thousands


@dataclass(frozen=True, slots=True)
class Paged(Generic[T]):
    """`shown` is the page `number`, from 1 to `pages`; a list without entries has one page."""

    shown: Sequence[T]
    number: int
    pages: int
    total: int


def paged(request: Request, every: Sequence[T], size: int) -> Paged[T]:
    """The page that the address names; the last where it is beyond it, the first where it is no
    number: a list has shrunk, or somebody mistyped."""
    pages = max(1, -(-len(every) // size))
    number = min(max(1, _number(request.query_params.get("page", ""))), pages)
    return Paged(every[(number - 1) * size : number * size], number, pages, len(every))


def _number(text: str) -> int:
    return int(text[:_DIGITS]) if text.isascii() and text.isdigit() else 1
