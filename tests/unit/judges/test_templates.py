from __future__ import annotations

import pytest

from adjudge.judges import template_sandbox, templates


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("a\n{{ question }", 2, "unexpected '}'"),
        ("{% for c in criteria %}\n{{ c }}", 2, "'endfor'"),
        ("\n\n{{ question | shout }}", 3, "No filter named 'shout'"),
        ("{% foo %}", 1, "unknown tag 'foo'"),
        ("a\n{% include 'x' %}", 2, "cannot take in other files"),
        ("{% import '/etc/passwd' as x %}", 1, "cannot take in other files"),
        ("{% from 'x' import y %}", 1, "cannot take in other files"),
        ("{% extends 'x' %}", 1, "cannot take in other files"),
        ("a quest\nb\n{{ qestion }}", 3, "Did you mean `question`?"),
        ("{{ criteria | random }}", 1, "No filter named 'random'"),
        ("{{ lipsum() }}", 1, "`lipsum` is not an input"),
    ],
)
def test_problems_name_the_line(text: str, line: int, problem: str) -> None:
    (found,) = templates.problems(text, ["question"])
    assert found[0] == line
    assert problem in str(found[1])


def test_a_name_is_found_where_it_is_used_and_not_where_it_is_spelt() -> None:
    assert templates.problems("an a\n\n{{ a }}", ["question"])[0][0] == 3


def test_several_problems_come_in_the_order_of_the_text() -> None:
    found = templates.problems("{{ zzz }}\n{{ aaa }}", ["question"])
    assert [line for line, _ in found] == [1, 2]


def test_data_is_never_rendered_again() -> None:
    hostile = "{{ 7 * 7 }} {% if true %}x{% endif %} %s {0} ${x} {# c #}"
    assert templates.rendered("[{{ text }}]", {"text": hostile}) == f"[{hostile}]"


def test_text_is_not_escaped() -> None:
    assert templates.rendered("{{ text }}", {"text": "<b> & 'c'"}) == "<b> & 'c'"


def test_a_failure_names_the_line_of_the_template() -> None:
    with pytest.raises(templates.TemplateFailed) as caught:
        templates.rendered("a\n{% for i in [1] %}\n{{ i.x.y }}\n{% endfor %}", {})
    assert caught.value.line == 3


NESTED = "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = BOTH %}{% endfor %}"
WITHOUT_END = {
    "loops": "{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}",
    "conditions": "{% for i in range(9000) %}{% for j in range(900) if false %}{% endfor %}"
    "{% endfor %}",
    "signs of a text": "{% for i in a %}{% for j in a %}{% endfor %}{% endfor %}",
    "macros": "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}"
    "{{ m(40) }}",
    "a macro without an end": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "a loop without an end": "{% for x in [1] recursive %}{{ loop([1, 1]) }}{% endfor %}",
    "blocks": "{% block b0 %}{% endblock %}"
    + "".join(
        "{% block b" + str(n) + " %}" + 2 * ("{{ self.b" + str(n - 1) + "() }}") + "{% endblock %}"
        for n in range(1, 40)
    ),
    "sorting": "{% for i in range(90000) %}{% set z = a | sort %}{% endfor %}",
    "adding up": "{% for i in range(90000) %}{% set z = range(90000) | sum %}{% endfor %}",
}
TOO_LONG = {
    "set": "{% set x = a %}" + 40 * "{% set x %}{{ x }}{{ x }}{% endset %}",
    "~": NESTED.replace("BOTH", "ns.x ~ ns.x"),
    "+": NESTED.replace("BOTH", "ns.x + ns.x"),
    "lists": NESTED.replace("BOTH", "[ns.x, ns.x]") + "{{ ns.x }}",
    "namespaces": NESTED.replace("BOTH", "[ns.x, ns.x]") + "{{ ns }}",
    "replace": "{{ a.replace('x', a) }}",
    "replace, the filter": "{{ a | replace('x', a) }}",
    "join": "{{ a.join(a) }}",
    "join, the filter": "{{ a | list | join(a) }}",
    "join of what is not there yet": "{{ a | map('upper') | join(a) }}",
    "ljust": "{{ 'x'.ljust(90000 * 9000) }}",
    "zfill": "{{ 'x'.zfill(90000 * 9000) }}",
    "expandtabs": "{{ '\t'.expandtabs(90000 * 9000) }}",
    "center": "{{ 'x' | center(90000 * 9000) }}",
    "indent": "{{ a | indent(90000 * 9000) }}",
    "tojson": "{{ [[1]] | tojson(indent=90000 * 9000) }}",
    "slice": "{{ a | slice(90000 * 9000) | list }}",
    "batch": "{{ a | batch(90000 * 9000, 'x') | list }}",
    "%": "{{ '%900000000d' % 1 }}",
    "% with a width": "{{ '%*d' % (90000 * 9000, 1) }}",
    "format": "{{ '{:900000000}'.format(1) }}",
    "format with a width": "{{ '{:{}}'.format(1, 90000 * 9000) }}",
    "format of a text": "{{ '" + 4000 * "{0}" + "'.format(a) }}",
    "format_map": "{{ '{x:900000000}'.format_map({'x': 1}) }}",
    "format, the filter": "{{ '%900000000d' | format(1) }}",
    "the text between": "{% set x %}{% for i in range(90000) %}" + 5000 * "y" + "{% endfor %}"
    "{% endset %}",
}


@pytest.mark.parametrize("text", WITHOUT_END.values(), ids=WITHOUT_END)
def test_what_would_go_on_without_an_end_is_ended(text: str) -> None:
    assert templates.problems(text, ["a"]) == []
    with pytest.raises(templates.TemplateFailed, match=r"loop over less|recursion depth|less text"):
        templates.rendered(text, {"a": 9000 * "x"})


@pytest.mark.parametrize("text", TOO_LONG.values(), ids=TOO_LONG)
def test_what_would_fill_the_memory_is_not_made(text: str) -> None:
    assert templates.problems(text, ["a"]) == []
    with pytest.raises(templates.TemplateFailed, match="repeat, pad or join less text"):
        templates.rendered(text, {"a": 9000 * "x"})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{{ 100001 }}", "whole numbers in prompts end at 100,000"),
        ("{{ " + 9000 * "9" + " }}", "a number that is too long"),
        (30 * "{% for i in a %}" + 30 * "{% endfor %}", "nested too deeply"),
        ("{{ " + 2000 * "(" + "1" + 2000 * ")" + " }}", "nested too deeply"),
        ("{{ " + " ~ ".join(3000 * "a") + " }}", "more than 5,000 signs"),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_compiled(text: str, problem: str) -> None:
    (found,) = templates.problems(text, ["a"])
    assert problem in str(found[1])


def test_constants_that_cannot_be_worked_out_fail_with_their_line() -> None:
    text = "Text.\n{{ 'ab'[7] ~ 9 }}{{ answer }}"
    assert templates.problems(text, ["answer"]) == []
    with pytest.raises(templates.TemplateFailed, match="cannot be filled in") as caught:
        templates.rendered(text, {"answer": "A."})
    assert caught.value.line == 2


def test_numbers_do_not_grow_without_an_end() -> None:
    text = NESTED.replace("[1]", "99999").replace("BOTH", "ns.x * ns.x")
    with pytest.raises(templates.TemplateFailed, match="whole numbers end at"):
        templates.rendered(text, {})


def test_each_rendering_has_a_budget_of_its_own() -> None:
    text = "{% for i in range(90000) %}{% endfor %}{{ a | length }}"
    assert {templates.rendered(text, {"a": "abc"}) for _ in range(4)} == {"3"}


def test_renderings_that_belong_together_share_their_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template_sandbox, "ALL_SECONDS", 0.0)
    text = "{% for i in range(9000) %}{% endfor %}"
    assert templates.rendered(text, {}) == ""
    with template_sandbox.sharing_time(), pytest.raises(templates.TemplateFailed, match="too long"):
        templates.rendered(text, {})


def test_long_texts_are_shown_and_changed() -> None:
    text = "{{ a }}{{ a | trim }}{{ a.replace('x', 'yy') }}{{ [a, a] | join('-') }}{{ a ~ 'z' }}"
    assert len(templates.rendered(text, {"a": 1_000_000 * "x"})) == 7_000_002


def test_ordinary_expressions_give_what_jinja_gives() -> None:
    text = (
        "{% for x in xs if x != 2 %}{{ loop.index }}/{{ loop.length }}:{{ x }}"
        "{% if not loop.last %}, {% endif %}{% else %}none{% endfor %} "
        "{{ '%05.1f' % 2 }} {{ '{:>4}'.format(7) }} {{ xs[1:] }} "
        "{{ xs | map('string') | join('+') }}"
        "{% macro m(x, self=1) %}<{{ x }}{{ caller() if caller is defined else '' }}>{% endmacro %}"
        "{{ m('a') }}{% call m('b') %}c{% endcall %} {{ y | default('-') }} {{ 7 // 2 + 1.5 }}"
    )
    expected = "1/2:1, 2/2:3 002.0    7 [2, 3] 1+2+3<a><bc> - 4.5"
    assert templates.rendered(text, {"xs": [1, 2, 3]}) == expected
