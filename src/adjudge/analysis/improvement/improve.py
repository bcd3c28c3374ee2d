"""A better judge from people's labels: found on one part of them, and proved on the other."""

from __future__ import annotations

import asyncio
import difflib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from adjudge.analysis.calibration.score_map import ScoreMap
from adjudge.analysis.variants import MEASURES, all_alike, measure_for
from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.label import Label
from adjudge.core.reason import Reason, check_one_of
from adjudge.errors import DataError, UsageError
from adjudge.judges import renderer_for
from adjudge.judges.rewrite import rewritten, rewritten_file, texts_of
from adjudge.running import LoadedJudge
from adjudge.running.asking.budget import most_it_can_cost
from adjudge.running.asking.stop import Draining, drained_by_signals
from adjudge.stats.bootstrap import Resampling
from adjudge.stores import Cost, Store

from .asking import Asker, Asking, asker
from .findings import WAYS, Improvement, ImprovementForecast, Way
from .sample import BeforeAfter, Sample, Values, held_out, sample_of
from .search import (
    BATCH,
    KINDS,
    Hear,
    JudgeSearch,
    longest_examples,
    on_levels,
    variant_texts,
)

_BETTER = 0.05  # two-sided p below which a judge is shown to be better
_MORE_LOST = 0.05  # share of the items that it may leave without a score beyond the old one's
_LONGER = 1.5  # times the old one's prompt that a new one's may be
_WRITTEN = 1200  # tokens of a writer's reply


@dataclass(frozen=True, slots=True, kw_only=True)
class ImproveOptions(Resampling):
    """What a user may say: the keywords of `adjudge.improve`, which explains them."""

    ways: tuple[Way, ...] = WAYS
    criteria: tuple[str, ...] = ()
    group: str | None = None
    measure: str | None = None
    held_out: float = 0.5
    tries: int = 12
    shots: int = 4

    def __post_init__(self) -> None:
        Resampling.__post_init__(self)
        for way in self.ways:
            check_one_of("way", way, WAYS)
        check_one_of("measure", self.measure, MEASURES)
        for flag in ("tries", "shots"):
            if getattr(self, flag) < 1:
                raise UsageError(Reason("form.at_least_one", flag=Reason("option", name=flag)))
        if not 0.2 <= self.held_out <= 0.8:
            reason = Reason("improve.held_out")
            raise UsageError(reason.at_option("held-out", f"{self.held_out:g}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A judge to improve: its file, the labelled items, and other files to take texts from."""

    loaded: LoadedJudge
    items: Sequence[Item]
    labels: Sequence[Label]
    variants: Mapping[str, Judge]
    options: ImproveOptions

    def sample(self) -> Sample:
        judge, options = self.loaded.judge, self.options
        known = judge.rubric.criteria
        for name in options.criteria:
            if name not in known:
                names = tuple(known)
                reason = Reason("labels.no_such_criterion", judge=judge.name, known=names)
                raise UsageError(reason.at_option("criterion", name))
        labelled = {label.criterion for label in self.labels}
        asked = options.criteria or tuple(name for name in judge.rubric.asked if name in labelled)
        scales = {name: known[name].scale for name in asked}
        own = [label for label in self.labels if label.criterion in scales]
        if alike := all_alike(own, scales, options.measure, "kappa"):
            measures = tuple(dict.fromkeys(alike.values()))
            raise DataError(Reason("improve.alike", names=tuple(alike), measure=measures))
        usual = {name: measure_for(scales[name], options.measure, "kappa") for name in asked}
        return sample_of(self.items, self.labels, judge, usual, options.group)


def _check_guides_shown(judge: Judge, sample: Sample) -> None:
    """UsageError where the judge's prompt does not show its guides: other ones would not matter."""
    plain = texts_of(judge, tuple(sample.scales))
    other = plain
    for name in sample.scales:
        other = other.with_criterion(name, f"{plain.guides[name]} §", plain.steps[name])
    judges = (judge, rewritten(judge, other))
    shown = [renderer_for(one, b"").prompts(sample.items[0]) for one in judges]
    if shown[0] == shown[1]:
        raise UsageError(Reason("improve.no_place", judge=judge.name))


async def improve(
    task: Task,
    asking: Asking,
    store: Store,
    hear: Hear | None = None,
    stopping: Callable[[], None] | None = None,
) -> Improvement:
    """Searches, and compares the best candidate with the old judge on the held-out items.

    A first Ctrl-C waits for the requests under way (`stopping` hears of it), a second one does not:
    KeyboardInterrupt, with all replies kept.
    """
    sample, options, base = task.sample(), task.options, task.loaded.judge
    hidden = held_out(sample, options.held_out, options.seed)
    seen, unseen = sample.part(~hidden), sample.part(hidden)
    if "rewrite" in options.ways:
        _check_guides_shown(base, sample)
    async with asker(base.name, asking, store) as ask:
        _check_budget(ask, base, sample, unseen)
        search = JudgeSearch(
            base, seen, ask, seed=options.seed, tries=options.tries, shots=options.shots
        )
        search.hear = hear
        with drained_by_signals(ask.stop, stopping or (lambda: None)):
            try:
                return await _improved(search, task, unseen)
            except (Draining, asyncio.CancelledError):
                if ask.stop.asked:
                    raise KeyboardInterrupt from None
                raise


async def _improved(search: JudgeSearch, task: Task, unseen: Sample) -> Improvement:
    ask, base = search.asker, search.base
    before = unseen.values(await ask.judge(base, unseen.items))
    foreseen = ask.foreseen(base, unseen.items)
    ask.renew(foreseen.cost.times(_LONGER).plus(foreseen.one_call))
    await _search(search, task)
    used_up = ask.used_up
    ask.renew(Cost())
    return await _concluded(search, task, unseen, before, used_up=used_up)


def _check_budget(ask: Asker, base: Judge, sample: Sample, unseen: Sample) -> None:
    """UsageError where all items cannot be judged once, and those held out a second time."""
    budget, whole = ask.money.budget, ask.foreseen(base, sample.items)
    need = whole.cost.plus(ask.foreseen(base, unseen.items).cost).plus(whole.one_call)
    if budget is not None and not budget.covers(need):
        reason = Reason("improve.budget", need=budget.shown(need), budget=str(budget))
        raise UsageError(reason)


async def _search(search: JudgeSearch, task: Task) -> None:
    ways = task.options.ways
    await search.start()
    if "variants" in ways:
        await search.variants(task.variants)
    if "rewrite" in ways and not search.asker.used_up:
        from .reflect import rewrite  # noqa: PLC0415 - loads gepa

        await rewrite(search)
    if "examples" in ways and not search.asker.used_up:
        await search.examples()
    if "map" in ways:
        search.map()


async def _concluded(
    search: JudgeSearch, task: Task, unseen: Sample, before: Values, *, used_up: bool
) -> Improvement:
    ask, base, best = search.asker, search.base, search.best.candidate
    maps: Mapping[str, ScoreMap] = search.maps if best.way == "map" else {}
    file, text = f"{base.name}.yaml", task.loaded.text
    compared, new = None, text
    why: Reason | None = Reason("improve.none")
    if best.number:
        new = rewritten_file(text, file, best.texts)
        judge = search.judge(best.texts)
        after = _mapped(unseen.values(await ask.judge(judge, unseen.items)), maps, unseen)
        compared = unseen.compare(before, after, task.options)
        short = Reason("improve.cut_short") if ask.used_up else None
        why = short or _why_not(compared, before, after, unseen)
    better = compared is not None and why is None
    return Improvement(
        judge=base.name,
        model=ask.model.name,
        writer=ask.writer.name,
        seed=task.options.seed,
        confidence=task.options.confidence,
        measures=unseen.measures,
        groups=len(np.unique(np.concatenate([search.sample.groups, unseen.groups]))),
        search=tuple(item.id for item in search.sample.items),
        held_out=tuple(item.id for item in unseen.items),
        candidates=tuple(search.candidates),
        chosen=best.number,
        compared=compared,
        better=better,
        why=why,
        text=new,
        diff=_diff(text, new, file),
        fingerprint=search.judge(best.texts).fingerprint,
        maps=maps if better else {},
        calls=ask.calls,
        tokens=ask.money.spent.tokens,
        spent=ask.money.spent.usd if ask.model.price and ask.writer.price else None,
        budget_used_up=used_up,
        unused=search.unused,
    )


def _mapped(values: Values, maps: Mapping[str, ScoreMap], sample: Sample) -> Values:
    moved = dict(values)
    for name, learned in maps.items():
        known = np.isfinite(values[name])
        own = values[name].copy()
        own[known] = on_levels(sample.scales[name], learned.fitted.score(own[known]))
        moved[name] = own
    return moved


def _why_not(compared: BeforeAfter, before: Values, after: Values, sample: Sample) -> Reason | None:
    """Why the new judge is not shown to be better; None where it is."""
    lost = [
        sum(int(np.isnan(values[name]).sum()) for name in sample.scales)
        for values in (before, after)
    ]
    if lost[1] - lost[0] > _MORE_LOST * len(sample.items) * len(sample.scales):
        return Reason("improve.loses", before=lost[0], after=lost[1])
    gain, p = compared.paired.difference.value, compared.paired.p
    if gain is None or p is None:
        return Reason("improve.unknown")
    if gain <= 0:
        return Reason("improve.worse")
    return Reason("improve.not_shown", p=p) if p >= _BETTER else None


def _diff(old: str, new: str, file: str) -> str:
    rows = difflib.unified_diff(
        old.splitlines(keepends=True), new.splitlines(keepends=True), file, f"new {file}"
    )
    return "".join(row if row.endswith("\n") else f"{row}\n" for row in rows)


def keep_maps(store: Store, improvement: Improvement) -> None:
    """Keeps the maps for later runs of the new judge, as calibrating keeps them."""
    criteria = {
        name: {
            **learned.content(),
            "corrected": {"value": None, "low": None, "high": None},
            "scored": -1,
        }
        for name, learned in improvement.maps.items()
    }
    if criteria:
        content = {"run": "", "criteria": criteria}
        store.calibrations.keep(
            improvement.judge, improvement.model, improvement.fingerprint, content
        )


def forecast(task: Task, asking: Asking, store: Store | None) -> ImprovementForecast:
    """The most that improving would ask and cost; asks nobody. The prompts of what can be made in
    advance are counted as they are; a guide that is yet to be written counts as half as long again.
    """
    sample, options, base = task.sample(), task.options, task.loaded.judge
    hidden = held_out(sample, options.held_out, options.seed)
    seen, unseen = sample.part(~hidden), sample.part(hidden)
    earlier = store.verdicts.recent(base.name, asking.model.name) if store else ()
    ask = Asker(asking, store.secret if store else b"", earlier)
    first = ask.foreseen(base, sample.items)
    calls, total = first.calls, first.cost
    for judge in _known_candidates(task, seen):
        foreseen = ask.foreseen(judge, seen.items)
        calls, total = calls + foreseen.calls, total.plus(foreseen.cost)
    tries = options.tries * ("rewrite" in options.ways)
    longest = max((*_known_candidates(task, seen), base), key=lambda j: _tokens(ask, j, unseen))
    proof = ask.foreseen(longest, unseen.items)
    calls, total = calls + proof.calls, total.plus(proof.cost.times(_LONGER if tries else 1.0))
    if tries:
        per = 1 + min(BATCH, len(seen.items)) / len(seen.items)  # tried on a few, then on all
        whole = ask.foreseen(base, seen.items)
        calls += math.ceil(whole.calls * per) * tries
        total = total.plus(whole.cost.times(_LONGER * per * tries))
        written = min(_WRITTEN, asking.options.max_tokens)
        shown = round(_tokens(ask, base, seen) * (per - 1))
        total = total.plus(most_it_can_cost(asking.writer.price, shown, written).times(tries))
    priced = asking.model.price and (asking.writer.price or not tries)
    return ImprovementForecast(
        judge=base.name,
        model=asking.model.name,
        writer=asking.writer.name,
        items=len(sample.items),
        held_out=len(unseen.items),
        judge_calls=calls,
        writer_calls=tries,
        tokens=total.tokens,
        cost_usd=total.usd if priced else None,
    )


def _known_candidates(task: Task, seen: Sample) -> list[Judge]:
    """Those whose texts are known before anybody is asked: of other files, and with examples."""
    base, options = task.loaded.judge, task.options
    names = tuple(seen.scales)
    made: list[Judge] = []
    if "variants" in options.ways:
        made += [rewritten(base, variant_texts(other, names)) for other in task.variants.values()]
    if "examples" in options.ways:
        chosen = longest_examples(seen, base, options.shots)
        made += [rewritten(base, replace(texts_of(base, names), examples=chosen))] * len(KINDS)
    return made


def _tokens(ask: Asker, judge: Judge, sample: Sample) -> int:
    return ask.foreseen(judge, sample.items).cost.tokens


def candidates_path(path: Path) -> Path:
    """Where everything that was tried is written, beside the new judge's file."""
    return path.with_name(f"{path.stem}.improve.json")
