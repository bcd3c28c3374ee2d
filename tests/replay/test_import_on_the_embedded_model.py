"""All real prompts run on the real embedded model, the smallest one, and end in a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import Command

from adjudge.core.score import Outcome

from .test_import_real_prompts import ROW, WHY_SKIPPED, all_prompts, import_with_a_name, is_here

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_here(), reason=WHY_SKIPPED),
    pytest.mark.usefixtures("smollm"),
]


def test_every_prompt_ends_in_a_verdict(adjudge: Command) -> None:
    """In one run, so that the model is loaded once; replies are cut early to save minutes."""
    judges = [import_with_a_name(adjudge, *each) for each in all_prompts()]
    assert len(judges) == 33
    named = [word for judge in judges for word in ("--judge", judge)]
    data = adjudge.write("items.jsonl", [{"id": "1", **ROW}])
    flags = ["-m", "embedded/smollm2-135m", "--max-tokens", "16", "-o", "v.jsonl", "--quiet"]
    ended = adjudge("run", data, *named, *flags)
    assert ended.code == 0, ended.err
    rows = [json.loads(line) for line in Path("v.jsonl").read_text("utf-8").splitlines()]
    assert {f"{row['judge']}.yaml" for row in rows} == set(judges)
    for row in rows:
        answered = {Outcome.SCORED, Outcome.UNREADABLE, Outcome.OUT_OF_RANGE, Outcome.TRUNCATED}
        assert row["outcome"] in answered, (row["judge"], row["outcome"])
        assert row["reply"].strip(), row["judge"]
        for name, score in row["scores"].items():
            scored = score["outcome"] == Outcome.SCORED
            assert scored == (score["value"] is not None), (row["judge"], name)
            assert scored or score["why"], (row["judge"], name)
