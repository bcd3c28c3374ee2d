"""The parts of a judge → the text of its file, with its prompts kept to the letter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

# In a | block these would be lost, taken for line breaks or refused.
_NOT_IN_A_BLOCK = re.compile(
    r"[^\n\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd"
    r"\U00010000-\U0010ffff]"
)


def judge_text(document: Mapping[str, Any], texts: Mapping[str, str], head: str) -> str:
    """YAML: a comment, the parts of `document`, then `texts` as blocks."""
    comment = "".join(f"# {line}\n" for line in head.splitlines())
    body = yaml.safe_dump(
        dict(document), allow_unicode=True, sort_keys=False, width=100, default_flow_style=False
    )
    blocks = "".join(f"{key}: {_block(text)}\n" for key, text in texts.items())
    return f"{comment}{body}{blocks}"


def _block(text: str) -> str:
    """The text as a | block, or in quotes where a block could not hold it."""
    body = text.rstrip("\n")
    if not body.strip() or _NOT_IN_A_BLOCK.search(text):
        return _quoted(text)
    ends = len(text) - len(body)
    # A first line that is blank or indented would be taken for the indentation.
    first = "2" if body[0] in " \n" else ""
    keep = "-" if ends == 0 else "" if ends == 1 else "+"
    rows = [f"  {row}" if row else "" for row in body.split("\n")]
    return f"|{first}{keep}\n" + "\n".join(rows) + "\n" * max(0, ends - 1)


def _quoted(text: str) -> str:
    return yaml.safe_dump(
        text, allow_unicode=True, default_style='"', width=float("inf")
    ).removesuffix("\n")
