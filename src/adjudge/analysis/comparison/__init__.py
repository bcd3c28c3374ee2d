"""Two runs on the same items: what differs, by how much, and how sure that is."""

from .compare import compare_runs
from .findings import (
    Changes,
    CompareOptions,
    Comparison,
    Difference,
    GraderComparison,
    Missing,
    Mover,
    SliceDifference,
)
from .pairing import StoredRun

__all__ = [
    "Changes",
    "CompareOptions",
    "Comparison",
    "Difference",
    "GraderComparison",
    "Missing",
    "Mover",
    "SliceDifference",
    "StoredRun",
    "compare_runs",
]
