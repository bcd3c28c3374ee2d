"""Real prompts of every kind run on the real embedded model, the smallest one, to a verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.commands import Command

from adjudge.core.score import Outcome

from .test_import_real_prompts import (
    GEVAL,
    ROW,
    WHY_SKIPPED,
    all_prompts,
    import_with_a_name,
    is_here,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_here(), reason=WHY_SKIPPED),
    pytest.mark.usefixtures("smollm"),
]


FORMS = ("analyze_rate", "geval_no_auto_cot", "rate_explain")


def one_of_each_kind() -> list[tuple[str, Path, str | None]]:
    """The 28 G-Eval prompts are four wordings of seven forms; their replies have three: a grade
    behind an analysis, alone, and before an explanation. Each is asked for once. Two seeds are left
    out, which take as long as all others: a row is asked about in several questions by every model
    alike (unit/running), and prompts that begin alike are read once (unit/models/test_embedded.py).

    That all of them import, load and render is held by test_import_real_prompts.py, that replies to
    them are read by test_import_replies.py.
    """
    long = ("seed003", "seed004")
    others = [each for each in all_prompts() if each[1] != GEVAL and each[0] not in long]
    forms: dict[str, list[tuple[str, Path, str | None]]] = {}
    for prompt in all_prompts():
        if prompt[1] == GEVAL:
            forms.setdefault(prompt[0].partition("_")[2], []).append(prompt)
    return [*others, *(forms[form][place] for place, form in enumerate(FORMS))]


def test_every_kind_of_prompt_ends_in_a_verdict(adjudge: Command) -> None:
    """In one run, so that the model is loaded once; replies are cut early to save minutes."""
    judges = [import_with_a_name(adjudge, *prompt) for prompt in one_of_each_kind()]
    assert len(judges) == 6
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
