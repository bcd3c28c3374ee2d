"""HTTP/1.1 to one server, on asyncio and the parser of llhttp (docs/design/0007)."""

from .complaints import Complaint, HttpAnswer, complaint_of, decode, one_line, pause_of, retry_after
from .endpoint import Endpoint
from .failures import Remedies

__all__ = [
    "Complaint",
    "Endpoint",
    "HttpAnswer",
    "Remedies",
    "complaint_of",
    "decode",
    "one_line",
    "pause_of",
    "retry_after",
]
