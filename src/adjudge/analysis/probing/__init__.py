"""How far a judge can be trusted: it is asked about texts and about altered copies of them."""

from .findings import FEWEST, MEASURES, Probed, ProbeFinding, ProbeLimits, Rating, probed_from

__all__ = ["FEWEST", "MEASURES", "ProbeFinding", "ProbeLimits", "Probed", "Rating", "probed_from"]
