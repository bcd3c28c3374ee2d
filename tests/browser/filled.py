"""A store with what there is to look at: runs, labels, a panel, capped scores, hostile texts."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.commands import ADJUDGE

from .hostile import TEXTS

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


@dataclass(frozen=True)
class Filled:
    """The folder, its store and the ids of its runs by name."""

    folder: Path
    runs: Mapping[str, str]

    @property
    def store(self) -> str:
        return str(self.folder / "s.db")

    def adjudge(self, *arguments: str) -> str:
        """What the command prints; it must end well."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("ADJUDGE_", "OPENAI_"))}
        ended = subprocess.run(
            [ADJUDGE, *arguments, "--store", self.store],
            cwd=self.folder,
            env=clean,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout


def fill(folder: Path) -> Filled:
    filled = Filled(folder, {})
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
    _write(folder / "answers.jsonl", rows)
    for name, shift in (("small", 0), ("large", 1), ("later", 2)):
        _write(folder / f"{name}.jsonl", _helpful(ids, shift))
    _write(folder / "shop.jsonl", rows[:20])
    both = ("-m", "replay:small.jsonl", "-m", "replay:large.jsonl")
    runs = {
        "panel": _run(filled, "answers.jsonl", "helpfulness", *both),
        "first": _run(filled, "answers.jsonl", "helpfulness", "-m", "replay:small.jsonl"),
        "later": _run(filled, "answers.jsonl", "helpfulness", "-m", "replay:later.jsonl"),
        "shop": _run(filled, "shop.jsonl", "helpfulness", "-m", "replay:large.jsonl"),
        "chatbot": _chatbot(filled),
        "hostile": _hostile(filled),
    }
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


def _run(filled: Filled, data: str, judge: str, *flags: str) -> str:
    told = filled.adjudge("run", data, "--judge", judge, *flags, "--json", "--quiet")
    return str(json.loads(told)["run"])


def _helpful(ids: Iterable[str], shift: int) -> Iterable[Mapping[str, object]]:
    for n, item in enumerate(ids):
        rating = 1 + (n * 7 + len(item) + (n % 4 == 3) * shift) % 4
        reply = {
            "evaluation": f"{_SAID[rating]} Item {item} was looked at with care.",
            "strengths": ["It is polite.", "It is short."],
            "weaknesses": ["It gives no reason.", "It could name a source."],
            "analysis": "The wording is plain and the order of the points is easy to follow.",
            "recommendations": ["Say why."],
            "rating": rating,
        }
        said = "I would rather not grade this." if n % 29 == 28 else json.dumps(reply)
        yield {"item": item, "replies": [said]}


def _chatbot(filled: Filled) -> str:
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
    _write(filled.folder / "bank.jsonl", rows)
    _write(filled.folder / "bank_replies.jsonl", replies)
    return _run(filled, "bank.jsonl", "chatbot", "-m", "replay:bank_replies.jsonl")


def _hostile(filled: Filled) -> str:
    title, guide = (json.dumps(TEXTS[name], ensure_ascii=False) for name in ("image", "closing"))
    (filled.folder / "hostile.yaml").write_text(JUDGE.format(title=title, guide=guide), "utf-8")
    rows, replies = [], []
    for name, text in TEXTS.items():
        item = text if len(text) < 200 else name
        rows.append({"id": item, "question": text, "answer": text, '<i>"column"': text[:80]})
        said = json.dumps({"politeness": {"explanation": text, "score": 3}}, ensure_ascii=False)
        replies.append({"item": item, "replies": [said]})
    _write(filled.folder / "hostile.jsonl", rows)
    _write(filled.folder / "hostile_replies.jsonl", replies)
    tag = ("--tag", f"note={TEXTS['script']}")
    return _run(filled, "hostile.jsonl", "hostile.yaml", "-m", "replay:hostile_replies.jsonl", *tag)


def _write(path: Path, rows: Iterable[Mapping[str, object]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), "utf-8")
