"""A store with one large run, made through the store itself: what pages are timed on.

`make(path, rows)` is what other benchmarks call. The judge is the built-in `chatbot` with its five
criteria and three rules; texts are Korean, Vietnamese and English, about 1 KB an item, and a
verdict is about 4 KB, its reply included. The same rows are the same store every time.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from adjudge.core.item import Item
from adjudge.core.label import Label
from adjudge.core.reason import Reason
from adjudge.core.reply import Usage
from adjudge.core.run import Manifest
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Call, Exchange, Verdict
from adjudge.judges import registry
from adjudge.stores import Entry, RunRecord, Store, open_store

MODEL = "openai/some-model"
RARE, COMMON = "quetzal", "배송"  # one item in 20,000 has the one, one in three the other
CRITERIA = ("relevance", "accuracy", "completeness", "clarity", "tone")
_CAPS = {"accuracy": ("serious-error", 5.0), "completeness": ("generic", 5.0)}
_TOPICS = ("delivery", "refund", "account", "voucher", "other")
_ASKED = (
    "주문한 상품의 배송 주소를 바꾸고 싶은데 어디에서 변경할 수 있나요? 이미 출고되었다고 합니다. ",
    "Tôi muốn đổi địa chỉ giao hàng của đơn hàng, nhưng hệ thống báo đơn đã được gửi đi rồi. ",
    "How do I change the delivery address of my order? It seems to be on its way already. ",
)
_SAID = (
    "주문 내역에서 해당 주문을 선택한 뒤 주소 변경 버튼을 누르시면 됩니다. ",
    "Bạn hãy mở đơn hàng, chọn mục Giao hàng rồi nhập địa chỉ mới trước bốn giờ chiều. ",
    "Open the order, choose Delivery, and enter the new address before four o'clock. ",
)
_WHY = "Câu trả lời nêu đúng các bước cần làm nhưng chưa nói rõ chi phí đổi địa chỉ. "


def make(
    path: Path | str, rows: int = 100_000, *, models: int = 1, repeats: int = 1, seed: int = 0
) -> RunRecord:
    """A finished run in the store at `path`, with a verdict per item, model and repeat. Another
    seed is another run on the same items."""
    store = open_store(path)
    record = _record(rows, models, repeats, seed)
    store.runs.start(record)
    names = [f"{MODEL}-{n}" if n else MODEL for n in range(models)]
    all_of_it = _entries(rows, names, repeats, seed)
    while some := list(islice(all_of_it, 1000)):
        store.verdicts.put(record.id, some)
    store.runs.end(record.id, "finished")
    found = store.runs.find(record.id)
    store.close()
    return found


def label(path: Path, run: RunRecord, items: int) -> None:
    """What two people say of the first items: about what the judge said."""
    store = open_store(path)
    chance = random.Random(1)  # noqa: S311 - a benchmark
    labels = [
        Label(item, rater, name, _rounded(score.value + chance.gauss(0.0, 1.5)), "random")
        for item in store.items.ids(run.id)[:items]
        for entry in store.verdicts.entries(run.id, item)
        for name, score in entry.verdict.scores.items()
        if isinstance(score.value, float)
        for rater in ("ann", "bình")
    ]
    store.labels.put(run.manifest.data_hash, "chatbot", labels)
    store.close()


def some_entries(rows: int) -> list[Entry]:
    """The first of them, for whoever times writing."""
    return list(_entries(rows, [MODEL], 1, 0))


def opened(path: Path | str) -> Store:
    return open_store(path)


def _record(rows: int, models: int, repeats: int, seed: int) -> RunRecord:
    manifest = Manifest(
        data="answers.jsonl",
        data_hash=f"{rows:x}",
        judges={"chatbot": registry.get("chatbot").fingerprint},
        models=tuple(f"{MODEL}-{n}" if n else MODEL for n in range(models)),
        settings={"repeat": repeats, "seed": seed},
    )
    source = {"text": registry.source("chatbot")[1]}
    return RunRecord(id=manifest.id, manifest=manifest, sources={"chatbot": source}, rows=rows)


def _entries(rows: int, models: list[str], repeats: int, seed: int) -> Iterator[Entry]:
    chance = random.Random(seed)  # noqa: S311 - a benchmark
    for n in range(rows):
        item = _item(n)
        for model in models:
            for repeat in range(repeats):
                yield Entry(n, item, _verdict(item.id, model, repeat, chance))


def _item(n: int) -> Item:
    language = n % 3
    rare = f" {RARE}" if n % 20_000 == 19_999 else ""
    fields = {
        "question": f"{_ASKED[language]}({n}) " + _ASKED[language],
        "reference": _SAID[language] * 2,
        "answer": _SAID[language] * 3 + rare,
    }
    return Item(f"item-{n}", fields, {"topic": _TOPICS[n % 7 % 5], "number": n})


def _verdict(item: str, model: str, repeat: int, chance: random.Random) -> Verdict:
    scores = {name: _score(name, chance) for name in CRITERIA}
    failed = [score.outcome for score in scores.values() if score.value is None]
    reply = {name: {"explanation": s.explanation, "score": s.raw} for name, s in scores.items()}
    return Verdict(
        item=item,
        judge="chatbot",
        fingerprint="f" * 16,
        model=model,
        outcome=failed[0] if failed else Outcome.SCORED,
        scores=scores,
        repeat=repeat,
        usage=Usage(input_tokens=900, output_tokens=240, cost_usd=0.0003),
        attempts=1,
        latency_ms=round(chance.lognormvariate(6.5, 0.5), 1),
        calls=(Call(exchanges=(Exchange(reply=json.dumps(reply, ensure_ascii=False)),)),),
    )


def _score(name: str, chance: random.Random) -> Score:
    if chance.random() < 0.005:
        return Score(outcome=Outcome.UNREADABLE, reason=Reason.of("no value was found"))
    raw = _rounded(chance.gauss(7.0, 1.8))
    value, rule = raw, None
    if name in _CAPS and raw > _CAPS[name][1] and chance.random() < 0.1:
        rule, value = _CAPS[name]
    return Score(
        outcome=Outcome.SCORED,
        value=value,
        raw=raw,
        rule=rule,
        unit=value / 10,
        explanation=_WHY * 2,
    )


def _rounded(value: float) -> float:
    return round(min(10.0, max(0.0, value)), 1)
