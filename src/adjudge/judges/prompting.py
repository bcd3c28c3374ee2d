"""The maker of a judge's prompts, by its method."""

from __future__ import annotations

from adjudge.core.judge import Judge
from adjudge.core.profile import PLAIN, Profile

from .likelihood import LikelihoodRenderer
from .render import Renderer

Prompting = Renderer | LikelihoodRenderer


def prompting(judge: Judge, secret: bytes, profile: Profile = PLAIN) -> Prompting:
    """`secret` is the store's; see fence.py. `profile` is the model's that will be asked."""
    if judge.method == "likelihood":
        return LikelihoodRenderer(judge)
    return Renderer(judge, secret, profile)
