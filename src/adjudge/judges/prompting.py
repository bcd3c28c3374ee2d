"""The maker of a judge's prompts, by its method."""

from __future__ import annotations

from adjudge.core.judge import Judge

from .likelihood import LikelihoodRenderer
from .render import Renderer

Prompting = Renderer | LikelihoodRenderer


def prompting(judge: Judge, secret: bytes) -> Prompting:
    """`secret` is the store's; see fence.py."""
    return LikelihoodRenderer(judge) if judge.method == "likelihood" else Renderer(judge, secret)
