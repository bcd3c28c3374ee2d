from __future__ import annotations

import pytest

from adjudge.core.reply import Reply, TokenLogprob, Usage
from adjudge.stores import KeptBatch, KeptReply, Store

REPLY = Reply(
    text='{"rating": 4}',
    usage=Usage(input_tokens=7, output_tokens=2, cached_tokens=3, cost_usd=None),
    logprobs=(TokenLogprob("4", -0.1, {"4": -0.1, "3": -2.0}),),
    latency_ms=12.5,
)


def kept(key: str, run: str = "r1", reply: Reply = REPLY) -> KeptReply:
    return KeptReply(key, run, "openai/m", reply)


def test_a_reply_comes_back_whole(store: Store) -> None:
    store.replies.put([kept("k")])
    taken = store.replies.claim(["k"])
    assert taken.kept == {"k": kept("k")}
    assert taken.ours == frozenset()


def test_a_request_is_claimed_once(store: Store, other: Store) -> None:
    assert store.replies.claim(["a", "b"]).ours == {"a", "b"}
    taken = other.replies.claim(["b", "c"])
    assert taken.ours == {"c"}
    assert taken.kept == {}
    assert store.replies.claim(["a"]).ours == {"a"}  # a claim of one's own stays one


def test_an_answer_ends_the_claim(store: Store, other: Store) -> None:
    store.replies.claim(["a"])
    store.replies.put([kept("a")])
    assert set(other.replies.claim(["a"]).kept) == {"a"}


@pytest.mark.parametrize("keys", [["a"], None])
def test_what_is_given_up_is_free(store: Store, other: Store, keys: list[str] | None) -> None:
    store.replies.claim(["a", "b"])
    store.replies.release(keys)
    assert other.replies.claim(["a"]).ours == {"a"}
    assert other.replies.claim(["b"]).ours == (set() if keys else {"b"})


def test_more_keys_than_one_query_takes(store: Store, other: Store) -> None:
    keys = [f"k{n}" for n in range(2500)]
    store.replies.put([kept(key) for key in keys[:1200]])
    taken = store.replies.claim([*keys, keys[0]])
    assert (len(taken.kept), len(taken.ours)) == (1200, 1300)
    assert other.replies.claim(keys).ours == frozenset()
    assert other.replies.have(keys) == set(keys[:1200])


def test_info_and_clear(store: Store) -> None:
    assert store.replies.info().replies == 0
    store.replies.put([kept("a"), kept("b"), KeptReply("c", "r2", "openai/n", REPLY)])
    info = store.replies.info()
    assert (info.replies, dict(info.models)) == (3, {"openai/m": 2, "openai/n": 1})
    assert info.bytes > 3 * len(REPLY.text)
    assert store.replies.clear() == 3
    assert store.replies.info().bytes == 0


def test_open_batches(store: Store, other: Store) -> None:
    note = KeptBatch("l1", "r1", "openai/m", 20)
    store.batches.put(note)
    store.batches.put(KeptBatch("l2", "r2", "openai/m", 5))
    assert other.batches.open_of("r1", "openai/m") == [note]
    store.batches.put(KeptBatch("l1", "r1", "openai/m", 20, "batch_1"))
    assert [each.batch for each in other.batches.open_of("r1", "openai/m")] == ["batch_1"]
    store.batches.put(KeptBatch("l1", "r1", "openai/m", 20, "batch_1", "done"))
    assert other.batches.open_of("r1", "openai/m") == []
