from __future__ import annotations

import orjson

from adjudge.core.reply import Usage
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Verdict
from adjudge.reports.files.rows import flat, verdict_row


def test_a_row_has_the_published_shape(make_row):
    row = make_row()
    assert row == {
        "run": "abc123",
        "item": "42",
        "judge": "chatbot",
        "fingerprint": "f" * 16,
        "model": "openai/gpt-4o-mini",
        "repeat": 0,
        "outcome": "out_of_range",
        "scores": {
            "accuracy": {
                "outcome": "scored",
                "value": 5.0,
                "raw": 7.5,
                "rule": "serious-error",
                "label": None,
                "unit": 0.5,
                "distribution": {"5": 0.75, "6": 0.25},
                "confidence": None,
                "mass": 0.9,
                "explanation": "Sai số liệu.",
                "explanation_outcome": "wrong_language",
                "why": None,
                "reason": None,
                "span": None,
            },
            "tone": {
                "outcome": "out_of_range",
                "value": None,
                "raw": 12,
                "rule": None,
                "label": None,
                "unit": None,
                "distribution": None,
                "confidence": None,
                "mass": None,
                "explanation": None,
                "explanation_outcome": None,
                "why": "12 lies outside 0 to 10",
                "reason": "value.outside",
                "span": None,
            },
        },
        "feedback": {"strengths": ["짧다", "clear"], "analysis": "Gut."},
        "flags": {"accuracy.serious_error": True},
        "notes": ["asked again"],
        "cuts": {},
        "usage": {
            "input_tokens": 812,
            "output_tokens": 143,
            "cached_tokens": 7,
            "cost_usd": 0.0002,
        },
        "attempts": 1,
        "latency_ms": 840,
        "reply": "the raw text",
    }
    assert orjson.loads(orjson.dumps(row)) == row


def test_values_are_plain_json(make_row):
    outcome = make_row()["outcome"]
    assert type(outcome) is str


def test_an_unknown_price_is_null(make_row):
    assert make_row(usage=Usage(cost_usd=None))["usage"]["cost_usd"] is None


def test_the_item_goes_along_when_given():
    verdict = Verdict(
        item="1", judge="j", fingerprint="f", model="m", outcome=Outcome.REFUSED, scores={}
    )
    row = verdict_row("r", verdict, {"question": "왜?", "tags": [1, {"a": 2}]})
    assert row["data"] == {"question": "왜?", "tags": [1, {"a": 2}]}
    assert flat(row)["data.tags"] == '[1,{"a":2}]'


def test_flat_names_are_dotted(make_row):
    cells = flat(make_row())
    assert cells["scores.accuracy.value"] == 5.0
    assert cells["scores.accuracy.distribution"] == '{"5":0.75,"6":0.25}'
    assert cells["scores.tone.value"] is None
    assert cells["scores.tone.distribution"] is None
    assert cells["feedback.strengths"] == "• 짧다\n• clear"
    assert cells["feedback.analysis"] == "Gut."
    assert cells["flags.accuracy.serious_error"] is True
    assert cells["notes"] == "• asked again"
    assert cells["usage.cached_tokens"] == 7


def test_flat_leaves_out_what_is_empty(make_row):
    cells = flat(make_row(scores={"fit": Score(outcome=Outcome.REFUSED)}, feedback={}, flags={}))
    assert not [name for name in cells if name.startswith(("feedback", "flags"))]
    assert not any(isinstance(value, list | dict) for value in cells.values())
