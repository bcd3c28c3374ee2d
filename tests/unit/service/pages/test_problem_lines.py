"""What is wrong with data, labels or a model, told in the languages of the pages."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.analysis.graded import Graded

from adjudge.analysis.labelling import import_labels
from adjudge.core.judge import Input
from adjudge.core.reason import Reason, reason_of
from adjudge.core.scale import Integer
from adjudge.datasets.isolated import check_unpacked
from adjudge.datasets.items import SingleItems
from adjudge.datasets.labels import read_labels
from adjudge.datasets.rows import scan
from adjudge.errors import AdjudgeError
from adjudge.models.base import ModelOptions
from adjudge.models.http import failures
from adjudge.models.http.failures import Remedies, ServerErrors
from adjudge.models.registry import open_model
from adjudge.service.pages.rendering import FormFields, ProblemLine, problem_lines
from adjudge.strings import LANGUAGES, strings_for

_INPUTS = {name: Input(name=name, title=name) for name in ("question", "answer")}
_OTHERS = [code for code in LANGUAGES if code != "en"]
_ROW = b"question,answer\na,b\n"


def _data(name: str, content: bytes) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        (folder / name).write_bytes(content)
        return scan(str(folder / name), [_INPUTS], {})

    return read


def _labels(content: str) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        (folder / "people.csv").write_text(content, "utf-8")
        return read_labels(folder / "people.csv", {"rating": Integer(min=1, max=5)})

    return read


def _of_other_items(folder: Path) -> None:
    (folder / "people.csv").write_text("item,rating\nelsewhere,3\n", "utf-8")
    made = Graded(folder)
    made.add(rating=[1, 2])
    try:
        import_labels(made.record, made.store, made.name, folder / "people.csv", rater="")
    finally:
        made.close()


def _too_large(folder: Path) -> None:
    (folder / "a.csv.gz").write_bytes(gzip.compress(_ROW * 1000))
    check_unpacked(folder / "a.csv.gz", "a.csv.gz", 100)


def _unreachable(_: Path) -> None:
    remedies = Remedies(key=Reason.of(""), address=Reason("model.other_server"))
    raise ServerErrors("127.0.0.1:1", remedies, (), None).network(failures.Unreachable("refused"))


CASES: dict[str, Callable[[Path], object]] = {
    "ending": _data("a.pdf", b"x"),
    "empty": _data("a.csv", b""),
    "no rows": _data("a.csv", b"question,answer\n"),
    "packed": _data("a.csv", gzip.compress(_ROW)),
    "parquet": _data("a.csv", b"PAR1" + bytes(40)),
    "zip": _data("a.csv", b"PK\x03\x04" + bytes(40)),
    "unknown encoding": _data("a.csv", b"question,answer\n" + b"caf\xe9 \xa4,\xdf\n" * 9),
    "no workbook": _data("a.xlsx", b"x"),
    "no parquet": _data("a.parquet", b"x"),
    "no gzip": _data("a.csv.gz", b"x"),
    "cut gzip": _data("a.csv.gz", gzip.compress(_ROW * 99)[:-9]),
    "two columns": _data("a.csv", b"answer,answer\na,b\n"),
    "no column name": _data("a.csv", b",answer\na,b\n"),
    "cells": _data("a.csv", _ROW + b"a,b,c\na\n"),
    "quote": _data("a.csv", _ROW + b'a,"b\n'),
    "json": _data("a.jsonl", b'{"question"\n'),
    "empty cell": _data("a.csv", b"question,answer\n,b\n"),
    "null": _data(
        "a.jsonl", b'{"question": "a", "answer": "b"}\n{"question": null, "answer": "b"}'
    ),
    "missing": _data("a.jsonl", b'{"question": "a", "answer": "b"}\n{"answer": "b"}'),
    "same id": _data("a.csv", b"id,question,answer\n1,a,b\n1,a,b\n"),
    "column": _data("a.csv", b"question,else\na,b\n"),
    "columns": _data("a.csv", b"other,else\na,b\n"),
    "too large": _too_large,
    "labels: value": _labels("item,rating\ni1,9\n"),
    "labels: level": _labels("item,rating\nitem: 1,x\n"),
    "labels: no item": _labels("what,rating\ni1,4\n"),
    "labels: empty item": _labels("item,rating\n,4\n"),
    "labels: criterion": _labels("item,criterion,value\ni1,ratin,4\n"),
    "labels: twice": _labels("item,rater,rating\ni1,Mai,4\ni1,Mai,5\n"),
    "labels: twice by nobody": _labels("item,rating\ni1,4\ni1,5\n"),
    "labels: none": _labels("item,helpful\ni1,4\n"),
    "labels: of other items": _of_other_items,
    "fields": lambda _: SingleItems(_INPUTS, {}).item({"else": "a"}),
    "no key": lambda _: open_model("openai/x", ModelOptions()),
    "unreachable": _unreachable,
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("language", _OTHERS)
def test_what_users_meet_most_is_told_in_their_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, language: str
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(AdjudgeError) as caught:
        CASES[case](tmp_path)
    reason, english = reason_of(caught.value), str(caught.value)
    assert caught.value.code
    lines = problem_lines(strings_for(language), reason)
    assert [line.text for line in lines if line.lang] == []
    for line, said in zip(lines, english.splitlines(), strict=True):
        assert line.text != said
        assert not re.search(r"\b(line|row) \d|\d (rows|cells|more)\b", line.text)
        # Names, numbers and commands are those of the message.
        assert set(re.findall(r"[\d']+", line.text)) == set(re.findall(r"[\d']+", said))
    assert problem_lines(strings_for("en"), reason) == [
        ProblemLine(each) for each in english.splitlines()
    ]


@pytest.mark.parametrize("language", _OTHERS)
@pytest.mark.parametrize(
    ("kind", "about"), [("bad-data", "bad-data"), ("", "any"), ("unheard-of", "any")]
)
def test_what_is_not_known_stays_english_and_is_marked_as_such(
    language: str, kind: str, about: str
) -> None:
    say = strings_for(language)
    reason = Reason("place.file", file="a", why=Reason.of("something new.\nand 3 more"))
    lead, first, last = problem_lines(say, reason, kind)
    assert lead == ProblemLine(say(f"problem.about.{about}"))
    assert first == ProblemLine("a: something new.", "en")
    assert last.lang == "en"


@pytest.mark.parametrize("language", LANGUAGES)
def test_options_are_fields_of_the_form(language: str) -> None:
    say = strings_for(language)
    fields = FormFields(say)
    (line,) = problem_lines(say, Reason("rows.mend"), options=fields)
    assert f"“{say('new_run.skip_bad_rows')}”" in line.text
    assert "--" not in line.text
    assert fields.left_out() == []


def test_an_option_that_the_form_does_not_have_is_said() -> None:
    say = strings_for("en")
    fields = FormFields(say)
    (line,) = problem_lines(say, Reason("model.late", place="x", seconds="3"), options=fields)
    assert line.text == "no answer from x within 3 s; --timeout allows more"
    assert fields.left_out() == [ProblemLine(say("new_run.not_here", flags="--timeout"))]
