"""Long lists, page by page."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from adjudge.service.pages.rendering import paged


def _asks(page: str) -> Request:
    return Request({"type": "http", "query_string": f"page={page}".encode(), "headers": []})


@pytest.mark.parametrize(
    ("page", "number", "shown"),
    [
        ("", 1, [0, 1, 2]),
        ("2", 2, [3, 4, 5]),
        ("3", 3, [6]),
        ("4", 3, [6]),
        ("9" * 5000, 3, [6]),  # Python refuses to read so many digits
        ("0", 1, [0, 1, 2]),
        ("-1", 1, [0, 1, 2]),
        ("two", 1, [0, 1, 2]),
        ("%C2%B2", 1, [0, 1, 2]),
    ],
)
def test_the_page_that_an_address_names(page: str, number: int, shown: list[int]) -> None:
    found = paged(_asks(page), range(7), 3)
    assert (found.number, found.pages, found.total) == (number, 3, 7)
    assert list(found.shown) == shown


def test_a_list_without_entries() -> None:
    found = paged(_asks("5"), [], 3)
    assert (found.number, found.pages, list(found.shown)) == (1, 1, [])
