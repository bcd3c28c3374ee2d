from __future__ import annotations

import pytest

from adjudge.core.judge import Judge
from adjudge.core.rubric import Requirement
from adjudge.errors import UsageError
from adjudge.judges.importing import Options, import_prompt

PROMPT = """Rate the answer from 1 to 5 on each criterion.{more}

- Accuracy{a}: is it right?
- Tone{b}: is it polite?

Question: {{question}}
Answer: {{answer}}

Reply as JSON: {{"accuracy": 1-5, "tone": 1-5}}
"""


def imported(a: str = "", b: str = "", more: str = "", **settings: str) -> Judge:
    options = Options(name="j", detect=lambda _: "en", settings=settings)
    return import_prompt(PROMPT.format(a=a, b=b, more=more), options).judge


def weights(judge: Judge) -> list[float]:
    return [criterion.weight for criterion in judge.rubric.criteria.values()]


@pytest.mark.parametrize(
    ("a", "b", "found"),
    [
        (" (60%)", " (40%)", [60, 40]),
        (" (weight: 2)", " (weight: 1)", [2, 1]),
        (" - weight 0.7", " - weight 0.3", [0.7, 0.3]),
        (" (가중치 60%)", " (가중치 40%)", [60, 40]),
        (" (trọng số: 3)", " (trọng số: 1)", [3, 1]),
    ],
)
def test_weights_are_read_and_make_an_overall_score(a: str, b: str, found: list[float]) -> None:
    judge = imported(a, b)
    assert weights(judge) == found
    assert judge.rubric.overall is not None
    assert judge.rubric.overall.kind == "weighted_mean"


@pytest.mark.parametrize(("a", "b"), [(" (60%)", ""), (" (60%)", " (60%)"), (" (5)", " (4)")])
def test_what_is_no_weight_of_all_is_none(a: str, b: str) -> None:
    judge = imported(a, b)
    assert (weights(judge), judge.rubric.overall) == ([1, 1], None)


def test_a_prompt_that_allows_n_a_may_get_it() -> None:
    judge = imported(more=' Write "N/A" if one does not fit.')
    assert all(criterion.may_not_apply for criterion in judge.rubric.criteria.values())
    assert not any(criterion.may_not_apply for criterion in imported().rubric.criteria.values())


def test_what_is_set_holds() -> None:
    judge = imported(
        " (60%)",
        " (40%)",
        weights="accuracy:3,tone:-1",
        overall="sum",
        required="accuracy",
        may_not_apply="tone",
        evidence="answer",
    )
    criteria = judge.rubric.criteria
    assert weights(judge) == [3, -1]
    assert judge.rubric.overall is not None
    assert judge.rubric.overall.kind == "sum"
    assert (criteria["accuracy"].required, criteria["tone"].required) == (Requirement(), None)
    assert (criteria["accuracy"].may_not_apply, criteria["tone"].may_not_apply) == (False, True)
    assert judge.quoted == ("answer",)


@pytest.mark.parametrize(
    "settings",
    [{"weights": "accuracy:x"}, {"weights": "nobody:2"}, {"overall": "mean"}, {"required": "x"}],
)
def test_what_cannot_be_set_is_refused(settings: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="--set"):
        imported(**settings)
