"""Judge prompts of the real world import, load, and render with their text to the letter.

The helpers serve the other tests of imported prompts beside this one too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.scale import Number, Ordinal
from adjudge.judges.importing import ImportedJudge, Options, import_prompt, read_source
from adjudge.judges.render import Renderer
from adjudge.reading import detect_language

SHARED = Path(__file__).resolve().parents[3] / "shared"
SEEDS, GEVAL = SHARED / "seeds", SHARED / "data" / "geval_topicalchat_prompts.json"
COOKBOOK = SHARED / "data" / "hf_cookbook_llm_judge.json"

WHY_SKIPPED = "the real prompts lie in ../shared, which is not here"

# One row that feeds every one of these prompts.
ROW = {
    "question": "What is the capital of France?",
    "answer": "The capital of France is Paris.",
    "focus": "",
    "context": "A quiz about places.",
    "true_answer": "Paris.",
    "agent_answer": "Final Answer: It is Paris.",
    "source_text": "Paris is the capital of France.",
    "generated_response": "France is ruled from Paris.",
    "document": "A: Have you been to France?\nB: Yes, I loved Paris.",
    "fact": "The tower is painted anew every seven years.",
    "response": "Paris is great, and its tower gets new paint every seven years.",
}


def is_here() -> bool:
    return SEEDS.is_dir() and GEVAL.is_file() and COOKBOOK.is_file()


def seed(start: str) -> Path:
    return next(SEEDS.glob(f"{start}*.txt"))


def geval_names() -> list[str]:
    return sorted(json.loads(GEVAL.read_text("utf-8"))) if GEVAL.is_file() else []


def all_prompts() -> list[tuple[str, Path, str | None]]:
    """A name for the judge, the file, and which of its texts."""
    if not is_here():
        return []
    seeds = [(f"seed{start}", seed(start), None) for start in ("002", "003", "004")]
    geval = [(name, GEVAL, name) for name in geval_names()]
    cookbook = [
        (name.lower(), COOKBOOK, name) for name in ("JUDGE_PROMPT", "IMPROVED_JUDGE_PROMPT")
    ]
    return [*seeds, *geval, *cookbook]


def import_with_a_name(adjudge: Command, name: str, path: Path, pick: str | None) -> str:
    """The judge file, made and checked by the commands."""
    which = ["--pick", pick] if pick else []
    made = adjudge("judges", "import", str(path), "--name", name, *which)
    assert made.code == 0, made.err
    checked = adjudge("judges", "check", f"{name}.yaml")
    assert checked.code == 0, checked.err
    return f"{name}.yaml"


def verdicts(
    adjudge: Command, judge: str, replies: Sequence[str] | Sequence[Mapping[str, str]]
) -> list[dict[str, Any]]:
    """One verdict a reply; a mapping holds the reply to each criterion that is asked alone."""
    items = [{"id": str(at), **ROW} for at in range(len(replies))]
    recorded: list[Mapping[str, object]] = []
    for at, reply in enumerate(replies):
        if isinstance(reply, str):
            recorded.append({"item": str(at), "replies": [reply]})
        else:
            recorded += [
                {"item": str(at), "criterion": name, "replies": [text]}
                for name, text in reply.items()
            ]
    data = adjudge.write("items.jsonl", items)
    model = f"replay:{adjudge.write('replies.jsonl', recorded)}"
    ended = adjudge("run", data, "--judge", judge, "-m", model, "-o", "v.jsonl", "--quiet")
    assert ended.code in {0, 3}, ended.err
    rows = [json.loads(line) for line in Path("v.jsonl").read_text("utf-8").splitlines()]
    return sorted(rows, key=lambda row: int(row["item"]))


pytestmark = pytest.mark.skipif(not is_here(), reason=WHY_SKIPPED)

# Texts that look like placeholders and tags themselves: they must come through as they are.
MARKERS = ["first {answer} %s", "second {{ question }} {% if x %}", "third ${z} {# #} <x> [y]"]


def _import(path: Path, pick: str | None = None) -> ImportedJudge:
    source = read_source(path, pick)
    return import_prompt(source.text, Options(name="real", detect=detect_language), path.name)


def _texts(judge: Judge, values: dict[str, str]) -> list[tuple[str, ...]]:
    prompts = Renderer(judge, b"secret").prompts(Item("1", values))
    return [tuple(message.content for message in prompt.messages) for prompt in prompts]


@pytest.mark.parametrize("start", ["002", "003", "004"])
@pytest.mark.parametrize("flags", [[], ["--harden"]])
def test_seeds_need_nothing_but_a_name(adjudge: Command, start: str, flags: list[str]) -> None:
    imported = adjudge("judges", "import", str(seed(start)), "--name", "seed", *flags)
    assert imported.code == 0
    assert adjudge("judges", "check", "seed.yaml").code == 0


def test_seed_with_percent_signs() -> None:
    judge = _import(seed("002")).judge
    values = dict(zip(("question", "answer", "focus"), MARKERS, strict=True))
    pieces = seed("002").read_bytes().decode().split("%s")
    first, second, third, last = pieces
    expected = f"{first}{MARKERS[0]}{second}{MARKERS[1]}{third}{MARKERS[2]}{last}"
    assert _texts(judge, values) == [(expected,)]
    assert judge.judged == ("answer",)
    assert not judge.inputs["focus"].required
    scale = judge.rubric.criteria["total_rating"].scale
    assert isinstance(scale, Ordinal)
    assert [level.label for level in scale.levels.values()] == [
        "terrible",
        "unhelpful",
        "helpful",
        "excellent",
    ]
    assert list(judge.feedback) == [
        "evaluation",
        "strengths",
        "weaknesses",
        "detailed_analysis",
        "recommendations",
    ]
    assert (judge.feedback["strengths"].least, judge.feedback["strengths"].most) == (2, 3)


def test_seed_without_a_placeholder() -> None:
    judge = _import(seed("003")).judge
    names = ["context", "question", "true_answer", "agent_answer"]
    values = dict(zip(names, [*MARKERS, "fourth"], strict=True))
    [(system, user)] = _texts(judge, values)
    original = seed("003").read_bytes().decode()
    assert system == original.format()  # as str.format sends it
    assert all(value in user for value in values.values())
    assert user.startswith("- **Context**: first")
    assert judge.judged == ("agent_answer",)
    assert (judge.language, judge.explain_in, judge.reply) == ("vi", "vi", "json")
    criteria = judge.rubric.criteria
    assert list(criteria) == ["relevance", "accuracy", "completeness", "clarity", "tone"]
    assert all(each.scale == Number(0.0, 10.0) for each in criteria.values())
    assert criteria["tone"].title.startswith("Tone (")


def test_seed_with_nine_prompts() -> None:
    judge = _import(seed("004")).judge
    values = dict(zip(("source_text", "generated_response"), MARKERS, strict=False))
    original = seed("004").read_bytes().decode()
    sections = re.split(r"(?m)^(?=## )", original)[1:]
    expected = [(section.format(**values),) for section in sections]
    assert len(expected) == 9
    assert _texts(judge, values) == expected
    assert judge.ask == "each"
    assert (judge.language, judge.explain_in) == ("en", "ko")
    assert all(each.scale == Number(1, 5) for each in judge.rubric.criteria.values())
    assert judge.judged == ("generated_response",)


@pytest.mark.parametrize("pick", geval_names())
def test_geval(pick: str) -> None:
    judge = _import(GEVAL, pick).judge
    values = dict(zip(("document", "fact", "response"), MARKERS, strict=True))
    original = json.loads(GEVAL.read_text("utf-8"))[pick]
    expected = re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1].lower()], original)
    assert _texts(judge, values) == [(expected,)]
    assert judge.judged == ("response",)
    criterion = {
        "coh": "coherence",
        "eng": "engagingness",
        "gro": "groundedness",
        "nat": "naturalness",
    }[pick[:3]]
    assert list(judge.rubric.criteria) == [criterion]
    scale = judge.rubric.criteria[criterion].scale
    assert scale.values() == ((0, 1) if criterion == "groundedness" else (1, 2, 3))
    explained = "explain" in pick or "analyze" in pick
    assert judge.rubric.criteria[criterion].explain is explained


def test_all_28_geval_prompts_are_there() -> None:
    assert len(geval_names()) == 28


@pytest.mark.parametrize("pick", ["JUDGE_PROMPT", "IMPROVED_JUDGE_PROMPT"])
def test_cookbook(pick: str) -> None:
    judge = _import(COOKBOOK, pick).judge
    values = dict(zip(("question", "answer"), MARKERS, strict=False))
    original = json.loads(COOKBOOK.read_text("utf-8"))["prompts"][pick]
    assert _texts(judge, values) == [(original.format(**values),)]
    assert list(judge.rubric.criteria) == ["total_rating"]
    scale = judge.rubric.criteria["total_rating"].scale
    explained = judge.rubric.criteria["total_rating"].explain
    if pick == "JUDGE_PROMPT":
        assert (scale, explained) == (Number(0.0, 10.0), False)  # its form has a rating alone
    else:
        assert (scale.values(), explained) == ((1, 2, 3, 4), True)


def test_what_the_prompts_leave_open_is_said() -> None:
    """The Vietnamese prompt calls its context needed; the English one says that focus may lack."""
    vietnamese = "\n".join(_import(seed("003")).findings.lines())
    assert "may be empty: no input" in vietnamese
    assert "--set optional=…" in vietnamese
    english = "\n".join(_import(seed("002")).findings.lines())
    assert re.search(r"may be empty +focus\n +line 66: ", english)
