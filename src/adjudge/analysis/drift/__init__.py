"""Whether a judge still grades as it did: the same items asked again at intervals."""

from .drift import BUILT_IN, DRIFT_TAG, DriftOptions, anchor_rows, drift_of, drift_series
from .findings import Drift, DriftCheck, DriftMeasure

__all__ = [
    "BUILT_IN",
    "DRIFT_TAG",
    "Drift",
    "DriftCheck",
    "DriftMeasure",
    "DriftOptions",
    "anchor_rows",
    "drift_of",
    "drift_series",
]
