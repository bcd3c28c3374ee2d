from __future__ import annotations

import pytest

from adjudge.judges.parser_messages import jinja_message, one_of, yaml_message


@pytest.mark.parametrize(
    "message",
    [
        "mapping values are not allowed here",
        "found character '\\t' that cannot start any token",
        "expected ',' or ']', but got '<scalar>'",
        "found undefined alias 'b'",
    ],
)
def test_yaml_is_worded_as_before_in_english(message: str) -> None:
    reason = yaml_message(message)
    assert reason.code.startswith("yaml.")
    assert str(reason) == message


@pytest.mark.parametrize(
    "message",
    [
        (
            "Unexpected end of template. Jinja was looking for the following tags: 'endfor' or"
            " 'else'. The innermost block that needs to be closed is 'for'"
        ),
        "unexpected '}', expected ')'",
        "expected token 'end of print statement', got 'question'",
        "'dict object' has no attribute 'nothing'",
        'can only concatenate str (not "int") to str',
        "unsupported operand type(s) for +: 'int' and 'str'",
    ],
)
def test_jinja_is_worded_as_before_in_english(message: str) -> None:
    reason = jinja_message(f"{message}.")
    assert reason.code.startswith("jinja.")
    assert str(reason) == message


def test_what_is_not_known_is_passed_on() -> None:
    assert (yaml_message("something new").code, str(yaml_message("something new"))) == (
        "",
        "something new",
    )


def test_one_of_several() -> None:
    assert one_of(["a"]) == "a"
    assert str(one_of(["a", "b", "c"])) == "a or b or c"
