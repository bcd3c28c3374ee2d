"""Rows in fewer bytes, and rows from before there was packing."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.errors import StoreError
from adjudge.stores import packing
from adjudge.stores.packing import pack, pack_figures, unpack, unpack_figures

DIGEST = "30dbe7b532879cdffc56889038f1f28d7d613dd8b9a0eba097020624b204ce9e"
ROW = b'{"outcome":"scored","scores":{"rating":{"outcome":"scored","value":4,"raw":4}}}'


def test_the_dictionary_is_a_part_of_the_format() -> None:
    """Stores are packed with it: a change needs another mark beside this one."""
    assert sha256(packing._DICTIONARY).hexdigest() == DIGEST


def test_a_short_row_shrinks() -> None:
    assert len(pack(ROW)) < len(ROW) / 2
    assert unpack(pack(ROW)) == ROW


def test_what_would_not_shrink_stays_json() -> None:
    assert pack(b"{}") == b"{}"


@pytest.mark.parametrize("row", [ROW, b"[1]", b'"text"', b"{}"])
def test_a_row_from_before_is_read_as_it_is(row: bytes) -> None:
    assert unpack(row) == row


@given(st.text().map(lambda text: b'{"text":"%b"}' % text.encode(errors="replace")))
def test_any_row_comes_back(row: bytes) -> None:
    assert unpack(pack(row)) == row


@given(st.binary(), st.integers(2, 2**32 - 1))
def test_a_block_of_figures_comes_back_packed_or_not(figures: bytes, head: int) -> None:
    """Its head is two bytes long at the least."""
    block = head.to_bytes(4, "little") + figures
    assert unpack_figures(pack_figures(block)) == block
    assert unpack_figures(block) == block


@pytest.mark.parametrize("damaged", [pack(ROW)[:-3], b"\x01\xff\xff\xff", b"\x01"])
def test_a_damaged_row_is_an_error(damaged: bytes) -> None:
    with pytest.raises(StoreError, match="damaged"):
        unpack(damaged)
