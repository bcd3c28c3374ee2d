from __future__ import annotations

import csv
import hashlib
import io
import os
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.core.item import Item
from adjudge.core.judge import Input
from adjudge.datasets.rows import scan
from adjudge.errors import DataError, UsageError


def lines(*rows: dict[str, object]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def row(number: int, **more: object) -> dict[str, object]:
    return {"id": number, "question": f"q{number}", "answer": f"a{number}", **more}


def test_rows_become_items_with_texts_extra_columns_and_place(write, inputs):
    path = write("trả lời.csv", "id,Frage,system_answer,group\n7,Wie?,So.,de\n")
    plan = scan(path, [inputs], {"question": "Frage"})
    assert (plan.rows, plan.bad_rows, plan.problems) == (1, 0, ())
    feeds = {name: str(feed) for name, feed in plan.columns.fields.items()}
    assert feeds == {"question": "Frage", "answer": "system_answer"}
    assert list(plan.items()) == [
        Item("7", {"question": "Wie?", "answer": "So."}, {"group": "de"}, "trả lời.csv, line 2")
    ]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (42, "42"),
        (3.0, "3.0"),
        (-0.5, "-0.5"),
        (True, "true"),
        (False, "false"),
        (["가", {"b": 1}], '["가",{"b":1}]'),
        ({}, "{}"),
    ],
)
def test_cells_that_are_no_text_are_written_as_in_json(write, inputs, cell, text):
    (item,) = scan(write("a.jsonl", lines(row(1, answer=cell))), [inputs], {}).items()
    assert item.fields["answer"] == text


def test_an_empty_judged_text_is_an_answer_but_an_empty_question_is_missing(write, inputs):
    path = write("a.jsonl", lines(row(1, answer=""), row(2, question=" "), row(3, answer=None)))
    plan = scan(path, [inputs], {}, skip_bad=True)
    assert [item.fields["answer"] for item in plan.items()] == [""]
    assert [(str(bad.place), str(bad.why)) for bad in plan.problems] == [
        (
            "line 2",
            "the required field 'question' is missing: column 'question' is empty; fill it in",
        ),
        (
            "line 3",
            (
                "the required field 'answer' is missing: column 'answer' is null; "
                'fill it in, or write "" where the text is empty'
            ),
        ),
    ]


def test_a_null_is_not_called_empty(write, inputs):
    path = write("a.jsonl", lines(row(1), row(2, question=None)))
    with pytest.raises(DataError, match=r"line 2: .*: column 'question' is null; fill it in\n"):
        scan(path, [inputs], {})


def test_optional_inputs_may_come_and_go(write, inputs):
    path = write(
        "a.jsonl", lines(row(1), row(2, focus="tone"), row(3, focus=""), row(4, focus=None))
    )
    fields = [item.fields.get("focus") for item in scan(path, [inputs], {}).items()]
    assert fields == [None, "tone", None, None]


def test_columns_are_planned_over_all_rows(write, inputs):
    path = write("a.jsonl", lines({"id": 1, "question": "?"}, row(2), {}))
    with pytest.raises(DataError) as caught:
        scan(path, [inputs], {})
    assert "line 1: the required field 'answer' is missing: column 'answer' is not there" in str(
        caught.value
    )
    assert "line 3: the required field 'question' is missing" in str(caught.value)


def test_problems_are_named_together_up_to_five(write, inputs):
    path = write("a.jsonl", lines(row(1)) + b"broken\n" * 7)
    with pytest.raises(DataError) as caught:
        scan(path, [inputs], {})
    said = str(caught.value).splitlines()
    assert said[0] == f"{path}: 7 of 8 rows are bad"
    assert [line.split(":")[0].strip() for line in said[1:6]] == [f"line {n}" for n in range(2, 7)]
    assert said[6:] == ["  and 2 more", "Correct them, or continue without them: --skip-bad-rows"]


def test_bad_rows_can_be_skipped_and_are_counted(write, inputs):
    path = write("a.jsonl", lines(row(1)) + b"broken\n" * 7 + lines(row(1), row(2)))
    plan = scan(path, [inputs], {}, skip_bad=True)
    assert (plan.rows, plan.bad_rows, len(plan.problems)) == (2, 8, 5)
    assert [item.id for item in plan.items()] == ["1", "2"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_a_file_of_bad_rows_alone_is_an_error_all_the_same(write, inputs, name):
    path = write(name, "question\n" * 7 if name.endswith("l") else "question,answer\n" + "x\n" * 7)
    with pytest.raises(DataError, match=r"7 of 7 rows are bad(.|\n)*and 2 more\nNo usable row"):
        scan(path, [inputs], {}, skip_bad=True)


def test_a_duplicate_id_names_both_lines_and_the_remedy(write, inputs):
    with pytest.raises(DataError, match=r"line 3: the id '1' is taken by line 1.*--map id=COLUMN"):
        scan(write("a.jsonl", lines(row(1), row(2), row(1))), [inputs], {})


def test_an_id_that_no_server_keeps(write, inputs):
    with pytest.raises(DataError, match=r"line 2: the id 'a\\x00' holds a NUL"):
        scan(write("a.jsonl", lines(row(1), row("a\0"))), [inputs], {})


def test_a_missing_id_is_made_from_the_content(write, inputs):
    plain = {"question": "질문", "answer": "답"}
    path = write("a.jsonl", lines(plain, plain, {"id": None, **plain}, {"id": " ", **plain}))
    first, *others = [item.id for item in scan(path, [inputs], {}).items()]
    canonical = orjson.dumps(plain, option=orjson.OPT_SORT_KEYS)
    assert first == hashlib.sha256(canonical).hexdigest()[:16]
    assert others == [f"{first}-{number}" for number in (2, 3, 4)]


def test_a_made_id_depends_on_neither_judge_nor_format(write, inputs):
    table = write("a.csv", "question,answer\n질문,답\n")
    objects = write("a.jsonl", lines({"answer": "답", "question": "질문"}))
    short = {"question": inputs["question"]}
    ids = {
        item.id
        for path, judge in [(table, inputs), (objects, inputs), (objects, short)]
        for item in scan(path, [judge], {}).items()
    }
    assert len(ids) == 1


def test_several_judges_share_columns(write, inputs):
    gptscore = {
        "source": Input(name="source", title="S"),
        "response": Input(name="response", title="R", judged=True),
    }
    path = write("a.jsonl", lines(row(1, source="s", response="r", human=4)))
    (item,) = scan(path, [inputs, gptscore], {}).items()
    assert item.fields == {"question": "q1", "answer": "a1", "source": "s", "response": "r"}
    assert item.extra == {"human": 4}


def test_the_limit_counts_rows_of_the_file(write, inputs):
    path = write("a.jsonl", lines(row(1)) + b"broken\n" + lines(row(3), row(1)))
    plan = scan(path, [inputs], {}, limit=3, skip_bad=True)
    assert [item.id for item in plan.items()] == ["1", "3"]
    assert plan.bad_rows == 1
    assert scan(path, [inputs], {}, limit=1).rows == 1
    with pytest.raises(UsageError, match="at least 1 row"):
        scan(path, [inputs], {}, limit=0)


def test_the_hash_is_over_content_and_order_of_the_rows_in_use(write, inputs):
    one = scan(write("a.jsonl", lines(row(1), row(2))), [inputs], {})
    same = scan(write("b.jsonl", b"\n" + lines(row(1), row(2), row(3))), [inputs], {}, limit=2)
    turned = scan(write("c.jsonl", lines(row(2), row(1))), [inputs], {})
    other = scan(write("d.jsonl", lines(row(1), row(2, human=3))), [inputs], {})
    assert one.hash == same.hash
    assert len({one.hash, turned.hash, other.hash}) == 3


@pytest.mark.parametrize(
    "after",
    [
        lines(row(1), row(2, answer="other")),
        lines(row(1), row(2), row(3)),
        lines(row(1)),
        lines(row(1)) + b"broken\n",
    ],
)
def test_a_file_that_changes_between_the_passes_is_an_error(write, inputs, after):
    plan = scan(write("a.jsonl", lines(row(1), row(2))), [inputs], {}, skip_bad=True)
    write("a.jsonl", after)
    given_out = []
    with pytest.raises(DataError, match="the file changed while it was in use"):
        given_out.extend(plan.items())
    assert {item.fields["answer"] for item in given_out} <= {"a1", "a2"}
    Path(plan.name).unlink()
    with pytest.raises(DataError, match="there is no such file"):
        next(plan.items())


def test_what_is_no_data_file_is_named_with_a_remedy(write, inputs, tmp_path, monkeypatch):
    path = write("answers.jsonl", lines(row(1)))
    with pytest.raises(DataError, match=r"no such file; did you mean .*answers\.jsonl"):
        scan(tmp_path / "answer.jsonl", [inputs], {})
    with pytest.raises(DataError, match="no such file; check the path"):
        scan(tmp_path / "absent" / "x.jsonl", [inputs], {})
    with pytest.raises(DataError, match="is a folder"):
        scan(tmp_path, [inputs], {})
    with pytest.raises(
        UsageError, match=r"'\.txt' is unknown; .*: \.jsonl, \.ndjson, \.json, \.csv"
    ):
        scan(write("a.txt", "x"), [inputs], {})
    with pytest.raises(UsageError, match="the name has no ending"):
        scan(write("data", "x"), [inputs], {})
    with pytest.raises(DataError, match="the file is empty"):
        scan(write("b.jsonl", ""), [inputs], {})
    with pytest.raises(DataError, match="there are no rows"):
        scan(write("b.csv", "question,answer\n"), [inputs], {})
    os.mkfifo(tmp_path / "pipe.jsonl")
    with pytest.raises(DataError, match="not a regular file"):
        scan(tmp_path / "pipe.jsonl", [inputs], {})

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match=r"cannot be read \(Permission denied\); check its perm"):
        scan(path, [inputs], {})


def test_a_wrong_plan_names_the_file(write, inputs):
    with pytest.raises(DataError, match=r"a\.csv: .*--map question=.*The columns are 'Frage'"):
        scan(write("a.csv", "Frage\nWie?\n"), [inputs], {})


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(st.lists(st.tuples(st.sampled_from(["", "1", "2", "x"]), texts, texts), min_size=1))
def test_scan_and_items_agree_and_ids_are_unique(tmp_path_factory, rows):
    judge = {
        "question": Input(name="question", title="Q"),
        "answer": Input(name="answer", title="A", judged=True),
    }
    text = io.StringIO(newline="")
    csv.writer(text).writerows([["id", "question", "answer"], *rows])
    path = tmp_path_factory.mktemp("rows") / "a.csv"
    path.write_bytes(text.getvalue().encode())
    try:
        plan = scan(path, [judge], {}, skip_bad=True)
    except DataError as error:
        assert "No usable row" in str(error)  # noqa: PT017 - only one way to fail is right
        return
    items = list(plan.items())
    assert len(items) == plan.rows == len({item.id for item in items})
    assert plan.rows + plan.bad_rows == len(rows)
    assert all(item.fields["question"].strip() for item in items)
    assert list(plan.items()) == items


@pytest.mark.parametrize("column", ["answer", "other"])
def test_a_value_that_is_nested_too_deeply_is_a_bad_row(write, inputs, column):
    deep = b"[" * 300 + b"1" + b"]" * 300
    good = {"id": 1, "question": "q", "answer": "a"}
    bad = orjson.dumps({**good, "id": 2, column: "@"}).replace(b'"@"', deep)
    with pytest.raises(DataError, match=f"line 2: column '{column}' is nested too deeply"):
        scan(write("deep.jsonl", lines(good) + bad + b"\n"), [inputs], {})
