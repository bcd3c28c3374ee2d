from __future__ import annotations

import pytest

from adjudge.service.options import ServeOptions


@pytest.mark.parametrize(("body", "unpacked"), [(1, 10**8), (32_000_000, 320_000_000)])
def test_unpacked_data_may_be_larger_than_a_body(body: int, unpacked: int) -> None:
    assert ServeOptions(body=body).unpacked == unpacked
