"""Criteria that Python computes, beside those that the model gives: `@adjudge.check`.

A check is a function of the item's texts and columns, taken by the names of its parameters. What it
returns is read by its scale, as a reply is; what it raises is an outcome with a reason. `None` says
that the criterion does not apply.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import orjson

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.reason import Reason
from adjudge.core.rubric import Criterion
from adjudge.core.scale import Binary, NotAValue, OffScale
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Verdict
from adjudge.errors import UsageError
from adjudge.judges.scale_spec import scale_from

from .one import outcome_of

_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class PythonCheck:
    """A criterion that a function computes. `made_of` is what its fingerprint is over: name,
    version, scale and source."""

    name: str
    title: str
    scale: Mapping[str, Any]
    function: Callable[..., object]
    version: int | str
    made_of: str

    def __call__(self, *texts: object, **named: object) -> object:
        """The function itself, as if it were no check."""
        return self.function(*texts, **named)

    @property
    def fingerprint(self) -> str:
        parts = [self.name, str(self.version), json.dumps(self.scale, sort_keys=True), self.made_of]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    def kept(self) -> dict[str, object]:
        """What a run keeps of it: all but the function."""
        return {
            "name": self.name,
            "title": self.title,
            "scale": self.scale,
            "fingerprint": self.fingerprint,
        }

    def score(self, item: Item) -> Score:
        """The item's score; never an error."""
        try:
            answer = self.function(**self._given(item))
        except _NoColumn as lacks:
            return _none(Outcome.UNREADABLE, lacks.reason)
        except Exception as error:  # of whatever kind: it is the user's code
            why = {"kind": type(error).__name__, "why": str(error)}
            return _none(Outcome.UNREADABLE, Reason("check.raised", check=self.name, **why))
        value, explanation = _parted(answer)
        if value is None:
            return replace(
                _none(Outcome.NOT_APPLICABLE, Reason("check.none", check=self.name)),
                explanation=explanation,
            )
        return replace(self._read(value), explanation=explanation)

    def _read(self, value: object) -> Score:
        scale = scale_from(self.scale)
        plain = value.item() if hasattr(value, "item") else value  # a scalar of numpy
        try:
            if isinstance(scale, Binary) and not isinstance(plain, bool):
                raise NotAValue(Reason("value.no_truth", raw=str(plain)))  # noqa: TRY301
            read = scale.read(plain)
        except OffScale as error:
            return _none(Outcome.OUT_OF_RANGE, error.reason)
        except NotAValue as error:
            return _none(Outcome.UNREADABLE, error.reason)
        return Score(
            outcome=Outcome.SCORED,
            value=read,
            raw=read,
            label=scale.label(read),
            unit=scale.unit(read),
        )

    def _given(self, item: Item) -> dict[str, object]:
        columns: dict[str, object] = {**item.extra, **item.fields}
        parameters = inspect.signature(self.function).parameters
        wanted: dict[str, object] = {}
        for name, parameter in parameters.items():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                return columns
            if name in columns:
                wanted[name] = columns[name]
            elif parameter.default is inspect.Parameter.empty:
                raise _NoColumn(self.name, name, tuple(columns))
        return wanted


class _NoColumn(Exception):  # noqa: N818 - caught where the score is made
    def __init__(self, check: str, name: str, known: tuple[str, ...]) -> None:
        super().__init__(name)
        self.reason = Reason("check.no_column", check=check, name=name, known=known)


def _none(outcome: Outcome, reason: Reason) -> Score:
    return Score(outcome=outcome, reason=reason)


def _parted(answer: object) -> tuple[object, str | None]:
    """The value, and why, where the function says so."""
    match answer:
        case (value, str() | None as why):
            return value, why
    return answer, None


@overload
def check(function: Callable[..., object], /) -> PythonCheck: ...


@overload
def check(
    *,
    scale: Mapping[str, Any] | None = None,
    name: str | None = None,
    title: str | None = None,
    version: int | str = 1,
) -> Callable[[Callable[..., object]], PythonCheck]: ...


def check(
    function: Callable[..., object] | None = None,
    /,
    *,
    scale: Mapping[str, Any] | None = None,
    name: str | None = None,
    title: str | None = None,
    version: int | str = 1,
) -> PythonCheck | Callable[[Callable[..., object]], PythonCheck]:
    """Makes a criterion of a function, for `checks=[…]` of `run` and `judge`.

    function: takes inputs and columns by their names; returns a value, or a value and why.
    scale: as in a judge file; left out, it is yes or no, and for `-> float` 0 to 1.
    name, title: of the criterion; the function's name where left out.
    version: change it when something changes that the function's own source does not show.
    """

    def made(function: Callable[..., object]) -> PythonCheck:
        called = name or function.__name__
        if not _NAME.fullmatch(called):
            raise UsageError(Reason("check.name", name=called))
        known = dict(scale) if scale is not None else _usual_scale(function)
        scale_from(known)  # says what is wrong with it
        return PythonCheck(
            name=called,
            title=title or called.replace("_", " ").capitalize(),
            scale=known,
            function=function,
            version=version,
            made_of=_source(function),
        )

    return made if function is None else made(function)


def _usual_scale(function: Callable[..., object]) -> dict[str, Any]:
    hint = inspect.signature(function).return_annotation
    is_float = hint in (float, "float")
    return {"type": "number", "min": 0.0, "max": 1.0} if is_float else {"type": "binary"}


def _source(function: Callable[..., object]) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):  # typed at a prompt, or built in
        code = getattr(function, "__code__", None)
        return code.co_code.hex() + repr(code.co_consts) if code else repr(type(function))


def exact_match(
    of: str = "answer", to: str = "reference", *, name: str = "exact_match"
) -> PythonCheck:
    """Whether two texts are the same, except for the space around them."""

    def same(**columns: object) -> tuple[bool, str]:
        one, other = _text(columns, of, name), _text(columns, to, name)
        return one.strip() == other.strip(), f"{of} compared with {to}"

    return _ready(same, name, [of, to])


def contains(text: str, of: str = "answer", *, name: str = "contains") -> PythonCheck:
    """Whether the text occurs, in upper or lower case."""

    def within(**columns: object) -> tuple[bool, str]:
        return text.casefold() in _text(columns, of, name).casefold(), f"looked for {text!r}"

    return _ready(within, name, [text, of])


def matches(pattern: str, of: str = "answer", *, name: str = "matches") -> PythonCheck:
    """Whether a regular expression is found in the text."""
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise UsageError(Reason("check.pattern", pattern=pattern, why=str(error))) from None

    def found(**columns: object) -> tuple[bool, str]:
        hit = compiled.search(_text(columns, of, name))
        return hit is not None, f"found {hit[0]!r}" if hit else "not found"

    return _ready(found, name, [pattern, of])


def is_json(of: str = "answer", *, name: str = "is_json") -> PythonCheck:
    """Whether the text is JSON as a whole."""

    def parsed(**columns: object) -> tuple[bool, str | None]:
        try:
            orjson.loads(_text(columns, of, name))
        except orjson.JSONDecodeError as error:
            return False, str(error)
        return True, None

    return _ready(parsed, name, [of])


def length(
    of: str = "answer", *, least: int = 0, most: int | None = None, name: str = "length"
) -> PythonCheck:
    """Whether the text has so many characters."""

    def fits(**columns: object) -> tuple[bool, str]:
        count = len(_text(columns, of, name))
        return least <= count and (most is None or count <= most), f"{count} characters"

    return _ready(fits, name, [of, least, most])


def _ready(function: Callable[..., object], name: str, made_of: Sequence[object]) -> PythonCheck:
    made = check(name=name)(function)
    return replace(made, made_of=f"{function.__name__} {made_of!r}")


def _text(columns: Mapping[str, object], name: str, check: str) -> str:
    if name not in columns:
        raise _NoColumn(check, name, tuple(columns))
    value = columns[name]
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def with_checks(judge: Judge, checks: Sequence[Mapping[str, Any]]) -> Judge:
    """The judge with criteria that the model is not asked about. UsageError for a name twice."""
    if not checks:
        return judge
    criteria = dict(judge.rubric.criteria)
    for kept in checks:
        name = kept["name"]
        if name in criteria or name in judge.feedback:
            raise UsageError(Reason("check.same_name", name=name, judge=judge.name))
        criteria[name] = Criterion(
            name=name,
            title=kept["title"],
            guide="",
            scale=scale_from(kept["scale"]),
            explain=False,
            check=kept["fingerprint"],
        )
    return replace(judge, rubric=replace(judge.rubric, criteria=criteria))


def checked(verdict: Verdict, item: Item, checks: Sequence[PythonCheck]) -> Verdict:
    """The verdict with the scores of the checks."""
    if not checks:
        return verdict
    scores = {**verdict.scores, **{check.name: check.score(item) for check in checks}}
    return replace(verdict, scores=scores, outcome=outcome_of(scores))
