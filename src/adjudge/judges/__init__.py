"""Item → Prompts: a YAML file becomes a Judge, and a Judge makes the prompts of an item."""

from .load import load_text, wording_for
from .prepare import prepared_texts
from .registry import JudgeLike, get
from .render import PromptRenderer, Renderer, renderer_for

__all__ = [
    "JudgeLike",
    "PromptRenderer",
    "Renderer",
    "get",
    "load_text",
    "prepared_texts",
    "renderer_for",
    "wording_for",
]
