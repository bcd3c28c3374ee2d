"""Fuzzing for a bounded time: inputs made from a grammar (hypothesis), then by coverage (atheris).

`ADJUDGE_FUZZ_SECONDS` sets the time per target for atheris, one by default; `make harden`
takes a minute.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.fuzz import targets
from tests.laws.test_reading_laws import PIECES

SECONDS = os.environ.get("ADJUDGE_FUZZ_SECONDS", "1")
FEWEST = 20  # executions below which atheris did not really run
WORDS = {
    "judge_file": [
        "judge: a\n", "version: 1\n", "title: T\n", "language: en\n", "explain_in: en\n",
        "inputs:\n", "  answer: {judged: true}\n", "criteria:\n", "  a: {guide: g, scale: ",
        "{type: integer, min: 1, max: 5}}\n", "{type: binary}}\n", "prompt: |\n  {{ answer }}\n",
        "&a ", "*a", "!!python/object:os.system ", "<<: *a\n", "? ", "- ", ": ", "rules:\n",
        "reply: json\n", "{type: number, min: .nan, max: .inf}}\n", "'", '"', "\t", "---\n",
    ],
    "template": [
        "{{ ", " }}", "{% ", " %}", "answer", "criteria", "for x in ", "endfor", "if ", "endif",
        "range(99999)", " * 9", "|", "upper", "join", "[", "]", ".__class__", "set y = ", "'", "~",
        "macro m() ", "endmacro", "call ", "include 'x'", "loop", "{# ", " #}", "filter ", "**9",
    ],
    "importer": [
        "{answer}", "{{question}}", "$answer", "%(answer)s", "<answer>", "Rate from 1 to 5.", "\n",
        "Score: ", '{"score": <1-10>}', "[[rating]]", "yes or no", "A, B or tie", "1: bad\n",
        "## Criteria\n", "- accuracy\n", "답변: {answer}\n", "Thang điểm từ 1 đến 10\n", "```",
    ],
    "data_format": [
        '{"id": "1", ', '"question": "Q"', '"answer": "A"}', "\n", "\r\n", ",", "\t", ";", '"', "[",
        "]", "id,question,answer\n", "1,Q,A\n", "PAR1", "PK\3\4", "\x00", "\ufeff", "null", "1e999",
        "item\trating\n", "é", '{"messages": [{"role": "user", "content": "Q"}]}\n',
    ],
    "provider": [
        '{"choices": [', '{"message": {"content": ', '"Score: 4"', "}", "]", ', "usage": {',
        '"prompt_tokens": -1', '"completion_tokens": 1e30', "null", '"finish_reason": "length"',
        '"content": [{"type": "text", "text": ', '"candidates": [', '"usageMetadata": {', "true",
        '"error": {"message": "no"}', "[[[[", "4294967296", '"logprobs": {"content": [', ",", "{",
    ],
}  # fmt: skip
# What is slow to try is tried less often.
EXAMPLES = {"importer": 60, "data_format": 100, "judge_file": 150}


def _inputs(name: str) -> st.SearchStrategy[bytes]:
    """Bytes that choose, then words of the format in any order, or a seed with a hole in it."""
    words = st.sampled_from(WORDS[name]) if name in WORDS else PIECES
    text = st.lists(words | st.text(max_size=5), max_size=40).map("".join)
    grown = st.tuples(st.binary(min_size=3, max_size=3), text).map(
        lambda made: made[0] + made[1].encode("utf-8", "replace")
    )
    known = st.sampled_from(sorted(targets.seeds(name)))
    holed = st.tuples(known, st.floats(0, 1), st.integers(0, 40), st.binary(max_size=8))
    return grown | holed.map(_with_a_hole)


def _with_a_hole(made: tuple[bytes, float, int, bytes]) -> bytes:
    seed, place, length, filled = made
    begin = int(place * len(seed))
    return seed[:begin] + filled + seed[begin + length :]


@pytest.mark.parametrize("name", targets.TARGETS)
def test_no_input_breaks_a_law(name: str) -> None:
    @given(_inputs(name))
    @settings(max_examples=EXAMPLES.get(name, 400), suppress_health_check=list(HealthCheck))
    def law(data: bytes) -> None:
        targets.TARGETS[name](data)

    law()


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder per target, see fuzz.py: one process for all, since most of its time is to start."""
    folder = tmp_path_factory.mktemp("fuzzed")
    script = str(Path(__file__).with_name("fuzz.py"))
    command = [sys.executable, script, ",".join(targets.TARGETS), SECONDS, str(folder)]
    subprocess.run(command, capture_output=True, check=True)
    return folder


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None,
    reason="atheris has wheels for Linux on x86-64 alone",
)
@pytest.mark.parametrize("name", targets.TARGETS)
def test_no_input_that_coverage_leads_to_breaks_a_law(name: str, fuzzed: Path) -> None:
    folder = fuzzed / name
    broken = [path for path in folder.iterdir() if path.name.startswith(("crash", "timeout"))]
    found = "".join(f"\n{path.name}: {path.read_bytes()!r}" for path in broken)
    told = (folder / "told").read_text("utf-8", "replace")
    assert (folder / "code").read_text() == "0", told[-4000:] + found
    executed = re.search(r"number_of_executed_units: (\d+)", told)
    assert executed
    assert int(executed[1]) >= FEWEST
