"""What stands before a placeholder: its label, and the heading of its part."""

from __future__ import annotations

import re

_LABELLED = re.compile(
    r"([^\n:：{}<>\[\]]{1,60})[\])*_]*\s?[:：][*_]*\s*[\"'“«`]{0,3}\s?$"
    r"|[\[【<]+(?:the )?(?:(?:start|beginning|begin) of )?([^\n\[\]【】<>{}]{1,60})[\]】>]+"
    r"[ \t\"'`]*$",
    re.IGNORECASE,
)
_ROW_LABEL = re.compile(
    r"(?:#+|\*\*|\[|【|<+|-+|=+)?\s*(?P<label>[^\n]{1,50}?)\s*(?:[:：]?\*\*|\]|】|>+|-+|=+|[:：])*"
)
_LONGEST_ROW = 50
# 답변은 아래와 같습니다. "The answer is as follows."
_SAYS_BELOW = re.compile(
    r"(?:아래|다음)와 같|(?:as follows|(?:dưới|sau) đây|folgt|ci-dessous|a continuación|abaixo"
    r"|以下のとおり|以下の通り|如下)\W*$",
    re.IGNORECASE,
)
_HEADING_ROW = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+|={2,}[ \t]*|-{3,}[ \t]*(?=\S)|\*\*|【|\[)(?P<label>[^\n{}]{1,60}?)"
    r"[ \t]*(?:={2,}|-{3,}|\*\*|】|\]|:|：)*[ \t]*$",
    re.MULTILINE,
)
_NEAR = 700  # characters above a placeholder in which a heading is sought


def label_at(text: str, at: int) -> str:
    """The label before a placeholder, in its own line or in the one above that ends in a colon or
    is a heading; "" where there is none."""
    start = text.rfind("\n", 0, at) + 1
    line = text[max(start, at - 160) : at]
    label = _LABELLED.search(line)
    if label:
        return (label[1] or label[2]).strip(" \t*_#-")
    if line.strip(" \t\"'`<>*{("):
        return ""
    above = text[max(0, start - 300) : start].rstrip()
    row = above.rpartition("\n")[2].strip()
    if row.startswith("```"):
        row = above[: len(above) - len(row)].rstrip().rpartition("\n")[2].strip()
    if row.endswith((":", "：")) and len(row) > _LONGEST_ROW:
        # "Response A (as it was cut):", "Now evaluate, given the context, the answer:"
        row = re.sub(r"\s?[(（][^()（）]*[)）]", "", row)
        row = row if len(row) <= _LONGEST_ROW else re.split(r"[,.;，。；、]\s*", row)[-1]
    if len(row) <= _LONGEST_ROW and _SAYS_BELOW.search(row):
        return row
    marked = _ROW_LABEL.fullmatch(row)
    heading = row.startswith(("#", "**", "[", "【", "<", "---", "===")) or row.endswith((":", "："))
    return marked["label"].strip("#*[]【】<>:：- =") if heading and marked else ""


def heading_above(text: str, at: int, label: str) -> str:
    """The heading of the part in which a placeholder stands, behind a label that tells nothing."""
    rows = list(_HEADING_ROW.finditer(text, max(0, at - _NEAR), at))
    return rows[-1]["label"] if rows and rows[-1]["label"] != label else ""
