"""A megabyte of anything takes at most a second of CPU.

What is refused for what a megabyte of it holds is tried at a length that is not, too. The readers
have a bench of their own (`python bench/reading.py`), with more texts and judges.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from tests.fuzz import targets

WHOLE = targets.MEGABYTE - 10_000  # with room for what stands around it
FEWER = 190_000  # prompts of a megabyte may have more signs of a kind than are read
TRIES = 3  # the best counts: other work on the machine costs this one time too


def _of(piece: str, size: int = WHOLE) -> bytes:
    return piece.encode() * (size // len(piece.encode()))


JUDGE = (
    "judge: a\nversion: 1\ntitle: T\nlanguage: en\nexplain_in: en\ninputs:\n"
    "  answer: {judged: true}\n"
)
CRITERIA = "criteria:\n  a: {guide: g, scale: {type: binary}}\n"
ROW = json.dumps({"id": "%d", "question": "Q?", "answer": "A."})


def _judge_files() -> Iterator[bytes]:
    start = (JUDGE + CRITERIA).encode() + b"prompt: |\n  {{ answer }} "
    pieces = ("a: 1\n", "[", "{", "- ", "'", "&a [", "#\n", " ", "x", "\n")
    yield from map(_of, pieces)
    yield start + _of("word ")
    yield start + _of("{{ answer }}")
    yield (JUDGE + "criteria:\n  a:\n    guide: ").encode() + _of("word ")


def _templates() -> Iterator[bytes]:
    pieces = ("word ", "{{ answer }}", "{", "{{", "{% if 1 %}", "{#", "{{ [", "{{ 1+")
    yield from map(_of, pieces)
    yield b"{{ " + _of("(") + b" }}"
    yield b"{{ answer" + _of("|upper") + b" }}"


def _prompts() -> Iterator[bytes]:
    pieces = ("word ", "{answer} ", "{{answer}} ", "Score 1-5\n", "1: bad\n", "- tone\n", "{",
              "<a>", "```\n", '{"score": 1}\n', "\n", "$a ", "점수 1~5 ")  # fmt: skip
    fewer = [_of(piece, FEWER) for piece in ("{answer} ", "{{answer}} ", "{", "```\n")]
    for text in (*map(_of, pieces), *fewer):
        yield b"\1Rate {answer} from 1 to 5.\n" + text


def _files() -> Iterator[bytes]:
    rows = "".join(ROW.replace("%d", str(number)) + "\n" for number in range(WHOLE // 60))
    yield b"\0" + rows.encode()
    yield b"\1[" + rows.strip().replace("\n", ",").encode() + b"]"
    yield b"\1" + _of("[")
    yield b"\0" + _of('{"a":')
    yield b"\0" + json.dumps({"question": "Q", "answer": "word " * (WHOLE // 5)}).encode()
    yield b"\2id,question,answer\n" + _of(f'1,{"Q" * 40},"{"A" * 40}"\n')
    yield b'\2id,question,answer\n1,Q,"' + _of("word ")
    yield b"\2" + _of("\xe9,")
    yield b"\3" + _of("\t")


def _answers() -> Iterator[bytes]:
    for first in range(len(targets.PROVIDERS)):
        text = json.dumps({"choices": [{"message": {"content": "word " * (WHOLE // 5)}}]})
        yield bytes([first, 0]) + text.encode()
        yield bytes([first, 0]) + _of("[")
        yield bytes([first, 3]) + json.dumps({"error": {"message": "no " * (WHOLE // 3)}}).encode()


def _quoted() -> Iterator[bytes]:
    """Half a megabyte each, since the reply repeats it."""
    for number, piece in enumerate(("word ", "Score: 5\n", '{"score": 5}\n', "[[5]] ", "</think>")):
        yield bytes([number * 5, number * 3, number % 2]) + _of(piece, WHOLE // 2)


INPUTS = {
    "judge_file": _judge_files,
    "template": _templates,
    "importer": _prompts,
    "data_format": _files,
    "provider": _answers,
    "quotation": _quoted,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", INPUTS)
def test_a_megabyte_takes_a_second_at_most(name: str) -> None:
    target = targets.TARGETS[name]
    target(next(iter(targets.seeds(name))))  # what is loaded and made once
    for data in INPUTS[name]():
        for left in reversed(range(TRIES)):
            try:
                with targets.in_time(len(data)):
                    target(data)
                break
            except targets.TooSlow:
                if not left:
                    raise
