from __future__ import annotations

import asyncio
import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply, Usage
from adjudge.errors import DataError, ProviderError, UsageError
from adjudge.models.base import Capabilities, ModelOptions
from adjudge.models.replay import open_model


def prompt(
    item: str, criterion: str | None = None, order: str | None = None, sample: int = 0
) -> Prompt:
    return Prompt(
        messages=(), criteria=(), item=item, criterion=criterion, order=order, sample=sample
    )


def write(path: Path, *rows: Any) -> str:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(lines, encoding="utf-8")
    return str(path)


def ask(path: str, *prompts: Prompt) -> list[Reply]:
    async def run() -> list[Reply]:
        model = open_model(path, ModelOptions())
        try:
            return [await model.ask(one, Sampling()) for one in prompts]
        finally:
            await model.aclose()

    return asyncio.run(run())


def failing(path: str, one: Prompt) -> str:
    with pytest.raises(ProviderError) as caught:
        ask(path, one)
    assert not caught.value.retryable
    assert not caught.value.fatal
    return str(caught.value)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "replies.jsonl"


def test_sample_k_gets_reply_k(file: Path) -> None:
    path = write(file, {"item": "a", "criterion": None, "replies": ["eins", "två", "세"]})
    replies = ask(path, *(prompt("a", sample=k) for k in (2, 0, 1)))
    assert [reply.text for reply in replies] == ["세", "eins", "två"]
    assert replies[0] == Reply(text="세", usage=Usage(cost_usd=0.0), latency_ms=0.0)


def test_what_it_is(file: Path) -> None:
    path = write(file, {"item": "a", "replies": ["1"]})
    model = open_model(path, ModelOptions())
    assert model.name == f"replay:{path}"
    assert model.capabilities == Capabilities(
        json_schema=False, logprobs=False, converses=False, concurrency=None, cached=False
    )
    asyncio.run(model.aclose())


def test_the_closest_row_answers(file: Path) -> None:
    rows = [
        {"item": "a", "criterion": "c", "order": "ab", "replies": ["exact"]},
        {"item": "a", "order": "ba", "replies": ["order"]},
        {"item": "a", "criterion": "c", "replies": ["criterion"]},
        {"item": "a", "replies": ["item"]},
    ]
    asked = [
        prompt("a", "c", "ab"),
        prompt("a", "c", "ba"),
        prompt("a", "c"),
        prompt("a", "d", "ab"),
        prompt("a"),
    ]
    texts = [reply.text for reply in ask(write(file, *rows), *asked)]
    assert texts == ["exact", "order", "criterion", "item", "item"]
    (reply,) = ask(write(file, *rows[2:]), prompt("a", "c", "ab"))
    assert reply.text == "criterion"


def test_numbers_as_items(file: Path) -> None:
    path = write(file, {"item": 42, "replies": ["4"]})
    assert ask(path, prompt("42"))[0].text == "4"


@pytest.mark.parametrize(
    ("finish", "refusal"), [("stop", None), ("length", None), ("refused", "no")]
)
def test_finish(file: Path, finish: str, refusal: str | None) -> None:
    (reply,) = ask(write(file, {"item": "a", "replies": ["no"], "finish": finish}), prompt("a"))
    assert (reply.text, reply.finish, reply.refusal) == ("no", finish, refusal)


def test_gzip_whatever_its_name(file: Path) -> None:
    write(file, *({"item": str(i), "replies": [f"reply {i}"]} for i in range(50)))
    file.write_bytes(gzip.compress(file.read_bytes()))
    replies = ask(str(file), prompt("49"), prompt("0"))
    assert [reply.text for reply in replies] == ["reply 49", "reply 0"]


def test_marks_blank_lines_and_line_ends(file: Path) -> None:
    file.write_bytes(
        b'\xef\xbb\xbf{"item": "a", "replies": ["1"]}\r\n\r\n  \n{"item": "b", "replies": ["2"]}'
    )
    assert [reply.text for reply in ask(str(file), prompt("b"), prompt("a"))] == ["2", "1"]


class TestMissing:
    def test_the_item(self, file: Path) -> None:
        text = failing(write(file, {"item": "a", "replies": ["1"]}), prompt("b", "c", "ab"))
        assert "no reply for item 'b', criterion c, order ab, and no row for this item" in text

    def test_only_by_criterion(self, file: Path) -> None:
        rows = [{"item": "a", "criterion": c, "replies": ["1"]} for c in ("fluency", "accuracy")]
        text = failing(write(file, *rows), prompt("a"))
        assert "it has item 'a', criterion fluency; item 'a', criterion accuracy" in text
        assert text.endswith("ask with --ask each")

    def test_only_another_criterion(self, file: Path) -> None:
        rows = [{"item": "a", "criterion": "fluency", "replies": ["1"]}]
        text = failing(write(file, *rows), prompt("a", "accuracy"))
        assert text.endswith("it has item 'a', criterion fluency")

    def test_only_one_order(self, file: Path) -> None:
        text = failing(
            write(file, {"item": "a", "order": "ab", "replies": ["1"]}), prompt("a", order="ba")
        )
        assert text.endswith("no reply for item 'a', order ba; it has item 'a', order ab")

    def test_the_sample(self, file: Path) -> None:
        path = write(file, {"item": "a", "replies": ["1", "2"]}, {"item": "b", "replies": ["1"]})
        assert "has 2 replies for item 'a', but repeat 3" in failing(path, prompt("a", sample=2))
        assert "has 1 reply for item 'b'" in failing(path, prompt("b", sample=1))


class TestBrokenFiles:
    @pytest.mark.parametrize(
        ("line", "fault"),
        [
            ("{", "no JSON"),
            ('{"item": "\udcff"}', "no JSON"),
            ("[1]", "is not an object"),
            ('{"replies": ["1"]}', '"item" is missing'),
            ('{"item": null, "replies": ["1"]}', '"item" is None'),
            ('{"item": true, "replies": ["1"]}', '"item" is True'),
            ('{"item": "b"}', '"replies" is missing'),
            ('{"item": "b", "replies": []}', '"replies" is []'),
            ('{"item": "b", "replies": "1"}', "\"replies\" is '1'"),
            ('{"item": "b", "replies": [1]}', '"replies" is [1]'),
            ('{"item": "b", "replies": ["1"], "criterion": 3}', '"criterion" is 3'),
            ('{"item": "b", "replies": ["1"], "order": "AB"}', "\"order\" is 'AB'"),
            ('{"item": "b", "replies": ["1"], "finish": "done"}', "\"finish\" is 'done'"),
        ],
    )
    def test_a_line(self, file: Path, line: str, fault: str) -> None:
        text = f'{{"item": "a", "replies": ["1"]}}\n\n{line}\n'
        file.write_bytes(text.encode(errors="surrogateescape"))
        with pytest.raises(DataError) as caught:
            open_model(str(file), ModelOptions())
        assert f"{file}, line 3: " in str(caught.value)
        assert fault in str(caught.value)
        assert 'each line must be {"item"' in str(caught.value)

    def test_two_rows_for_the_same(self, file: Path) -> None:
        rows = [{"item": i, "criterion": "c", "replies": ["1"]} for i in ("a", "b", "c", "b")]
        with pytest.raises(DataError, match=r"lines 2 and 4: both are for item 'b', criterion c"):
            open_model(write(file, *rows), ModelOptions())

    def test_no_rows(self, file: Path) -> None:
        with pytest.raises(DataError, match="has no rows"):
            open_model(write(file), ModelOptions())

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="cannot be read: No such file"):
            open_model(str(tmp_path / "none"), ModelOptions())
        with pytest.raises(DataError, match="cannot be read"):
            open_model(str(tmp_path), ModelOptions())
        with pytest.raises(UsageError, match="replay:FILE"):
            open_model("", ModelOptions())

    def test_half_a_gzip_file(self, file: Path) -> None:
        write(file, *({"item": str(i), "replies": ["x" * 99]} for i in range(999)))
        file.write_bytes(gzip.compress(file.read_bytes())[:-50])
        with pytest.raises(DataError, match="cannot be unpacked"):
            open_model(str(file), ModelOptions())


def test_memory_is_that_of_the_index(file: Path) -> None:
    rows = 20_000
    with file.open("w") as out:
        for i in range(rows):
            out.write(json.dumps({"item": f"item-{i}", "replies": ["x" * 1000] * 2}) + "\n")
    tracemalloc.start()
    try:
        model = open_model(str(file), ModelOptions())
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held / rows < 250
    asyncio.run(model.aclose())
