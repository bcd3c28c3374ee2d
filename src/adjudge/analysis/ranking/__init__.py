"""The systems of a run in order of strength, with intervals."""

from .bouts import usual_columns
from .findings import Ranked, Ranking, RankingPart, RankingSlice, RankOptions, Standing
from .rank import rank_run

__all__ = [
    "RankOptions",
    "Ranked",
    "Ranking",
    "RankingPart",
    "RankingSlice",
    "Standing",
    "rank_run",
    "usual_columns",
]
