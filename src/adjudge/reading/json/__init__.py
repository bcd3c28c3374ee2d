"""JSON in a reply: its objects, their keys, and the parts of a verdict in them."""

from .fields import json_explanation, json_feedback, json_flags, json_score
from .keys import JsonKeys
from .objects import JsonObject, find_objects, repeated_keys, whole_object
from .parts import json_parts, json_quotes

__all__ = [
    "JsonKeys",
    "JsonObject",
    "find_objects",
    "json_explanation",
    "json_feedback",
    "json_flags",
    "json_parts",
    "json_quotes",
    "json_score",
    "repeated_keys",
    "whole_object",
]
