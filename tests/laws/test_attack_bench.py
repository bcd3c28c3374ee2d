"""A judged text cannot set its own score: every attack of the bench, quoted by an honest judge.

A thirty-second part of all cases, in which each attack meets each form and each way of quoting
takes its turn; `python -m bench.attacks structural` reads them all.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from bench.attacks import replies, structural, tricky
from bench.attacks.attack import attacks
from bench.attacks.forms import Form, forms
from bench.attacks.quoting import WAYS

import adjudge

EVERY = 32
FAMILIES = {
    "authority", "fake_grade", "fence_escape", "hidden_characters", "instruction",
    "json_injection", "other_language", "oversized", "role_play", "suffix", "template_syntax",
    "think_tags", "trace",
}  # fmt: skip
WHOLE_PATH = ("JSON by schema", "labelled lines", "Korean lines", "choice, [[B]]")


def test_there_are_300_and_more_in_three_languages() -> None:
    texts = Counter(attack.template for attack in attacks())
    assert len(texts) >= 330
    assert max(texts.values()) == 1, "each is another text"
    assert {attack.family for attack in attacks()} == FAMILIES
    languages = Counter((attack.family, attack.language) for attack in attacks())
    ours = [
        (family, each) for family in FAMILIES - {"other_language"} for each in ("en", "ko", "vi")
    ]
    assert min(languages[each] for each in ours) >= 9


def test_the_sample_has_every_attack_in_every_form_and_every_way() -> None:
    chosen = list(structural.cases(EVERY))
    assert len(chosen) == len(attacks()) * len(forms())
    assert {(case.form.name, case.way, case.after) for case in chosen} == {
        (form.name, way, after) for form in forms() for way in WAYS for after in (False, True)
    }


def test_what_is_quoted_is_never_read() -> None:
    tally = structural.run(structural.cases(EVERY))
    assert not tally.wrong, "\n".join(structural.lines(tally))


def test_the_honest_judge_is_read_where_it_quotes_nothing() -> None:
    """So that reading nothing at all would not pass."""
    for form in forms():
        for after in (False, True):
            case = structural.Case(attacks()[0], form, "curly quotes", after)
            reply = form.reply("", after=after)
            assert structural.values_of(form, reply, case.judged) == form.truth, reply


def test_tricky_replies_are_read_right_or_left_alone() -> None:
    found = list(tricky.tricky())
    counts = Counter(each.outcome for each in found)
    told = "\n".join(tricky.lines(found))
    assert counts["wrong"] == 0, told
    assert counts["right"] >= 0.95 * (counts["right"] + counts["unread"]), told


def test_written_replies_are_read_right_or_not_at_all() -> None:
    """95% of what is quoted, and 88% of what is tricky, must be read for it to count."""
    for name, least in (("quoting", 0.95), ("tricky", 0.88)):
        found = list(replies.values(name))
        counts, told = Counter(each.outcome for each in found), list(replies.lines(name, found))
        assert counts["wrong"] == 0, told
        assert counts["right"] >= least * len(found), told


@pytest.mark.parametrize("name", WHOLE_PATH)
def test_a_run_reads_them_so_too(name: str, tmp_path: Path) -> None:
    """Through data file, prompt, replayed reply and store."""
    form = next(form for form in forms() if form.name == name)
    cases = [case for case in structural.cases(EVERY) if case.form is form]
    judge, data, replies = tmp_path / "judge.yaml", tmp_path / "data.jsonl", tmp_path / "said.jsonl"
    judge.write_text(form.file, "utf-8")
    rows = [{"id": case.attack.id, "question": "Why?", "answer": case.judged} for case in cases]
    said = [{"item": case.attack.id, "replies": [case.reply]} for case in cases]
    data.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    replies.write_text("".join(f"{json.dumps(row)}\n" for row in said), "utf-8")
    run = adjudge.run(
        data, judge=str(judge), model=f"replay:{replies}", store=str(tmp_path / "runs.db")
    )
    try:
        wrong = [row["item"] for row in run.rows() if not _honest(form, row["scores"])]
    finally:
        run.close()
    assert not wrong


def _honest(form: Form, scores: dict[str, dict[str, object]]) -> bool:
    return all(scores[name]["value"] in (None, value) for name, value in form.truth.items())
