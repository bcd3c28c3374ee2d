"""What one rendering of a template may use up: judge files may come from people we do not know.

Steps and characters end a rendering at the same place on every machine. Processor time is for what
they cannot foresee, such as searching a long text again and again.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from time import thread_time

from jinja2.runtime import Undefined
from jinja2.utils import Namespace

STEPS = 200_000  # passes of loops, calls, filters, comparisons
CHARACTERS = 20_000_000  # made or looked at, besides ten times the texts that were given
SECONDS = 0.5  # of a rendering, of the processor, so that a busy machine changes nothing
ALL_SECONDS = 2.0  # of all renderings that belong together
NUMBER = 10**15  # whole numbers beyond it only serve to fill the memory
_TIMES = 10  # what is done to the given texts: printed, filtered, compared
_EACH = 40  # characters that a value in a list or a dict counts besides its text
_GIVEN = 10**9  # characters, up to which the given texts are measured
_LARGE = 50_000  # characters, from which on the clock is looked at

# Filters that take a text apart, sign by sign.
DIVIDING = frozenset(
    {"batch", "groupby", "join", "list", "map", "max", "min", "reject", "rejectattr", "select"}
    | {"selectattr", "slice", "sort", "sum", "unique"}
)
# Filters and methods whose result can be far longer than what they were given.
GROWING = frozenset(
    {"batch", "center", "expandtabs", "format", "format_map", "indent", "join", "ljust", "replace"}
    | {"rjust", "slice", "tojson", "zfill"}
)


class TooMuch(Exception):  # noqa: N818 - says what is the case; becomes a DefinitionError
    """A rendering has used up what it may."""


class Budget:
    """`names` is what the template was given. One rendering, one thread."""

    __slots__ = ("_began", "_left", "_may", "_names", "_steps")

    def __init__(self, names: Mapping[str, object], seconds: float = SECONDS) -> None:
        self._names: Mapping[str, object] | None = names
        self._steps, self._left = 0, CHARACTERS
        self._began: float | None = None
        self._may = min(seconds, SECONDS)

    def step(self, characters: int = 0) -> None:
        """One more step, which makes or looks at so many characters."""
        self._steps += 1
        self._left -= characters
        if self._left < 0 or characters > _LARGE or not self._steps % 32:
            self._check()

    def take(self, characters: int) -> None:
        self._left -= characters
        if self._left < 0 or characters > _LARGE:
            self._check()

    def _check(self) -> None:
        if self._steps > STEPS:
            raise TooMuch(f"takes more than {STEPS:,} steps; loop over less, or call less")
        if self._left < 0 and self.left < 0:
            raise TooMuch(
                f"makes more than {CHARACTERS:,} characters; repeat, pad or join less text"
            )
        self._watch()

    def weigh(self, value: object) -> None:
        """Takes what the value is as text."""
        if isinstance(value, str):
            self.take(len(value))
        else:
            # Nothing is asked about what is left for a mere number: that would take long.
            self.take(size_of(value, 0 if isinstance(value, int | float) else self.left))

    @property
    def left(self) -> int:
        """Nothing needs to be measured further than this."""
        # The given texts are measured only here, since hardly any rendering gets this far.
        if self._names is not None:
            self._left += _TIMES * size_of(self._names, _GIVEN)
            self._names = None
        return self._left

    @property
    def seconds(self) -> float:
        """Spent so far; 0 for a rendering that is too small to be watched."""
        return 0.0 if self._began is None else thread_time() - self._began

    def _watch(self) -> None:
        if self._began is None:
            self._began = thread_time()
        if self.seconds > self._may:
            raise TooMuch("takes too long; loop over less, call less, or search shorter texts")


_BUDGET: ContextVar[Budget] = ContextVar("budget of the rendering under way")
_TOGETHER: ContextVar[list[float] | None] = ContextVar("seconds of each rendering", default=None)
current = _BUDGET.get


@contextmanager
def budget_for(names: Mapping[str, object]) -> Iterator[None]:
    others = _TOGETHER.get()
    budget = Budget(names) if others is None else Budget(names, ALL_SECONDS - sum(others))
    token = _BUDGET.set(budget)
    try:
        yield
    finally:
        _BUDGET.reset(token)
        if others is not None and budget.seconds:
            others.append(budget.seconds)


@contextmanager
def together() -> Iterator[None]:
    """The renderings within share their time: a judge may make hundreds of prompts of an item."""
    token = _TOGETHER.set([])
    try:
        yield
    finally:
        _TOGETHER.reset(token)


def size_of(value: object, most: int) -> int:
    """Characters of the value as text, about; those in lists are counted as often as they stand
    there. Not measured further than `most`."""
    if isinstance(value, str):
        return len(value)
    total, waiting = 0, [value]
    while waiting and total <= most:
        each = waiting.pop()
        total += _EACH
        if isinstance(each, str):
            total += len(each)
        elif isinstance(each, int):
            total += each.bit_length() // 3
        elif isinstance(each, range):
            total += _EACH * len(each)
        elif isinstance(each, float | Undefined) or each is None:
            continue
        elif isinstance(each, Namespace):
            waiting.append(each._Namespace__attrs)
        elif isinstance(each, Mapping):
            waiting += [*each, *each.values()]
        elif isinstance(each, Collection):
            waiting += each
    return total


def division(name: str, value: object) -> int:
    """What it counts that the filter looks at every sign of a text."""
    return _EACH * len(value) if name in DIVIDING and isinstance(value, str) else 0


def growth(name: str, values: Sequence[object], most: int) -> int:
    """No fewer characters than what the filter or method makes of these; the first is its own."""
    first, *others = values
    if name in {"format", "format_map"}:
        return _format_growth(str(first), others, most)
    times = max((_as_width(each, most) for each in others), default=0)
    size = size_of(first, most)
    # Every level of a JSON text is set in once more.
    return size * (1 + times) * (1 + size // _EACH if name == "tojson" and times else 1)


def _as_width(value: object, most: int) -> int:
    return abs(value) if isinstance(value, int) else size_of(value, most)


def _format_growth(form: str, values: Sequence[object], most: int) -> int:
    widths = sum(int(digits[:12]) for digits in re.findall(r"\d+", form))
    fields = form.count("%") + form.count("{")
    if "*" in form or re.search(r"\{[^{}]*\{", form):  # the width is a value, too
        widths += fields * sum(_widths(each) for each in values)
    return widths + fields * sum(size_of(each, most) for each in values)


def _widths(value: object) -> int:
    given = value if isinstance(value, tuple | list) else [value]
    return sum(abs(each) for each in given if isinstance(each, int))
