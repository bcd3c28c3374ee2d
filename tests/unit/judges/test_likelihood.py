"""What a judged text follows on, and which text is asked about, for each variant."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.core.item import Item
from adjudge.core.judge import Judge, Variant
from adjudge.core.prompt import Prompt
from adjudge.core.verdict import Cut
from adjudge.errors import DefinitionError, UsageError
from adjudge.judges.likelihood import LikelihoodRenderer
from adjudge.judges.load import load_text
from adjudge.judges.prompting import prompting
from adjudge.judges.registry import get
from adjudge.judges.render import Renderer

FILE = """
judge: summary
version: 1
title: Is it a good summary?
language: en
explain_in: en
inputs:
  source: {title: Article}
  reference: {required: false}
  summary: {judged: true}
criteria:
  coherence:
    guide: Write a well organised summary.
    scale: {type: integer, min: 1, max: 5}
  relevance:
    guide: Write a summary of what matters.
    scale: {type: integer, min: 1, max: 5}
"""
TEXTS = {"source": "A bridge. ", "reference": "Closed.", "summary": " It {{ is }} closed."}


def judge(variant: Variant = "forward", **more: str) -> Judge:
    return replace(load_text(FILE, "x.yaml"), method="likelihood", variant=variant, **more)


def prompts(variant: Variant = "forward", **more: str) -> list[Prompt]:
    return LikelihoodRenderer(judge(variant, **more)).prompts(Item("1", TEXTS))


def test_the_source_comes_first_then_the_criterion_then_the_text() -> None:
    first, second = prompts()
    assert first.messages[0].content == (
        "Article: A bridge.\n\nWrite a well organised summary.\nSummary:"
    )
    assert first.target == second.target == " It {{ is }} closed."
    assert second.messages[0].content == (
        "Article: A bridge.\n\nWrite a summary of what matters.\nSummary:"
    )
    assert (first.criterion, second.criterion) == ("coherence", "relevance")


@pytest.mark.parametrize(
    ("variant", "orders", "given", "target"),
    [
        ("pmi", ["forward", "alone"], "Write a well organised summary.\nSummary:", " It"),
        ("back", ["back"], "Summary: It {{ is }} closed.\n\nWrite", " A bridge."),
        ("reference", ["reference"], "Reference: Closed.\n\nWrite", " It"),
        ("f", ["reference", "to_reference"], "Summary: It {{ is }} closed.\n\nWrite", " Closed."),
    ],
)
def test_variants(variant: Variant, orders: list[str], given: str, target: str) -> None:
    made = [prompt for prompt in prompts(variant) if prompt.criterion == "coherence"]
    assert [prompt.order for prompt in made] == orders
    assert made[-1].messages[0].content.startswith(given)
    assert str(made[-1].target).startswith(target)


def test_all_criteria_of_a_part_come_together() -> None:
    """So that what they share is read once."""
    assert [prompt.order for prompt in prompts("pmi")] == ["forward"] * 2 + ["alone"] * 2


def test_a_template_of_the_judges_own() -> None:
    (first, _) = prompts(likelihood="{{ given[0].text }}\n\nTL;DR")
    assert first.messages[0].content == "A bridge.\n\nTL;DR"


def test_a_cut_text_is_cut_here_too() -> None:
    made = LikelihoodRenderer(judge()).prompts(Item("1", TEXTS), cuts={"source": Cut(2, 5, 3)})
    assert "5 characters left out" in made[0].messages[0].content


@pytest.mark.parametrize(
    ("name", "variant", "said"),
    [
        ("preference", "forward", "a judge of one text"),
        ("helpfulness", "reference", "no input called reference"),
    ],
)
def test_judges_that_it_cannot_be_asked_of(name: str, variant: Variant, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        LikelihoodRenderer(replace(get(name), method="likelihood", variant=variant))


def test_a_broken_template_is_found_with_the_file() -> None:
    with pytest.raises(DefinitionError, match="likelihood"):
        load_text(FILE + "likelihood: '{{ nothing }}'\n", "x.yaml")


def test_the_method_is_part_of_the_fingerprint_and_text_is_as_before() -> None:
    plain = load_text(FILE, "x.yaml")
    marks = {
        each.fingerprint
        for each in (plain, replace(plain, method="expected"), judge(), judge("pmi"))
    }
    assert len(marks) == 4
    assert replace(plain, variant="pmi", likelihood="x").fingerprint == plain.fingerprint


def test_the_method_picks_the_maker() -> None:
    assert isinstance(prompting(judge(), b""), LikelihoodRenderer)
    assert isinstance(prompting(load_text(FILE, "x.yaml"), b""), Renderer)
