"""What PyYAML, Jinja2 and Python say about a text, as reasons: they say it in English only.

What is not known here is passed on as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce

from adjudge.core.reason import Reason


def one_of(options: Sequence[str]) -> str | Reason:
    """`a or b`."""
    first, *others = options
    return reduce(lambda a, b: Reason("judge.or", a=a, b=b), others, first)  # type: ignore[arg-type, return-value]


# The code of a reason → the message that it stands for, whose groups are its fields. The first that
# fits counts.
YAML_MESSAGES: Mapping[str, str] = {
    "yaml.mapping": "mapping values are not allowed here",
    "yaml.entries": "sequence entries are not allowed here",
    "yaml.colon": "could not find expected ':'",
    "yaml.sign": "found character (?P<sign>.+) that cannot start any token",
    "yaml.block": "expected <block end>, but found (?P<seen>.+)",
    "yaml.bracket": "expected ',' or (?P<bracket>'.'), but got (?P<seen>.+)",
    "yaml.content": "expected the node content, but found (?P<seen>.+)",
    "yaml.letter": "expected alphabetic or numeric character, but found (?P<sign>.+)",
    "yaml.start": "expected '<document start>', but found (?P<seen>.+)",
    "yaml.end": "found unexpected end of stream",
    "yaml.document": "but found another document",
    "yaml.alias": "found undefined alias (?P<name>.+)",
    "yaml.anchor": "second occurrence",
    "yaml.escape": "found unknown escape character (?P<sign>.+)",
}
_OPEN = (
    r"\. Jinja was looking for the following tags: (?P<tags>.+)\. The innermost block that needs to"
    " be closed is (?P<block>.+)"
)
JINJA_MESSAGES: Mapping[str, str] = {
    "jinja.end_in": f"Unexpected end of template{_OPEN}",
    "jinja.end_before": "unexpected end of template, expected (?P<wanted>.+)",
    "jinja.tag_in": f"Encountered unknown tag (?P<name>'[^']*'){_OPEN}",
    "jinja.tag": "Encountered unknown tag (?P<name>'[^']*')",
    "jinja.no_tag": "tag name expected",
    "jinja.sign": "unexpected char (?P<sign>.+) at (?P<position>[0-9]+)",
    "jinja.instead": "unexpected (?P<seen>.+), expected (?P<wanted>.+)",
    "jinja.unexpected": "unexpected (?P<seen>.+)",
    "jinja.token": "expected token (?P<wanted>.+), got (?P<seen>.+)",
    "jinja.expression": "Expected an expression, got (?P<seen>.+)",
    "jinja.zero": "division by zero",
    "jinja.operands": r"unsupported operand type\(s\) for (?P<sign>.+): (?P<a>.+) and (?P<b>.+)",
    "jinja.joined": r"can only concatenate (?P<a>\w+) \(not (?P<b>.+)\) to \w+",
    "jinja.no_list": "(?P<kind>'.+') object is not iterable",
    "jinja.no_call": "(?P<kind>'.+') object is not callable",
    "jinja.parameter": "parameter (?P<name>.+) was not provided",
    "jinja.comment": "Missing end of comment tag",
    "jinja.filter": "No filter named (?P<name>.+)",
    "jinja.test": "No test named (?P<name>.+)",
    "jinja.undefined": "(?P<name>.+) is undefined",
    "jinja.attribute": "(?P<kind>.+) has no attribute (?P<name>.+)",
    "jinja.element": "(?P<kind>.+) has no element (?P<name>.+)",
    "jinja.unsafe": "access to attribute (?P<name>.+) of (?P<kind>.+) object is unsafe",
    "jinja.range": r"Range too big\. .+ larger than MAX_RANGE \((?P<most>[0-9]+)\)",
}
# What Jinja2 calls the signs }} and %}.
_SIGNS: Mapping[str, Reason] = {
    "'end of print statement'": Reason("jinja.print_end"),
    "'end of statement block'": Reason("jinja.tag_end"),
}


def yaml_message(message: str) -> Reason:
    return _known(message, YAML_MESSAGES)


def jinja_message(message: str) -> Reason:
    """Without the full stop that some end in."""
    return _known(message.rstrip("."), JINJA_MESSAGES)


def _known(message: str, known: Mapping[str, str]) -> Reason:
    for code, pattern in known.items():
        if match := re.fullmatch(pattern, message):
            parts: dict[str, str | Reason] = dict(match.groupdict())
            if "tags" in parts:
                parts["tags"] = one_of(match["tags"].split(" or "))
            return Reason(code, **{name: _SIGNS.get(str(p), p) for name, p in parts.items()})
    return Reason.of(message)
