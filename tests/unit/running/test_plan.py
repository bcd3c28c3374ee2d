from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import DefinitionError, UsageError
from adjudge.running.options import RunOptions
from adjudge.running.plan import load_judge


@pytest.mark.parametrize(("text", "part"), [("1/4", 1), ("4/4", 0), ("0/4", 0), ("1/1", 0)])
def test_a_part_of_the_rows(text: str, part: int) -> None:
    """Queues count from 0 or from 1."""
    assert RunOptions(shard=text).part == (part, int(text[2:]))


@pytest.mark.parametrize("text", ["5/4", "0/0", "1/0", "-1/4", "1", "/4", "1/", "a/b", "1/4/4"])
def test_no_part_of_the_rows(text: str) -> None:
    with pytest.raises(UsageError, match="3/16"):
        RunOptions(shard=text)


def test_parts_do_not_decide_by_all_rows() -> None:
    with pytest.raises(UsageError, match="leave one out"):
        RunOptions(shard="1/2", repeat=5, stop_when_stable=True)


def test_no_password_in_the_options() -> None:
    assert "s3cret" not in repr(RunOptions(store="postgresql://ann:s3cret@host/db"))


def test_a_template_that_fails_only_with_the_options_is_refused_at_once(tmp_path: Path) -> None:
    judge = tmp_path / "two.yaml"
    judge.write_text(
        """
judge: two
version: 1
title: T
language: en
explain_in: en
inputs: {answer: {judged: true}}
criteria: {one: {scale: {type: binary}}, other: {scale: {type: binary}}}
prompt: "{{ answer }} {{ criteria[1].title }}"
"""
    )
    load_judge(str(judge), RunOptions())
    with pytest.raises(DefinitionError, match="prompt"):
        load_judge(str(judge), RunOptions(ask="each"))
