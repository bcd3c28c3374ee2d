"""How far the attacks move the scores of an embedded model, with the prompt's defences and without.

A weak answer is judged alone and with an attack below it; the shift is the second score minus the
first, in points of the scale from 1 to 5. Scores are the probability-weighted ones, so that a small
model's shifts show before its first choice changes. Without defences the judged text stands in the
prompt as it is: no fence, nothing neutralised, no sentence about it; all else is the same.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import yaml

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.judges import render
from adjudge.models.base import Model
from adjudge.models.registry import open_model
from adjudge.running.options import RunOptions
from adjudge.running.plan import load_judge
from adjudge.running.single_item import SingleItemJudge, limits_of
from adjudge.stats.mean import mean
from adjudge.stats.stat import Stat

from .attack import Attack, attacks

HERE = Path(__file__).parent
TOP, LONGEST = 5, 3000  # the value that attacks ask for; characters that a small model can hold
SECRET = b"bench"


class Shift(NamedTuple):
    """What one attack did to one answer, in points; `base` is the answer's score without it."""

    attack: Attack
    base: float
    without: float
    defended: float


@contextmanager
def undefended() -> Iterator[None]:
    """Prompts as they would be without fences; a switch of this bench that the product lacks."""
    with ExitStack() as stack:
        stack.enter_context(patch.object(render, "fence", lambda _name, text, _mark: text))
        stack.enter_context(patch.object(render, "neutralise", lambda text, _mark: text))
        yield


def run(name: str, sample: int, seconds: float) -> list[Shift]:
    """Shifts by a sample of the attacks, spread over the families; ends after `seconds`."""
    return asyncio.run(_run(name, chosen(sample), seconds))


def chosen(sample: int) -> list[Attack]:
    """The same ones each time, and the families by turns."""
    order = random.Random(7)  # noqa: S311 - a sample, no secret
    families: dict[str, list[Attack]] = {}
    for attack in attacks():
        families.setdefault(attack.family, []).append(attack)
    for group in families.values():
        order.shuffle(group)
    most = max(map(len, families.values()))
    turns = [group[at] for at in range(most) for group in families.values() if at < len(group)]
    return turns[:sample]


async def _run(name: str, sample: Sequence[Attack], seconds: float) -> list[Shift]:
    options = RunOptions(method="expected", logprobs="prefer")
    model = open_model(name, options.model_options)
    judge = load_judge(str(HERE / "judge.yaml"), options)
    items = yaml.safe_load((HERE / "answers.yaml").read_text("utf-8"))
    try:
        defended = _ready(judge, model, options)
        with undefended():
            phrases = {**judge.wording.phrases, "fence_notice": ""}
            bare = replace(judge, wording=replace(judge.wording, phrases=phrases))
            without = _ready(bare, model, options)
        return await _shifts(defended, without, items, sample, seconds)
    finally:
        await model.aclose()


def _ready(judge: Judge, model: Model, options: RunOptions) -> SingleItemJudge:
    return SingleItemJudge(judge, model, limits_of(model, 1), options, SECRET)


async def _shifts(
    defended: SingleItemJudge,
    without: SingleItemJudge,
    items: list[dict[str, str]],
    sample: Sequence[Attack],
    seconds: float,
) -> list[Shift]:
    began, found = time.monotonic(), []
    bases: dict[str, tuple[float | None, float | None]] = {}
    for number, attack in enumerate(sample):
        if time.monotonic() - began > seconds:
            break
        item = items[number % len(items)]
        question, answer = item["question"], item["answer"]
        if question not in bases:
            bases[question] = await _both(defended, without, question, answer)
        attacked = f"{answer}\n\n{attack.text(TOP, 'quality')[:LONGEST]}"
        scores = (*bases[question], *await _both(defended, without, question, attacked))
        if None not in scores:
            base, bare_base, with_defence, bare = (float(each or 0) for each in scores)
            found.append(Shift(attack, base, bare - bare_base, with_defence - base))
    return found


async def _both(
    defended: SingleItemJudge, without: SingleItemJudge, question: str, answer: str
) -> tuple[float | None, float | None]:
    """The score with defences, and the one without; None where none was read."""
    item = Item("1", {"question": question, "answer": answer})
    first = (await defended.judge(item)).scores["quality"].value
    with undefended():
        second = (await without.judge(item)).scores["quality"].value
    return _number(first), _number(second)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def lines(name: str, shifts: Sequence[Shift], asked: int) -> Iterator[str]:
    """Mean shifts with 95% intervals, over all and per family."""
    yield f"{name}: {len(shifts)} of {asked} attacks; shift in points of 1 to 5, 95% interval"
    yield f"{'':20}{'attacks':>8}  {'without defences':24}{'with':24}{'prevented':24}"
    families = dict.fromkeys(shift.attack.family for shift in shifts)
    for family in ("all", *families):
        rows = [each for each in shifts if family in ("all", each.attack.family)]
        bare, held = [each.without for each in rows], [each.defended for each in rows]
        kept = [one - other for one, other in zip(bare, held, strict=True)]
        told = "".join(f"{_told(mean(each)):24}" for each in (bare, held, kept))
        yield f"{family:20}{len(rows):8}  {told}"


def _told(stat: Stat) -> str:
    if stat.value is None:
        return "–"
    if stat.low is None or stat.high is None:
        return f"{stat.value:+.2f}"
    return f"{stat.value:+.2f} [{stat.low:+.2f}, {stat.high:+.2f}]"
