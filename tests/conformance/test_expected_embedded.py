"""On a real model, the distribution of a score is that of all ways to write it.

Every legal value is put in the place of the one that the model wrote, and its probability taken
from the model's own reading of it (`llama_native`), token by token, with what ends it where another
value begins alike. The two ways through llama.cpp read in batches of different size and round
differently: probabilities may differ by 0.02 (of most prompts they do by 0.0001), and shares of a
small part of all probability by more.
"""

from __future__ import annotations

import asyncio
import ctypes
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from adjudge.core.prompt import Message, Prompt, Sampling
from adjudge.core.reply import Reply, TokenLogprob
from adjudge.judges import reply_form
from adjudge.judges.load import load_text
from adjudge.models import embedded
from adjudge.models.base import ModelOptions
from adjudge.models.llama_native import Native
from adjudge.reading import CriterionReading, expected_reading
from adjudge.reading.read import read

CLOSE, NEAR = 0.02, 0.05
QUESTION = "How helpful is this answer to “What is the capital of France?”: {answer}\n{form}"
ANSWERS = ["Paris.", "Banana bread needs ripe bananas.", "It may be Lyon or Paris."]
TEMPLATE = "<|im_start|>{role}\n{content}<|im_end|>\n"


class Counted:
    """The probabilities of texts behind a chat, as the model itself reads them."""

    def __init__(self, native: Native, prompt: Prompt, begun: str) -> None:
        self._native = native
        turns = [TEMPLATE.format(role=m.role, content=m.content) for m in prompt.messages]
        self._given = self._ids("".join(turns) + "<|im_start|>assistant\n", special=True)
        self._given += self._ids(begun)

    def _ids(self, text: str, *, special: bool = False) -> list[int]:
        data = text.encode()
        ids = (ctypes.c_int32 * (len(data) + 8))()
        native = self._native
        count = native._lib.llama_tokenize(
            native._vocab, data, len(data), ids, len(ids), False, special
        )
        return list(ids[:count])

    def probability(self, *texts: str) -> float:
        """Of texts that follow on each other, each beginning a token of its own."""
        after = [token for text in texts for token in self._ids(text)]
        reader = self._native._readers[-1]
        logprobs, _ = reader.evaluate(self._given + after, len(self._given))
        return math.exp(math.fsum(logprobs))


@pytest.fixture(scope="module")
def native(smollm: Path) -> Iterator[Native]:
    opened = Native(smollm)
    yield opened
    opened.close()


def ask(prompt: Prompt) -> Reply:
    async def once() -> Reply:
        model = embedded.open_model("smollm2-135m", ModelOptions())
        reply = await model.ask(prompt, Sampling(max_tokens=40, top_logprobs=200))
        await model.aclose()
        return reply

    return asyncio.run(once())


def judged(
    scale: str, answer: str, kinds: Mapping[str, object]
) -> tuple[Prompt, Reply, CriterionReading]:
    """A reply that a schema binds to some values, and what the whole scale makes of it."""
    judge = load_text(
        "judge: asked\nversion: 1\ntitle: How is it?\nlanguage: en\nexplain_in: any\n"
        "inputs:\n  answer: {judged: true}\ncriteria:\n"
        f"  score: {{guide: How helpful it is, scale: {scale}, explain: false}}\n",
        "asked.yaml",
    )
    form = reply_form.words(judge, ("score",))
    prompt = Prompt(
        messages=(Message("user", QUESTION.format(answer=answer, form=form)),),
        criteria=("score",),
        schema={
            "type": "object",
            "properties": {"score": kinds},
            "required": ["score"],
            "additionalProperties": False,
        },
    )
    reply = ask(prompt)
    reading = read(judge, ("score",), reply)
    assert reading.scores["score"].value is not None
    return prompt, reply, expected_reading(judge, ("score",), reply, reading, 0.0).scores["score"]


def compare(found: CriterionReading, counted: Mapping[str, float], close: float = CLOSE) -> None:
    assert found.distribution is not None, found.why
    total = math.fsum(counted.values())
    assert found.mass == pytest.approx(total, abs=close)
    weighed = {value: share * (found.mass or 0.0) for value, share in found.distribution.items()}
    assert weighed == pytest.approx(dict(counted), abs=close)
    shares = {value: probability / total for value, probability in counted.items()}
    assert found.distribution == pytest.approx(shares, abs=NEAR)


def before_value(reply: Reply, found: CriterionReading) -> str:
    assert found.span is not None
    return reply.text[: found.span[0]]


@pytest.mark.parametrize("answer", ANSWERS)
def test_one_to_five(native: Native, answer: str) -> None:
    values = range(1, 6)
    scale = "{type: integer, min: 1, max: 5}"
    prompt, reply, found = judged(scale, answer, {"type": "integer", "enum": list(values)})
    model = Counted(native, prompt, before_value(reply, found))
    counted = {str(value): model.probability(str(value)) for value in values}
    compare(found, counted)
    mean = math.fsum(int(v) * p for v, p in counted.items()) / math.fsum(counted.values())
    assert found.value == pytest.approx(mean, abs=CLOSE * 4)


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("bound", [1, 10])
def test_one_to_ten_where_ten_takes_two_tokens(native: Native, answer: str, bound: int) -> None:
    """The reply is bound to begin with "1"; the probabilities are those of the free model."""
    scale = "{type: integer, min: 1, max: 10}"
    prompt, reply, found = judged(scale, answer, {"type": "integer", "enum": [bound]})
    assert len([each for each in reply.logprobs or () if each.token.isdigit()]) == len(str(bound))
    model = Counted(native, prompt, before_value(reply, found))
    counted = {str(value): model.probability(str(value)) for value in range(2, 11)}
    assert found.distribution is not None
    one = found.distribution.get("1", 0.0) * (found.mass or 0.0)
    # At least with the commonest ends, at most with all that is no digit.
    ended = math.fsum(model.probability("1", end) for end in ["}", " }", ",", ".", "\n", "/", " "])
    going_on = math.fsum(model.probability("1", digit) for digit in "0123456789")
    assert ended - CLOSE <= one <= model.probability("1") - going_on + CLOSE
    compare(found, counted | {"1": one})


def at_value(reply: Reply, found: CriterionReading, written: str) -> tuple[str, TokenLogprob]:
    """All of the reply before the token in which what was written begins, and that token."""
    assert found.span is not None
    place, begun = reply.text.index(written, found.span[0]), ""
    for token in reply.logprobs or ():
        if len(begun) + len(token.token) > place:
            return begun, token
        begun += token.token
    raise AssertionError(reply)


def by_their_names(
    model: Counted, place: TokenLogprob, names: Mapping[str, str], whole: Mapping[str, str]
) -> dict[str, float]:
    """The probability of each value: of all tokens that begin its name and no other's, in whatever
    case, and of those that are a whole name which no beginning is taken for."""
    counted = dict.fromkeys(names.values(), 0.0)
    for piece in place.top:
        text = piece.lstrip(' "\n').lower()
        begun = {value for name, value in names.items() if text and name.startswith(text)}
        fits = begun | ({whole[text]} if text in whole else set())
        if len(fits) == 1:
            counted[fits.pop()] += model.probability(piece)
    return counted


@pytest.mark.parametrize("answer", ANSWERS)
def test_names_of_several_tokens(native: Native, answer: str) -> None:
    options = ["helpful", "unhelpful", "meaningless"]
    scale = f"{{type: category, options: [{', '.join(options)}]}}"
    prompt, reply, found = judged(scale, answer, {"type": "string", "enum": options})
    begun, place = at_value(reply, found, str(found.raw))
    names = {name: name for name in options}
    compare(found, by_their_names(Counted(native, prompt, begun), place, names, {}))


@pytest.mark.parametrize("answer", ANSWERS[:2])
def test_levels_by_their_labels(native: Native, answer: str) -> None:
    """The number of a level counts for it too, also in letters."""
    labels = {"terrible": "1", "poor": "2", "helpful": "3", "excellent": "4"}
    levels = ", ".join(f"{level}: {label}" for label, level in labels.items())
    kinds = {"type": "string", "enum": list(labels)}
    prompt, reply, found = judged(f"{{type: ordinal, levels: {{{levels}}}}}", answer, kinds)
    [written] = (label for label, level in labels.items() if level == str(found.raw))
    begun, place = at_value(reply, found, written)
    whole = {level: level for level in labels.values()}
    whole |= {"one": "1", "two": "2", "three": "3", "four": "4"}
    counted = by_their_names(Counted(native, prompt, begun), place, labels, whole)
    compare(found, counted, NEAR)  # of some twenty tokens, each rounded by itself
    mean = math.fsum(int(v) * p for v, p in counted.items()) / math.fsum(counted.values())
    assert found.value == pytest.approx(mean, abs=CLOSE * 3)


@pytest.mark.parametrize("answer", ANSWERS[:2])
def test_yes_and_no(native: Native, answer: str) -> None:
    """Which the model, asked for a score, would mostly have written as 1 and 0."""
    prompt, reply, found = judged("{type: binary}", answer, {"type": "boolean"})
    begun, place = at_value(reply, found, str(found.raw).lower())
    names = {"true": "yes", "yes": "yes", "1": "yes", "false": "no", "no": "no", "0": "no"}
    compare(found, by_their_names(Counted(native, prompt, begun), place, names, {}))


@pytest.mark.parametrize("answer", ANSWERS[:2])
def test_decimals_of_the_whole_part_that_was_written(native: Native, answer: str) -> None:
    """Of a number scale, what the model might have written behind the point that it wrote."""
    scale = "{type: number, min: 0, max: 10}"
    prompt, reply, found = judged(scale, answer, {"type": "number", "enum": [2.5]})
    assert [t.token for t in reply.logprobs or ()][-4:] == ["2", ".", "5", "}"]
    model = Counted(native, prompt, before_value(reply, found))
    counted = {f"2.{digit}": model.probability("2", ".", digit) for digit in "123456789"}
    assert found.distribution is not None
    even = found.distribution.get("2.0", 0.0) * (found.mass or 0.0)
    # At least with the commonest ends of a 2, at most with all that is no digit and no point.
    ended = math.fsum(model.probability("2", end) for end in ["}", " }", ",", "\n", "/", " "])
    going_on = math.fsum(model.probability("2", more) for more in ".0123456789")
    point = model.probability("2", ".", "0")
    assert ended + point - CLOSE <= even <= model.probability("2") - going_on + point + CLOSE
    compare(found, counted | {"2.0": even})
