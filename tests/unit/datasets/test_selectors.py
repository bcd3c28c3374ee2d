from __future__ import annotations

import pytest

from adjudge.core.judge import Input
from adjudge.datasets.columns import ColumnMapping
from adjudge.datasets.rows import scan
from adjudge.errors import DataError, UsageError

ROW = {
    "input": {"question": "Why?", "0": "zero", "list": [["a", "b"], {"x": None}]},
    "choices": [{"message": {"content": "first"}}, {"message": {"content": "last"}}],
    "a.b": {"c": "dotted"},
    "a": {"b": {"c": "nested"}, "d": "D"},
    "Text As JSON": '{"k": [1, 2]}',
    "plain": "no {json}",
}
ANSWER = {"answer": Input(name="answer", title="A", judged=True)}


def select(path: str, row: dict[str, object] = ROW) -> object:
    return ColumnMapping.plan(list(row), ANSWER, {"answer": path}).fields["answer"].of(row)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("plain", "no {json}"),
        ("input.question", "Why?"),
        ("INPUT.question", "Why?"),
        ("input.0", "zero"),
        ("input[0]", "zero"),
        ("choices.0.message.content", "first"),
        ("choices[0].message.content", "first"),
        ("choices[-1].message.content", "last"),
        ("choices.-1.message.content", "last"),
        ("choices[:-1]", [{"message": {"content": "first"}}]),
        ("choices[1:]", [{"message": {"content": "last"}}]),
        ("input.list[0][1]", "b"),
        ("a.b", {"c": "dotted"}),
        ("a.b.c", "dotted"),
        ("a.d", "D"),
        ("text_as_json.k[1]", 2),
        ("input.absent", None),
        ("input.list[1].x", None),
        ("choices[2]", None),
        ("choices[-3]", None),
        ("choices[2:]", None),
        ("choices.message", None),
        ("input.question.deeper", None),
        ("input[0:1]", None),
        ("plain.deeper", None),
    ],
)
def test_a_path_finds_its_value_or_none(path, value):
    assert select(path) == value


@pytest.mark.parametrize("path", ["absent.x", "inputs[0]", "input..x", "choices[a]", "choices[1"])
def test_a_path_into_no_column_is_wrong_usage(path):
    with pytest.raises(UsageError, match=r"--map .*: the data has no column"):
        select(path)


def test_a_column_near_the_beginning_of_the_path_is_offered():
    with pytest.raises(UsageError, match="no column 'inptu'; did you mean 'input'"):
        select("inptu.question")


def test_a_row_without_the_value_is_bad_and_says_where_it_was_sought(write, inputs):
    path = write(
        "a.jsonl",
        '{"q": {"text": "x"}, "answer": "1"}\n{"q": {}, "answer": "2"}\n{"answer": "3"}\n',
    )
    with pytest.raises(DataError) as caught:
        scan(path, [inputs], {"question": "q.text"})
    assert "line 2: the required field 'question' is missing: there is no 'q.text'" in str(
        caught.value
    )
    assert "line 3: the required field 'question' is missing: column 'q' is not there" in str(
        caught.value
    )


def test_a_column_used_in_part_stays_with_the_item(write, inputs):
    path = write("a.jsonl", '{"q": {"text": "x", "lang": "ko", "nr": 7}, "answer": "1"}\n')
    (item,) = scan(path, [inputs], {"question": "q.text", "id": "q.nr"}).items()
    assert (item.id, item.fields["question"]) == ("7", "x")
    assert item.extra == {"q": {"text": "x", "lang": "ko", "nr": 7}}


def test_a_table_may_hold_json_in_its_cells(write, inputs):
    path = write("a.csv", 'id,row,answer\n1,"{""q"": [""x"", ""y""]}",a\n')
    (item,) = scan(path, [inputs], {"question": "row.q[-1]"}).items()
    assert item.fields["question"] == "y"


def test_a_later_row_may_bring_the_column(write, inputs):
    path = write("a.jsonl", '{"answer": "1"}\n{"q": {"text": "x"}, "answer": "2"}\n')
    plan = scan(path, [inputs], {"question": "q.text"}, skip_bad=True)
    assert [item.fields["question"] for item in plan.items()] == ["x"]
