"""What PyYAML, Jinja2 and Python say about a text, as reasons: they say it in English only.

What is not known here is passed on as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce

from adjudge.core.reason import Reason

_Fields = dict[str, str | Reason]


def one_of(options: Sequence[str]) -> str | Reason:
    """`a or b`."""
    first, *others = options
    return reduce(lambda a, b: Reason("judge.or", a=a, b=b), others, first)  # type: ignore[arg-type, return-value]


# A message, with its parts as groups, and the reason that is made of them.
_YAML: Sequence[tuple[str, Callable[[_Fields], Reason]]] = (
    ("mapping values are not allowed here", lambda _: Reason("yaml.mapping")),
    ("sequence entries are not allowed here", lambda _: Reason("yaml.entries")),
    ("could not find expected ':'", lambda _: Reason("yaml.colon")),
    (
        "found character (?P<sign>.+) that cannot start any token",
        lambda parts: Reason("yaml.sign", **parts),
    ),
    ("expected <block end>, but found (?P<seen>.+)", lambda parts: Reason("yaml.block", **parts)),
    (
        "expected ',' or (?P<bracket>'.'), but got (?P<seen>.+)",
        lambda parts: Reason("yaml.bracket", **parts),
    ),
    (
        "expected the node content, but found (?P<seen>.+)",
        lambda parts: Reason("yaml.content", **parts),
    ),
    (
        "expected alphabetic or numeric character, but found (?P<sign>.+)",
        lambda parts: Reason("yaml.letter", **parts),
    ),
    (
        "expected '<document start>', but found (?P<seen>.+)",
        lambda parts: Reason("yaml.start", **parts),
    ),
    ("found unexpected end of stream", lambda _: Reason("yaml.end")),
    ("but found another document", lambda _: Reason("yaml.document")),
    ("found undefined alias (?P<name>.+)", lambda parts: Reason("yaml.alias", **parts)),
    ("second occurrence", lambda _: Reason("yaml.anchor")),
    (
        "found unknown escape character (?P<sign>.+)",
        lambda parts: Reason("yaml.escape", **parts),
    ),
)
_OPEN = (
    r"\. Jinja was looking for the following tags: (?P<tags>.+)\. The innermost block that needs to"
    " be closed is (?P<block>.+)"
)
_JINJA: Sequence[tuple[str, Callable[[_Fields], Reason]]] = (
    (f"Unexpected end of template{_OPEN}", lambda parts: Reason("jinja.end_in", **parts)),
    (
        "unexpected end of template, expected (?P<wanted>.+)",
        lambda parts: Reason("jinja.end_before", **parts),
    ),
    (
        f"Encountered unknown tag (?P<name>'[^']*'){_OPEN}",
        lambda parts: Reason("jinja.tag_in", **parts),
    ),
    ("Encountered unknown tag (?P<name>'[^']*')", lambda parts: Reason("jinja.tag", **parts)),
    ("tag name expected", lambda _: Reason("jinja.no_tag")),
    (
        "unexpected char (?P<sign>.+) at (?P<position>[0-9]+)",
        lambda parts: Reason("jinja.sign", **parts),
    ),
    (
        "unexpected (?P<seen>.+), expected (?P<wanted>.+)",
        lambda parts: Reason("jinja.instead", **parts),
    ),
    ("unexpected (?P<seen>.+)", lambda parts: Reason("jinja.unexpected", **parts)),
    (
        "expected token (?P<wanted>.+), got (?P<seen>.+)",
        lambda parts: Reason("jinja.token", **parts),
    ),
    (
        "Expected an expression, got (?P<seen>.+)",
        lambda parts: Reason("jinja.expression", **parts),
    ),
    ("division by zero", lambda _: Reason("jinja.zero")),
    (
        r"unsupported operand type\(s\) for (?P<sign>.+): (?P<a>.+) and (?P<b>.+)",
        lambda parts: Reason("jinja.operands", **parts),
    ),
    (
        r"can only concatenate (?P<a>\w+) \(not (?P<b>.+)\) to \w+",
        lambda parts: Reason("jinja.joined", **parts),
    ),
    ("(?P<kind>'.+') object is not iterable", lambda parts: Reason("jinja.no_list", **parts)),
    ("(?P<kind>'.+') object is not callable", lambda parts: Reason("jinja.no_call", **parts)),
    ("parameter (?P<name>.+) was not provided", lambda parts: Reason("jinja.parameter", **parts)),
    ("Missing end of comment tag", lambda _: Reason("jinja.comment")),
    ("No filter named (?P<name>.+)", lambda parts: Reason("jinja.filter", **parts)),
    ("No test named (?P<name>.+)", lambda parts: Reason("jinja.test", **parts)),
    ("(?P<name>.+) is undefined", lambda parts: Reason("jinja.undefined", **parts)),
    (
        "(?P<kind>.+) has no attribute (?P<name>.+)",
        lambda parts: Reason("jinja.attribute", **parts),
    ),
    ("(?P<kind>.+) has no element (?P<name>.+)", lambda parts: Reason("jinja.element", **parts)),
    (
        "access to attribute (?P<name>.+) of (?P<kind>.+) object is unsafe",
        lambda parts: Reason("jinja.unsafe", **parts),
    ),
    (
        r"Range too big\. The sandbox blocks ranges larger than MAX_RANGE \((?P<most>[0-9]+)\)",
        lambda parts: Reason("jinja.range", **parts),
    ),
)
# What Jinja2 calls the signs }} and %}.
_SIGNS: Mapping[str, Reason] = {
    "'end of print statement'": Reason("jinja.print_end"),
    "'end of statement block'": Reason("jinja.tag_end"),
}


def yaml_message(message: str) -> Reason:
    return _known(message, _YAML)


def jinja_message(message: str) -> Reason:
    """Without the full stop that some end in."""
    return _known(message.rstrip("."), _JINJA)


def _known(message: str, known: Sequence[tuple[str, Callable[[_Fields], Reason]]]) -> Reason:
    for pattern, reason in known:
        if found := re.fullmatch(pattern, message):
            parts: _Fields = dict(found.groupdict())
            if "tags" in parts:
                parts["tags"] = one_of(found["tags"].split(" or "))
            return reason({name: _SIGNS.get(str(part), part) for name, part in parts.items()})
    return Reason.of(message)
