from __future__ import annotations

import pytest

from adjudge.service.pages.rendering import preferred_language


@pytest.mark.parametrize(
    ("cookie", "header", "language"),
    [
        (None, "", "en"),
        (None, "ko-KR,ko;q=0.9,en;q=0.8", "ko"),
        (None, "fr, vi;q=0.4, en;q=0.3", "vi"),
        ("vi", "ko", "vi"),
        ("xx", "ko", "ko"),
        (None, "ko;q=high, de", "en"),
    ],
)
def test_the_language_that_the_reader_wants(cookie: str | None, header: str, language: str) -> None:
    assert preferred_language(cookie, header) == language
