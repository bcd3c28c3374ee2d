"""Judging one item at once: models stay open and judges ready from one request to the next."""

from .catalog import INLINE_NAME, InlineJudge, JudgeCatalog, load_inline_judge
from .service import CLIENT_CLOSED, JudgingService, cancel_on_disconnect

__all__ = [
    "CLIENT_CLOSED",
    "INLINE_NAME",
    "InlineJudge",
    "JudgeCatalog",
    "JudgingService",
    "cancel_on_disconnect",
    "load_inline_judge",
]
