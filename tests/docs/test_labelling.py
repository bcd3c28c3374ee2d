"""What docs/labelling.md says, run: its commands, what they show, its Python."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from openpyxl import Workbook
from tests.commands import Command

PAGE = (Path(__file__).parents[2] / "docs/labelling.md").read_text("utf-8")
FIRST, PLAN, SLICED, AGAINST, PLANNED, LONG, WIDE, BROUGHT = [
    shlex.split(line.removeprefix("$ adjudge "), comments=True)
    for line in PAGE.splitlines()
    if line.startswith("$ adjudge ")
]
SAMPLE = ("How long can cooked rice stand?", "Two hours at room temperature, then it belongs")


@pytest.fixture
def judged(adjudge: Command) -> Command:
    """A run of sixty items, six of them labelled; the seventh is the one on the page."""
    rows = [
        {
            "id": f"q{n}",
            "question": SAMPLE[0],
            "answer": f"{SAMPLE[1]} in the fridge.",
            "topic": n % 2,
        }
        for n in range(60)
    ]
    reply = json.dumps({"evaluation": "It says all that was asked.", "rating": 4})
    adjudge.write("data.jsonl", rows)
    adjudge.write("replies.jsonl", [{"item": row["id"], "replies": [reply]} for row in rows])
    arguments = ["run", "data.jsonl", "--judge", "helpfulness", "-m", "replay:replies.jsonl"]
    assert adjudge(*arguments, "--quiet").code == 0
    assert adjudge("label", "--rater", "ann", stdin=b"3\n" * 6).code == 0
    return adjudge


def test_the_session_on_the_page(judged: Command) -> None:
    shown = judged(*FIRST, stdin=b"3\n").out
    session = PAGE.split("```console\n")[1].split("```")[0]
    varies = re.compile(r"^(\$|run |── item|  …|$)")
    lines = [line for line in session.splitlines() if not varies.match(line)]
    assert len(lines) > 8
    for line in lines:
        assert line in shown.splitlines()
    assert "── item 7 of 60 · " in shown


def test_the_plans_on_the_page(judged: Command) -> None:
    shown = judged(*PLAN)
    assert "Label 34 items drawn at random, then plan again." in shown.out
    assert len(Path("plan.csv").read_text("utf-8-sig").splitlines()) == 35
    judged.write("replies.jsonl", [
        {"item": f"q{n}", "replies": [json.dumps({"evaluation": "Short.", "rating": 3 - n % 2})]}
        for n in range(60)
    ])  # fmt: skip
    again = ["run", "data.jsonl", "--judge", "helpfulness", "-m", "replay:replies.jsonl"]
    assert judged(*again, "--quiet", "--fresh", "--no-cache").code == 0
    Path("people.csv").write_text(
        "item,rating,draw\n" + "".join(f"q{n},{2 + n % 3 // 2},random\n" for n in range(30))
    )
    assert "Slice" in judged(*SLICED).out
    assert "The runs differ on 60 items" in judged(*AGAINST, "--labels", "people.csv").out
    ended = judged(*PLANNED, "--rater", "ann", stdin=b"3\n")
    assert (ended.code, "by the plan" in ended.out) == (0, True)


def test_the_files_on_the_page(judged: Command) -> None:
    for command, head in ((LONG, "item,rater,criterion,value,draw,created,comment"), (WIDE, None)):
        assert judged(*command).code == 0
        first = Path("labels.csv").read_text("utf-8-sig").splitlines()[0]
        assert first == (head or "item,rater,draw,rating")
        if head:
            assert head.replace(",", ", ") in PAGE
    book = Workbook()
    for row in (["item", "annotator", "rating"], ["q1", "bob", "excellent"], ["q2", "bob", 2]):
        book.active.append(row)
    book.save("people.xlsx")
    assert judged(*BROUGHT).out.startswith("labels kept for helpfulness: 2,")


def test_the_python_on_the_page(judged: Command) -> None:
    Path("people.csv").write_text("item,rating\nq1,helpful\n")
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)  # noqa: S102 - the page's own
    run = names["run"]
    assert len(run.labels()) == 7  # type: ignore[attr-defined]
    run.close()  # type: ignore[attr-defined]
    assert len(Path("labels.csv").read_text().splitlines()) == 8
