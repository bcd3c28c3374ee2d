"""Every way to name data through the same laws: the same rows give the same items and errors."""

from __future__ import annotations

import csv
import gzip
import io
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import openpyxl
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.commands import Command

from adjudge.core.judge import Input
from adjudge.datasets.rows import scan
from adjudge.datasets.sources import FORMATS
from adjudge.errors import DataError

hf = pytest.importorskip("datasets")
hf.disable_progress_bars()

Row = dict[str, str]
JUDGE = {
    "question": Input(name="question", title="Question"),
    "answer": Input(name="answer", title="Answer", judged=True),
}
ROWS: list[Row] = [
    {"id": "a", "question": "Why?", "answer": 'so, "quoted"\nand more; {x}', "group": "1"},
    {"id": "b", "question": "왜?", "answer": "그래서\t…", "group": "2"},
    {"id": "7", "question": "Tại sao?", "answer": "Vì thế.", "group": "1"},
]


def table(rows: Sequence[Row], delimiter: str) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def json_lines(rows: Sequence[Row]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def parquet(rows: Sequence[Row]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), out, row_group_size=2)
    return out.getvalue()


def workbook(rows: Sequence[Row]) -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Rows")
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append(list(row.values()))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


FILES: dict[str, Callable[[Sequence[Row]], bytes]] = {
    ".jsonl": json_lines,
    ".ndjson": json_lines,
    ".json": lambda rows: orjson.dumps(list(rows), option=orjson.OPT_INDENT_2),
    ".csv": lambda rows: table(rows, ","),
    ".tsv": lambda rows: table(rows, "\t"),
    ".parquet": parquet,
    ".xlsx": workbook,
}
PACKED = tuple(f"{ending}.gz" for known in FORMATS if known.packable for ending in known.endings)
KINDS = (*FILES, *PACKED, "folder", "split", "pattern")


@pytest.fixture
def save(tmp_path: Path) -> Callable[[str, Sequence[Row]], str]:
    """Saves the rows as that kind of data, in place of what was there; returns its name."""
    return lambda kind, rows: saved(tmp_path, kind, rows)


def saved(folder: Path, kind: str, rows: Sequence[Row]) -> str:
    if kind in {"folder", "split"}:
        shutil.rmtree(folder / kind, ignore_errors=True)
        made = hf.Dataset.from_list(list(rows))
        if kind == "folder":
            made.save_to_disk(str(folder / kind))
            return str(folder / kind)
        hf.DatasetDict({"train": made, "test": made}).save_to_disk(str(folder / kind))
        return f"{folder / kind}#test"
    if kind == "pattern":
        shutil.rmtree(folder / "parts", ignore_errors=True)
        (folder / "parts").mkdir()
        for number, row in enumerate(rows):
            (folder / "parts" / f"{number:04}.csv").write_bytes(table([row], ","))
        return str(folder / "parts" / "*.csv")
    ending = kind.removesuffix(".gz")
    content = FILES[ending](rows)
    path = folder / f"data{kind}"
    path.write_bytes(gzip.compress(content) if kind != ending else content)
    return str(path)


def test_every_ending_takes_part() -> None:
    assert set(FILES) == {ending for known in FORMATS for ending in known.endings}


@pytest.mark.parametrize("kind", KINDS)
def test_equal_rows_are_equal_items_and_the_same_run(save, kind):
    plan = scan(save(kind, ROWS), [JUDGE], {})
    same = scan(save(".jsonl", ROWS), [JUDGE], {})
    items = list(plan.items())
    assert [(item.id, item.fields, item.extra) for item in items] == [
        (row["id"], {name: row[name] for name in JUDGE}, {"group": row["group"]}) for row in ROWS
    ]
    assert (plan.rows, plan.bad_rows, plan.hash) == (3, 0, same.hash)
    assert list(plan.items()) == items
    assert len({item.place for item in items}) == 3


@pytest.mark.parametrize("kind", KINDS)
def test_made_ids_are_the_same(save, kind):
    bare = [{name: row[name] for name in JUDGE} for row in (*ROWS, ROWS[0])]
    ids = [item.id for item in scan(save(kind, bare), [JUDGE], {}).items()]
    assert ids == [item.id for item in scan(save(".jsonl", bare), [JUDGE], {}).items()]
    assert ids[3] == f"{ids[0]}-2"


@pytest.mark.parametrize("kind", KINDS)
def test_the_limit_takes_the_first_rows(save, kind):
    plan = scan(save(kind, ROWS), [JUDGE], {}, limit=2)
    assert [item.id for item in plan.items()] == ["a", "b"]


@pytest.mark.parametrize("kind", KINDS)
def test_bad_rows_are_named_and_can_be_skipped(save, kind):
    rows = [ROWS[0], {**ROWS[1], "question": " "}, {**ROWS[2], "id": "a"}, ROWS[2]]
    name = save(kind, rows)
    with pytest.raises(DataError) as caught:
        scan(name, [JUDGE], {})
    first, missing, taken, last = str(caught.value).splitlines()
    assert first == f"{name}: 2 of 4 rows are bad"
    assert "the required field 'question' is missing: column 'question' is empty" in missing
    assert "the id 'a' is taken by " in taken
    assert "--skip-bad-rows" in last
    plan = scan(name, [JUDGE], {}, skip_bad=True)
    assert [item.id for item in plan.items()] == ["a", "7"]
    assert plan.bad_rows == 2


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "after", [ROWS[:2], [*ROWS, {**ROWS[0], "id": "c"}], [*ROWS[:2], {**ROWS[2], "group": "x"}]]
)
def test_a_change_between_the_passes_is_noticed(save, kind, after):
    plan = scan(save(kind, ROWS), [JUDGE], {})
    save(kind, after)
    # A file more is not among those that were checked.
    if kind == "pattern" and len(after) > len(ROWS):
        assert len(list(plan.items())) == len(ROWS)
        return
    with pytest.raises(DataError):
        list(plan.items())


@pytest.mark.parametrize("kind", KINDS)
def test_paths_lead_into_cells(save, kind):
    rows = [{"id": "1", "in": '{"q": ["no", "Why?"]}', "answer": "x"}]
    (item,) = scan(save(kind, rows), [JUDGE], {"question": "in.q[-1]"}).items()
    assert item.fields == {"question": "Why?", "answer": "x"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_column_names_those_that_are_there(save, kind):
    rows = [{"id": "1", "Frage": "?", "answer": "x"}]
    with pytest.raises(DataError, match=r"--map question=.*columns are 'id', 'Frage', 'answer'"):
        scan(save(kind, rows), [JUDGE], {})


@pytest.mark.parametrize("kind", FILES)
def test_standard_input_is_the_same_run(save, kind, monkeypatch):
    plan = scan(save(kind, ROWS), [JUDGE], {})
    content = Path(plan.name).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert scan("-", [JUDGE], {}).hash == plan.hash


REPLAYED = ("--judge", "helpfulness", "-m", "replay:replies.jsonl", "--json")


def test_the_command_goes_on_with_the_run_in_another_format(adjudge: Command, save) -> None:
    reply = orjson.dumps({"rating": 3}).decode()
    adjudge.write("replies.jsonl", [{"item": row["id"], "replies": [reply]} for row in ROWS])
    first = adjudge("run", save(".parquet", ROWS), *REPLAYED, "-o", "out.parquet", "-o", "out.xml")
    assert first.code == 0, first.err
    assert pq.read_table("out.parquet")["scores.rating.value"].to_pylist() == [3.0, 3.0, 3.0]
    assert Path("out.xml").read_text().count("<testcase ") == 3
    piped = adjudge("run", "-", *REPLAYED, stdin=table(ROWS, ";"))
    assert (piped.json["run"], piped.json["data"]) == (first.json["run"], "-")
    assert "continuing run" in piped.err


def test_results_may_not_become_data(adjudge: Command, save) -> None:
    pattern = save("pattern", ROWS)
    ended = adjudge("run", pattern, *REPLAYED, "-o", "parts/out.csv")
    assert ended.code == 2
    assert "parts/out.csv: the results would be read as" in ended.err


# What XML and so workbooks cannot hold, or CSV and workbooks read in their own way, is left out.
texts = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cn", "Co"], exclude_characters="='_"),
    min_size=1,
    max_size=12,
).filter(lambda text: text.strip() == text and not text.startswith("#"))


@settings(max_examples=25)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_any_text_is_the_same_in_every_format(tmp_path_factory, pairs):
    rows = [{"question": question, "answer": answer} for question, answer in pairs]
    folder = tmp_path_factory.mktemp("formats")
    hashes = {kind: scan(saved(folder, kind, rows), [JUDGE], {}).hash for kind in FILES}
    assert len(set(hashes.values())) == 1, hashes
