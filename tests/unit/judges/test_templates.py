from __future__ import annotations

import pytest

from adjudge.judges import templates


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
        ("{{ lipsum() }}", 1, "`lipsum` is no input"),
    ],
)
def test_problems_name_the_line(text: str, line: int, problem: str) -> None:
    (found,) = templates.problems(text, ["question"])
    assert found[0] == line
    assert problem in found[1]


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
