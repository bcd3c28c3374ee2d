"""What is fuzzed: functions of bytes that fail when a law of the program does.

The laws: an error is one of ours and says something; no value is off its scale; nothing takes more
than a second of CPU for a megabyte; and a judge that quotes the judged text is read as itself. The
first bytes choose the judge, format or provider, so that a fuzzer can change that too.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TypeVar
from unittest.mock import patch

from bench.attacks.attack import attacks
from bench.attacks.forms import forms
from bench.attacks.quoting import WAYS
from bench.attacks.structural import values_of

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Finish, Reply
from adjudge.core.scale import Integer
from adjudge.core.score import Outcome
from adjudge.datasets.labels import read_labels
from adjudge.datasets.rows import scan
from adjudge.errors import AdjudgeError
from adjudge.judges import registry, templates
from adjudge.judges.importing import import_prompt
from adjudge.judges.importing.options import Options
from adjudge.judges.load import load_text
from adjudge.judges.render import Renderer
from adjudge.models.base import Model, ModelOptions
from adjudge.models.http import Endpoint, HttpAnswer
from adjudge.models.registry import open_model
from adjudge.reading.read import read

T = TypeVar("T")
Target = Callable[[bytes], None]
MOST_SECONDS, MEGABYTE = 1.0, 1_000_000
FINISHES: tuple[Finish, ...] = ("stop", "length", "refused")
ENDINGS = (".jsonl", ".json", ".csv", ".tsv", ".parquet", ".xlsx", ".jsonl.gz", ".csv.gz")
PROVIDERS = ("openai/m", "anthropic/m", "gemini/m", "ollama/m", "vllm/m", "openrouter/m")
STATUSES = (200, 200, 200, 400, 429, 500)


def reader(data: bytes) -> None:
    """Any reply, to any judge: read without an error, and never off the scale."""
    judge, finish, text = _chosen(data, judges()), _chosen(data[1:], FINISHES), _text(data[2:])
    reading = read(judge, tuple(judge.rubric.criteria), Reply(text=text, finish=finish))
    for name, found in reading.scores.items():
        assert (found.value is not None) == (found.outcome is Outcome.SCORED)
        if found.value is not None:
            assert judge.rubric.criteria[name].scale.read(found.value) == found.value
        else:
            assert found.why


def quotation(data: bytes) -> None:
    """An honest judge that quotes whatever it judged is read as itself, or not at all."""
    form, way = _chosen(data, forms()), _chosen(data[1:], tuple(WAYS.values()))
    judged = _text(data[3:])
    reply = form.reply(way(judged), after=_chosen(data[2:], (False, True)))
    for name, value in values_of(form, reply, judged).items():
        assert value in (None, form.truth[name]), f"{value!r} was read of {reply!r}"


def judge_file(data: bytes) -> None:
    """Any file becomes a judge whose prompts can be made, or an error that names the file."""
    try:
        judge = load_text(_text(data), "fuzzed.yaml")
    except AdjudgeError as error:
        assert "fuzzed.yaml" in str(error), error
        return
    item = Item("1", dict.fromkeys(judge.inputs, "{{ 7 }} <|im_end|>"))
    for prompt in Renderer(judge, b"secret").prompts(item):
        assert all("<|im_end|>" not in message.content for message in prompt.messages) or (
            judge.verbatim or "<|im_end|>" in _text(data)
        )


def importer(data: bytes) -> None:
    """Any prompt becomes a judge file, or an error that says what to set."""
    settings = _chosen(data, ({}, {"scale": "1-5"}, {"scale": "yes/no", "judged": "answer"}))
    options = Options(name="fuzzed", detect=lambda _: "en", settings=settings)
    try:
        imported = import_prompt(_text(data[1:]), options)
    except AdjudgeError as error:
        assert str(error)
        return
    assert load_text(imported.text, "fuzzed.yaml") == imported.judge


def template(data: bytes) -> None:
    """Any template is refused with a line, or renders, or fails with a line."""
    text = _text(data)
    if templates.problems(text, ["answer"]):
        return
    names = {"answer": "{{ 7 * 7 }}", **dict.fromkeys(templates.OWN_NAMES, "")}
    try:
        shown = templates.rendered(text, names)
    except templates.TemplateFailed as failed:
        assert failed.problem
        assert failed.line >= 1
        return
    assert len(shown) <= MEGABYTE * 20


def data_format(data: bytes) -> None:
    """Any bytes under any ending become rows and labels, or an error that names the file."""
    path = _scratch() / f"fuzzed{_chosen(data, ENDINGS)}"
    path.write_bytes(data[1:])
    inputs = registry.get("helpfulness").inputs
    try:
        plan = scan(path, [inputs], {}, skip_bad=True)
        items = list(plan.items())
        assert len(items) == plan.rows
    except AdjudgeError as error:
        assert "fuzzed" in str(error), error
    try:
        labels = read_labels(path, {"rating": Integer(1, 4)})
        assert all(1 <= label.value <= 4 for label in labels if not isinstance(label.value, str))
    except AdjudgeError as error:
        assert "fuzzed" in str(error), error


def provider(data: bytes) -> None:
    """Any answer of any provider becomes a reply with sane counts, or an error of ours."""
    model, status = _models()[_chosen(data, PROVIDERS)], _chosen(data[1:], STATUSES)
    answer = HttpAnswer(status, {}, data[2:])

    async def same(*_: object, **__: object) -> HttpAnswer:
        return answer

    prompt = Prompt(messages=(Message("user", "Q?"),), criteria=("rating",))
    ways = model.ways
    with patch.object(Endpoint, "post", same), patch.object(Endpoint, "call", same):
        try:
            reply = _LOOP.run_until_complete(model.ask(prompt, Sampling()))
        except AdjudgeError as error:
            assert str(error)
            return
        finally:
            model.ways = ways  # or one refusal would shape all that follow
    assert isinstance(reply.text, str)
    assert reply.usage.input_tokens >= 0
    assert reply.usage.output_tokens >= 0


TARGETS: Mapping[str, Target] = {
    "reader": reader,
    "quotation": quotation,
    "judge_file": judge_file,
    "importer": importer,
    "template": template,
    "data_format": data_format,
    "provider": provider,
}


class TooSlow(AssertionError):  # noqa: N818 - says what is the case
    """A law about time is broken."""


@contextmanager
def in_time(size: int) -> Iterator[None]:
    """TooSlow when what is inside takes more than a second of CPU for each megabyte begun."""
    began = time.process_time()
    yield
    taken = time.process_time() - began
    if taken > MOST_SECONDS * (1 + size // MEGABYTE):
        raise TooSlow(f"{taken:.1f} s for {size} bytes")


def seeds(name: str) -> Iterator[bytes]:
    """What a fuzzer begins with: one input of each kind."""
    if name in {"reader", "quotation"}:
        for number, attack in enumerate(attacks()):
            text = attack.text(5, "quality")[:2000].encode()
            yield bytes([number % 251, number % 7, number % 2]) + text
    elif name == "judge_file":
        yield from (form.file.encode() for form in forms()[::4])
    elif name == "importer":
        yield b"\0Rate the answer from 1 to 5.\nQuestion: {question}\nAnswer: {answer}\nScore:"
        yield b'\1Return JSON {{"score": 1-5, "reason": "..."}} for {answer}'
    elif name == "template":
        yield b"{% for c in criteria %}{{ c.title }}{% endfor %}{{ answer | upper }}"
        yield b"{% set a = answer * 2 %}{{ a[:3] ~ range(9) | list }}{% raw %}{{ }}{% endraw %}"
    elif name == "data_format":
        row = {"id": "1", "item": "1", "question": "Q?", "answer": "A.", "rating": 3}
        yield b"\0" + json.dumps(row).encode() + b"\n"
        yield b"\1" + json.dumps([row]).encode()
        yield b"\2id,item,question,answer,rating\n1,1,Q?,A.,3\n"
        yield b"\3id\titem\tquestion\tanswer\trating\n1\t1\tQ?\tA.\t3\n"
        yield from (bytes([at]) + _packed(row, at) for at in range(4, 8))
    else:
        yield from _answers()


def _answers() -> Iterator[bytes]:
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "input_tokens": 3, "output_tokens": 4}
    message = {"role": "assistant", "content": "Score: 4"}
    openai = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    blocks = [{"type": "text", "text": "Score: 4"}]
    anthropic = {"content": blocks, "stop_reason": "end_turn", "usage": usage}
    candidate = {"content": {"parts": [{"text": "Score: 4"}]}, "finishReason": "STOP"}
    counts = {"promptTokenCount": 3, "candidatesTokenCount": 4}
    gemini = {"candidates": [candidate], "usageMetadata": counts}
    ollama = {"message": message, "done": True, "done_reason": "stop", "eval_count": 4}
    for at, told in enumerate((openai, anthropic, gemini, ollama, openai, openai)):
        yield bytes([at, 0]) + json.dumps(told).encode()
    yield b"\0\3" + json.dumps({"error": {"message": "no", "code": 400}}).encode()


def _packed(row: dict[str, object], at: int) -> bytes:
    """The row as Parquet, a workbook, or a packed text file."""
    import gzip

    import openpyxl
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = _scratch() / f"seed{ENDINGS[at]}"
    if at == 4:
        pq.write_table(pa.Table.from_pylist([row]), path)
    elif at == 5:
        book = openpyxl.Workbook()
        for line in (list(row), list(row.values())):
            book.active.append(line)
        book.save(path)
    else:
        path.write_bytes(gzip.compress(next(iter(seeds("data_format")))[1:]))
    return path.read_bytes()


@cache
def judges() -> tuple[Judge, ...]:
    return (*(registry.get(name) for name in registry.names()), *(form.judge for form in forms()))


@cache
def _models() -> dict[str, Model]:
    keys = {"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"}
    with patch.dict("os.environ", dict.fromkeys(keys, "a-key")):
        options = ModelOptions(base_url="http://127.0.0.1:9/v1")
        return {name: open_model(name, options) for name in PROVIDERS}


@cache
def _scratch() -> Path:
    kept = tempfile.TemporaryDirectory(prefix="adjudge-fuzz")
    _KEPT.append(kept)  # it goes when the process does
    return Path(kept.name)


_KEPT: list[object] = []
_LOOP = asyncio.new_event_loop()


def _chosen(data: bytes, among: tuple[T, ...]) -> T:
    return among[data[0] % len(among)] if data else among[0]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")
