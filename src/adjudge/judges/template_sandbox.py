"""The Jinja2 environment of prompts: no way out, nothing random, nothing endless."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from .template_budget import GROWING, NUMBER, current, division, growth

# Slow by the square of a text's length, or for HTML only. Not `random`: the same item must make the
# same prompt, or nothing that was asked could be found again.
_NO_FILTERS = ("random", "pprint", "striptags", "urlize", "wordwrap", "xmlattr")
_NO_METHODS = frozenset({"encode", "from_bytes", "maketrans", "to_bytes", "translate"})
# Filters that only this file puts into a template: no template can spell a name with a space.
_PASS, _STEP, _WEIGH = "a pass", "a step", "a weight"


class Sandbox(ImmutableSandboxedEnvironment):
    """Renders only within `template_budget.budget_for`."""

    intercepted_binops = frozenset({"*", "**", "+", "-", "/", "//", "%"})

    def __init__(self) -> None:
        # Prompts are plain text and not escaped: judged text is fenced instead (fence.py).
        super().__init__(
            undefined=jinja2.StrictUndefined,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            finalize=_printed,
            optimized=False,  # nothing is worked out while no budget is there
        )
        for name in _NO_FILTERS:
            del self.filters[name]
        del self.globals["lipsum"]
        self.filters |= {name: _counted(name, each) for name, each in self.filters.items()}
        self.filters |= {_PASS: _passed, _STEP: _stepped, _WEIGH: _weighed}

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return attr not in _NO_METHODS and super().is_safe_attribute(obj, attr, value)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator == "**":
            raise TypeError("** is not available in prompts")
        budget = current()
        budget.step()
        if isinstance(left, int | float) and isinstance(right, int | float):
            if not all(abs(side) < NUMBER for side in (left, right) if isinstance(side, int)):
                raise TypeError(f"whole numbers end at {NUMBER:,} in prompts")
        elif operator == "*":
            raise TypeError("only numbers can be multiplied in prompts")
        elif operator == "%" and isinstance(left, str):
            budget.take(growth("format", (left, right), budget.left))
        else:
            budget.weigh(left)
            budget.weigh(right)
        return super().call_binop(context, operator, left, right)

    def call(__self, __context: Any, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805 - as in Jinja2: a template may name an argument `self`
        name = getattr(__obj, "__name__", "")
        owner = getattr(getattr(__obj, "__wrapped__", __obj), "__self__", None)
        _, *paid = _paid(name, (owner, *args), kwargs)
        return _made(super().call(__context, __obj, *paid, **kwargs))

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
        # The text between the tags is made anew each time, without passing through {{ }}.
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
        node.nodes = [_filter(_WEIGH, each) for each in node.nodes]
        return node


def _filter(name: str, node: Any) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


@jinja2.pass_context  # or Jinja2 would print constants once and for all while it compiles
def _printed(_: Any, value: Any) -> Any:
    if isinstance(value, str):
        current().step(len(value))
    else:
        current().step()
        current().weigh(value)
    return value


def _passed(characters: int) -> None:
    current().step(characters)


def _stepped(value: Any) -> Any:
    current().step()
    return value


def _weighed(value: Any) -> Any:
    current().step()
    current().weigh(value)
    return value


def _counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The filter, paid for by what it is given and what it makes."""
    passed = int(hasattr(function, "jinja_pass_arg"))

    @wraps(function)
    def counted(*args: Any, **kwargs: Any) -> Any:
        current().take(division(name, args[passed]))
        paid = _paid(name, args[passed:], kwargs)
        return _made(function(*args[:passed], *paid, **kwargs))

    return counted


def _paid(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Sequence[Any]:
    """What is to be passed on; what grows needs to know how many values there are."""
    budget = current()
    budget.step()
    if name in GROWING:
        args = [list(each) if isinstance(each, Iterator) else each for each in args]
        budget.take(growth(name, [*args, *kwargs.values()], budget.left))
    for each in (*args, *kwargs.values()):
        budget.weigh(each)
    return args


def _made(value: Any) -> Any:
    current().weigh(value)
    return value
