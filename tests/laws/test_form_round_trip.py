"""Every form of a criterion: a reply written as the prompt asks reads back to what was meant."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.reply import Reply
from adjudge.core.score import Outcome, Score
from adjudge.judges import load_text, renderer_for
from adjudge.judges.load import text_from
from adjudge.reading import apply_rules, overall_score, read_reply

SENTENCES = (
    "The fee is 5 euros.",
    "It is due on May 3.",
    "학생은 2유로입니다.",
    "Trả trước ngày 3.",
)
CONTEXT = " ".join(SENTENCES)
CATEGORIES = ("omission", "grammar")
SEVERITIES = {"minor": 1.0, "major": 5.0, "critical": 25.0}
QUESTIONS = [{"text": "Is it A?", "points": 1}, {"text": "Is it B?", "points": 3},
             {"text": "Is it wrong?", "points": -2}]  # fmt: skip
FORMS: dict[str, dict[str, Any]] = {
    "graded": {"scale": {"type": "integer", "min": 1, "max": 5}},
    "optional": {"scale": {"type": "number", "min": 0, "max": 10}, "may_not_apply": True},
    "proven": {
        "scale": {"type": "binary"},
        "evidence": {"from": ["context"], "least": 2},
    },
    "covers": {"checklist": QUESTIONS, "may_not_apply": True},
    "faithful": {"claims": {"against": ["context"]}},
    "marked": {"errors": {"from": ["context"], "categories": list(CATEGORIES)}},
}


def judge_file(names: list[str], reply: str, language: str) -> dict[str, Any]:
    return {
        "judge": "law",
        "version": 1,
        "title": "Is it good?",
        "language": language,
        "explain_in": "any",
        "reply": reply,
        "inputs": {"context": {}, "answer": {"judged": True}},
        "criteria": {name: {"title": f"Title of {name}", **FORMS[name]} for name in names},
        "rules": [{"id": "r", "flag": "graded.bad", "when": "It is bad.", "cap": {"graded": 2}}]
        if "graded" in names
        else [],
        "overall": {"from": "weighted_mean", "over": names},
    }


@dataclass
class Meant:
    """What a reply is to say about one criterion."""

    value: Any
    quotes: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()


QUOTE = st.sampled_from(SENTENCES)
# A claim in any words, but without the bar and the line break that divide a text reply.
WORDS = st.sampled_from(["The fee is five", "Phí là 5", "요금은 5유로", "A: b, c", 'He said "no"'])
MEANT = {
    "graded": st.integers(1, 5).map(Meant),
    "optional": st.one_of(st.just("n/a"), st.integers(0, 10).map(float)).map(Meant),
    "proven": st.builds(
        lambda value, quotes: Meant(value, tuple(quotes)),
        st.booleans(),
        st.lists(QUOTE, min_size=2, max_size=3, unique=True),
    ),
    "covers": st.lists(st.sampled_from(["yes", "no", "n/a"]), min_size=3, max_size=3).map(
        lambda answers: Meant(None, parts=tuple((answer,) for answer in answers))
    ),
    "faithful": st.lists(
        st.one_of(
            st.tuples(WORDS, st.sampled_from(["supported", "contradicted"]), QUOTE, st.just("1")),
            st.tuples(WORDS, st.just("not_mentioned"), st.just(""), st.just("0")),
        ),
        min_size=1,
        max_size=4,
    ).map(lambda rows: Meant(None, parts=tuple(rows))),
    "marked": st.lists(
        st.tuples(QUOTE, st.sampled_from(CATEGORIES), st.sampled_from(list(SEVERITIES))),
        max_size=3,
    ).map(lambda rows: Meant(None, parts=tuple(rows))),
}
LISTED = {
    "faithful": ("claims", ("claim", "verdict", "quote", "source")),
    "marked": ("errors", ("span", "category", "severity")),
}


def in_json(name: str, meant: Meant) -> dict[str, Any]:
    """What stands in the object of a criterion."""
    said: dict[str, Any] = {"explanation": "Because 3 of 5 are met."}
    if name in LISTED:
        key, keys = LISTED[name]
        rows = [dict(zip(keys, row, strict=True)) for row in meant.parts]
        return {key: [{**r, "source": int(r["source"])} if "source" in r else r for r in rows],
                **said}  # fmt: skip
    if name == "covers":
        answers = {"yes": True, "no": False}
        numbered = enumerate((row[0] for row in meant.parts), 1)
        return {**said, "answers": {str(n): answers.get(a, a) for n, a in numbered}}
    if meant.quotes:
        said["quotes"] = list(meant.quotes)
    if name == "graded":
        said["bad"] = False
    return {**said, "score": meant.value}


def written_json(names: list[str], meant: dict[str, Meant]) -> str:
    groups = {name: in_json(name, meant[name]) for name in names}
    if len(names) > 1:
        return json.dumps(groups, ensure_ascii=False)
    (name,) = names
    group = groups[name]
    renamed = {name if key in ("score", "answers") else key: group[key] for key in group}
    return json.dumps(renamed, ensure_ascii=False)


def written_text(judge: Judge, names: list[str], meant: dict[str, Meant]) -> str:
    phrases, rich = judge.wording.phrases, judge.wording.rich
    rows = []
    for name in names:
        said, criterion = meant[name], judge.rubric.criteria[name]
        rows += [f"### {criterion.title}"] * (len(names) > 1)
        reasons = [f"{phrases['explanation_label']}: Because 3 of 5 are met."]
        if said.quotes:
            reasons = [f"{rich['quotes_label']}:", *(f"- {q}" for q in said.quotes), *reasons]
        if name == "graded":
            reasons.append("bad: no")
        if name in LISTED:
            label = rich["claim_label" if name == "faithful" else "error_label"]
            none = rich["error_none"].partition(" (")[0]
            rows += [f"{label}: {' | '.join(row)}" for row in said.parts] or [f"{label}: {none}"]
            rows += reasons
        elif name == "covers":
            rows += reasons + [f"Q{n}: {row[0]}" for n, row in enumerate(said.parts, 1)]
        else:
            value = said.value
            shown = value if value == "n/a" else criterion.scale.write(value)
            rows += [*reasons, f"{phrases['score_label']}: {shown}"]
    return "\n".join(rows)


def check(name: str, meant: Meant, score: Score) -> None:
    assert score.explanation == "Because 3 of 5 are met."
    quoted = [part.quotation for part in score.parts if part.quotation] + [*score.evidence]
    for quotation in quoted:  # each has its place
        assert quotation.start is not None
        assert CONTEXT[quotation.start : quotation.end] == quotation.quote
    assert tuple(quotation.quote for quotation in score.evidence) == meant.quotes
    if name == "faithful":
        assert [(p.text, p.verdict) for p in score.parts] == [row[:2] for row in meant.parts]
        supported = sum(row[1] == "supported" for row in meant.parts)
        assert score.value == pytest.approx(supported / len(meant.parts))
        assert [p.source or 0 for p in score.parts] == [int(row[3]) for row in meant.parts]
    elif name == "marked":
        assert [(p.text, p.category, p.verdict) for p in score.parts] == [*meant.parts]
        cost = -sum(SEVERITIES[row[2]] for row in meant.parts)
        assert (score.raw, score.value) == (cost, max(cost, -25))
        assert score.rule == ("lowest" if cost < -25 else None)
    elif name == "covers":
        assert [(part.verdict,) for part in score.parts] == [*meant.parts]
        asked = [(q["points"], row[0]) for q, row in zip(QUESTIONS, meant.parts, strict=True)]
        possible = sum(points for points, said in asked if points > 0 and said != "n/a")
        achieved = sum(points for points, said in asked if said == "yes")
        assert score.value == (pytest.approx(achieved / possible) if possible else None)
    elif meant.value == "n/a":
        assert (score.outcome, score.value) == (Outcome.NOT_APPLICABLE, None)
    else:
        assert (score.outcome, score.value) == (Outcome.SCORED, meant.value)


@pytest.mark.parametrize("language", ["en", "ko", "vi"])
@pytest.mark.parametrize("reply", ["json", "text"])
@pytest.mark.parametrize("names", [[name] for name in FORMS] + [list(FORMS)], ids="+".join)
def test_a_reply_as_asked_for_reads_back(names: list[str], reply: str, language: str) -> None:
    judge = load_text(text_from(judge_file(names, reply, language)), "law.yaml")
    item = Item("1", {"context": CONTEXT, "answer": "It costs 5 euros."})
    (prompt,) = renderer_for(judge, b"secret").prompts(item)

    @settings(max_examples=25)
    @given(st.fixed_dictionaries({name: MEANT[name] for name in names}))
    def law(meant: dict[str, Meant]) -> None:
        write = written_json(names, meant) if reply == "json" else written_text(judge, names, meant)
        reading = read_reply(judge, prompt, Reply(text=write))
        scores = apply_rules(judge.rubric, reading.scores, reading.flags)
        for name in names:
            check(name, meant[name], scores[name])
        assert reading.flags == ({"bad": False} if "graded" in names else {})
        overall = overall_score(judge.rubric, scores)
        assert overall is not None
        scored = [name for name in names if scores[name].outcome is Outcome.SCORED]
        if scored and len(names) > 1:  # of several scales, the places on 0-1
            units = [scores[name].unit or 0.0 for name in scored]
            assert overall.value == pytest.approx(sum(units) / len(units))
        assert (overall.outcome is Outcome.SCORED) == bool(scored)

    law()


@pytest.mark.parametrize("reply", ["json", "text"])
def test_the_prompt_shows_the_words_that_a_reply_is_read_by(reply: str) -> None:
    for language in ("en", "ko", "vi"):
        judge = load_text(text_from(judge_file(list(FORMS), reply, language)), "law.yaml")
        item = Item("1", {"context": CONTEXT, "answer": "a"})
        (prompt,) = renderer_for(judge, b"secret").prompts(item)
        asked = "\n".join(message.content for message in prompt.messages)
        rich = judge.wording.rich
        wanted = (
            ['"claims"', '"errors"', '"quotes"', '"answers"', '"span"', '"verdict"']
            if reply == "json"
            else [f"{rich[key]}:" for key in ("claim_label", "error_label", "quotes_label")]
        )
        assert all(word in asked for word in [*wanted, *SEVERITIES, "n/a", "Is it wrong?"])


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from(list(FORMS)), min_size=1, unique=True),
    st.sampled_from(["json", "text"]),
    st.sampled_from(["weighted_mean", "sum", "min", "all", "any"]),
    st.sampled_from([True, ">= 0.5", {"pass": ">= 1", "cap": 0.5}]),
    st.floats(-3, 3).filter(lambda weight: abs(weight) > 0.1),
)
def test_a_file_and_its_judge_say_the_same(
    names: list[str], reply: str, kind: str, required: Any, weight: float
) -> None:
    """Written by us or by another YAML writer, in whatever order of keys, it is the same judge."""
    file = judge_file(names, reply, "en")
    first = file["criteria"][names[0]]
    first |= {"weight": 1.0, "required": required}
    file["criteria"][names[-1]]["weight"] = abs(weight) if len(names) == 1 else weight
    file["overall"] |= {"from": kind, "pass": ">= 0.5"}
    ours = load_text(text_from(file), "a.yaml")
    other = yaml.safe_dump(file, sort_keys=False, allow_unicode=True, default_flow_style=True)
    again = load_text(other, "b.yaml")
    assert again == ours
    assert again.fingerprint == ours.fingerprint
    made = ours.rubric.criteria[names[0]]
    assert made.required is not None
    assert ours.rubric.overall is not None
    assert (ours.rubric.overall.kind, ours.rubric.overall.over) == (kind, tuple(names))
