from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adjudge.datasets.items import SeenIds


def test_a_taken_id_names_the_line_of_the_first():
    ids = SeenIds()
    assert ids.claim("42", 2) is None
    assert ids.claim("43", 3) is None
    assert ids.claim("42", 4) == 2


def test_nothing_is_lost_when_the_table_grows():
    ids = SeenIds()
    assert all(ids.claim(str(number), number) is None for number in range(5000))
    assert all(ids.claim(str(number), 0) == number for number in range(5000))


def test_made_ids_come_from_the_content_alone():
    assert SeenIds().make(b"row", 1) == SeenIds().make(b"row", 9)
    assert len(SeenIds().make(b"row", 1)) == 16


def test_equal_contents_are_numbered():
    ids = SeenIds()
    first = ids.make(b"row", 1)
    ids.claim(f"{first}-3", 2)
    assert [ids.make(b"row", line) for line in (3, 4)] == [f"{first}-2", f"{first}-4"]


@given(st.lists(st.binary(max_size=1), max_size=60))
def test_made_ids_are_unique(contents):
    ids = SeenIds()
    made = [ids.make(content, line) for line, content in enumerate(contents, 1)]
    assert len(set(made)) == len(made)


def named(ids: SeenIds, rows: list[str | bytes]) -> list[str | int | None]:
    """Texts are claimed, and ids made of bytes."""
    return [
        ids.claim(each, line) if isinstance(each, str) else ids.make(each, line)
        for line, each in enumerate(rows, 1)
    ]


MADE = SeenIds().make(b"row", 1)
GIVEN = st.sampled_from(["1", "2", "3", MADE, f"{MADE}-2", f"{MADE}-3"])


@given(st.lists(GIVEN | st.sampled_from([b"row", b"other"]), max_size=30))
def test_who_reads_again_finds_the_same(rows):
    first = SeenIds()
    found = named(first, rows)
    assert named(SeenIds(first.repeated), rows) == found


def test_who_reads_again_remembers_only_what_is_repeated():
    rows = [*map(str, range(5000)), "7"]
    first = SeenIds()
    named(first, rows)
    again = SeenIds(first.repeated)
    assert named(again, rows)[-1] == 8
    assert again._count == 1
