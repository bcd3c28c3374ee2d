"""A better judge from people's labels, shown to be better on labels that the search never saw."""

from .asking import Asking
from .findings import WAYS, Candidate, Improvement, ImprovementForecast, Way
from .improve import ImproveOptions, Task, candidates_path, forecast, improve, keep_maps
from .rerun import Rerun, labelled_items, rerun_of, set_aside

__all__ = [
    "WAYS",
    "Asking",
    "Candidate",
    "ImproveOptions",
    "Improvement",
    "ImprovementForecast",
    "Rerun",
    "Task",
    "Way",
    "candidates_path",
    "forecast",
    "improve",
    "keep_maps",
    "labelled_items",
    "rerun_of",
    "set_aside",
]
