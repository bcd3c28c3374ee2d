"""A better judge from people's labels, shown to be better on labels that the search never saw."""

from .findings import WAYS, Candidate, Improvement, ImprovementForecast, Way
from .improve import ImproveOptions, Task, candidates_path, forecast, improve, keep_maps

__all__ = [
    "WAYS",
    "Candidate",
    "ImproveOptions",
    "Improvement",
    "ImprovementForecast",
    "Task",
    "Way",
    "candidates_path",
    "forecast",
    "improve",
    "keep_maps",
]
