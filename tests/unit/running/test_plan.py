from __future__ import annotations

from pathlib import Path

import pytest

from adjudge.errors import DefinitionError
from adjudge.running.options import RunOptions
from adjudge.running.plan import load_judge


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
