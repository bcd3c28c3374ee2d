"""The verdicts of several judges or models on the same items made one."""

from .findings import Member, Panel, PanelCriterion, PanelWay, PanelWorth, SmallerPanel
from .panel import PanelOptions, panel_of

__all__ = [
    "Member",
    "Panel",
    "PanelCriterion",
    "PanelOptions",
    "PanelWay",
    "PanelWorth",
    "SmallerPanel",
    "panel_of",
]
