"""How well the embedded model grades, before and after what is done for small models.

    python bench/embedded.py answers --pairs 12        right against wrong answers, three languages
    python bench/embedded.py planted                   errors planted into a chatbot's answers
    python bench/embedded.py summeval --documents 2    beside people; wants ../shared/data
    python bench/embedded.py whole                     the three built-in judges as users meet them
    python bench/embedded.py show                      all that was measured so far

Every way is asked about every item in the same run. `before` is a plain prompt and a schema that
bounds lengths only; `after` is what embedded models get; others are named in WAYS. With --tokens a
reply ends there, and a score that has been written by then counts: seconds and tokens of whole
replies are told by `whole`. `translated` has the reasons written in English and then translated.
`check` and `likelihood` ask for no verdict: the probability of "it says the same" by itself, and
the mean log-likelihood of the answer after the question and the reference. Results go to --out, a
line each; what is there is not asked again.

Answers come from tests/data/answers, half of them to choose a way (--half tuning), half to report.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import groupby, product
from pathlib import Path
from typing import Any, NamedTuple

from adjudge.core.item import Item
from adjudge.core.judge import Judge
from adjudge.core.prompt import Message, Profile, Prompt, Sampling
from adjudge.judges import registry
from adjudge.judges.load import load_text
from adjudge.judges.render import Renderer
from adjudge.judges.sentences import pattern
from adjudge.models.base import Capabilities, Model, ModelOptions
from adjudge.models.embedded import share_of_yes
from adjudge.models.registry import open_model
from adjudge.reading import apply_rules, expected_reading
from adjudge.reading.read import read
from adjudge.running.options import RunOptions
from adjudge.running.single_item import SingleItemJudge, limits_of

HERE = Path(__file__).resolve().parent
ANSWERS = HERE.parent / "tests" / "data" / "answers"
SHARED = HERE.parents[1] / "shared" / "data"
WAYS = {
    "before": Profile(),
    "bound": Profile(bind_language=True),
    "reasons+facts": Profile(bind_language=True, facts=True),
    "flags first": Profile(bind_language=True, flags_first=True),
    "facts": Profile(bind_language=True, flags_first=True, facts=True),
    "after": Capabilities(patterns=True, small=True).profile,
}
# Without a verdict: how sure the model is of the one word, and how likely it holds the answer.
ALONE = ("check", "likelihood")
KINDS = ("number", "other", "date", "number", "name", "negation")


class Asked(NamedTuple):
    """One question: of which part, about what, and what is known of the truth."""

    judge: Judge
    item: Item
    criterion: str
    truth: Mapping[str, Any]


def main() -> None:
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("part", choices=["answers", "planted", "summeval", "whole", "show"])
    flags.add_argument("--model", default="embedded")
    flags.add_argument("--ways", default="before,after")
    flags.add_argument("--half", choices=["tuning", "reported"], default="reported")
    flags.add_argument("--language", action="append", help="en, ko, vi; all")
    flags.add_argument("--pairs", type=int, default=30, help="of each language")
    flags.add_argument("--tokens", type=int, help="of a reply at the most")
    flags.add_argument("--wrong", action="store_true", help="wrong answers alone")
    flags.add_argument("--documents", type=int, default=2)
    flags.add_argument("--systems", type=int, default=8, help="summaries of each document")
    flags.add_argument("--out", type=Path, default=HERE.parent / "build" / "embedded.jsonl")
    given = flags.parse_args()
    given.out.parent.mkdir(parents=True, exist_ok=True)
    if given.part == "whole":
        asyncio.run(_whole(given))
    elif given.part != "show":
        asyncio.run(_measure(given))
    _show(_rows(given.out))


async def _measure(given: argparse.Namespace) -> None:
    model = open_model(given.model, ModelOptions())
    sampling = Sampling(top_logprobs=10, max_tokens=given.tokens or Sampling().max_tokens)
    part = {"answers": _answers, "planted": _planted, "summeval": _summeval}[given.part]
    done = {_key(row) for row in _rows(given.out)}
    renderers: dict[tuple[str, str], Renderer] = {}
    with given.out.open("a", encoding="utf-8") as out:
        # All of one judge and way together, so that the model reads their instructions once.
        for _, some in groupby(part(given), key=lambda asked: asked.judge.name):
            for way, asked in product(given.ways.split(","), list(some)):
                about = {
                    "part": given.part, "half": given.half, "way": way, "item": asked.item.id,
                    "criterion": asked.criterion, **asked.truth,
                }  # fmt: skip
                if _key(about) in done:
                    continue
                name = (asked.judge.name, way)
                if name not in renderers:
                    judge = asked.judge
                    if way == "translated":
                        judge = replace(judge, explain_in="en")
                    renderers[name] = Renderer(judge, b"bench", WAYS.get(way, WAYS["after"]))
                if way in ALONE:
                    row = about | await _alone(model, way, renderers[name], asked)
                else:
                    row = about | await _score(model, sampling, renderers[name], asked)
                if way == "translated":
                    await _translate(model, asked, row)
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                out.flush()
    await model.aclose()


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in ("part", "way", "item", "criterion", "right"))


async def _score(
    model: Model, sampling: Sampling, renderer: Renderer, asked: Asked
) -> dict[str, Any]:
    prompts = renderer.prompts(asked.item)
    (prompt,) = (each for each in prompts if asked.criterion in each.criteria)
    began = time.perf_counter()
    reply = await model.ask(prompt, sampling)
    seconds = time.perf_counter() - began
    if sampling.max_tokens != Sampling().max_tokens:
        reply = replace(reply, finish="stop")  # what stands before the end is mended
    judge = asked.judge
    reading = read(judge, prompt.criteria, reply)
    score = apply_rules(judge.rubric, reading.scores, reading.flags)[asked.criterion]
    weighed = expected_reading(judge, prompt.criteria, reply, reading).scores[asked.criterion]
    return {
        "value": score.value,
        "expected": weighed.value,
        "flag": next(iter(reading.flags.values()), None),
        "seconds": round(seconds, 1),
        "tokens": reply.usage.output_tokens,
        "reply": reply.text,
    }


async def _alone(model: Model, way: str, renderer: Renderer, asked: Asked) -> dict[str, Any]:
    (prompt,) = renderer.prompts(asked.item)
    began = time.perf_counter()
    if way == "likelihood" and model.likelihoods:
        fields = asked.item.fields
        given = f"Question: {fields['question']}\nReference: {fields['reference']}\nAnswer: "
        found = (await model.likelihoods.of(given, fields["answer"])).logprobs or ()
        value = sum(token.logprob for token in found) / max(1, len(found))
    elif prompt.check:
        question = Prompt(messages=prompt.check.messages, criteria=())
        reply = await model.ask(question, Sampling(max_tokens=1, top_logprobs=20))
        value = share_of_yes(reply.logprobs or ())
    else:
        raise SystemExit(f"{way}: nothing to ask about {asked.item.id}")
    seconds = round(time.perf_counter() - began, 1)
    return {"value": value, "expected": value, "flag": None, "seconds": seconds, "tokens": 1}


async def _translate(model: Model, asked: Asked, row: dict[str, Any]) -> None:
    """Adds what it costs to have the reasons in the judge's language by a second call."""
    language = asked.judge.wording.name_of(asked.judge.explain_in)
    reasons = json.loads(row["reply"])["explanation"]
    bound = {"type": "string", "pattern": pattern(asked.judge.explain_in, 2)}
    schema = {"type": "object", "properties": {"text": bound}, "required": ["text"]}
    question = f"Translate into {language}: {reasons}"
    began = time.perf_counter()
    prompt = Prompt(messages=(Message("user", question),), criteria=(), schema=schema)
    reply = await model.ask(prompt, Sampling())
    row["seconds"] = round(row["seconds"] + time.perf_counter() - began, 1)
    row["tokens"] += reply.usage.output_tokens
    row["translated"] = reply.text


def _answers(given: argparse.Namespace) -> Iterator[Asked]:
    """Right and wrong answers in turn, one language after the other."""
    for language in given.language or ("en", "ko", "vi"):
        judge = load_text((HERE / f"answers.{language}.yaml").read_text("utf-8"), language)
        half = _rows(ANSWERS / f"{language}.jsonl")[given.half == "reported" :: 2]
        by_kind = {kind: [row for row in half if row["kind"] == kind] for kind in KINDS}
        chosen = []
        while len(chosen) < given.pairs and any(by_kind.values()):
            chosen += [of.pop(0) for kind in KINDS if (of := by_kind[kind])]
        for row in chosen[: given.pairs]:
            for right in (True, False):
                fields = {name: row[name] for name in ("question", "reference")}
                fields["answer"] = row["right" if right else "wrong"]
                truth = {"language": language, "kind": row["kind"], "right": right}
                yield Asked(judge, Item(row["id"], fields), "accuracy", truth)


def _planted(given: argparse.Namespace) -> Iterator[Asked]:
    """Chatbot answers with one planted error each, and the same without it."""
    judge = registry.get("chatbot")
    for row in _rows(ANSWERS / "planted.jsonl")[: given.pairs]:
        for right in (False,) if given.wrong else (True, False):
            fields = {name: row[name] for name in ("context", "question", "reference")}
            fields["answer"] = row["right" if right else "wrong"]
            truth = {"language": "vi", "kind": row["kind"], "right": right}
            yield Asked(judge, Item(row["id"], fields), "accuracy", truth)


def _summeval(given: argparse.Namespace) -> Iterator[Asked]:
    """Summaries of documents that no wording was chosen on, by two aspects of `gptscore`."""
    judge = registry.get("gptscore")
    documents = {row["doc_id"]: row["source"] for row in _rows(SHARED / "summeval_docs.jsonl.gz")}
    # Short ones first: reading is what takes the time here.
    short = sorted(documents, key=lambda name: len(documents[name]))
    chosen = short[given.half == "reported" :: 2][: given.documents]
    rows = _rows(SHARED / "summeval_items.jsonl.gz")
    systems = sorted({row["system_id"] for row in rows})[:: max(1, 16 // given.systems)]
    for row in rows:
        if row["doc_id"] not in chosen or row["system_id"] not in systems[: given.systems]:
            continue
        fields = {"source": documents[row["doc_id"]], "response": row["summary"]}
        item = Item(f"{row['doc_id'][-8:]} {row['system_id']}", fields)
        for criterion in ("consistency", "relevance"):
            truth = {"document": row["doc_id"], "people": row["human_mean"][criterion]}
            yield Asked(judge, item, criterion, truth)


async def _whole(given: argparse.Namespace) -> None:
    """The built-in judges through all of the product: seconds, tokens, languages, fillers."""
    done = {_key(row) for row in _rows(given.out)}
    with given.out.open("a", encoding="utf-8") as out:
        for name, fields in _whole_items():
            judge = registry.get(name)
            for way in given.ways.split(","):
                about = {"part": "whole", "way": way, "item": fields["id"], "criterion": name}
                if _key(about) in done:
                    continue
                model = open_model(given.model, ModelOptions())
                if way == "before":
                    model.capabilities = replace(model.capabilities, patterns=False, small=False)
                at_once = SingleItemJudge(judge, model, limits_of(model, 1), RunOptions(), b"bench")
                texts = {each: fields.get(each, "") for each in judge.inputs}
                began = time.perf_counter()
                verdict = await at_once.judge(Item(fields["id"], texts))
                row = about | {
                    "seconds": round(time.perf_counter() - began, 1),
                    "tokens": verdict.usage.output_tokens,
                    "outcome": str(verdict.outcome),
                    "notes": list(verdict.notes),
                    "scores": {key: score.value for key, score in verdict.scores.items()},
                    "texts": [score.explanation for score in verdict.scores.values()],
                    "feedback": dict(verdict.feedback),
                }
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                out.flush()


def _whole_items() -> Iterator[tuple[str, dict[str, str]]]:
    for row in _rows(ANSWERS / "planted.jsonl")[:2]:
        yield "chatbot", {**row, "answer": row["wrong"]}
    korean, english = _rows(ANSWERS / "ko.jsonl")[1], _rows(ANSWERS / "en.jsonl")[1]
    yield "helpfulness", {**english, "answer": english["wrong"]}
    yield (
        "gptscore",
        {"id": korean["id"], "source": korean["reference"], "response": korean["wrong"]},
    )


def _rows(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _show(rows: list[dict[str, Any]]) -> None:
    from embedded_table import tables  # noqa: PLC0415 - loads numpy

    print(tables(rows))


if __name__ == "__main__":
    main()
