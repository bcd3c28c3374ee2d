from __future__ import annotations

import orjson
import pytest

from adjudge.datasets.items import single_item
from adjudge.datasets.rows import scan
from adjudge.errors import DataError

PARTS = {"input": {"lang": "vi", "Question": "q"}, "output": "a"}


def lines(*rows):
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (PARTS["input"], ("'input' holds objects with 'lang', 'Question'; say which part: "
                         "--map question=input.Question, or take all of it as JSON: "
                         "--map question=input.")),
        ({"x": 1}, "'input' holds objects with 'x'; say which part: --map question=input.KEY,"),
        (["q"], "'input' holds lists; say which part: --map 'question=input[0]',"),
    ],
)  # fmt: skip
def test_a_known_name_does_not_feed_a_required_input_with_an_object(write, inputs, cell, words):
    row = PARTS | {"input": cell}
    with pytest.raises(DataError) as caught:
        scan(write("a.jsonl", lines({"input": None, "output": "a"}, row)), [inputs], {})
    assert words in str(caught.value)
    with pytest.raises(DataError) as caught:
        single_item(row, inputs)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("row", "mapping", "text"),
    [
        (PARTS, {"question": "input.Question"}, "q"),
        (PARTS, {"question": "input"}, '{"lang":"vi","Question":"q"}'),
        ({"question": {"a": 1}, "output": "a"}, {}, '{"a":1}'),
        ({"input": [{"role": "user", "content": "q"}], "output": "a"}, {}, "q"),
        ({"input": '{"a": 1}', "output": "a"}, {}, '{"a": 1}'),
    ],
)
def test_what_was_named_and_conversations_and_texts_still_feed_it(
    write, inputs, row, mapping, text
):
    (item,) = scan(write("a.jsonl", lines(row)), [inputs], mapping).items()
    assert item.fields["question"] == text


def test_another_known_name_steps_in(write, inputs):
    path = write("a.jsonl", lines({"prompt": {"id": 7}, "input": "q", "output": "a"}))
    (item,) = scan(path, [inputs], {}).items()
    assert item.fields["question"] == "q"
    assert item.extra == {"prompt": {"id": 7}}
