"""Reply → Reading, in the way that the judge's method asks for."""

from __future__ import annotations

from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.reply import Reply

from .found import Reading
from .likelihood import likelihood_in
from .read import read


def read_reply(judge: Judge, prompt: Prompt, reply: Reply) -> Reading:
    if judge.method == "likelihood":
        return likelihood_in(prompt.criteria, reply)
    return read(judge, prompt.criteria, reply, prompt.texts)
