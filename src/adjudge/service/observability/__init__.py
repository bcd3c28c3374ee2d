"""What the service tells about itself: metrics and log lines, never texts, names or secrets.

`requests` is the middleware that counts, times and logs every request.
"""

from .log import LOGGER, audit, logging_to_stderr
from .metrics import Metrics

__all__ = ["LOGGER", "Metrics", "audit", "logging_to_stderr"]
