from __future__ import annotations

from adjudge.judges import registry
from adjudge.judges.prepare import prepared_texts

TRACE = "Thought: x\n**Observation**: y\nFinal Answer: Hanoi."


def test_the_chatbot_judge_cuts_the_trace_of_the_answer_only() -> None:
    given = {"question": TRACE, "reference": TRACE, "answer": TRACE}
    texts = prepared_texts(registry.get("chatbot"), given)
    assert texts == {"context": "", "question": TRACE, "reference": TRACE, "answer": "Hanoi."}


def test_an_optional_input_that_is_blank_counts_as_absent() -> None:
    helpfulness = registry.get("helpfulness")
    for blank in ("", " ", "\n\t ", "\u3000"):
        assert (
            prepared_texts(helpfulness, {"question": "q", "answer": "a", "focus": blank})["focus"]
            == ""
        )


def test_a_required_input_keeps_its_white_space() -> None:
    assert (
        prepared_texts(registry.get("helpfulness"), {"question": "q", "answer": " a\n"})["answer"]
        == " a\n"
    )
