"""The answer is cut out of an agent's trace; a text without one stays as it is."""

from __future__ import annotations

import time

import pytest

from adjudge.judges.agent_trace import Trace, cut_trace

CUT = {
    "plain": ("Thought: look\nAction: search\nObservation: found\nFinal Answer: Hanoi.", "Hanoi."),
    "bold": ("**Thought:** look\n**Observation:** found\n**Final Answer:** Hanoi.", "Hanoi."),
    "bold, colon outside": ("**Observation**: x\n**Final Answer**: Hanoi.", "Hanoi."),
    "bold, no colon": ("**Observation** {}\n\n**Final Answer**\nHanoi.", "Hanoi."),
    "heading": ("## Observation\nx\n### Final Answer\nHanoi.", "Hanoi."),
    "brackets": ("[Observation] x\n[Final Answer] Hanoi.", "Hanoi."),
    "full-width colon": ("Observation： 결과\nFinal Answer： 서울입니다.", "서울입니다."),
    "Vietnamese": (
        "Thought: Tôi cần tra cứu.\n**Observation**: Điều 5…\nFinal Answer: Bạn cần 3 bước.",
        "Bạn cần 3 bước.",
    ),
    "capitals": ("OBSERVATION: x\nFINAL ANSWER: Hanoi.", "Hanoi."),
    "joined": ("Observation: x\nFinal_Answer: Hanoi.", "Hanoi."),
    "alone on its line": ("Final Answer\nHanoi.", "Hanoi."),
    "several lines": ("Final Answer: Hanoi.\n\n1. One\n2. Two", "Hanoi.\n\n1. One\n2. Two"),
    "CRLF": ("Thought: x\r\nFinal Answer: Hanoi.\r\nMore.\r\n", "Hanoi.\r\nMore."),
    # inline
    "one line": ("Thought: a Action: b Observation: c Final Answer: Hanoi.", "Hanoi."),
    "after a sentence": ("I know enough now. Final Answer: Hanoi.", "Hanoi."),
    "inline, the last counts": ("Final Answer is due. Final Answer: A. Final Answer: B.", "B."),
    "small letters in a trace": ("Thought: I know. So final answer: Hanoi.", "Hanoi."),
    "small letters in the answer": (
        "Observation: a\n\n6 times 7, so my final answer: 42",
        "6 times 7, so my final answer: 42",
    ),
    # repeated and nested
    "repeated marker": ("Final Answer: Final Answer: Hanoi.", "Hanoi."),
    "drafts": ("Final Answer: A\nThought: wait\nFinal Answer: B", "B"),
    "nested agents": (
        "Action: ask\nObservation: y\nFinal Answer: inner\nThought: so\nFinal Answer: outer",
        "outer",
    ),
    "two of them": ("Final Answer: A.\nFinal Answer: so it is B.", "so it is B."),
    "a plural is a heading": (
        "Thought: x\nFinal Answer: A.\n\nFinal answers:\n1. A",
        "A.\n\nFinal answers:\n1. A",
    ),
    # misspelt
    "letter missing": ("Observaton: x\nFinal Anser: Hanoi.", "Hanoi."),
    "letters swapped": ("Obesrvation: x\nFianl Anwser: Hanoi.", "Hanoi."),
    "letter too many": ("Thought: x\nFinall Answer: Hanoi.", "Hanoi."),
    "bold and misspelt": ("**Obsevation:** x\nThought: y\n**Final Answr:** Hanoi.", "Hanoi."),
    # observations without a final answer
    "dropped up to the blank line": ("**Observation**: {}\n\nIt is Hanoi.", "It is Hanoi."),
    "dropped with CRLF": ("**Observation**: {}\r\n\r\nIt is Hanoi.", "It is Hanoi."),
    "dropped up to the next step": ("Observation: a\n\nb\nThought: c", "Thought: c"),
    "every one": ("Observation: a\n\nOne.\n\nObservation: b\n\nTwo.", "One.\n\nTwo."),
    "nothing but observation": ("**Observation**: only this", ""),
    # behind the final answer nothing is dropped
    "an observation below it": (
        "Final Answer: 1 tablet.\n\n**Observation**: or 40, harmless.\n\nKeep away from children.",
        "1 tablet.\n\n**Observation**: or 40, harmless.\n\nKeep away from children.",
    ),
    "steps below it": ("Thought: a\nFinal Answer: A.\nAction: b\nC", "A.\nAction: b\nC"),
    # quoted markers are none
    "in JSON of an observation": (
        'Observation: {"text": "Final Answer: 42"}\nFinal Answer: 7',
        "7",
    ),
    "in nested JSON": ('Observation: "{\\"t\\": \\"Final Answer: 42\\"}"\n\nIt is 7.', "It is 7."),
    "in pretty JSON": (
        'Observation: {\n  "text": "Final Answer: 42"\n}\nFinal Answer: 7',
        "7",
    ),
    "quoted inside the answer": (
        'Final Answer: He said "Final Answer: no".',
        'He said "Final Answer: no".',
    ),
    "quoted after it": ("Final Answer: A\n> Final Answer: B", "A\n> Final Answer: B"),
    "inch signs are no quotation": ('It is 5" wide. Final Answer: 6" tall', '6" tall'),
    "apostrophes are no quotation": ("It's done, isn't it. Final Answer: don't", "don't"),
}


@pytest.mark.parametrize("case", CUT)
def test_the_answer_is_cut_out(case: str) -> None:
    trace, answer = CUT[case]
    assert cut_trace(trace).answer == answer


KEPT = [
    "Hanoi is the capital.",
    "",
    "  white space at the edges  \n",
    "The final answer is 42.",
    "**Final answer is 42** indeed.",
    "6 times 7 is 42, so my final answer: 42",
    "In the end the final answers: 1 and 2",
    'Always write "Final Answer: x" at the end.',
    "Always write 'Final Answer: x' at the end.",
    "Viết “Final Answer: x” ở cuối.",
    "끝에 「Final Answer: x」라고 쓰세요.",
    "Écrivez « Final Answer: x » à la fin.",
    "Write `Final Answer: x` at the end.",
    "Like this:\n```\nFinal Answer: x\n```\nDone.",
    "Like this:\n~~~text\nFinal Answer: x\n~~~\nDone.",
    "Like this:\n> Final Answer: x\n\nDone.",
    'He wrote "please end with\nFinal Answer: yes" and left.',
    "Initial answer: 3",
    "Conservation: save water.\n\nThen more.",
    "Thought: about water\nConservation: save water.\n\nThen more.",
    "Reservation: two seats.\n\nThen more.",
    "Observation of the market: it rose.",
    "## Observation of the market\nIt rose.\n\nMore.",
    "## Observation\nThe leaf is green.\n\n## Conclusion\nIt lives.",
    "Observations:\n- one\n- two\n\nMore.",
    "- Observation: it rose.\n- Cause: demand.",
    "Observation: the sky is blue.",
    "Thoughtful: yes",
    # lines before the marker that no step heads: the user may have seen them
    "You idiot, read the leaflet.\n\nFinal Answer: 1 tablet.",
    "3x = 12, so x = 12 / 3.\n\n**Final Answer:** 4",
    "You idiot.\n\nI know enough now. Final Answer: 1 tablet.",
    "Observations:\n- fever\n- cough\n\nFinal Answer: flu",
    "- Action: call the bank\n- Result: none\n\nFinal Answer: wait",
    "First.\n\nFinal Answer: A.\n\n**Observation**: B.",
]


@pytest.mark.parametrize("text", KEPT)
def test_a_text_without_a_trace_stays_as_it_is(text: str) -> None:
    assert cut_trace(text) == Trace(text)


PARTS = {
    "the whole way": (
        "I look. \nThought: look\nAction: search\n**Observation**: found\n\nFinal Answer: Hanoi.",
        [
            ("text", "I look."),
            ("step", "Thought: look"),
            ("step", "Action: search"),
            ("observation", "**Observation**: found"),
        ],
    ),
    "an insult in a trace": (
        "You idiot.\nThought: x\nFinal Answer: 1 tablet.",
        [("text", "You idiot."), ("step", "Thought: x")],
    ),
    "an earlier answer": (
        "Final Answer: Take 40.\nFinal Answer: Take 1.",
        [("answer", "Final Answer: Take 40.")],
    ),
    "the words before it on its line": (
        "I know enough now. Final Answer: Hanoi.",
        [("text", "I know enough now.")],
    ),
    "observations": (
        "**Observation**: {}\n\nIt is Hanoi.\n\nObservation: a\nb",
        [("observation", "**Observation**: {}"), ("observation", "Observation: a\nb")],
    ),
    "nothing but the marker": ("Final Answer: Hanoi.", []),
}


@pytest.mark.parametrize("case", PARTS)
def test_what_was_cut_is_told(case: str) -> None:
    text, parts = PARTS[case]
    assert [(part.kind, text[part.start : part.end]) for part in cut_trace(text).parts] == parts


PATHOLOGICAL = {
    "spaces": " ",
    "stars": "*",
    "opening quotes": "“",
    "guillemets": "«a",
    "straight quotes": ' "a',
    "single quotes": " 'a",
    "backticks": "`a\n",
    "code fences": "```a\n",
    "line breaks": "\n",
    "blank lines": '"a\n \r',
    "hashes": "#- ",
    "observations": "Observation: a\n",
    "misspelt": "Obsrvation: a\n\n",
    "mentions": "final answer ",
    "finals": "Final Answer: a\n",
    "finals inside a line": "x Final Answer: a ",
    "finals inside lines": "x Final Answer: a\n",
    "small finals": "Thought: final answer: a ",
    "letters": "F",
    "brackets": "[",
    "quote lines": ">\n",
}


@pytest.mark.parametrize("case", PATHOLOGICAL)
def test_time_grows_with_the_length_and_no_faster(case: str) -> None:
    sign = PATHOLOGICAL[case]
    text = sign * (300_000 // len(sign)) + "x"
    begun = time.process_time()
    cut_trace(text)
    assert time.process_time() - begun < 5  # a quadratic search takes minutes
