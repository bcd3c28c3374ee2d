"""`adjudge improve` live on the embedded model, one study per language with 80 labels each.

English: Topical-Chat responses with three people's ratings of how engaging they are (wants
../shared/data). Korean and Vietnamese: no set with people's labels of texts is at hand, so labels
follow from how the items were made (tests/data/answers): right and wrong answers, grouped by their
question. Run: `nice -n 19 .venv/bin/python bench/improve_study.py en ko vi`. Replies are kept in
build/improve_study.db: the same command goes on where it stopped.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from pathlib import Path
from typing import Any

import adjudge

HERE = Path(__file__).resolve().parent
ANSWERS = HERE.parent / "tests" / "data" / "answers"
SHARED = HERE.parents[1] / "shared" / "data"
LABELS = 80
_TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "title": "Is the response engaging?",
        "criterion": "Engaging",
        "guide": "Is the response engaging?",
        "question": "Turn before",
        "answer": "Response",
    },
    "ko": {
        "title": "답변이 맞는가?",
        "criterion": "정답",
        "guide": "답변이 맞는가?",
        "question": "질문",
        "reference": "모범 답안",
        "answer": "답변",
    },
    "vi": {
        "title": "Câu trả lời có đúng không?",
        "criterion": "Đúng",
        "guide": "Câu trả lời có đúng không?",
        "question": "Câu hỏi",
        "reference": "Đáp án mẫu",
        "answer": "Câu trả lời",
    },
}


def judge(language: str) -> dict[str, Any]:
    """As plain as a first draft is: the score alone is asked for."""
    words = _TEXTS[language]
    names = [name for name in ("question", "reference", "answer") if name in words]
    scale = {"type": "integer", "min": 1, "max": 3} if language == "en" else {"type": "binary"}
    own = {"title": words["criterion"], "guide": words["guide"], "scale": scale, "explain": False}
    return {
        "judge": f"study-{language}",
        "version": 1,
        "title": words["title"],
        "language": language,
        "explain_in": "any",
        "inputs": {n: {"title": words[n], "judged": n == "answer"} for n in names},
        "criteria": {"good": own},
    }


def material(language: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows and labels."""
    rows: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    if language == "en":
        with gzip.open(SHARED / "topicalchat_items.jsonl.gz", "rt", encoding="utf-8") as file:
            items = [json.loads(line) for line in file]
        random.Random(0).shuffle(items)  # noqa: S311 - no secret
        for item in items[:LABELS]:
            turn = item["dialogue"].strip().split("\n")[-1].strip()
            texts = {"question": turn, "answer": item["response"].strip()}
            rows.append({"id": item["item_id"], "context": item["context_id"], **texts})
            labels.append({"item": item["item_id"], "good": item["human"]["engagingness"]})
        return rows, labels
    pairs = (ANSWERS / f"{language}.jsonl").read_text("utf-8").splitlines()
    for pair in [json.loads(line) for line in pairs][: LABELS // 2]:
        for kind in ("right", "wrong"):
            texts = {name: pair[name] for name in ("question", "reference")}
            name = f"{pair['id']}-{kind}"
            rows.append({"id": name, "context": pair["id"], **texts, "answer": pair[kind]})
            labels.append({"item": name, "good": kind == "right"})
    return rows, labels


def main() -> None:
    flags = argparse.ArgumentParser(description=__doc__)
    flags.add_argument("languages", nargs="*", default=["en", "ko", "vi"])
    flags.add_argument("--model", default="embedded")
    flags.add_argument("--tries", type=int, default=6)
    flags.add_argument("--shots", type=int, default=4)
    flags.add_argument("--out", type=Path, default=HERE.parent / "build")
    given = flags.parse_args()
    given.out.mkdir(exist_ok=True)
    for language in given.languages:
        rows, labels = material(language)
        found = adjudge.improve(
            judge(language),
            rows,
            labels=labels,
            model=given.model,
            group="context",
            tries=given.tries,
            shots=given.shots,
            max_tokens=500,
            store=str(given.out / "improve_study.db"),
            out=given.out / f"improve_study.{language}.yaml",
            heard=lambda one: print(one.number, one.way, one.seen, one.agreement, flush=True),
        )
        report(found, language)


def report(found: adjudge.Improvement, language: str) -> None:
    """What the page of evidence says."""
    print(language, "better" if found.better else f"kept: {found.why}", found.measures)
    print(f"  {len(found.candidates)} candidates, {found.calls} calls, {found.tokens:,} tokens")
    if found.compared is not None:
        both, paired = found.compared, found.compared.paired
        print("  before", both.before.as_dict())
        print("  after", both.after.as_dict(), "by", found.best.way, found.best.note)
        print("  difference", paired.difference.as_dict(), "p", paired.p, "lost", both.lost)
        print(f"  {both.nearer} nearer, {both.same} as before, {both.farther} farther", flush=True)
        print(found.diff)


if __name__ == "__main__":
    main()
