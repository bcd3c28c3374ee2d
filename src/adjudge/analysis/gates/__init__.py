"""Conditions that a run has to meet, e.g. `rating.mean>=3.2`."""

from .conditions import RUN_FIGURES, Gate, GateResult, check_gates, check_scales, parse_gates

__all__ = ["RUN_FIGURES", "Gate", "GateResult", "check_gates", "check_scales", "parse_gates"]
