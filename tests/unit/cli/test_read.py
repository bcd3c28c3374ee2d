from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from adjudge.cli.main import cli

REPLY = (
    '<think>maybe {"rating": 1}</think>\nHere:\n{"evaluation": "Klar und hilfreich, mit allen'
    ' Schritten.", "strengths": ["a", "b"], "rating": "helpful",}'
)


def shown(*arguments: str, given: str | None = None) -> str:
    result = CliRunner().invoke(cli, ["read", *arguments], input=given, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_every_step_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "reply.txt"
    file.write_text(REPLY, "utf-8")
    output = shown(str(file), "--judge", "helpfulness")
    for part in (
        "reasoning:",
        "JSON: an object after repair",
        "rating: 3, from JSON key rating",
        "'\"helpful\"'",
        "reads as de, asked for en",
        "section strengths: 2 entries: a; b",
    ):
        assert part in output


def test_standard_input_and_one_criterion_with_its_rule() -> None:
    reply = '{"explanation": "Sai giờ mở cửa.", "serious_error": true, "accuracy": 7.5}'
    output = shown("-", "--judge", "chatbot", "--criterion", "accuracy", given=reply)
    assert "accuracy: 7.5, from JSON key accuracy, set to 5.0 by the rule serious-error" in output
    assert "flag serious_error: true" in output


def test_what_cannot_be_read_says_why() -> None:
    output = shown("-", "--judge", "helpfulness", given="Nothing to see.")
    assert "JSON: none" in output
    assert "rating: unreadable" in output
