"""Keys that a prompt names in words, with what it says of each elsewhere."""

from __future__ import annotations

import pytest

from adjudge.judges.importing import Options, import_prompt
from adjudge.judges.importing.rubric import said_of
from adjudge.reading import detect_language

OPTIONS = Options(name="x", detect=detect_language)

NAMED = {
    "a single key": (
        "Return JSON with a single key, binary_score, that is 'yes' or 'no'.\n{answer}",
        {"binary_score": "yes or no"},
    ),
    "types in brackets": (
        "Return JSON with passed (boolean) and reason (string).\n{answer}",
        {"passed": "yes or no"},
    ),
    "an object as TypeScript writes it": (
        "Return JSON: { passed: boolean; depth?: number /* 1-5 */; why: string }\n{{answer}}",
        {"passed": "yes or no", "depth": "number from 1 to 5"},
    ),
    "a type, a line each": (
        (
            "Reply:\n{\n  accuracy: number, // 0-10\n  tone: number, // 0-10\n  notes: string\n}\n"
            "${answer}"
        ),
        dict.fromkeys(("accuracy", "tone"), "number from 0 to 10"),
    ),
    "keys alone in braces": (
        (
            "Score it on depth, tone and overall (0..1). Return { depth, tone, overall, why }.\n"
            "{{answer}}"
        ),
        dict.fromkeys(("depth", "tone", "overall"), "number from 0 to 1"),
    ),
    "options below the key": (
        'Reply in JSON.\n"status":\n- "ok" if it is right\n- "bad" if not\n{answer}',
        {"status": "ok / bad"},
    ),
    "quotes escaped twice": (
        (
            'Return JSON with the fields \\"verdict\\" and \\"why\\".\n'
            'verdict must be one of \\"pass\\", \\"fail\\", or \\"inconclusive\\".\n${answer}'
        ),
        {"verdict": "pass / fail / inconclusive"},
    ),
    "one of several samples": (
        (
            'Write exactly one of these two:\n{{"choice": "planner"}}\n{{"choice": "executor"}}\n'
            "A: {planner}\nB: {executor}"
        ),
        {"choice": "planner / executor"},
    ),
    "labels beside a measure": (
        (
            "Classify it.\n- **INVENTED**: it gives a number, likely between 1.0-2.0 eV.\n"
            "- **ADMITTED**: it gives none.\nRespond with exactly one word: INVENTED, ADMITTED, or "
            "UNCLEAR.\n**Tool result:** {tool_result}\n**Response:** {response}"
        ),
        {"score": "INVENTED / ADMITTED / UNCLEAR"},
    ),
    "keys without a word about each": (
        'Rate from 1 to 5. Answer in JSON with the keys "clarity", "depth" and "reason".\n{answer}',
        {"clarity": "number from 1 to 5", "depth": "number from 1 to 5"},
    ),
    "keys described in a list": (
        (
            "- Clarity: how clear it is (out of 10).\n- Depth: how deep it is (out of 10).\n"
            'Return a JSON object with the keys: "clarity", "depth", "average".\n{answer}'
        ),
        dict.fromkeys(("clarity", "depth", "average"), "number from 0 to 10"),
    ),
    "a group of scores": (
        (
            'Rate from 0 to 1. {{"score": 0.5, "parts": {{"correctness": 0.5, "clarity": 0.5}}}}\n'
            "{answer}"
        ),
        dict.fromkeys(("score", "correctness", "clarity"), "number from 0 to 1"),
    ),
    "a choice under a name of feedback": (
        'Rate from 1 to 5. {{"score": 4, "recommendation": "APPROVE|REVISE|REJECT"}}\n{answer}',
        {"score": "number from 1 to 5", "recommendation": "APPROVE / REVISE / REJECT"},
    ),
    "a number under a name of feedback": (
        'Rate all from 0 to 10. {{"market_analysis": 8, "critique": 7, "analysis": "…"}}\n{answer}',
        dict.fromkeys(("market_analysis", "critique"), "number from 0 to 10"),
    ),
    "a placeholder in the sample": (
        'Grade it. {{"score": 1 (if it is {wanted}) or 0 (if not), "why": "…"}}\n{answer}',
        {"score": "yes or no"},
    ),
}


@pytest.mark.parametrize(("text", "scales"), NAMED.values(), ids=list(NAMED))
def test_keys(text: str, scales: dict[str, str]) -> None:
    assert said_of(import_prompt(text, OPTIONS).criteria) == scales
