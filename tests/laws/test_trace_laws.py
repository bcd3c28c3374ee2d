"""Whatever a text looks like, cutting its trace loses nothing unseen."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges.agent_trace import cut_trace

PIECES = st.sampled_from(
    [
        *("Final Answer:", "**Final Answer:**", "Final Answer", "final answer: ", "Fianl Anser:"),
        *("Thought: ", "Action: x", "Observation:", "**Observation**", "## Observation", "- "),
        *("\n", "\n\n", " ", '"', "`", "> ", "```\n", "Take 40.", "You idiot.", "Hanoi"),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=3), max_size=20).map("".join)
_LABELS = re.compile(r"(?:f\w{8,12}|f\w{3,6}a\w{3,7})*")


def squeezed(text: str) -> str:
    return "".join(text.split())


@given(TEXTS)
def test_every_word_is_judged_or_told_as_cut(text: str) -> None:
    trace = cut_trace(text)
    rest, at = [], 0
    for part in trace.parts:
        assert at <= part.start < part.end <= len(text)
        assert text[part.start : part.end].strip() == text[part.start : part.end]
        rest.append(text[at : part.start])
        at = part.end
    left = squeezed("".join([*rest, text[at:]]))
    assert left.endswith(squeezed(trace.answer))
    label = left.removesuffix(squeezed(trace.answer))
    # nothing but the label of the answer is in neither
    assert _LABELS.fullmatch(re.sub(r"[^a-z]", "", label.lower())), label


@given(TEXTS)
def test_nothing_behind_the_last_final_answer_is_cut(text: str) -> None:
    said = f"Thought: x\n\nFinal Answer: {text.replace('Fi', 'fi')}"
    if re.search(r"final[ \t_*-]*answer", text, re.IGNORECASE):
        return  # a later one may count
    assert cut_trace(said).answer.endswith(text.replace("Fi", "fi").strip())
