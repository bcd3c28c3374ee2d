"""SECURITY.md: every promise names tests, and they are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "SECURITY.md").read_text("utf-8")
PROMISES = TEXT.partition("## What we promise")[2].partition("## What we do not promise")[0]


def test_every_promise_names_tests_that_exist() -> None:
    rows = [line for line in PROMISES.splitlines() if line.startswith("| ")][2:]
    assert len(rows) >= 12
    for row in rows:
        tests = re.findall(r"`(tests/[\w/.]+)`", row)
        assert tests, row
        for test in tests:
            assert "def test_" in (ROOT / test).read_text("utf-8"), test


def test_the_threat_model_names_all_who_write() -> None:
    table = TEXT.partition("## Threat model")[2].partition("## What we promise")[0]
    for who in ("judged texts", "other inputs", "models and providers", "judge files", "uploads",
                "`adjudge serve`", "the person who runs adjudge"):  # fmt: skip
        assert f"| {who}" in table or f" {who}" in table, who


def test_links_lead_somewhere_and_no_address_is_given() -> None:
    assert "@" not in TEXT
    for target in re.findall(r"\]\(([^)#]+)", TEXT):
        assert (ROOT / target).exists(), target
