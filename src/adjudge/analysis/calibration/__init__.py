"""Runs beside people's labels: agreement, means that can be defended, and maps of scores."""

from .agreement import Raters
from .calibrate import CalibrateOptions, LabelSource, calibrate_run
from .findings import Calibration, CriterionCalibration, GraderCalibration, why_no_groups
from .means import Means
from .score_map import RANGE, Mapped, ScoreMap
from .slices import SliceCalibration, Slicing

__all__ = [
    "RANGE",
    "CalibrateOptions",
    "Calibration",
    "CriterionCalibration",
    "GraderCalibration",
    "LabelSource",
    "Mapped",
    "Means",
    "Raters",
    "ScoreMap",
    "SliceCalibration",
    "Slicing",
    "calibrate_run",
    "why_no_groups",
]
