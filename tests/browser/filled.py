"""A store with what there is to look at: runs of all kinds, labels, a probe, hostile texts."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

from tests.commands import ADJUDGE
from tests.forked import Forked

from .beside import label_hostile, probe
from .care import care
from .hostile import TEXTS
from .kinds import REFUSAL, helpful, hostile, pairs, samples, weighed
from .made import STORE, run, write

_QUESTIONS = (
    ("tea", "How long should green tea steep?", "Two to three minutes at about 80 °C."),
    ("refund", "Can I still return shoes that I bought on Monday?", "Yes, within 14 days."),
    (
        "반품",
        "월요일에 산 신발을 아직 반품할 수 있나요?",
        "네, 구매 후 14일 안에 반품하실 수 있습니다.",
    ),
    (
        "thẻ",
        "Tôi bị mất thẻ ATM thì phải làm gì?",
        "Hãy khóa thẻ trong ứng dụng rồi đến chi nhánh.",
    ),
)
_SAID = {
    1: "It has nothing to do with what the person asked.",
    2: "It leaves out the main point of the question.",
    3: "It is of real use, but a little short on detail.",
    4: "It answers every part of the question clearly and directly.",
}


@dataclass(frozen=True)
class Filled:
    """The folder, its store and the ids of its runs by name."""

    folder: Path
    runs: Mapping[str, str]

    @property
    def store(self) -> str:
        return str(self.folder / STORE)

    def adjudge(self, *arguments: str) -> str:
        """What the command prints; it must end well."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("ADJUDGE_", "OPENAI_"))}
        with Forked(
            [ADJUDGE, *arguments, "--store", self.store],
            cwd=self.folder,
            env=clean,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            out, told = process.communicate()
        assert process.returncode == 0, told
        return out


def fill(folder: Path) -> Filled:
    ids = item_ids()
    rows = [
        {
            "id": item,
            "question": _QUESTIONS[n % 4][1],
            "answer": f"{_QUESTIONS[n % 4][2]} ({n // 4})",
            "topic": ("shop", "bank", "kitchen")[n % 3],
        }
        for n, item in enumerate(ids)
    ]
    moved = [(1, 5)[n % 2] if n < 5 else 2 + n % 3 for n in range(len(TEXTS))]
    with chdir(folder):  # the names of data and models stay short
        write("answers.jsonl", rows)
        for name, shift in (("small", 0), ("large", 1), ("later", 2)):
            write(f"{name}.jsonl", _helpful(ids, shift))
        write("shop.jsonl", rows[:20])
        runs = {
            "panel": run("answers.jsonl", "helpfulness", "small.jsonl", "large.jsonl"),
            "first": run("answers.jsonl", "helpfulness", "small.jsonl"),
            "later": run("answers.jsonl", "helpfulness", "later.jsonl"),
            "shop": run("shop.jsonl", "helpfulness", "large.jsonl"),
            "samples": samples(rows[:6]),
            "weighed": weighed(rows[:6]),
            "pairs": pairs(rows[:24]),
            "chatbot": _chatbot(),
            "hostile": hostile("hostile_replies.jsonl", [3] * len(TEXTS)),
            "again": hostile("hostile_again.jsonl", moved),
            **care(),
        }
        probe(runs["first"])
        label_hostile(runs["again"])
    return Filled(folder, runs)


def labels() -> str:
    """What two people say of the first items of `answers.jsonl`: near the judge, not the same."""
    lines = ["item,rater,rating"]
    for n, item in enumerate(item_ids()[:40]):
        for rater in ("Mai", "민수"):
            moved = n % 6 == 0 or (rater == "Mai" and n % 5 == 0)
            lines.append(f"{item},{rater},{1 + (n * 7 + len(item) + moved) % 4}")
    return "\n".join(lines) + "\n"


def item_ids() -> list[str]:
    return [f"{name}-{n:02d}" for n in range(15) for name, *_ in _QUESTIONS]


def _helpful(ids: Iterable[str], shift: int) -> Iterable[Mapping[str, object]]:
    for n, item in enumerate(ids):
        rating = 1 + (n * 7 + len(item) + (n % 4 == 3) * shift) % 4
        told = f"{_SAID[rating]} Item {item} was looked at with care."
        said = REFUSAL if n % 29 == 28 else helpful(rating, told)
        yield {"item": item, "replies": [said]}


def _chatbot() -> str:
    """Scores above the caps: the rules have to bring them down."""
    names = ("relevance", "accuracy", "completeness", "clarity", "tone")
    rows, replies = [], []
    for n in range(24):
        rows.append(
            {
                "id": str(n + 1),
                "context": "Ngân hàng trực tuyến.",
                "question": f"Phí làm lại thẻ là bao nhiêu? ({n})",
                "reference": "Phí làm lại thẻ là 50.000 đồng, trừ vào tài khoản.",
                "answer": "Phí làm lại thẻ là 50.000 đồng ạ." if n % 3 else "Phí là 90.000 đồng ạ.",
            }
        )
        said: dict[str, object] = {
            name: {
                "score": round(4 + (n * 3 + k) % 12 / 2, 1),
                "comment": "Câu trả lời đúng trọng tâm và dễ hiểu đối với khách hàng.",
            }
            for k, name in enumerate(names)
        }
        said["flags"] = {
            "serious_error": not n % 3,
            "missing_important": n % 4 == 1,
            "generic": n % 8 == 2,
        }
        replies.append({"item": str(n + 1), "replies": [json.dumps(said, ensure_ascii=False)]})
    write("bank.jsonl", rows)
    write("bank_replies.jsonl", replies)
    return run("bank.jsonl", "chatbot", "bank_replies.jsonl")
