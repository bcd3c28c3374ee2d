"""What a judged text follows on, and which text is asked about, for each variant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from adjudge.core.item import Item
from adjudge.core.judge import Judge, Variant
from adjudge.core.prompt import Prompt
from adjudge.core.verdict import Cut
from adjudge.errors import DefinitionError, UsageError
from adjudge.judges.likelihood import PARTS, LikelihoodRenderer
from adjudge.judges.load import load_text
from adjudge.judges.registry import get
from adjudge.judges.render import Renderer, renderer_for

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
        ("source-f", ["forward", "back"], "Summary: It {{ is }} closed.\n\nWrite", " A bridge."),
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
    loop = "{% for each in given %}{{ each.text }}\n\n{% endfor %}TL;DR"
    (first, _) = prompts(likelihood=loop)
    assert first.messages[0].content == "A bridge.\n\nTL;DR"


@pytest.mark.parametrize("variant", ["reference", "f"])
def test_without_the_reference_nothing_is_asked(variant: Variant) -> None:
    """How likely a text is after nothing, or a blank, would be a number for what is not there."""
    made = LikelihoodRenderer(judge(variant)).prompts(Item("1", {**TEXTS, "reference": " "}))
    assert {prompt.target for prompt in made} == {""}


@pytest.mark.parametrize(
    ("variant", "begin"),
    [("forward", ("A bridge. ",)), ("pmi", ("A bridge. ",)), ("f", ("Closed.",))],
)
def test_what_items_may_share(variant: Variant, begin: tuple[str, ...]) -> None:
    assert LikelihoodRenderer(judge(variant)).shared(Item("1", TEXTS)) == begin


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
    with pytest.raises(DefinitionError, match="likelihood: ") as caught:
        load_text(FILE + "likelihood: '{{ nothing }}'\n", "x.yaml")
    assert "--variant" not in str(caught.value)


def test_a_template_that_fails_for_one_variant_is_found_with_the_file() -> None:
    with pytest.raises(DefinitionError, match=r"line 18, likelihood: with --variant pmi: ") as bad:
        load_text(FILE + "likelihood: '{{ given[0].text }} TL;DR'\n", "x.yaml")
    assert "write {% for each in given %}{{ each.text }}{% endfor %}." in str(bad.value)


def test_a_template_that_fails_without_an_optional_text() -> None:
    file = FILE.replace("  reference:", "  notes: {required: false}\n  reference:")
    template = "{{ given[-1].text if given }}{{ given[1].text if given[0].title == 'Article' }}"
    with pytest.raises(DefinitionError, match="no element 1"):
        load_text(f'{file}likelihood: "{template}"\n', "x.yaml")


def test_a_template_is_tried_with_the_variants_that_the_inputs_allow() -> None:
    alone = FILE.replace("  source: {title: Article}\n", "").replace("{required: false}", "{}")
    assert load_text(f'{alone}likelihood: "{{{{ given[0].text }}}}:"\n', "x.yaml")


def test_the_judge_of_the_benchmark_goes_with_every_variant() -> None:
    bench = Path(__file__).parents[3] / "bench" / "summary.yaml"
    loaded = load_text(bench.read_text(), "summary.yaml")
    for variant in PARTS:
        of = replace(loaded, method="likelihood", variant=variant)
        assert LikelihoodRenderer(of).prompts(Item("1", TEXTS))


def test_the_method_is_part_of_the_fingerprint_and_text_is_as_before() -> None:
    plain = load_text(FILE, "x.yaml")
    marks = {
        each.fingerprint
        for each in (plain, replace(plain, method="expected"), judge(), judge("pmi"))
    }
    assert len(marks) == 4
    assert replace(plain, variant="pmi", likelihood="x").fingerprint == plain.fingerprint


def test_the_method_picks_the_maker() -> None:
    assert isinstance(renderer_for(judge(), b""), LikelihoodRenderer)
    assert isinstance(renderer_for(load_text(FILE, "x.yaml"), b""), Renderer)
