"""The forms that a part of a request can be sent in, where servers differ on what they take."""

from __future__ import annotations

from collections.abc import Mapping

# By the name of the part: the form that is sent, None for leaving it out.
Ways = Mapping[str, str | None]
# By the name of the part: its forms, best first.
Forms = Mapping[str, tuple[str | None, ...]]


def best(forms: Forms) -> Ways:
    return {name: order[0] for name, order in forms.items()}


def known(forms: Forms, found: Ways) -> Ways:
    """What was found on another day; the best form where that one is no longer known."""
    return {
        name: found[name] if name in found and found[name] in order else order[0]
        for name, order in forms.items()
    }


def after(forms: Forms, ways: Ways, name: str) -> Ways | None:
    """The ways with the next form of one part; None when it had its last."""
    order = forms[name]
    place = order.index(ways[name]) + 1
    return {**ways, name: order[place]} if place < len(order) else None


def further(forms: Forms, one: Ways, other: Ways) -> Ways:
    """Of each part the later form: what two requests found out at the same time."""
    return {
        name: max(one[name], other[name], key=order.index)  # of str and None, by their place
        for name, order in forms.items()
    }
