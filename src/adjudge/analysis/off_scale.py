"""Likelihoods beside people: they can be in the same order, never the same value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from adjudge.stats.agreement import Agreement
from adjudge.stats.stat import undefined

OFF_SCALE = "likelihoods lie on no scale that people use"
_SAME_VALUE = ("exact", "adjacent", "bias", "mae", "kappa", "alpha")


def order_alone(found: Agreement) -> Agreement:
    """The agreement without the statistics that ask for the same value on both sides."""
    unknown: dict[str, Any] = dict.fromkeys(_SAME_VALUE, undefined(OFF_SCALE))
    return replace(found, **unknown)
