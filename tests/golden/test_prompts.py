"""The prompts and schemas of the built-in judges, to the letter.

After a change that is meant: ADJUDGE_UPDATE_GOLDEN=1 pytest tests/golden, then read the difference.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from adjudge.core.conversation import Turn, conversation_form
from adjudge.core.item import Item
from adjudge.core.prompt import Prompt
from adjudge.judges import registry
from adjudge.judges.render import Renderer

FOLDER = Path(__file__).parent / "prompts"

QUESTION = {"question": "How do I reset my password?"}
HELPFULNESS = {**QUESTION, "answer": "Open Settings, choose Security, then Reset."}
CHATBOT = {
    "question": "Thủ tục cấp lại thẻ mất bao lâu?",
    "reference": "Mất 3 ngày làm việc, mang theo căn cước công dân.",
    "answer": "Thought: tra cứu\n**Observation**: 3 ngày\nFinal Answer: Khoảng 3 ngày làm việc ạ.",
}
GPTSCORE = {
    "source": "The bridge opened on Monday. It cost 4 million euros.",
    "response": "다리는 월요일에 개통되었고 400만 유로가 들었다.",
}
CONTEXTS = json.dumps(["The fee is 40 euros.", "It is due on 1 May."])
ASKED = {"question": "What does it cost, and when is it due?"}
CHAT = conversation_form([Turn("User", "Hello"), Turn("Assistant", "Hello! How can I help?")])
TRACE = json.dumps([{"tool": "search", "arguments": {"q": "fee"}, "output": "40 euros"}])
LATER: dict[str, dict[str, str]] = {
    "answer_relevance": {**ASKED, "answer": "40 euros, on 1 May."},
    "code_review": {"task": "Add two numbers.", "code": "def add(a, b):\n    return a + b"},
    "context_relevance": {**ASKED, "contexts": CONTEXTS},
    "conversation": {"conversation": CHAT},
    "correctness": {**ASKED, "reference": "40 euros, 1 May.", "answer": "40 euros."},
    "faithfulness": {**ASKED, "contexts": CONTEXTS, "answer": "It costs 40 euros."},
    "instruction_following": {"instruction": "List two colours.", "answer": "red, blue"},
    "safety": {**ASKED, "answer": "40 euros."},
    "trajectory": {"task": "Find the fee.", "trace": TRACE},
    "translation": {"source": "Die Gebühr beträgt 40 Euro.", "translation": "The fee is 40 euros."},
}
PREFERENCE = {**QUESTION, "answer_a": "Open Settings.", "answer_b": "Call the hotline."}

# name of the file → judge, how it is asked, texts
CASES: dict[str, tuple[str, str, dict[str, str]]] = {
    "helpfulness": ("helpfulness", "together", HELPFULNESS),
    "helpfulness-focus": ("helpfulness", "together", {**HELPFULNESS, "focus": "Is it safe?"}),
    "helpfulness-each": ("helpfulness", "each", HELPFULNESS),
    "chatbot": ("chatbot", "together", CHATBOT),
    "chatbot-context": ("chatbot", "together", {**CHATBOT, "context": "Thẻ thư viện tỉnh."}),
    "chatbot-each": ("chatbot", "each", CHATBOT),
    "gptscore": ("gptscore", "each", GPTSCORE),
    "gptscore-together": ("gptscore", "together", GPTSCORE),
    "preference": ("preference", "together", PREFERENCE),
    "preference-reference": ("preference", "together", {**PREFERENCE, "reference": "Settings."}),
    "preference-each": ("preference", "each", PREFERENCE),
    "chatbot.en": ("chatbot/en", "together", CHATBOT),
    "chatbot.ko": ("chatbot/ko", "together", CHATBOT),
    "gptscore.ko": ("gptscore/ko", "each", GPTSCORE),
    "gptscore.vi": ("gptscore/vi", "each", GPTSCORE),
    "helpfulness.ko": ("helpfulness/ko", "together", HELPFULNESS),
    "helpfulness.vi": ("helpfulness/vi", "together", HELPFULNESS),
    **{name: (name, "together", texts) for name, texts in LATER.items()},
    **{
        f"{name}.{language}": (f"{name}/{language}", "together", texts)
        for name, texts in LATER.items()
        for language in ("ko", "vi")
    },
}


def shown(prompts: list[Prompt]) -> str:
    parts = []
    for prompt in prompts:
        about = [f"criterion {prompt.criterion}"] if prompt.criterion else []
        about += [f"order {prompt.order}"] if prompt.order else []
        parts.append(f"=== {', '.join(about) or 'all criteria'} ===")
        parts += [f"--- {message.role} ---\n{message.content}" for message in prompt.messages]
    return "\n".join(parts) + "\n"


def hold(file: Path, text: str) -> None:
    if os.environ.get("ADJUDGE_UPDATE_GOLDEN") == "1":
        file.write_text(text, encoding="utf-8", newline="\n")
    assert file.exists(), f"{file.name} is missing; ADJUDGE_UPDATE_GOLDEN=1 writes it"
    assert text == file.read_text(encoding="utf-8")


def render(case: str) -> list[Prompt]:
    name, ask, texts = CASES[case]
    judge = replace(registry.get(name), ask=ask)  # type: ignore[arg-type]
    renderer = Renderer(judge, b"golden")
    made = renderer.prompts(Item("1", texts))
    # The mark hangs on the fingerprint; a golden file should show what else has changed.
    return [
        replace(
            prompt,
            messages=tuple(
                replace(message, content=message.content.replace(renderer.mark, "MARK"))
                for message in prompt.messages
            ),
        )
        for prompt in made
    ]


@pytest.mark.parametrize("case", CASES)
def test_prompt(case: str) -> None:
    hold(FOLDER / f"{case}.txt", shown(render(case)))


@pytest.mark.parametrize("case", [case for case in CASES if "-" not in case or "-each" in case])
def test_schema(case: str) -> None:
    schemas = {prompt.criterion or "all criteria": prompt.schema for prompt in render(case)}
    hold(FOLDER / f"{case}.schema.json", json.dumps(schemas, ensure_ascii=False, indent=1) + "\n")


def test_no_golden_file_is_left_over() -> None:
    known = {f"{case}.txt" for case in CASES}
    known |= {f"{case}.schema.json" for case in CASES if "-" not in case or "-each" in case}
    assert {file.name for file in FOLDER.iterdir()} == known


def test_every_built_in_judge_is_held() -> None:
    assert {name for name, _, _ in CASES.values()} == set(registry.names(worded=True))
