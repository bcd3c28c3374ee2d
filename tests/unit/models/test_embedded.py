from __future__ import annotations

import asyncio
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adjudge.core.prompt import Message, Prompt, ReferenceCheck, Sampling
from adjudge.core.reply import Reply, TokenLogprob
from adjudge.errors import ModelUnavailable, ProviderError, UsageError
from adjudge.judges.sentences import BINDABLE, OPENERS, pattern
from adjudge.models import embedded, llama, weights
from adjudge.models.base import GenerationProgress, ModelOptions
from adjudge.models.embedded import bounded

TEXT = re.compile(r'\{"text": "(?P<text>.*)', re.DOTALL)
LONG = "Say whether the answer is right. " * 60


def record(**properties: Mapping[str, object]) -> dict[str, object]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def prompt(text: str, schema: Mapping[str, object] | None = None) -> Prompt:
    return Prompt(messages=(Message("user", text),), criteria=("x",), schema=schema)


def opened(options: ModelOptions | None = None) -> embedded.EmbeddedModel:
    return embedded.open_model("smollm2-135m", options or ModelOptions())


def ask(asked: Prompt, **sampling: Any) -> Reply:
    async def once() -> Reply:
        model = opened()
        reply = await model.ask(asked, Sampling(**sampling))
        await model.aclose()
        return reply

    return asyncio.run(once())


pytestmark = pytest.mark.usefixtures("smollm")


def test_replies_obey_the_schema() -> None:
    schema = record(
        scores=record(
            accuracy=record(
                explanation={"type": "string", "maxLength": 60},
                value={"type": "number", "minimum": 0.0, "maximum": 10.0},
            ),
            rating={"type": "integer", "enum": [1, 2, 3, 4]},
        ),
        strengths={"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 3},
        winner={"type": "string", "enum": ["a", "b", "tie"]},
        flags=record(insult={"type": "boolean"}),
    )
    reply = ask(prompt("Grade this answer: Paris is in Germany.", schema), max_tokens=400)
    assert reply.finish == "stop"
    read = json.loads(reply.text)
    assert list(read) == ["scores", "strengths", "winner", "flags"]
    assert len(read["scores"]["accuracy"]["explanation"]) <= 60
    assert 0 <= read["scores"]["accuracy"]["value"] <= 10
    assert read["scores"]["rating"] in (1, 2, 3, 4)
    assert 2 <= len(read["strengths"]) <= 3
    assert read["winner"] in ("a", "b", "tie")
    assert isinstance(read["flags"]["insult"], bool)
    assert reply.usage.cost_usd == 0.0
    assert reply.usage.output_tokens > 20


def test_a_schema_that_cannot_bind_is_an_error_not_a_free_text() -> None:
    with pytest.raises(ProviderError, match="schema"):
        ask(prompt("Hello", record(x={"type": "nonsense"})), max_tokens=40)


def test_logprobs_belong_to_the_text_and_are_probabilities() -> None:
    schema = record(score={"type": "integer", "enum": [1, 2, 3, 4]})
    reply = ask(prompt("Grade: 2+2=4", schema), max_tokens=30, top_logprobs=20)
    assert reply.logprobs is not None
    assert "".join(token.token for token in reply.logprobs) == reply.text
    for token in reply.logprobs:
        assert token.logprob <= 0
        assert len(token.top) <= 20
        assert 0 < sum(map(math.exp, token.top.values())) <= 1.0001
    digit = next(token for token in reply.logprobs if token.token.strip().isdigit())
    assert {"1", "2", "3", "4"} <= {other.strip() for other in digit.top}


def test_logprobs_are_left_out_unless_asked_for() -> None:
    assert ask(prompt("Hello"), max_tokens=3).logprobs is None


def test_the_shared_prefix_is_read_once() -> None:
    first = ask(prompt(LONG + "Answer: one"), max_tokens=2)
    second = ask(prompt(LONG + "Answer: two"), max_tokens=2)
    assert first.usage.input_tokens > 300
    assert second.usage.cached_tokens > 0.9 * second.usage.input_tokens


def test_a_turn_mark_inside_a_text_is_read_as_text() -> None:
    """One token each where the runtime takes it for the mark, several where it is text."""
    marks = ask(prompt("<|im_end|>" * 20), max_tokens=1).usage.input_tokens
    plain = ask(prompt("x" * 20), max_tokens=1).usage.input_tokens
    assert marks > plain + 60


def test_alternating_prefixes_are_all_kept() -> None:
    prefixes = ("Judge the tone of it. " * 40, "Look for wrong facts here. " * 40)
    for prefix in prefixes:
        ask(prompt(prefix + "one"), max_tokens=2)
    for prefix in prefixes:
        usage = ask(prompt(prefix + "two"), max_tokens=2).usage
        assert usage.cached_tokens > 0.9 * usage.input_tokens


def test_a_prompt_beyond_the_context_is_status_413() -> None:
    with pytest.raises(ProviderError, match=r"the prompt has \d+ tokens.*takes 8192") as caught:
        ask(prompt("cat " * 9000))
    assert caught.value.status == 413
    assert not caught.value.retryable


def test_a_cut_reply_says_so() -> None:
    reply = ask(prompt("Tell me a long story about a cat."), max_tokens=5)
    assert reply.finish == "length"
    assert reply.usage.output_tokens == 5


def test_temperature_and_seed_are_honoured() -> None:
    def told(seed: int) -> str:
        return ask(prompt("Tell a story."), max_tokens=20, temperature=1.5, seed=seed).text

    assert told(1) == told(1)
    assert told(1) != told(2)
    assert ask(prompt("Hi!"), max_tokens=9).text == ask(prompt("Hi!"), max_tokens=9).text


def test_the_loop_is_not_blocked() -> None:
    async def beats() -> float:
        model = opened()
        asking = asyncio.create_task(model.ask(prompt(LONG + "!"), Sampling(max_tokens=40)))
        longest, last = 0.0, time.monotonic()
        while not asking.done():
            await asyncio.sleep(0.01)
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
        await asking
        return longest

    assert asyncio.run(beats()) < 0.5


def test_questions_at_once_are_answered_one_after_the_other() -> None:
    async def three() -> list[Reply]:
        model = opened()
        asked = [model.ask(prompt(f"Say {n}."), Sampling(max_tokens=4)) for n in range(3)]
        return await asyncio.gather(*asked)

    assert all(reply.text for reply in asyncio.run(three()))


def endless(max_tokens: int = 6000) -> Coroutine[Any, Any, Reply]:
    # A list of that many digits takes minutes: nothing but a stop ends it in time.
    digits = {"type": "array", "items": {"type": "integer", "enum": [0, 1]}}
    schema = record(x={**digits, "minItems": 5000, "maxItems": 5000})
    return opened(ModelOptions(timeout=1.0)).ask(
        prompt("Digits, please.", schema), Sampling(max_tokens=max_tokens)
    )


def test_a_timeout_stops_the_model_and_may_be_tried_again() -> None:
    began = time.monotonic()
    with pytest.raises(ProviderError, match="1 s") as caught:
        asyncio.run(endless())
    assert caught.value.retryable
    assert time.monotonic() - began < 8
    assert ask(prompt("Hello"), max_tokens=3).text


def test_cancelling_frees_the_model() -> None:
    async def cancelled() -> Reply:
        model = opened()
        long = record(x={"type": "array", "items": {"type": "boolean"}, "minItems": 5000})
        asking = asyncio.create_task(model.ask(prompt("Go.", long), Sampling(max_tokens=6000)))
        await asyncio.sleep(0.5)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        return await asyncio.wait_for(model.ask(prompt("Hello"), Sampling(max_tokens=3)), 8)

    assert asyncio.run(cancelled()).text


ASK = """
import asyncio
from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.models.base import GenerationProgress, ModelOptions
from adjudge.models.embedded import open_model
model = open_model("smollm2-135m", ModelOptions())
many = {"type": "array", "items": {"type": "boolean"}, "minItems": 5000, "maxItems": 5000}
def ask(tokens, schema=None):
    prompt = Prompt(messages=(Message("user", "Hello"),), criteria=("x",), schema=schema)
    return model.ask(prompt, Sampling(max_tokens=tokens))
"""


def test_the_process_ends_cleanly_and_says_nothing() -> None:
    code = ASK + "asyncio.run(ask(5))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_process_ends_while_the_model_writes() -> None:
    code = ASK + (
        "loop = asyncio.new_event_loop()\n"
        "task = loop.create_task(ask(6000, many))\n"
        "loop.run_until_complete(asyncio.sleep(2))\n"
        "print('leaving', flush=True)\n"
    )
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=False, timeout=60
    )
    assert done.stdout == b"leaving\n"
    assert done.returncode == 0
    assert time.monotonic() - began < 12


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_the_process() -> None:
    code = ASK + "print('asking', flush=True)\nasyncio.run(ask(6000, many))"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=15)
    assert process.returncode == -signal.SIGINT
    assert b"KeyboardInterrupt" in said


def test_any_file_can_be_named(smollm: Path) -> None:
    model = embedded.open_model(str(smollm), ModelOptions())
    assert model.name == f"embedded:{smollm}"
    assert asyncio.run(model.ask(prompt("Hello"), Sampling(max_tokens=3))).text


def test_the_default_can_be_changed(smollm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADJUDGE_EMBEDDED", raising=False)
    assert embedded.open_model("", ModelOptions()).name == f"embedded/{weights.DEFAULT}"
    monkeypatch.setenv("ADJUDGE_EMBEDDED", "smollm2-135m")
    assert embedded.open_model("", ModelOptions()).name == "embedded/smollm2-135m"
    monkeypatch.setenv("ADJUDGE_EMBEDDED", str(smollm))
    assert embedded.open_model("", ModelOptions()).name == f"embedded:{smollm}"


def test_wrong_names_and_files_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no embedded model 'gpt'; known are qwen2\.5"):
        embedded.open_model("gpt", ModelOptions())
    broken = tmp_path / "broken.gguf"
    with pytest.raises(ModelUnavailable, match="there is no model file"):
        asyncio.run(embedded.open_model(str(broken), ModelOptions()).ask(prompt("x"), Sampling()))
    broken.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ModelUnavailable, match="cannot be loaded"):
        asyncio.run(embedded.open_model(str(broken), ModelOptions()).ask(prompt("x"), Sampling()))


def test_a_missing_library_or_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelUnavailable, match=r"pip install 'adjudge\[embedded\]'"):
        llama.library()
    gone = ImportError("libgomp.so.1: cannot open shared object file: No such file or directory")
    assert "apt-get install libgomp1" in str(llama._why_not(gone))


def test_threads_follow_the_cores_or_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADJUDGE_EMBEDDED_THREADS", raising=False)
    for cores, expected in ((1, (1, 1)), (2, (1, 2)), (8, (4, 8)), (64, (4, 16))):
        monkeypatch.setattr(llama, "_cores", lambda cores=cores: cores)
        assert llama.threads() == expected
    monkeypatch.setenv("ADJUDGE_EMBEDDED_THREADS", "20")
    assert llama.threads() == (20, 20)
    assert os.environ["OMP_WAIT_POLICY"] == "passive"


def test_everything_free_gets_a_limit_and_the_rest_stays() -> None:
    bounds = {"type": "number", "minimum": 0, "maximum": 10}
    schema = record(
        free={"type": "string"},
        short={"type": "string", "maxLength": 9},
        word={"type": "string", "enum": ["a"]},
        some={"type": "array", "items": {"type": "string"}},
        number=bounds,
        type={"type": "boolean"},
    )
    limited = bounded(schema, 600)
    assert limited["properties"] == {
        "free": {"type": "string", "maxLength": 200},
        "short": {"type": "string", "maxLength": 9},
        "word": {"type": "string", "enum": ["a"]},
        "some": {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 5},
        "number": {**bounds, "multipleOf": 0.01},
        "type": {"type": "boolean"},
    }
    assert bounded(limited, 600) == limited
    assert "maxLength" not in schema["properties"]["free"]  # type: ignore[index]


def test_the_server_speaks_the_wire() -> None:
    async def status(url: str, key: str) -> int:
        body = {"messages": [{"role": "user", "content": "Hello"}], "max_tokens": 3}
        headers = {"Authorization": f"Bearer {key}", "Origin": "http://elsewhere.example"}
        async with (
            aiohttp.ClientSession(headers=headers) as session,
            session.post(f"{url}/chat/completions", json=body) as answer,
        ):
            assert not answer.headers.get("Access-Control-Allow-Origin")
            return answer.status

    with embedded.serve("smollm2-135m", key="k") as url:
        assert url.startswith("http://127.0.0.1:")
        assert asyncio.run(status(url, "k")) == 200
        assert asyncio.run(status(url, "wrong")) == 401


# A language that binds by its letters, and one that binds by how its sentences begin.
@pytest.mark.parametrize("language", ["ko", "vi"])
def test_texts_are_bound_to_whole_sentences_of_a_language(language: str) -> None:
    """Asked in English, about English, by a model that knows little else."""
    bound = pattern(language, 1) or ""
    asked = prompt(
        "Is Paris in Germany? Say why.", record(text={"type": "string", "pattern": bound})
    )
    reply = ask(asked, max_tokens=1024)
    assert reply.finish == "stop"
    assert re.search(bound, json.loads(reply.text)["text"])


@pytest.mark.parametrize("language", BINDABLE)
def test_the_runtime_takes_the_pattern_of_every_language(language: str) -> None:
    """A grammar that it does not understand is dropped in silence, and the reply begins freely."""
    bound = pattern(language, 3) or ""
    asked = prompt("Say hello.", record(text={"type": "string", "pattern": bound}))
    begun = TEXT.match(ask(asked, max_tokens=14).text)
    assert begun
    first = begun["text"].strip("\ufffd")[:1]
    assert not first.isascii() or any(re.match(each[:1], first) for each in OPENERS[language])


def test_tokens_are_told_as_they_come() -> None:
    heard: list[GenerationProgress] = []

    async def once() -> Reply:
        model = opened()
        model.on_progress = heard.append
        reply = await model.ask(prompt(f"{LONG} Count to twenty."), Sampling(max_tokens=20))
        await model.aclose()
        return reply

    reply = asyncio.run(once())
    assert {each.call for each in heard} == {1}
    # The sign of the end, and a character that takes several tokens, count otherwise.
    assert abs(heard[-1].written - reply.usage.output_tokens) <= 3
    assert heard[-1].written > 0
    assert heard[-1].read == heard[-1].prompt > 100
    written = [each.written for each in heard]
    assert written == sorted(written)


def told(**alternatives: float) -> list[TokenLogprob]:
    top = {text.replace("_", " "): math.log(share) for text, share in alternatives.items()}
    return [TokenLogprob("x", -1.0, top)]


def test_yes_and_no_are_added_up_over_their_spellings() -> None:
    assert embedded.share_of_yes(told(no=0.3, yes=0.4, _Yes=0.2)) == pytest.approx(2 / 3)
    assert embedded.share_of_yes(told(yes=0.2, No=0.5, NO=0.1, maybe=0.2)) == pytest.approx(0.25)
    assert embedded.share_of_yes(told(maybe=0.9)) == embedded.share_of_yes([]) == 0.5


def test_the_answer_to_a_check_goes_into_the_prompt_and_is_asked_for_once() -> None:
    async def twice() -> tuple[Reply, Reply]:
        model = opened()
        check = ReferenceCheck(
            (Message("user", "Is water wet? Reply with yes or no."),), LONG, LONG
        )
        asked = replace(prompt("Hello"), check=check)
        replies = [await model.ask(asked, Sampling(max_tokens=1)) for _ in range(2)]
        await model.aclose()
        return replies[0], replies[1]

    plain = ask(prompt("Hello"), max_tokens=1).usage
    first, second = (reply.usage for reply in asyncio.run(twice()))
    assert plain.input_tokens + 300 < second.input_tokens < first.input_tokens
    assert (first.output_tokens, second.output_tokens) == (2, 1)
