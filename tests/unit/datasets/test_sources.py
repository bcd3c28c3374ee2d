from __future__ import annotations

import errno
import io
import os
import sys

import orjson
import pytest

from adjudge.datasets.rows import scan
from adjudge.datasets.sources import open_data, reads
from adjudge.errors import AdjudgeError, DataError, UsageError


def line(number, **more):
    row = {"id": number, "question": f"q{number}", "answer": f"a{number}", **more}
    return orjson.dumps(row) + b"\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()


def test_a_pattern_is_all_its_files_in_order_and_of_any_format(write, inputs):
    write("data/b.jsonl", b"\n" + line(3))
    write("data/a.csv", "id,question,answer\n1,q1,a1\n2,q2,a2\n")
    write("data/.hidden.jsonl", line(4))
    items = list(scan("data/*", [inputs], {}).items())
    assert [(item.id, item.place) for item in items] == [
        ("1", "data/a.csv, line 2"),
        ("2", "data/a.csv, line 3"),
        ("3", "data/b.jsonl, line 2"),
    ]


def test_how_rows_are_shared_out_among_files_does_not_matter(write, inputs):
    whole = scan(write("whole.jsonl", line(1) + line(2) + line(3)), [inputs], {})
    write("data/1.jsonl", line(1))
    write("data/2.jsonl", line(2) + line(3))
    parts = scan("data/*.jsonl", [inputs], {})
    assert (parts.rows, parts.hash) == (3, whole.hash)
    assert [item.id for item in scan("data/*.jsonl", [inputs], {}, limit=2).items()] == ["1", "2"]


def test_problems_name_the_file_and_ids_are_unique_across_files(write, inputs):
    write("data/a.jsonl", line(1))
    write("data/b.jsonl", b"broken\n" + line(1))
    with pytest.raises(DataError) as caught:
        scan("data/*.jsonl", [inputs], {})
    assert "data/*.jsonl: 2 of 3 rows are bad" in str(caught.value)
    assert "  data/b.jsonl, line 1: broken JSON" in str(caught.value)
    assert "  data/b.jsonl, line 2: the id '1' is taken by data/a.jsonl, line 1;" in str(
        caught.value
    )


def test_made_ids_are_told_apart_across_files(write, inputs):
    for name in "ab":
        write(f"data/{name}.csv", "question,answer\nq,a\n")
    first, second = [item.id for item in scan("data/*.csv", [inputs], {}).items()]
    assert second == f"{first}-2"


def test_columns_are_planned_over_all_files(write, inputs):
    write("data/a.csv", "question,answer\nq,a\n")
    write("data/b.csv", "question,answer,focus\nq,b,tone\n")
    items = scan("data/*.csv", [inputs], {}).items()
    assert [item.fields.get("focus") for item in items] == [None, "tone"]


def test_files_whose_columns_differ_are_named_with_their_columns(write, inputs):
    write("data/a.csv", "id,question,answer\n1,q,a\n")
    write("data/b.csv", "id,prompt,completion\n2,q,b\n")
    with pytest.raises(
        DataError,
        match=r"^data/\*\.csv: the columns of the files differ: data/b\.csv has 'id', 'prompt', "
        r"'completion', but no 'question', which feeds the required input 'question'; .*--map$",
    ):
        scan("data/*.csv", [inputs], {})
    plan = scan("data/*.csv", [inputs], {}, skip_bad=True)
    assert (plan.rows, plan.bad_rows) == (1, 1)


def test_a_row_without_a_column_that_its_file_has_is_the_fault_of_the_row(write, inputs):
    write("data/a.jsonl", line(1))
    write("data/b.jsonl", b'{"id": 2, "question": "q"}\n' + line(3))
    with pytest.raises(DataError, match=r"b\.jsonl, line 1: .*column 'answer' is not there"):
        scan("data/*.jsonl", [inputs], {})


def test_a_pattern_without_files_and_one_with_wrong_ones_say_so(write, inputs):
    with pytest.raises(DataError, match=r"absent/\*\.csv: no file matches the pattern"):
        scan("absent/*.csv", [inputs], {})
    write("data/README", "x")
    with pytest.raises(UsageError, match="data/README: the name has no ending"):
        scan("data/*", [inputs], {})


def test_a_file_of_that_very_name_goes_before_patterns_and_parts(write, inputs):
    write("data/a[1].jsonl", line(1))
    write("data/a1.jsonl", line(2))
    write("data/b#x.jsonl", line(3))
    assert [item.id for item in scan("data/a[1].jsonl", [inputs], {}).items()] == ["1"]
    assert [item.id for item in scan("data/b#x.jsonl", [inputs], {}).items()] == ["3"]


def test_a_part_is_behind_the_last_sign_that_leaves_a_file(write):
    write("data/b#x.json", "[]")
    ((source, _),) = open_data("data/b#x.json#rows#1").files
    assert (source.path.name, source.part) == ("b#x.json", "rows#1")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("a.csv#x", "such a file has no parts; leave out '#x'"),
        ("a.gz", r"the name does not say what is packed; name it .*\.jsonl\.gz, .*\.tsv\.gz"),
        ("a.txt.gz", r"'\.txt' before \.gz does not say"),
        ("a.parquet.gz", r"\.parquet is packed already; unpack it \(gunzip\) and name a\.parquet"),
    ],
)
def test_wrong_names_are_wrong_usage(write, name, words):
    write(name.partition("#")[0], "x")
    with pytest.raises(UsageError, match=words):
        open_data(name)


def test_results_that_the_data_would_take_in_are_known(write, tmp_path):
    data = write("data/a.json", "[]")
    assert reads("data/a.json", data)
    assert reads("data/a.json#x", data)
    assert not reads("data/a.json", tmp_path / "data/b.json")
    assert reads("data/*.json", tmp_path / "data/out.json")
    assert reads("**/*.json", tmp_path / "data/out.json")
    assert not reads("data/*.json", tmp_path / "out.json")
    assert not reads("data/*.json", tmp_path / "data/out.csv")
    assert not reads("-", data)


@pytest.fixture
def pipe(monkeypatch, tmp_path):
    """Puts these bytes on standard input; returns where temporary files go."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))

    def pipe(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return tmp_path / "tmp"

    return pipe


ROW = {"id": "1", "question": "q", "answer": "a"}


@pytest.mark.parametrize(
    "content",
    [
        orjson.dumps(ROW) + b"\n",
        b"\xef\xbb\xbf" + orjson.dumps([ROW]),
        orjson.dumps([ROW], option=orjson.OPT_INDENT_2),
        orjson.dumps({"data": [ROW]}, option=orjson.OPT_INDENT_2),
        b"id,question,answer\n1,q,a\n",
        b"id\tquestion\tanswer\n1\tq\ta\n",
        b'"id";"question";"answer"\n1;q;a\n',
    ],
)
def test_standard_input_is_known_by_its_content_and_is_the_same_run(pipe, inputs, content):
    folder = pipe(content)
    plan = scan("-", [inputs], {})
    (item,) = plan.items()
    assert (item.id, item.fields) == ("1", {"question": "q", "answer": "a"})
    assert item.place.startswith("stdin, ")
    assert list(plan.items()) == [item]
    assert len(list(folder.iterdir())) == 1
    assert (next(folder.iterdir()).stat().st_mode & 0o077) == 0
    pipe(content)
    assert scan("-", [inputs], {}).hash == plan.hash
    del plan
    assert list(folder.iterdir()) == []


def test_what_is_wrong_with_standard_input_is_said_without_the_temporary_file(pipe, inputs):
    folder = pipe("question,answer\nGrüße,schön\ngroß,Köln\nfür,über\n".encode("cp1252"))
    with pytest.raises(DataError, match=r"^stdin: is not UTF-8 .*with --encoding cp1252"):
        scan("-", [inputs], {})
    pipe(b"")
    with pytest.raises(DataError, match=r"^stdin: the file is empty"):
        scan("-", [inputs], {})
    pipe(b'{"question": 1}\nbroken\n')
    with pytest.raises(DataError) as caught:
        scan("-", [inputs], {})
    assert str(folder) not in str(caught.value)
    del caught  # its traceback holds on to the data
    assert list(folder.iterdir()) == []


def test_a_full_disk_is_named_with_the_remedy_and_nothing_is_left(pipe, inputs, monkeypatch):
    folder = pipe(b"x")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copyfileobj", full)
    with pytest.raises(AdjudgeError, match=r"No space left on device\); .*TMPDIR=") as caught:
        scan("-", [inputs], {})
    assert caught.value.exit_code == 1
    del caught
    assert list(folder.iterdir()) == []


def test_a_terminal_is_not_waited_for(inputs, monkeypatch):
    master, slave = os.openpty()
    with open(slave, encoding="utf-8") as terminal:  # noqa: PTH123 - a descriptor, no path
        monkeypatch.setattr(sys, "stdin", terminal)
        with pytest.raises(UsageError, match="pipe them in"):
            scan("-", [inputs], {})
    os.close(master)
