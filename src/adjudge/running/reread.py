"""Stored replies, read again with today's reader: new verdicts without a single call to a model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice

import orjson

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.reason import Reason
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Call, Verdict
from adjudge.judges.load import load_text
from adjudge.judges.prepare import explanation_language, prepared_texts
from adjudge.judges.render import item_questions, quotable_texts
from adjudge.judges.trajectory import computed_scores
from adjudge.reading import CriterionReading, Reading, read_reply
from adjudge.stores import Facts, RunRecord, Store
from adjudge.stores.codec import decode_verdict, encode
from adjudge.stores.facts import facts_of

from .call import Answer
from .checks import with_checks
from .one import conclude, outcome_of
from .plan import overridden
from .reply_reader import wrong_texts
from .tally import Tally

_PAGE = 500  # verdicts held in memory, and written in one commit
_EXAMPLES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One score that has another value, or another outcome in its place, than before."""

    item: str
    judge: str
    model: str
    repeat: int
    criterion: str
    old: Score
    new: Score


@dataclass(slots=True, kw_only=True)
class Reread:
    """What reading a run again changed, counted while its verdicts stream by; `tally` counts them
    as they are afterwards.

    `changed` counts verdicts that differ in anything but the fingerprint, `outcomes` those by old
    and new outcome where the two differ, `values` the scores with another value (one that came or
    went counts), `without_reply` the verdicts that no reply belongs to: they stay as they were.
    `fingerprints` maps judges whose fingerprint is another today to the old and the new one.
    `not_kept` are the figures of changed verdicts that a dry run leaves out of the store.
    """

    dry_run: bool
    tally: Tally
    without_reply: int = 0
    changed: int = 0
    values: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[Change] = field(default_factory=list)
    fingerprints: dict[str, tuple[str, str]] = field(default_factory=dict)
    not_kept: list[Facts] = field(default_factory=list, compare=False, repr=False)

    @property
    def run(self) -> str:
        return self.tally.run

    @property
    def verdicts(self) -> int:
        return self.tally.verdicts

    def _add(self, old: Verdict, new: Verdict) -> None:
        self.tally.add(new)
        self.without_reply += not _has_reply(old)
        if old.fingerprint != new.fingerprint:
            self.fingerprints[new.judge] = (old.fingerprint, new.fingerprint)
        if replace(old, fingerprint=new.fingerprint) == new:
            return
        self.changed += 1
        if old.outcome is not new.outcome:
            self.outcomes[old.outcome.value, new.outcome.value] += 1
        for name, score in new.scores.items():
            self._compare(new, name, old.scores[name], score)

    def _compare(self, verdict: Verdict, criterion: str, old: Score, new: Score) -> None:
        self.values += old.value != new.value
        differ = (old.outcome, old.value) != (new.outcome, new.value)
        if differ and len(self.examples) < _EXAMPLES:
            change = Change(
                item=verdict.item,
                judge=verdict.judge,
                model=verdict.model,
                repeat=verdict.repeat,
                criterion=criterion,
                old=old,
                new=new,
            )
            self.examples.append(change)


def reread_run(record: RunRecord, store: Store, *, dry_run: bool = False) -> Reread:
    """Reads every verdict of the run again and keeps those that differ, a page in one commit.

    Stopped halfway, it leaves whole verdicts, old or new; doing it again does the rest.
    """
    record.needs_texts(Reason("run.no_reread"))
    judges = {name: judge_as_kept(record, name) for name in record.sources}
    changes = Reread(dry_run=dry_run, tally=Tally(record.id))
    entries = store.verdicts.entries(record.id)
    while page := list(islice(entries, _PAGE)):
        fresh = []
        for entry in page:
            new = _as_stored(reread_verdict(judges[entry.verdict.judge], entry.verdict, entry.item))
            changes._add(entry.verdict, new)
            if new != entry.verdict:
                fresh.append(entry._replace(verdict=new))
        if dry_run:
            changes.not_kept += facts_of(fresh)
        else:
            store.verdicts.put(record.id, fresh)
    return changes


def judge_as_kept(record: RunRecord, name: str) -> Judge:
    """The judge of a run, from the text and the overrides that were kept with it."""
    kept = dict(record.sources[name])
    judge = load_text(kept.pop("text"), f"{name}.yaml")
    checks = orjson.loads(kept.pop("checks", "[]"))
    return with_checks(overridden(judge, kept), checks)


def reread_verdict(judge: Judge, old: Verdict, item: Item) -> Verdict:
    """The verdict that today's reader and rules make of the replies; the same one without any.

    So is one that came from probabilities: a verdict keeps only texts.
    """
    if judge.method != "text" or not _has_reply(old):
        return old
    answers = [_answer(judge, call, item) for call in old.calls]
    came_to = conclude(judge, answers)
    # What Python computed stays: the function is not kept.
    computed = {n: old.scores[n] for n, c in judge.rubric.criteria.items() if c.check}
    scores = {**came_to.scores, **computed}
    calls = zip(old.calls, answers, strict=True)
    return replace(
        old,
        fingerprint=judge.fingerprint,
        outcome=outcome_of(scores) if computed else came_to.outcome,
        scores=scores,
        feedback=came_to.feedback,
        flags=came_to.flags,
        notes=(*came_to.notes, *old.usage.doubts),
        overall=came_to.overall,
        calls=tuple(replace(call, counted=answer.counted) for call, answer in calls),
    )


def _has_reply(verdict: Verdict) -> bool:
    return any(call.exchanges for call in verdict.calls)


def _as_stored(verdict: Verdict) -> Verdict:
    """The verdict as it will come back from the store: what JSON cannot hold is no change."""
    return decode_verdict(encode(verdict))


def _answer(judge: Judge, call: Call, item: Item) -> Answer:
    """What a call came to, as if its replies had come just now."""
    texts = prepared_texts(judge, item.fields)
    language = explanation_language(judge, texts)
    criteria = (call.criterion,) if call.criterion else next(iter(judge.calls()), ())
    prompt = Prompt(
        messages=(),
        criteria=criteria,
        criterion=call.criterion,
        order=call.order,
        turn=call.turn,
        role=judge.turned.role if judge.turned else "",
        texts=tuple(texts.values()),
        explain_in=language,
        questions=item_questions(judge, item.fields),
        quotable=quotable_texts(judge, item.fields, texts),
        computed=computed_scores(judge, item.fields),
    )
    failure = CriterionReading(outcome=call.failure or Outcome.PROVIDER_ERROR, why=call.error)
    answer = Answer(prompt, Reading(scores=dict.fromkeys(criteria, failure)))
    for exchange in call.exchanges:
        reply = Reply(text=exchange.reply, finish=exchange.finish, refusal=exchange.refusal)
        answer.add(exchange.kind, reply)
        if exchange.kind == "first":
            continue
        reading = read_reply(judge, prompt, reply)
        if exchange.kind == "question":
            answer.reading = reading
            answer.wrong = wrong_texts(judge.explaining(language), reading)
            answer.counted = len(answer.asked) - 1
        else:
            answer.take(judge, exchange.kind, reading)
    return answer
