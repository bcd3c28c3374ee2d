"""Runs that were asked for over HTTP: planned, queued, run, and resumed after a restart."""

from .plan import JobSpec
from .service import JobService
from .uploads import Uploads, pieces_of

__all__ = ["JobService", "JobSpec", "Uploads", "pieces_of"]
