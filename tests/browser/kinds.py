"""Runs of other kinds than one reply an item: samples, probabilities, pairs, hostile texts."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from aiohttp import web
from tests.servers import Answer, chat_server

from .hostile import SHARED, TEXTS, hostile_id
from .made import run, write

Rows = Sequence[Mapping[str, str]]
PAIRS = tuple(combinations(("today", "smaller", "with search"), 2))
REFUSAL = "I would rather not grade this."
JUDGE = """\
judge: hostile
version: 1
title: "<b>Is it</b> polite?"
language: en
explain_in: any
inputs:
  question: {{required: true}}
  answer: {{required: true, judged: true}}
criteria:
  politeness:
    title: {title}
    guide: {guide}
    scale: {{type: integer, min: 1, max: 5}}
reply: json
"""


def helpful(rating: int, evaluation: str) -> str:
    """A reply to the judge `helpfulness` with all that it asks for."""
    said = {
        "evaluation": evaluation,
        "strengths": ["It is polite.", "It is short."],
        "weaknesses": ["It gives no reason.", "It could name a source."],
        "analysis": "The wording is plain and the order of the points is easy to follow.",
        "recommendations": ["Say why."],
        "rating": rating,
    }
    return json.dumps(said)


def samples(rows: Rows) -> str:
    """Three an item: the second item's differ, one of the third's cannot be read."""
    ratings = [(4, 4, 4), (2, 3, 2), (3, 0, 3), *((n % 4 + 1,) * 3 for n in range(3, len(rows)))]
    replies = [
        {"item": row["id"], "replies": [_sample(rating, n) for n, rating in enumerate(given, 1)]}
        for row, given in zip(rows, ratings, strict=True)
    ]
    write("samples.jsonl", rows)
    write("sampled.jsonl", replies)
    return run("samples.jsonl", "helpfulness", "sampled.jsonl", repeat=3)


def _sample(rating: int, number: int) -> str:
    return helpful(rating, f"Sample {number} looks at it from another side.") if rating else REFUSAL


def weighed(rows: Rows) -> str:
    """Scores that are weighed by the probabilities of their tokens."""
    write("weighed.jsonl", rows)
    with chat_server() as server:
        server.answer = lambda _: _with_shares({"3": 0.62, "4": 0.27, "2": 0.08})
        asked = {"model": "openai/judge", "base_url": server.base_url}
        return run("weighed.jsonl", "helpfulness", method="expected", **asked)


def _with_shares(shares: Mapping[str, float]) -> Answer:
    """A reply whose score is the first of these; the others might have stood in its place."""
    score, *_ = shares
    pieces = ('{"evaluation": "It is of real use, but a little short.", "rating": ', score, "}")
    tokens = [{"token": each, "logprob": -0.01, "top_logprobs": []} for each in pieces]
    tokens[1]["top_logprobs"] = [
        {"token": value, "logprob": math.log(share)} for value, share in shares.items()
    ]

    async def answer(request: web.Request) -> web.StreamResponse:
        message = {"role": "assistant", "content": "".join(pieces)}
        choice = {"message": message, "finish_reason": "stop", "logprobs": {"content": tokens}}
        usage = {"prompt_tokens": 100, "completion_tokens": 10}
        return web.json_response({"choices": [choice], "usage": usage})

    return answer


def pairs(rows: Rows) -> str:
    """Of three systems, in both orders: of every fourth pair the judge prefers whichever answer
    comes first."""
    made, replies = [], []
    for n, row in enumerate(rows):
        answers = {"answer_a": row["answer"], "answer_b": "Please ask again later."}
        systems = dict(zip(("system_a", "system_b"), PAIRS[n % 3], strict=True))
        made.append({"id": row["id"], "question": f"{row['question']} ({n})", **answers, **systems})
        first, second = "ab" if n % 5 else "ba"
        for order, winner in (("ab", first), ("ba", first if n % 4 == 0 else second)):
            said = {"reasons": [f"The answer that won in order {order} helps."], "winner": winner}
            replies.append({"item": row["id"], "order": order, "replies": [json.dumps(said)]})
    write("pairs.jsonl", made)
    write("pair_replies.jsonl", replies)
    return run("pairs.jsonl", "preference", "pair_replies.jsonl")


def hostile(file: str, scores: Sequence[int]) -> str:
    """All that people and models can write is hostile; the file takes the replies."""
    title, guide = (json.dumps(TEXTS[name], ensure_ascii=False) for name in ("image", "closing"))
    Path("hostile.yaml").write_text(JUDGE.format(title=title, guide=guide), "utf-8")
    rows, replies = [], []
    for (name, text), score in zip(TEXTS.items(), scores, strict=True):
        item = hostile_id(name)
        row = {"id": item, "question": text, "answer": text, '<i>"column"': text[:80]}
        rows.append(row | {"<b>shared": SHARED[len(rows) % len(SHARED)]})
        said = json.dumps({"politeness": {"explanation": text, "score": score}}, ensure_ascii=False)
        replies.append({"item": item, "replies": [said]})
    write("hostile.jsonl", rows)
    write(file, replies)
    return run("hostile.jsonl", "hostile.yaml", file, tags={"note": TEXTS["script"]})
