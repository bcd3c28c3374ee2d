"""The Jinja2 environment of prompts: no way out, nothing random, nothing endless.

Judge files may come from people we do not know. A rendering has a budget. Steps and characters end
it at the same place on every machine; processor time is for what they do not count, such as
searching a long text again and again. A list of allowed constructs would not promise the same:
loops over lists whose length the file decides can be nested, and methods, macros and arithmetic,
which judge files use, can each make a text that no machine holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import wraps
from time import thread_time
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.runtime import Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Namespace
from jinja2.visitor import NodeTransformer

from adjudge.core.reason import Reason

from .parted import PartedText

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


class TemplateBudget:
    """`names` is what the template was given. One rendering, one thread."""

    __slots__ = ("_began", "_left", "_may", "_names", "_steps")

    def __init__(self, names: Mapping[str, object], seconds: float = SECONDS) -> None:
        self._names: Mapping[str, object] | None = names
        self._steps, self._left = 0, CHARACTERS
        self._began: float | None = None
        self._may = min(seconds, SECONDS)

    def step(self, characters: int = 0) -> None:
        """One more step, which makes or looks at this many characters."""
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
            raise TooMuch(Reason("judge.many_steps", most=STEPS))
        if self._left < 0 and self.left < 0:
            raise TooMuch(Reason("judge.many_characters", most=CHARACTERS))
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
            raise TooMuch(Reason("judge.slow"))


_BUDGET: ContextVar[TemplateBudget] = ContextVar("budget of the rendering under way")
_TOGETHER: ContextVar[list[float] | None] = ContextVar("seconds of each rendering", default=None)
current_budget = _BUDGET.get


class budget_for:  # noqa: N801 - used as a function; a generator would take as long as a rendering
    """`names` is what the template is given."""

    __slots__ = ("_budget", "_others", "_token")

    def __init__(self, names: Mapping[str, object]) -> None:
        self._others = others = _TOGETHER.get()
        may = SECONDS if others is None else ALL_SECONDS - sum(others)
        self._budget = TemplateBudget(names, may)

    def __enter__(self) -> None:
        self._token = _BUDGET.set(self._budget)

    def __exit__(self, *_: object) -> None:
        _BUDGET.reset(self._token)
        if self._others is not None and self._budget.seconds:
            self._others.append(self._budget.seconds)


class sharing_time:  # noqa: N801 - as above
    """The renderings within share their time: a judge may make hundreds of prompts of an item."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = _TOGETHER.set([])

    def __exit__(self, *_: object) -> None:
        _TOGETHER.reset(self._token)


def size_of(value: object, most: int) -> int:
    """Characters of the value as text, about; those in lists are counted as often as they stand
    there. Not measured further than `most`."""
    if isinstance(value, str):
        return len(value)
    total, waiting = 0, [value]
    while waiting and total <= most:
        part = waiting.pop()
        total += _EACH
        if isinstance(part, str):
            total += len(part)
        elif isinstance(part, int):
            total += part.bit_length() // 3
        elif isinstance(part, range):
            total += _EACH * len(part)
        elif isinstance(part, float | Undefined) or part is None:
            continue
        elif isinstance(part, Namespace):
            waiting.append(part._Namespace__attrs)
        elif isinstance(part, Mapping):
            waiting += [*part, *part.values()]
        elif isinstance(part, Collection):
            waiting += part
    return total


def division(name: str, value: object) -> int:
    """What it counts that the filter looks at every sign of a text."""
    return _EACH * len(value) if name in DIVIDING and isinstance(value, str) else 0


def growth(name: str, values: Sequence[object], most: int) -> int:
    """No fewer characters than what the filter or method makes of these; the first is its own."""
    first, *others = values
    if name in {"format", "format_map"}:
        return _format_growth(str(first), others, most)
    widths = (abs(v) if isinstance(v, int) else size_of(v, most) for v in others)
    times = max(widths, default=0)
    size = size_of(first, most)
    # Every level of a JSON text is set in once more.
    return size * (1 + times) * (1 + size // _EACH if name == "tojson" and times else 1)


def _format_growth(form: str, values: Sequence[object], most: int) -> int:
    widths = sum(int(digits[:12]) for digits in re.findall(r"\d+", form))
    fields = form.count("%") + form.count("{")
    if "*" in form or re.search(r"\{[^{}]*\{", form):  # the width is a value, too
        flat = [
            v for value in values for v in (value if isinstance(value, tuple | list) else [value])
        ]
        widths += fields * sum(abs(width) for width in flat if isinstance(width, int))
    return widths + fields * sum(size_of(value, most) for value in values)


# Slow by the square of a text's length, or for HTML only. Not `random`: the same item must make the
# same prompt, or nothing that was asked could be found again.
_NO_FILTERS = ("random", "pprint", "striptags", "urlize", "wordwrap", "xmlattr")
_OF_DICT, _OF_STR = frozenset(dir(dict)), frozenset(dir(str))
_NO_METHODS = frozenset({"encode", "from_bytes", "maketrans", "to_bytes", "translate"})
# Filters that only this file puts into a template: no template can spell a name with a space.
_PASS, _STEP, _WEIGH = "a pass", "a step", "a weight"


class Sandbox(ImmutableSandboxedEnvironment):
    """Renders only within `budget_for`. `trimmed` takes the line break behind a tag that stands
    alone, and the blanks before it, as nobody who writes one wants them in the prompt."""

    intercepted_binops = frozenset({"*", "**", "+", "-", "/", "//", "%"})

    def __init__(self, *, trimmed: bool = True) -> None:
        # Prompts are plain text and not escaped: judged text is fenced instead (fence.py).
        super().__init__(
            undefined=jinja2.StrictUndefined,
            autoescape=False,
            trim_blocks=trimmed,
            lstrip_blocks=trimmed,
            keep_trailing_newline=True,
            finalize=_printed,
            optimized=False,  # nothing is worked out while no budget is there
        )
        for name in _NO_FILTERS:
            del self.filters[name]
        del self.globals["lipsum"]
        self.filters |= {name: _counted(name, function) for name, function in self.filters.items()}
        self.filters |= {_PASS: lambda n: current_budget().step(n), _STEP: _stepped}
        self.filters[_WEIGH] = _weighed

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, PartedText):
            return self._part(obj, argument)
        return super().getitem(obj, argument)

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) is dict and attribute in obj and attribute not in _OF_DICT:
            return obj[attribute]  # as below, where an attribute is looked for and not found first
        if isinstance(obj, PartedText) and attribute not in _OF_STR:
            return self._part(obj, attribute)
        return super().getattr(obj, attribute)

    def _part(self, text: PartedText, key: Any) -> Any:
        current_budget().step(len(text))
        try:
            return text.part(key)
        except LookupError:
            return self.undefined(obj=text, name=key)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return attr not in _NO_METHODS and super().is_safe_attribute(obj, attr, value)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator == "**":
            raise TypeError(Reason("judge.no_power"))
        budget = current_budget()
        budget.step()
        if isinstance(left, int | float) and isinstance(right, int | float):
            if not all(abs(side) < NUMBER for side in (left, right) if isinstance(side, int)):
                raise TypeError(Reason("judge.numbers_end", most=NUMBER))
        elif operator == "*":
            raise TypeError(Reason("judge.no_product"))
        elif operator == "%" and isinstance(left, str):
            budget.take(growth("format", (left, right), budget.left))
        else:
            budget.weigh(left)
            budget.weigh(right)
        return super().call_binop(context, operator, left, right)

    def call(__self, __context: Any, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - as in Jinja2: a template may name an argument `self`
        name = getattr(__obj, "__name__", "")
        owner = getattr(getattr(__obj, "__wrapped__", __obj), "__self__", None)
        _, *charged = _charged(name, (owner, *args), kwargs)
        return _weighed_result(super().call(__context, __obj, *charged, **kwargs))

    def _generate(self, source: nodes.Template, *args: Any, **kwargs: Any) -> str:
        counting = _Counting().visit(source)
        return super()._generate(counting.set_environment(self), *args, **kwargs)


class _Counting(NodeTransformer):
    """Puts a step into whatever can happen again and again, and weighs what is joined."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - Jinja2 looks for this name
        self._body(node)
        if node.test is not None:
            node.test = _filter(_STEP, node.test)
        return node

    def _body(self, node: Any) -> nodes.Node:
        # The text between the tags is made again each time, without passing through {{ }}.
        length = sum(len(data.data) for data in node.find_all(nodes.TemplateData))
        self.generic_visit(node)
        data = _filter(_PASS, nodes.Const(length, lineno=node.lineno))
        node.body.insert(0, nodes.ExprStmt(data, lineno=node.lineno))
        return node  # type: ignore[no-any-return]

    visit_Macro = visit_CallBlock = visit_Block = _body  # noqa: N815 - as above

    def _expression(self, node: Any) -> nodes.Node:
        return _filter(_STEP, self.generic_visit(node))

    visit_Compare = visit_Test = _expression  # noqa: N815 - as above

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802 - as above
        self.generic_visit(node)
        return _filter(_WEIGH, node) if isinstance(node.arg, nodes.Slice) else node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802 - as above
        self.generic_visit(node)
        node.nodes = [_filter(_WEIGH, part) for part in node.nodes]
        return node


def _filter(name: str, node: Any) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


@jinja2.pass_context  # or Jinja2 would print constants once and for all while it compiles
def _printed(_: Any, value: Any) -> Any:
    if isinstance(value, str):
        current_budget().step(len(value))
    else:
        current_budget().step()
        current_budget().weigh(value)
    return value


def _stepped(value: Any) -> Any:
    current_budget().step()
    return value


def _weighed(value: Any) -> Any:
    current_budget().step()
    current_budget().weigh(value)
    return value


def _counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The filter, charged for by what it is given and what it makes."""
    passed = int(hasattr(function, "jinja_pass_arg"))

    @wraps(function)
    def counted(*args: Any, **kwargs: Any) -> Any:
        current_budget().take(division(name, args[passed]))
        charged = _charged(name, args[passed:], kwargs)
        return _weighed_result(function(*args[:passed], *charged, **kwargs))

    return counted


def _charged(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
    """What is to be passed on; what grows needs to know how many values there are."""
    budget = current_budget()
    budget.step()
    if name in GROWING:
        args = [list(arg) if isinstance(arg, Iterator) else arg for arg in args]
        budget.take(growth(name, [*args, *kwargs.values()], budget.left))
    for value in (*args, *kwargs.values()):
        budget.weigh(value)
    return args


def _weighed_result(value: Any) -> Any:
    current_budget().weigh(value)
    return value
