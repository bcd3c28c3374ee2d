"""Templates that read well but fail when filled in are refused when the file is loaded."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from adjudge.core.judge import Judge
from adjudge.errors import DefinitionError
from adjudge.judges.load import load_text

Load = Callable[..., Judge]
Refusal = Callable[..., str]

FAILS = [
    ("{{ criteria[7].title }}", "no element 7"),
    ("{{ criteria[0].titel }}", "no attribute 'titel'"),
    ("{{ 1 / 0 }}", "division by zero"),
    ("{{ answer + 1 }}", "concatenate"),
    ("{{ answer() }}", "not callable"),
    ("{{ answer.split('|')[3] }}", "no element 3"),
    ("{% if answer is nice %}{% endif %}", "No test named 'nice'"),
    ("{% for i in range(99999 + 99999) %}x{% endfor %}", "Range too big"),
    ("{{ 'x' * 99999 }}", "only numbers can be multiplied"),
    ("{{ 10 ** 10 ** 10 }}", "** is not available"),
    ("{{ ''.__class__.__mro__ }}", "not allowed in prompts"),
    ("{{ answer.__class__.__init__.__globals__ }}", "not allowed in prompts"),
    ("{{ cycler.__init__.__globals__.os.popen('id').read() }}", "not allowed in prompts"),
    ("{{ '' | attr('__class__') }}", "not allowed in prompts"),
    ("{{ '{0.__class__}'.format(answer) }}", "not allowed in prompts"),
    ("{{ criteria.append(1) }}", "not allowed in prompts"),
]


@pytest.mark.parametrize(("expression", "problem"), FAILS)
def test_a_template_that_cannot_be_filled_in_is_refused_with_its_line(
    refusal: Refusal, expression: str, problem: str
) -> None:
    said = refusal(("{{ answer }}", "{{ answer }}\n  " + expression))
    assert said.startswith("p.yaml, line 24, prompt: ")
    assert problem in said


def test_the_static_part_is_tried_too(refusal: Refusal) -> None:
    said = refusal(("prompt: |", "system: |\n  Hello.\n  {{ criteria[3].title }}\nprompt: |"))
    assert said.startswith("p.yaml, line 22, system: cannot be filled in: ")


def test_each_call_is_tried(load: Load, refusal: Refusal) -> None:
    two = ("rules:", "  tone: {scale: {type: binary}}\nrules:")
    show = ("{{ answer }}", "{{ answer }} {{ criteria[1].title }}")
    assert load(two, show)
    assert "no element 1" in refusal(two, show, ("reply: text", "ask: each"))


def test_an_absent_optional_input_is_tried(refusal: Refusal) -> None:
    optional = ("{required: true}\n", "{required: false}\n")
    said = refusal(optional, ("{{ question }}", "{{ question.split('0123456789')[1] }}"))
    assert said.startswith("p.yaml, line 22, prompt: cannot be filled in: ")


@pytest.mark.parametrize(
    "instead",
    [
        "",
        "{% if answer %}There is an answer.{% endif %}",
        "{# {{ answer }} #}",
        "{% set answer = 'x' %}{{ answer }}",
        "{% raw %}{{ answer }}{% endraw %}",
    ],
)
def test_a_prompt_must_show_its_inputs(refusal: Refusal, instead: str) -> None:
    said = refusal(("{{ answer }}", instead))
    assert said == "p.yaml, line 20, prompt: never shows the input `answer`; add {{ answer }}."


@pytest.mark.parametrize(
    "instead",
    [
        "{% set shown = answer %}{{ shown }}",
        "{% for each in inputs if each.name == 'answer' %}{{ each.text }}{% endfor %}",
        "{% if answer | length > 99999 %}{{ answer }}{% endif %}",
        "{{ answer | indent(4) }}",
        "{{ answer }}\n  Once more:\n  {{ answer }}",
    ],
)
def test_an_input_may_be_shown_in_several_ways(load: Load, instead: str) -> None:
    assert load(("{{ answer }}", instead))


@pytest.mark.parametrize(
    "instead",
    [
        "{{ answer | upper }}",
        "{{ answer[:100] }}",
        "{{ answer | truncate(80) }}",
        "{{ answer }} {{ answer | upper }}",
        "{{ answer | replace('>', '') }}",
    ],
)
def test_a_judged_input_must_keep_its_fence(refusal: Refusal, instead: str) -> None:
    assert "breaks the fence around it" in refusal(("{{ answer }}", instead))


def test_an_input_that_is_not_judged_may_be_changed(load: Load) -> None:
    assert load(("{{ question }}", "{{ question | truncate(80) }}"))


def test_a_verbatim_prompt_has_no_fences_to_break(load: Load) -> None:
    assert load(("{{ answer }}", "{{ answer | upper }}"), ("reply: text", "verbatim: true"))


MANY = 1_100  # more than the samples once had numbers for


def with_inputs(changed: Callable[..., str], count: int) -> str:
    inputs = "".join(f"  i{number}: {{judged: true}}\n" for number in range(count))
    loop = "  {% for each in inputs %}{{ each.text }}{% endfor %}\n"
    return changed(
        ("criteria:", f"{inputs}criteria:"), ("  {{ question }}\n  {{ answer }}\n", loop)
    )


def test_many_inputs_are_told_apart(changed: Callable[..., str]) -> None:
    judge = load_text(with_inputs(changed, MANY), "p.yaml")
    assert len(judge.inputs) == MANY + 2


def test_the_time_grows_with_the_inputs_and_not_with_their_square(
    changed: Callable[..., str],
) -> None:
    """As a ratio, so that it holds on any machine: linear is 4, the square would be 16."""

    def seconds(count: int) -> float:
        text = with_inputs(changed, count)
        began = time.process_time()
        with suppress(DefinitionError):
            load_text(text, "p.yaml")
        return time.process_time() - began

    seconds(10)  # loads what is loaded once
    assert seconds(2_400) < 9 * seconds(600)
