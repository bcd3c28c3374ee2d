"""What verdicts come to without a store: their judges are made from the scores that they have."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache

from adjudge.analysis.scores import Summary, summary_of, values_of
from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.verdict import Verdict
from adjudge.judges.load import load_text
from adjudge.running.tally import tally_of
from adjudge.stores import Entry
from adjudge.stores.facts import facts_of


def summarise(run: str, verdicts: Iterable[Verdict]) -> Summary:
    kept = list(verdicts)
    judges = {name: _judge(name, _criteria(kept, name)) for name in {each.judge for each in kept}}
    entries = [Entry(n, Item(each.item, {}), each) for n, each in enumerate(kept)]
    return summary_of(tally_of(run, kept), values_of(facts_of(entries), judges))


def _criteria(verdicts: Iterable[Verdict], judge: str) -> tuple[tuple[str, bool], ...]:
    """The names of the criteria, and whether they have names for values."""
    scores = [each.scores for each in verdicts if each.judge == judge]
    names = dict.fromkeys(name for each in scores for name in each)
    words = {name for each in scores for name in each if isinstance(each[name].value, str)}
    return tuple((name, name in words) for name in names)


@lru_cache(maxsize=100)
def _judge(name: str, criteria: tuple[tuple[str, bool], ...]) -> Judge:
    category = {"type": "category", "options": ["a", "b", "tie"]}
    number = {"type": "number", "min": -1e6, "max": 1e6}
    text = {
        "judge": name,
        "version": 1,
        "title": "How good?",
        "language": "en",
        "explain_in": "any",
        "inputs": {"answer": {"judged": True}},
        "criteria": {
            criterion: {"guide": "How?", "scale": category if words else number}
            for criterion, words in criteria
        },
    }
    return load_text(json.dumps(text), f"{name}.yaml")
