"""Stored replies, read again with today's reader: new verdicts without a single call to a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import cast

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Prompt
from adjudge.core.reply import Finish, Reply
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Call, Verdict
from adjudge.judges.load import load_text
from adjudge.judges.prepare import prepared
from adjudge.reading.by_method import read_reply
from adjudge.reading.found import Found, Reading
from adjudge.reading.repair import language_question, repair_question
from adjudge.reading.rules import unreported
from adjudge.stores.base import Store
from adjudge.stores.codec import decode_verdict, encode
from adjudge.stores.records import RunRecord

# The same steps as when the replies came, so that both ways come to the same.
from .call import Answer, _scored, _with_texts_of
from .one import conclude
from .plan import overridden
from .summary import Summary
from .wrong_texts import wrong_texts

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reread:
    """What reading a run again changed; `summary` is the run's afterwards.

    `changed` counts verdicts that differ in anything but the fingerprint, `outcomes` those by old
    and new outcome where the two differ, `values` the scores with another value (one that came or
    went counts), `without_reply` the verdicts that no reply belongs to: they stay as they were.
    `fingerprints` maps judges whose fingerprint is another today to the old and the new one.
    """

    run: str
    dry_run: bool
    verdicts: int
    without_reply: int
    changed: int
    values: int
    outcomes: Mapping[tuple[str, str], int]
    examples: tuple[Change, ...]
    fingerprints: Mapping[str, tuple[str, str]]
    summary: Summary


def reread_run(record: RunRecord, store: Store, *, dry_run: bool = False) -> Reread:
    """Reads every verdict of the run again and keeps those that differ, a page in one commit.

    Stopped halfway, it leaves whole verdicts, old or new; doing it again does the rest.
    """
    record.needs_texts("The replies cannot be read again")
    judges = {name: judge_as_kept(record, name) for name in record.sources}
    tally = _Tally(Summary(record.id))
    entries = store.entries(record.id)
    while page := list(islice(entries, _PAGE)):
        fresh = []
        for entry in page:
            new = _as_stored(reread_verdict(judges[entry.verdict.judge], entry.verdict, entry.item))
            tally.add(entry.verdict, new)
            if new != entry.verdict:
                fresh.append(entry._replace(verdict=new))
        if not dry_run:
            store.put(record.id, fresh)
    return tally.result(record.id, dry_run=dry_run)


def judge_as_kept(record: RunRecord, name: str) -> Judge:
    """The judge of a run, from the text and the overrides that were kept with it."""
    kept = record.sources[name]
    judge = load_text(kept["text"], f"{name}.yaml")
    return overridden(judge, {name: value for name, value in kept.items() if name != "text"})


def reread_verdict(judge: Judge, old: Verdict, item: Item) -> Verdict:
    """The verdict that today's reader and rules make of the replies; the same one without any.

    So is one that came from probabilities: a verdict keeps only texts.
    """
    if judge.method != "text" or not _has_reply(old):
        return old
    texts = tuple(prepared(judge, item.fields).values())
    answers = [_answer(judge, call, old, texts) for call in old.calls]
    came_to = conclude(judge, answers)
    calls = zip(old.calls, answers, strict=True)
    return replace(
        old,
        fingerprint=judge.fingerprint,
        outcome=came_to.outcome,
        scores=came_to.scores,
        feedback=came_to.feedback,
        flags=came_to.flags,
        notes=(*came_to.notes, *old.usage.doubts),
        calls=tuple(replace(call, counted=answer.counted) for call, answer in calls),
    )


def _has_reply(verdict: Verdict) -> bool:
    return any(call.replies for call in verdict.calls)


def _as_stored(verdict: Verdict) -> Verdict:
    """The verdict as it will come back from the store: what JSON cannot hold is no change."""
    return decode_verdict(encode(verdict))


def _answer(judge: Judge, call: Call, old: Verdict, texts: tuple[str, ...]) -> Answer:
    """What a call came to, as if its replies had come just now."""
    criteria = (call.criterion,) if call.criterion else tuple(judge.rubric.criteria)
    prompt = Prompt(
        messages=(), criteria=criteria, criterion=call.criterion, order=call.order, texts=texts
    )
    then = {name: _failure(old.scores.get(name), call.order) for name in criteria}
    if call.replies:
        for_language = _asked_for_language(judge, prompt, call)
        return _combined(judge, prompt, _replies(call, then, for_language), for_language)
    scores = {name: _unanswered(call, then[name]) for name in criteria}
    return Answer(prompt, Reading(scores=scores))


def _failure(score: Score | None, order: str | None) -> Found | None:
    """How the criterion failed in this call back then; None when it did not, or not in this order.

    The store keeps an error's kind and a refusal's reason with the score only.
    """
    if score is None or score.outcome is Outcome.SCORED:
        return None
    mark = f"order {order}: " if order else ""
    why = score.why or ""
    if not why.startswith(mark):
        return None
    return Found(outcome=score.outcome, why=why.removeprefix(mark))


def _unanswered(call: Call, then: Found | None) -> Found:
    if then and then.why == call.error:
        return then
    return Found(outcome=Outcome.PROVIDER_ERROR, why=call.error)


def _asked_for_language(judge: Judge, prompt: Prompt, call: Call) -> list[bool]:
    """For each further question whether it was the one for the right language, not a repair."""
    return [
        at > 0 or _is_for_language(judge, prompt, question, call.replies[0])
        for at, question in enumerate(call.questions)
    ]


def _is_for_language(judge: Judge, prompt: Prompt, question: str, reply: str) -> bool:
    """One in the words of another version is taken for what would be asked today."""
    if question in {language_question(judge, seen) for seen in (*judge.wording.languages, "")}:
        return True
    if question.startswith(judge.wording.phrases["repair"].partition("{")[0]):
        return False
    first = read_reply(judge, prompt, Reply(text=reply))
    missing = unreported(judge.rubric, prompt.criteria, first.scores, first.flags)
    return repair_question(judge, first, missing) is None


def _replies(
    call: Call, then: Mapping[str, Found | None], for_language: Sequence[bool]
) -> list[Reply]:
    """The replies with how each one ended, of which the store keeps only the last.

    An earlier one came whole, or it was not asked to be repaired; but a cut-off one can have been
    asked for its language, and what it then lacked was called truncated.
    """
    failed = [found for found in then.values() if found]
    cut_off = any(found.outcome is Outcome.TRUNCATED for found in failed)
    refusal = next((each.why for each in failed if each.outcome is Outcome.REFUSED), None)
    ends = ["length" if cut_off and language else "stop" for language in for_language]
    return [
        Reply(text=text, finish=cast(Finish, finish), refusal=refusal)
        for text, finish in zip(call.replies, [*ends, call.finish], strict=True)
    ]


def _combined(
    judge: Judge, prompt: Prompt, replies: Sequence[Reply], for_language: Sequence[bool]
) -> Answer:
    """The last reading that is no worse counts; to the language question, only its texts do."""
    reading, *later = (read_reply(judge, prompt, reply) for reply in replies)
    translated: Reading | None = None
    counted = 0
    for at, (after, language) in enumerate(zip(later, for_language, strict=True), 1):
        if language:
            translated = after
        elif _scored(after) >= _scored(reading):
            reading = replace(after, flags={**reading.flags, **after.flags})
            counted = at
    wrong = wrong_texts(judge, reading)
    if wrong and translated:
        reading = _with_texts_of(reading, translated, wrong)
        wrong = wrong_texts(judge, reading)
    return Answer(prompt, reading, wrong, counted=counted)


@dataclass(slots=True)
class _Tally:
    """Counts while the verdicts stream by."""

    summary: Summary
    without_reply: int = 0
    changed: int = 0
    values: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[Change] = field(default_factory=list)
    fingerprints: dict[str, tuple[str, str]] = field(default_factory=dict)

    def add(self, old: Verdict, new: Verdict) -> None:
        self.summary.add(new)
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

    def result(self, run_id: str, *, dry_run: bool) -> Reread:
        return Reread(
            run=run_id,
            dry_run=dry_run,
            verdicts=self.summary.verdicts,
            without_reply=self.without_reply,
            changed=self.changed,
            values=self.values,
            outcomes=dict(self.outcomes),
            examples=tuple(self.examples),
            fingerprints=self.fingerprints,
            summary=self.summary,
        )
