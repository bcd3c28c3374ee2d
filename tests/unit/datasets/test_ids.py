from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.datasets.ids import Ids


def test_a_taken_id_names_the_line_of_the_first():
    ids = Ids()
    assert ids.claim("42", 2) is None
    assert ids.claim("43", 3) is None
    assert ids.claim("42", 4) == 2


def test_nothing_is_lost_when_the_table_grows():
    ids = Ids()
    assert all(ids.claim(str(number), number) is None for number in range(5000))
    assert all(ids.claim(str(number), 0) == number for number in range(5000))


def test_made_ids_come_from_the_content_alone():
    assert Ids().make(b"row", 1) == Ids().make(b"row", 9)
    assert len(Ids().make(b"row", 1)) == 16


def test_equal_contents_are_numbered():
    ids = Ids()
    first = ids.make(b"row", 1)
    ids.claim(f"{first}-3", 2)
    assert [ids.make(b"row", line) for line in (3, 4)] == [f"{first}-2", f"{first}-4"]


@given(st.lists(st.binary(max_size=1), max_size=60))
def test_made_ids_are_unique(contents):
    ids = Ids()
    made = [ids.make(content, line) for line, content in enumerate(contents, 1)]
    assert len(set(made)) == len(made)
