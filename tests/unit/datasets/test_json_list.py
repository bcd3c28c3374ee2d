from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.datasets import bounds, json_list
from adjudge.datasets.base import BadRow, Source
from adjudge.errors import DataError

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=4), values, max_size=4)


def read(path, part=None):
    return list(json_list.read(Source(path, part)))


def test_a_list_of_objects_gives_numbered_rows(write):
    path = write("a.json", '\ufeff [ {"q": "질문"},\n\n{"q": [1, {"a": null}]} ]\n')
    assert read(path) == [(1, {"q": "질문"}), (2, {"q": [1, {"a": None}]})]


def test_the_only_list_of_objects_in_an_object_is_found_wherever_it_stands(write):
    before = '"version": 2, "tags": ["a"], "none": [], "meta": {"rows": [{"x": 1}]}'
    text = f'{{{before}, "data": [{{"q": 1}}], "n": 1}}'
    assert read(write("a.json", text)) == [(1, {"q": 1})]


def test_of_several_lists_one_must_be_chosen(write):
    path = write("a.json", '{"train": [{"q": 1}], "te#st": [{"q": 2}]}')
    with pytest.raises(DataError, match=r"below 'train', 'te#st'; choose one: '.*a\.json#train'"):
        read(path)
    assert read(path, "te#st") == [(1, {"q": 2})]
    with pytest.raises(DataError, match="choose one"):
        read(path, "absent")
    with pytest.raises(DataError, match="the file is a list; leave out '#x'"):
        read(write("b.json", "[]"), "x")


def test_one_object_a_line_is_read_as_such(write):
    path = write("a.json", '{"q": 1}\n\n{"q": 2}\nbroken\n')
    good, also, bad = read(path)
    assert (good, also) == ((1, {"q": 1}), (2, {"q": 2}))
    assert isinstance(bad, BadRow)
    assert bad.line == 3


def test_a_bad_entry_is_a_value_and_reading_goes_on(write):
    content = b'[{"q": Infinity}, 5, {"q": "Gr\xfc\xdfe"}, {"q": "\\ud800"}, {"q": 1}]'
    *bad, good = read(write("a.json", content))
    assert good == (5, {"q": 1})
    assert [row.line for row in bad] == [1, 2, 3, 4]
    assert "broken JSON" in str(bad[0].why)
    assert "is a number, not an object" in str(bad[1].why)
    assert "byte 0xFC" in str(bad[2].why)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[\n{"q": 1},\n', "line 3: ends too early; is it cut off"),
        ('[\n{"q": "1', "line 2: ends too early"),
        ('[\n{"q": 1} {"q": 2}]', r"line 2: broken JSON \(expected ','\)"),
        ('[\n{"q" 1}]' + " " * 99, r"line 2: broken JSON \(Expecting ':' delimiter\)"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"q": 1}]\n[{"q": 2}]', r"'\[' follows the list"),
        ('{"q": "x", "a": [1]}', r"no list of objects.*orient='records'"),
        ('{"q": {"0": "x"}}', "no list of objects"),
        ('{1: [{"q": 1}]}', "expected a key"),
        (
            '{"a": [{"q": 1}]} {"a": [{"q": 2}]}',
            "more follows the first object; one object per line",
        ),
        ('"text"', r"begins with '\"'"),
        ("", "the file is empty"),
    ],
)
def test_a_file_wrong_as_a_whole_is_an_error(write, text, words):
    with pytest.raises(DataError, match=words):
        read(write("a.json", text))


def test_a_value_without_end_is_an_error_before_memory_is_full(write, monkeypatch):
    monkeypatch.setattr(json_list, "_CHUNK", 64)
    monkeypatch.setattr(bounds, "ROW", 200)
    with pytest.raises(DataError, match="one value of more than 200 characters"):
        read(write("a.json", '[{"q": "' + "x" * 2000))


def test_no_more_is_read_than_is_needed(write, monkeypatch):
    monkeypatch.setattr(json_list, "_CHUNK", 64)
    rows = json_list.read(Source(write("a.json", '[{"q": 1}, ' + " " * 1000 + "broken")))
    assert next(rows) == (1, {"q": 1})
    rows.close()


@given(
    rows=st.lists(objects, max_size=5), indent=st.sampled_from([None, 1]), chunk=st.integers(1, 40)
)
def test_what_the_json_module_writes_is_read_back_however_it_is_cut(
    tmp_path_factory, rows, indent, chunk
):
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_text(json.dumps(rows, indent=indent), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_list, "_CHUNK", chunk)
        assert read(path) == list(enumerate(rows, 1))
