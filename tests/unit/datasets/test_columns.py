from __future__ import annotations

from dataclasses import replace

import pytest

from adjudge.core.judge import Input
from adjudge.datasets.columns import ColumnMapping, merge_inputs, propose_columns
from adjudge.datasets.items import single_item
from adjudge.datasets.selectors import KNOWN_COLUMNS
from adjudge.errors import DataError, UsageError


def inputs(*names: str, **columns: tuple[str, ...]) -> dict[str, Input]:
    """Inputs of these names; `?` marks an optional one."""
    return {
        name.rstrip("?"): Input(
            name=name.rstrip("?"),
            title=name,
            required=not name.endswith("?"),
            columns=columns.get(name.rstrip("?"), ()),
        )
        for name in names
    }


def fed(header, judge, mapping):
    """What feeds each input, as it is written."""
    return {
        name: str(feed) for name, feed in ColumnMapping.plan(header, judge, mapping).fields.items()
    }


def id_of(header, judge, mapping):
    found = ColumnMapping.plan(header, judge, mapping).id
    return None if found is None else str(found)


HELPFULNESS = inputs("question", "answer", "focus?")
CHATBOT = inputs("context?", "question", "reference", "answer")
GPTSCORE = inputs("source", "response")
PREFERENCE = inputs("question", "answer_a", "answer_b", "reference?")


@pytest.mark.parametrize(
    ("judge", "header"),
    [
        (HELPFULNESS, "user_question,system_answer"),
        (CHATBOT, "Context,Question,True Answer,Agent Answer"),
        (GPTSCORE, "source_text,generated_response"),
        (HELPFULNESS, "input,output"),
        (HELPFULNESS, "prompt,completion"),
        (HELPFULNESS, "prompt,response"),
        (HELPFULNESS, "user_input,response"),
        (HELPFULNESS, "input,actual_output"),
        (inputs("question", "reference", "answer"), "input,expected,output"),
        (inputs("question", "reference", "answer"), "user_input,ground_truth,response"),
        (inputs("question", "reference", "answer"), "input,expected_output,actual_output"),
        (GPTSCORE, "document,summary"),
        (GPTSCORE, "input,output"),
        (PREFERENCE, "input,output_1,output_2"),
        (PREFERENCE, "Prompt,Response A,Response B"),
    ],
)
def test_usual_columns_need_no_map(judge, header):
    columns = header.split(",")
    required = [name for name, spec in judge.items() if spec.required or name == "context"]
    assert fed(columns, judge, {}) == dict(zip(required, columns, strict=True))


@pytest.mark.parametrize("name", sorted(KNOWN_COLUMNS))
def test_every_known_name_feeds_its_input(name):
    for column in KNOWN_COLUMNS[name]:
        shown = column.replace("_", " ").title()
        assert fed([shown], inputs(name), {}) == {name: shown}


@pytest.mark.parametrize("column", ["True Answer", "true-answer", "TRUE_ANSWER", " true  answer "])
def test_case_and_gaps_do_not_count(column):
    assert fed([column], inputs("reference"), {}) == {"reference": column}


def test_composed_and_decomposed_letters_are_the_same():
    assert fed(["cau ho\u0309i"], inputs("cau_h\u1ecfi"), {})


def test_order_is_map_then_own_name_then_aliases_then_known_names():
    judge = inputs("answer", answer=("tra_loi",))
    header = ["response", "Trả", "tra loi", "answer"]
    assert fed(header, judge, {"answer": "Trả"}) == {"answer": "Trả"}
    assert fed(header, judge, {}) == {"answer": "answer"}
    assert fed(header[:3], judge, {}) == {"answer": "tra loi"}
    assert fed(header[:2], judge, {}) == {"answer": "response"}


def test_own_names_go_before_another_inputs_known_names():
    assert fed(["response", "output"], inputs("answer", "response"), {}) == {
        "answer": "output",
        "response": "response",
    }


def test_an_optional_input_leaves_the_column_to_a_required_one():
    assert fed(["input"], inputs("source?", "question"), {}) == {"question": "input"}


def test_one_column_feeds_two_inputs_only_when_told_to():
    judge = inputs("question", "source")
    with pytest.raises(DataError, match="'input' feeds 'question' already") as caught:
        ColumnMapping.plan(["input"], judge, {})
    assert "--map question=input --map source=input" in str(caught.value)
    told = {"question": "input", "source": "input"}
    assert fed(["input"], judge, told) == told


def test_equal_fits_are_an_error_unless_mapped():
    header = ["Answer", "answer"]
    with pytest.raises(DataError, match="'Answer', 'answer' fit 'answer' equally well") as caught:
        ColumnMapping.plan(header, inputs("answer"), {})
    assert "--map answer=Answer, --map answer=answer" in str(caught.value)
    assert fed(header, inputs("answer"), {"answer": "Answer"}) == {"answer": "Answer"}


def test_a_tie_between_worse_columns_does_not_matter():
    assert fed(["answer", "Output", "output"], inputs("answer"), {}) == {"answer": "answer"}


def test_a_required_input_without_a_column_names_columns_and_remedy():
    with pytest.raises(DataError) as caught:
        ColumnMapping.plan(["Frage", "die answers"], HELPFULNESS, {})
    message = str(caught.value)
    assert message.endswith(" The columns are 'Frage', 'die answers'.")
    assert (
        "No column feeds the required input 'question'; name it: --map question=COLUMN." in message
    )
    assert (
        "No column feeds the required input 'answer'; name it: --map 'answer=die answers'."
        in message
    )
    assert "focus" not in message


def test_map_of_an_unknown_input_is_wrong_usage():
    with pytest.raises(UsageError, match="no input 'anser'; did you mean answer"):
        ColumnMapping.plan(["a"], HELPFULNESS, {"anser": "a"})
    with pytest.raises(UsageError, match="inputs: question, answer, focus, id"):
        ColumnMapping.plan(["a"], HELPFULNESS, {"xyz": "a"})


def test_map_to_an_absent_column_is_wrong_usage():
    with pytest.raises(UsageError, match="no column 'Antwrt'; did you mean 'Antwort'"):
        ColumnMapping.plan(["Frage", "Antwort"], HELPFULNESS, {"answer": "Antwrt"})
    with pytest.raises(UsageError, match="columns: 'Frage', 'Antwort'"):
        ColumnMapping.plan(["Frage", "Antwort"], HELPFULNESS, {"answer": "zzz"})
    with pytest.raises(UsageError, match="--map id=nummer: the data has no column"):
        ColumnMapping.plan(["question", "answer"], HELPFULNESS, {"id": "nummer"})
    with pytest.raises(UsageError, match="did you mean 'A b' / 'a-b'"):
        ColumnMapping.plan(["A b", "a-b"], HELPFULNESS, {"answer": "a_b"})


def test_map_overlooks_case_where_that_is_clear():
    feeds = fed(["question", "Bot Reply"], HELPFULNESS, {"answer": "bot_reply"})
    assert feeds["answer"] == "Bot Reply"


@pytest.mark.parametrize("column", ["ID", "Item", "item-id", "question_id", "qid", "uid", "idx"])
def test_the_id_column_is_known_by_name(column):
    assert id_of(["question", "answer", column], HELPFULNESS, {}) == column


def test_the_id_column_is_the_best_or_the_mapped_one():
    header = ["idx", "id", "question", "answer", "Nr"]
    assert id_of(header, HELPFULNESS, {}) == "id"
    assert id_of(header, HELPFULNESS, {"id": "nr"}) == "Nr"
    assert id_of(["question", "answer"], HELPFULNESS, {}) is None


def test_a_column_that_feeds_an_input_is_not_taken_for_ids():
    plan = ColumnMapping.plan(["question", "item"], HELPFULNESS, {"answer": "item"})
    assert plan.id is None


def test_merged_inputs_are_the_strictest_of_each_name():
    merged = merge_inputs(
        [
            {
                "answer": Input(
                    name="answer", title="A", required=False, judged=True, columns=("a",)
                )
            },
            {"answer": Input(name="answer", title="B", required=True, columns=("b", "a"))},
        ]
    )
    assert merged == {
        "answer": Input(name="answer", title="A", required=True, columns=("a", "b")),
    }


STEERED = {**inputs("question", "answer"), "focus": replace(HELPFULNESS["focus"], steers=True)}
HEADER = ("question", "answer", "Focus")


def test_a_column_steers_the_judge_only_where_it_is_mapped() -> None:
    plan = ColumnMapping.plan(HEADER, STEERED, {})
    assert "focus" not in plan.fields
    assert plan.set_aside == {"focus": "Focus"}
    mapped = ColumnMapping.plan(HEADER, STEERED, {"focus": "Focus"})
    assert mapped.fields["focus"].column == "Focus"
    assert mapped.set_aside == {}


def test_an_item_that_was_written_for_the_judge_may_steer_it() -> None:
    item = single_item({"question": "q", "answer": "a", "focus": "Be strict."}, STEERED)
    assert item.fields["focus"] == "Be strict."


def test_a_required_input_that_steers_must_be_mapped() -> None:
    needed = {**STEERED, "focus": replace(STEERED["focus"], required=True)}
    with pytest.raises(DataError, match="--map focus="):
        ColumnMapping.plan(("question", "answer", "focus"), needed, {})


def test_columns_are_proposed_for_what_is_judged_first_and_none_that_names_a_group():
    wanted = inputs("question", "reference", "answer")
    wanted["answer"] = replace(wanted["answer"], judged=True)
    rows = [
        {"said": f"How do I pay bill {n}?", "bot": f"Press Pay {n}, then wait.", "lang": "en"}
        for n in range(6)
    ]
    assert propose_columns(rows, wanted, {}).proposed == {"question": "said", "answer": "bot"}
    few = propose_columns(rows[:3], wanted, {}).proposed
    assert few == {"question": "said", "reference": "bot", "answer": "lang"}
