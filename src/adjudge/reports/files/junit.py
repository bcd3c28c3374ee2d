"""Verdict rows as JUnit XML, for the test reports of CI servers.

A suite for each judge and model, a case for each item and criterion. What has no value is an error
with its reason; a yes-or-no criterion that says no is a failure. Other scales have no pass mark of
their own, so their cases pass: which mean is good enough is for a gate to say. Gates are cases of a
suite of their own, and failures where they fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain
from typing import Any, BinaryIO

from .rows import Row, Rows, plain_cell

# All that XML 1.0 cannot hold, not even escaped.
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPACES = str.maketrans({"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})
_LONGEST_MESSAGE = 300  # characters of an attribute; the whole text stands below it

Suite = tuple[str, str]
_GATES: Suite = ("adjudge", "gates")


@dataclass(slots=True)
class _Counts:
    tests: int = 0
    failures: int = 0
    errors: int = 0
    seconds: float = 0.0

    def add(self, case: _Case) -> None:
        self.tests += 1
        self.failures += case.ending == "failure"
        self.errors += case.ending == "error"
        self.seconds += case.seconds

    def attributes(self) -> dict[str, object]:
        counts = {"tests": self.tests, "failures": self.failures, "errors": self.errors}
        return {**counts, "skipped": 0, "time": f"{self.seconds:.3f}"}


@dataclass(frozen=True, slots=True)
class _Case:
    """`ending` is the element that tells how it ended, "" where it passed; `kind` why so."""

    name: str
    seconds: float
    ending: str
    kind: str
    message: str
    said: str
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class GateCase:
    """A gate as a case: it failed with this message, or passed with ""; `said` is its figure."""

    name: str
    failure: str
    said: str


def write(rows: Rows, out: BinaryIO, gates: Sequence[GateCase] = ()) -> None:
    """Walks the rows once to count, then once for each suite. Gates are a suite of their own."""
    suites: dict[Suite | None, _Counts] = {}
    total = _Counts()
    judged = [_gate_case(gate) for gate in gates]
    counted = chain(
        ((None, case) for case in judged),
        ((_suite(row), case) for row in rows() for case in _cases(row)),
    )
    for suite, case in counted:
        suites.setdefault(suite, _Counts()).add(case)
        total.add(case)
    out.write(b'<?xml version="1.0" encoding="UTF-8"?>\n')
    out.write(_tag("testsuites", {"name": "adjudge", **total.attributes()}).encode())
    for suite, counts in suites.items():
        name = " by ".join(suite) if suite else "gates"
        own = (case for row in rows() if _suite(row) == suite for case in _cases(row))
        out.write(_tag("testsuite", {"name": name, **counts.attributes()}, depth=1).encode())
        for case in own if suite else judged:
            out.write(_case_element(suite or _GATES, case).encode())
        out.write(b"  </testsuite>\n")
    out.write(b"</testsuites>\n")


def _gate_case(gate: GateCase) -> _Case:
    ending = "failure" if gate.failure else ""
    return _Case(gate.name, 0.0, ending, "gate", gate.failure, gate.said, {})


def _suite(row: Row) -> Suite:
    return str(row["judge"]), str(row["model"])


def _cases(row: Row) -> Iterator[_Case]:
    """One for each criterion; the verdict's time is shared out among them."""
    repeat = f" (repeat {row['repeat']})" if row["repeat"] else ""
    data = row.get("data", {})
    seconds = row["latency_ms"] / 1000 / max(1, len(row["scores"]))
    for criterion, score in row["scores"].items():
        if score["outcome"] == "not_applicable":
            continue
        name = f"{row['item']}: {criterion}{repeat}"
        yield _Case(name, seconds, *_ending(score), _said(score), data)
    overall = row.get("overall")
    if overall and overall["pass"] is not None:
        message = overall["why"] or f"{overall['value']} does not pass."
        how = ("", "", "") if overall["pass"] else ("failure", "fail", message)
        said = "" if overall["value"] is None else str(overall["value"])
        yield _Case(f"{row['item']}: overall{repeat}", 0.0, *how, said, data)


def _ending(score: Mapping[str, Any]) -> tuple[str, str, str]:
    if score["value"] is None:
        return "error", score["outcome"], score["why"] or score["outcome"]
    if score["value"] is False:
        return "failure", "no", score["explanation"] or "The answer is no."
    return "", "", ""


def _said(score: Mapping[str, Any]) -> str:
    """The value with its label and the rule that changed it, then the explanation."""
    parts = [str(score[name]) for name in ("value", "label") if score[name] is not None]
    if score["rule"] is not None:
        parts.append(f"({score['rule']}, was {score['raw']})")
    return "\n".join(filter(None, [" ".join(parts), score["explanation"]]))


def _case_element(suite: Suite, case: _Case) -> str:
    judge, model = suite
    # Readers take what stands before the last dot for a package.
    attributes = {
        "classname": f"{judge}.{model.replace('.', '_')}",
        "name": case.name,
        "time": f"{case.seconds:.3f}",
    }
    inside = _properties(case.data)
    if case.ending:
        shown = {"type": case.kind, "message": case.message[:_LONGEST_MESSAGE]}
        inside += _element(case.ending, shown, case.message)
    if case.said:
        inside += _element("system-out", {}, case.said)
    return _tag("testcase", attributes, depth=2) + inside + "    </testcase>\n"


def _properties(data: Mapping[str, object]) -> str:
    if not data:
        return ""
    cells = [(f"data.{name}", plain_cell(value)) for name, value in data.items()]
    tags = (
        _tag("property", {"name": name, "value": value}, depth=4)
        for name, value in cells
        if value is not None
    )
    inside = "".join(tag.replace(">\n", "/>\n") for tag in tags)  # ">" in a value is escaped
    return f"{_tag('properties', {}, depth=3)}{inside}      </properties>\n"


def _element(name: str, attributes: Mapping[str, object], text: str) -> str:
    opened = _tag(name, attributes, depth=3).removesuffix("\n")
    return f"{opened}{escape(_ILLEGAL.sub('', text), quote=False)}</{name}>\n"


def _tag(name: str, attributes: Mapping[str, object], depth: int = 0) -> str:
    written = "".join(f' {key}="{_attribute(str(value))}"' for key, value in attributes.items())
    return f"{'  ' * depth}<{name}{written}>\n"


def _attribute(text: str) -> str:
    """Line breaks are written out: a reader would make spaces of them."""
    return escape(_ILLEGAL.sub("", text)).translate(_SPACES)
