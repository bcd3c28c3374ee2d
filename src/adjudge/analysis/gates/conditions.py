"""Conditions that a run has to meet, e.g. `rating.mean>=3.2`.

::

    [CRITERION.]WHAT[.lower|.upper] OPERATOR NUMBER[%]

WHAT is a figure: each command says which ones it knows. `lower` and `upper` are the ends of its
interval; alone they are those of the mean. `share(>=3)` is the share of items that meet a condition
of their own, `share(=tie)` the share with that value, `overall.pass` the share of items whose
overall score passes; a void one does not. The operators are >= > <= < and =.

Gates are parsed and checked before anything is spent, and judged at the end. A figure that does
not exist fails its gate and says why. Where several judges or models have the criterion, each must
pass.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from adjudge.core.reason import Field, Reason, reason_of
from adjudge.core.rubric import OVERALL
from adjudge.core.scale import Category, NotAValue, Scale
from adjudge.errors import UsageError
from adjudge.stats.stat import Stat

Part = Literal["value", "lower", "upper"]
RUN_FIGURES = ("mean", "corrected", "share", "pass", "unscored")
CALIBRATION_FIGURES = (
    *RUN_FIGURES,
    *("n", "exact", "adjacent", "bias", "mae", "pearson", "spearman", "kendall", "kappa", "alpha"),
    *("group_pearson", "group_spearman", "group_kendall"),
)
_OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
_SPELT = {"≥": ">=", "≤": "<=", "==": "="}
_SIGN = r"(>=|<=|==|≥|≤|>|<|=)"
_GATE = re.compile(rf"(?P<left>[^<>=≤≥()]+(?:\([^()]*\))?)\s*{_SIGN}\s*(?P<limit>[^<>=≤≥()]+)")
_CONDITION = re.compile(rf"(?P<name>\w+)\(\s*{_SIGN}\s*(?P<value>[^()]+?)\s*\)")
_EXAMPLES = "rating.mean>=3.2, accuracy.corrected.lower>=7, 'rating.share(>=3)>=80%', unscored<=2%"
_ROUNDING = 1e-9
_SHARES = ("share", "pass", "unscored")
NO_SHARE = Reason("gate.no_share")


@dataclass(frozen=True, slots=True)
class Condition:
    """What an item must meet to count in a share; `value` is a number or a name, as `written`."""

    sign: str
    value: float | str
    written: str

    def holds(self, value: float) -> bool:
        """Whether a number meets it."""
        return _OPERATORS[self.sign](value, float(self.value))


@dataclass(frozen=True, slots=True)
class Gate:
    """One condition. `criterion` is "" where the figure is the whole run's."""

    text: str
    criterion: str
    what: str
    sign: str
    limit: float
    part: Part = "value"
    condition: Condition | None = None

    @property
    def is_plain(self) -> bool:
        """Whether it needs no interval and no calibration, and so no statistics."""
        return self.part == "value" and self.what in ("mean", "share", "pass", "unscored")

    def passes(self, value: float) -> bool:
        """A value that only rounding keeps off the limit passes >=, <= and =."""
        slack = _ROUNDING * max(1.0, abs(self.limit))
        if abs(value - self.limit) <= slack:
            return "=" in self.sign
        return _OPERATORS[self.sign](value, self.limit)


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure as it was found; None with the reason. `where` names judge and model if several.
    `unscored` samples are not in the figure."""

    value: float | None
    why: Reason | None = None
    where: Reason | None = None
    unscored: int = 0

    @classmethod
    def of(cls, stat: Stat, part: Part) -> Measured:
        """The value of a statistic, or an end of its interval."""
        ends = {"value": stat.value, "lower": stat.low, "upper": stat.high}
        return cls(ends[part], stat.why)


@dataclass(frozen=True, slots=True)
class GateResult:
    """What became of a gate: passed, or `short_by` so much (0 on a limit that must be passed), or
    without a figure for a reason."""

    gate: Gate
    passed: bool
    measured: Measured
    short_by: float | None = None


Lookup = Callable[[Gate], Iterable[Measured]]


def parse_gates(texts: Iterable[str]) -> tuple[Gate, ...]:
    """The gates as they were written; UsageError for what is none."""
    return tuple(_parse(text.strip()) for text in texts)


def check_gates(gates: Sequence[Gate], criteria: Collection[str], figures: Collection[str]) -> None:
    """Refuses gates about criteria or figures that this run will not have."""
    for gate in gates:
        if gate.what not in figures:
            names: dict[str, Field] = {"name": gate.what, "known": tuple(figures)}
            close = _close(gate.what, figures)
            like = Reason("gate.like_figure", close=close, **names)
            raise _refused(gate.text, like if close else Reason("gate.unknown_figure", **names))
        if gate.criterion and gate.criterion not in criteria:
            names = {"name": gate.criterion, "known": tuple(criteria)}
            close = _close(gate.criterion, criteria)
            like = Reason("gate.like_criterion", close=close, **names)
            raise _refused(gate.text, like if close else Reason("gate.unknown_criterion", **names))
        if gate.what == "pass" and gate.criterion not in {"", OVERALL}:
            raise _refused(gate.text, Reason("gate.pass_overall", overall=OVERALL))
        if not gate.criterion and gate.what != "unscored":
            whose = Reason("gate.whose", figure=gate.what, known=tuple(criteria))
            raise _refused(gate.text, whose)


def check_scales(
    gates: Sequence[Gate], scales: Iterable[tuple[str, Scale]], *, likelihoods: bool = False
) -> None:
    """Refuses gates that a criterion's scale has no answer to: the mean of names, a wrong name.

    Likelihoods are numbers on no scale: they have a mean whatever the scale, and no share.
    """
    for name, scale in scales:
        for gate in gates:
            if gate.criterion != name:
                continue
            if likelihoods:
                _check_likelihoods(gate, scale)
            else:
                _check_scale(gate, scale)


def _check_likelihoods(gate: Gate, scale: Scale) -> None:
    why = NO_SHARE if gate.condition else None
    if isinstance(scale, Category) and gate.what == "corrected":
        why = Reason("gate.no_map")
    if why:
        raise _refused(gate.text, Reason("gate.likelihood", why=why, criterion=gate.criterion))


def _check_scale(gate: Gate, scale: Scale) -> None:
    if gate.condition is not None:
        if isinstance(scale, Category) or isinstance(gate.condition.value, str):
            try:
                scale.read(gate.condition.written)
            except NotAValue as error:
                raise _refused(gate.text, Reason("gate.value", why=reason_of(error))) from None
        if isinstance(scale, Category) and gate.condition.sign != "=":
            raise _refused(gate.text, Reason("gate.unordered"))
    elif isinstance(scale, Category) and gate.what in ("mean", "corrected"):
        names = f"{gate.criterion}.share(={scale.options[0]})"
        raise _refused(gate.text, Reason("gate.no_mean", example=names))


def gate_results(gates: Sequence[Gate], lookup: Lookup) -> tuple[GateResult, ...]:
    """Every gate against its figure; one that several judges or models have is judged for each."""
    judged = []
    for gate in gates:
        figures = list(lookup(gate)) or [Measured(None, Reason("nothing_scored"))]
        judged += [judge_gate(gate, figure) for figure in figures]
    return tuple(judged)


def judge_gate(gate: Gate, measured: Measured) -> GateResult:
    """One gate against its figure; without any it fails."""
    if measured.value is None:
        return GateResult(gate, False, measured)
    passed = gate.passes(measured.value)
    return GateResult(gate, passed, measured, None if passed else abs(measured.value - gate.limit))


def _parse(text: str) -> Gate:
    match = _GATE.fullmatch(text)
    if not match:
        raise _refused(text or repr(text), Reason("gate.no_condition", examples=_EXAMPLES))
    sign = _SPELT.get(match[2], match[2])
    written = match["limit"].strip()
    limit = _limit(written, text)
    figure = _figure(match["left"].strip(), text)
    if figure.what in _SHARES and limit > 1 and not written.endswith("%"):
        raise _refused(text, Reason("gate.percent", limit=limit))
    return replace(figure, sign=sign, limit=limit)


def _figure(left: str, text: str) -> Gate:
    """`accuracy.corrected.lower` → criterion, figure and part."""
    head, bracket, rest = left.partition("(")
    parts = [part.strip() for part in head.split(".")]
    if not all(parts):
        raise _refused(text, Reason("gate.no_figure", figure=left, examples=_EXAMPLES))
    condition = _condition(f"{parts[-1]}({rest}", text) if bracket else None
    part: Part = "value"
    if parts[-1] in ("lower", "upper"):
        part = "lower" if parts.pop() == "lower" else "upper"
        if len(parts) < 2:
            parts.append("mean")
    *criterion, what = parts
    if (what == "share") != (condition is not None):
        raise _refused(text, Reason("gate.share"))
    return Gate(text, ".".join(criterion), what, "", 0.0, part, condition)


def _condition(text: str, gate: str) -> Condition:
    match = _CONDITION.fullmatch(text)
    if not match:
        raise _refused(gate, Reason("gate.share_form"))
    sign = _SPELT.get(match[2], match[2])
    written = match["value"]
    try:
        return Condition(sign, float(written), written)
    except ValueError:
        if sign != "=":
            raise _refused(gate, Reason("gate.name_unordered", name=written)) from None
    return Condition(sign, written, written)


def _limit(text: str, gate: str) -> float:
    """80% is 0.8."""
    percent = text.endswith("%")
    try:
        limit = float(text.removesuffix("%"))
    except ValueError:
        limit = float("nan")
    if not math.isfinite(limit):
        raise _refused(gate, Reason("gate.no_number", text=text))
    return limit / 100 if percent else limit


def _refused(gate: str, why: Reason) -> UsageError:
    return UsageError(why.at_option("gate", gate))


def _close(name: str, known: Collection[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only for a mistake

    return next(iter(get_close_matches(name, known, 1)), "")
