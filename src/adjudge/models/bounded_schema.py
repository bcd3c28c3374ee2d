"""A reply schema with an end to everything: small models go on until they are cut off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Characters that a token stands for at the least: about 2 in Korean, over 3 in Vietnamese, 4 to 5
# in English. With it all free texts together fit into the tokens that the reply may take.
_CHARS_A_TOKEN = 2
# The longest is two or three sentences: a small model has said all it knows by then, and what it
# adds is the same sentence again, at seven tokens a second.
_SHORTEST, _LONGEST = 60, 240
_MOST_ITEMS = 5


def bounded(schema: Mapping[str, object], max_tokens: int) -> dict[str, Any]:
    """The schema with limits where it has none; every reply to it is one to the original too.

    Free texts share the tokens evenly, lists get five items, numbers two decimals ("3.0000000…"
    has no end otherwise). Limits that are there stay as they are.
    """
    texts = max(1, _texts(schema))
    longest = min(_LONGEST, max(_SHORTEST, _CHARS_A_TOKEN * max_tokens // texts))
    limited: dict[str, Any] = _limited(schema, longest)
    return limited


def _texts(node: object) -> int:
    """How many free texts a reply may hold."""
    if isinstance(node, Mapping):
        if _is_free(node, "string", "maxLength"):
            return 1
        inside = sum(_texts(value) for value in node.values())
        return inside * _most_items(node) if node.get("type") == "array" else inside
    return sum(map(_texts, node)) if isinstance(node, list | tuple) else 0


def _limited(node: object, longest: int) -> Any:
    if isinstance(node, list | tuple):
        return [_limited(value, longest) for value in node]
    if not isinstance(node, Mapping):
        return node
    limited = {name: _limited(value, longest) for name, value in node.items()}
    if _is_free(node, "string", "maxLength"):
        limited["maxLength"] = max(longest, node.get("minLength", 0))
    elif _is_free(node, "number", "multipleOf"):
        limited["multipleOf"] = 0.01
    elif node.get("type") == "array":
        limited["maxItems"] = _most_items(node)
    return limited


def _most_items(node: Mapping[str, Any]) -> int:
    return int(node.get("maxItems", max(_MOST_ITEMS, node.get("minItems", 0))))


def _is_free(node: Mapping[str, Any], kind: str, limit: str) -> bool:
    settled = {limit, "enum", "const", "pattern", "format"}
    return node.get("type") == kind and settled.isdisjoint(node)
