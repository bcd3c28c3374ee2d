from __future__ import annotations

import pytest

from adjudge.core.prompt import Message, Prompt
from adjudge.core.reply import Usage
from adjudge.core.rubric import Criterion, Rubric
from adjudge.core.run import Manifest
from adjudge.core.scale import Integer
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Call, Exchange, Verdict


def test_only_a_scored_outcome_carries_a_value() -> None:
    assert Score(outcome=Outcome.SCORED, value=3).value == 3
    for outcome in Outcome:
        with pytest.raises(ValueError, match="outcome"):
            Score(outcome=outcome, value=None if outcome is Outcome.SCORED else 3)


def test_an_unknown_price_makes_the_sum_unknown() -> None:
    known = Usage(input_tokens=1, output_tokens=2, cached_tokens=1, cost_usd=0.5)
    assert known + known == Usage(input_tokens=2, output_tokens=4, cached_tokens=2, cost_usd=1.0)
    assert (known + Usage(cost_usd=None)).cost_usd is None


def test_a_further_question_keeps_the_conversation() -> None:
    prompt = Prompt(messages=(Message("user", "q"),), criteria=("a",), item="7")
    again = prompt.followed_by("r", "what?")
    assert [(m.role, m.content) for m in again.messages] == [
        ("user", "q"),
        ("assistant", "r"),
        ("user", "what?"),
    ]
    assert (again.item, again.criteria) == ("7", ("a",))


def test_a_run_is_named_by_its_content_and_not_by_where_the_data_lies() -> None:
    def manifest(**changes: object) -> str:
        given = {"data": "a.csv", "data_hash": "h", "judges": {"j": "f"}, "models": ("m",)}
        return Manifest(**(given | changes)).id  # type: ignore[arg-type]

    assert manifest() == manifest(data="b.csv") == manifest(tags={"k": "v"})
    others = [manifest(data_hash="i"), manifest(models=("n",)), manifest(salt="x")]
    others += [manifest(judges={"j": "g"}), manifest(settings={"seed": 1})]
    assert len({manifest(), *others}) == 6


def test_the_reply_of_several_calls_names_each() -> None:
    def verdict(*calls: Call) -> str:
        given = {"item": "1", "judge": "j", "fingerprint": "f", "model": "m", "scores": {}}
        return Verdict(**given, outcome=Outcome.SCORED, calls=calls).reply  # type: ignore[arg-type]

    bad, good = Exchange(reply="bad"), Exchange(reply="good", kind="repair", question="?")
    one = Call(criterion="a", order="ab", exchanges=(bad, good), counted=1)
    assert verdict(one) == "good"
    assert (
        verdict(one, Call(criterion="b", exchanges=(Exchange(reply="x"),)), Call())
        == "[a ab]\ngood\n\n[b]\nx"
    )
    assert verdict(Call()) == ""


def test_a_criterion_is_called_by_its_title() -> None:
    scale = Integer(min=1, max=5)
    rubric = Rubric(criteria={"tone": Criterion(name="tone", title="Tone", guide="", scale=scale)})
    assert rubric.title("tone") == "Tone"
    assert rubric.title("gone") == "gone"  # a label may be older than the judge
