"""Replies in which a model declines to judge."""

from __future__ import annotations

import re

_REFUSAL = re.compile(
    r"^\W*(?:i(?:['’]?m| am) (?:really |very |so )?sorry|sorry\b"
    r"|i (?:can(?:not|['’]t)|am unable to|won['’]t)"
    r"|as an ai\b|죄송하지만|죄송합니다|xin lỗi|tôi không thể|很抱歉|抱歉|申し訳|es tut mir leid)",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether a reply without any score begins the way refusals do."""
    return bool(_REFUSAL.match(text.strip()[:200]))
