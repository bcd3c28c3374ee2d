"""A run with `--keep-texts no` leaves scores in the store, and no text of anybody."""

from __future__ import annotations

import json
import zlib
from base64 import b85encode
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command
from tests.kept import readable
from tests.servers import ChatServer, fails, says
from tests.service import running_service

import adjudge
from adjudge.core.item import length_of, stand_in
from adjudge.core.reply import Reply, Usage
from adjudge.errors import StoreError
from adjudge.service.options import ServeOptions
from adjudge.stores import KeptReply, open_store, textless
from adjudge.stores.codec import encode_reply, encode_verdict
from adjudge.stores.textless import keeping

from .conftest import execute

JUDGE = """\
judge: two
version: 1
title: Two calls an item
language: en
explain_in: any
inputs: {question: {}, answer: {judged: true}}
criteria:
  good: {title: Good, guide: "Is it?", scale: {type: integer, min: 1, max: 5}}
  kind: {title: Kind, guide: "Which?", scale: {type: integer, min: 1, max: 5}}
feedback:
  advice: {title: Advice, guide: "What next?"}
prepare:
  - {input: answer, do: agent_trace}
ask: each
reply: json
"""
# Every one of them must stay out of the store, however it is written there.
SECRETS = ("XQUESTION", "XANSWER", "XTHOUGHT", "XCOLUMN", "XNESTED", "XREASON", "XADVICE", "XERROR")


def reply(body: dict[str, object], value: object = 4) -> str:
    name = "good" if "Is it?" in str(body) else "kind"
    return json.dumps({"advice": "XADVICE", "explanation": "XREASON, a reason", name: value})


@pytest.fixture
def asked(adjudge: Command, server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    server.answer = lambda body: says(reply(body))
    rows = [
        {
            "id": str(number),
            "question": f"XQUESTION {number}",
            "answer": f"Thought: XTHOUGHT\nFinal Answer: XANSWER {number}",
            "system": "XCOLUMN",
            "more": {"deep": ["XNESTED"]},
            "year": 2024 + number % 2,
        }
        for number in range(4)
    ]
    (adjudge.folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (adjudge.folder / "two.yaml").write_text(JUDGE)
    return adjudge


RUN = ("run", "rows.jsonl", "--judge", "two.yaml", "-m", "openai/any")
TEXTLESS = (*RUN, "--keep-texts", "no")


def written(folder: Path) -> bytes:
    """Every byte of the store, journals included."""
    files = [file for file in (folder / ".adjudge").rglob("*") if file.is_file()]
    assert files
    return b"".join(map(readable, files))


def test_no_text_is_in_the_store_and_the_scores_are(asked: Command) -> None:
    told = asked(*TEXTLESS, "--json").json
    assert told["means"] == {"good": 4.0, "kind": 4.0}
    assert told["cuts"]["verdicts"] == 4
    kept = written(asked.folder)
    assert [each for each in SECRETS if each.encode() in kept] == []
    assert asked("show", "--json").json["means"] == told["means"]
    assert asked("show", "--json").json["cuts"] == told["cuts"]


def test_with_texts_they_are(asked: Command) -> None:
    """Else the search above would prove nothing."""
    asked(*RUN, "--quiet")
    kept = written(asked.folder)
    assert [each for each in SECRETS if each.encode() not in kept] == ["XERROR"]


def test_what_could_not_be_read_or_answered_leaves_no_text_either(
    asked: Command, server: ChatServer
) -> None:
    server.answer = lambda body: (
        fails(400, "XERROR in 'XQUESTION 1'") if "XQUESTION 1" in str(body)
        else says(reply(body, "XREASON"))
    )  # fmt: skip
    ended = asked(*TEXTLESS)
    assert ended.code == 0
    assert "XERROR" in ended.err  # whoever runs it is told
    kept = written(asked.folder)
    assert [each for each in SECRETS if each.encode() in kept] == []
    outcomes = asked("show", "--json").json["outcomes"]
    assert outcomes == {"unreadable": 3, "provider_error": 1}


def test_nothing_is_paid_twice(asked: Command, server: ChatServer) -> None:
    asked(*TEXTLESS, "-n", "3", "--quiet")  # another run: the data are other ones
    assert len(server.asked) == 6
    asked(*TEXTLESS, "--quiet")
    assert len(server.asked) == 8
    again = asked(*TEXTLESS, "--json").json
    assert len(server.asked) == 8
    assert again["means"] == {"good": 4.0, "kind": 4.0}


def test_a_forecast_knows_what_is_paid_for(asked: Command) -> None:
    asked(*TEXTLESS, "-n", "3", "--quiet")
    assert asked(*TEXTLESS, "--dry-run", "--json").json["calls"] == 2


def test_replies_that_were_kept_openly_serve_too(asked: Command, server: ChatServer) -> None:
    asked(*RUN, "--quiet")
    asked(*TEXTLESS, "--quiet")
    assert len(server.asked) == 8


def test_other_data_do_not_open_what_is_sealed(asked: Command, server: ChatServer) -> None:
    asked(*TEXTLESS, "--quiet")
    asked(*RUN, "--quiet")  # it would have to keep them, so it asks anew
    assert len(server.asked) == 16


def test_what_needs_the_texts_says_why_it_cannot(asked: Command) -> None:
    asked(*TEXTLESS, "--quiet")
    for command in (
        ("show", "latest", "--item", "1", "--prompt"),
        ("reread", "latest"),
        ("label", "latest", "--rater", "ann"),
    ):
        ended = asked(*command)
        assert ended.code == 2
        assert "--keep scores" in ended.err
    shown = asked("show", "latest", "--item", "1", "--reply").out
    assert "[not kept: " in shown
    assert "good: 4" in shown


def test_files_have_the_scores_and_stand_ins(asked: Command) -> None:
    assert asked(*TEXTLESS, "--quiet", "--with-inputs", "-o", "out.jsonl", "-o", "x.html").code == 0
    lines = (asked.folder / "out.jsonl").read_text()
    row = json.loads(lines.splitlines()[0])
    assert row["scores"]["good"]["value"] == 4
    assert row["scores"]["good"]["explanation"] is None
    assert row["data"]["question"].startswith("[not kept: ")
    assert row["data"]["year"] == 2024
    assert not any(secret in lines for secret in SECRETS)


def test_groups_and_lengths_are_still_known(asked: Command) -> None:
    asked(*TEXTLESS, "--quiet")
    (asked.folder / "labels.csv").write_text("item,good,kind\n0,3,4\n1,4,3\n2,5,4\n3,4,4\n")
    ended = asked("calibrate", "latest", "--labels", "labels.csv", "--group", "system", "--json")
    assert ended.code == 0, ended.err
    assert length_of(stand_in("four", b"secret")) == 4


def test_it_is_an_argument_and_a_setting(asked: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    run = adjudge.run("rows.jsonl", judge="two.yaml", model="openai/any", keep_texts=False)
    try:
        assert not run.record.keeps_texts
        by_argument = run.id
    finally:
        run.close()
    monkeypatch.setenv("ADJUDGE_KEEP_TEXTS", "no")
    assert asked(*RUN, "--json").json["run"] == by_argument
    monkeypatch.delenv("ADJUDGE_KEEP_TEXTS")
    for written_so in ("false", '"no"'):
        (asked.folder / "adjudge.toml").write_text(f"keep-texts = {written_so}\n")
        assert asked(*RUN, "--json").json["run"] == by_argument


def secrets_in(asked: Command) -> set[str]:
    kept = written(asked.folder)
    return {secret for secret in SECRETS if secret.encode() in kept}


def test_what_is_kept_grows_from_none_to_all(asked: Command, server: ChatServer) -> None:
    """Each in a store of its own; the first three ask, and pay, for what they need."""
    texts = {"none": set[str](), "scores": set[str](), "replies": {"XREASON", "XADVICE"}}
    texts["all"] = {*SECRETS} - {"XERROR"}
    sizes = []
    for keep, kept in texts.items():
        store = str(asked.folder / ".adjudge" / "runs.db")
        ended = asked(*RUN, "--keep", keep, "--json", "--store", store)
        assert ended.json["outcomes"] == {"scored": 4}, ended.err
        assert secrets_in(asked) == kept
        with closing(open_store(store)) as opened:
            entries = list(opened.verdicts.entries(ended.json["run"]))
            replies = opened.replies.info().replies
        assert replies == (0 if keep == "none" else 8)
        explained = entries[0].verdict.scores["good"].explanation is not None
        assert explained == (keep in ("replies", "all"))
        alike = [replace(entry.verdict, latency_ms=0.0) for entry in entries]
        sizes.append(sum(len(encode_verdict(verdict)) for verdict in alike))
        for file in (asked.folder / ".adjudge").iterdir():
            if file.is_file():
                file.unlink()
    assert sizes == sorted(sizes)
    assert len(server.asked) == 4 * 8


def test_none_asks_once_more_what_it_did_not_keep(asked: Command, server: ChatServer) -> None:
    run = asked(*RUN, "--keep", "none", "--json").json["run"]
    assert asked(*RUN, "--keep", "none", "--json").json["run"] == run
    assert len(server.asked) == 8  # its verdicts are there
    asked(*RUN, "--keep", "scores", "--json")
    assert len(server.asked) == 16
    asked(*RUN, "--keep", "none", "--json", "-n", "3")
    assert len(server.asked) == 16  # what others keep serves it too


def test_of_two_that_say_the_same_one_is_enough(asked: Command) -> None:
    ended = asked(*TEXTLESS, "--keep", "all")
    assert ended.code == 2
    assert "leave one out" in ended.err
    scores = asked(*RUN, "--keep", "scores", "--json").json["run"]
    assert asked(*TEXTLESS, "--json").json["run"] == scores


def test_a_sealed_reply_comes_back_whole_or_not_at_all(store_url: str) -> None:
    store = open_store(store_url)
    whole = Reply(text="안녕 \ud800?", refusal="why", usage=Usage(input_tokens=3), latency_ms=2.0)
    key = "ab" * 32
    try:
        through = keeping(store, "scores")
        assert through.replies.claim([key]).ours == {key}
        through.replies.put([KeptReply(key, "run", "m", whole)])
        taken = through.replies.claim([key]).kept[key]
        assert (taken.key, taken.reply.refusal, taken.reply.usage) == (key, "why", whole.usage)
        assert taken.reply.text.startswith("안녕")
        assert store.replies.claim([key]).ours == {key}  # nothing under the key itself
        store.replies.release([key])
        ((place,),) = execute(store, "SELECT key FROM replies")
        sealed = store.replies.claim([place.hex()]).kept[place.hex()]
        assert store.replies.claim([place.hex()]).kept[place.hex()] == sealed
        damaged = sealed.reply.text[:-8] + "AAAAAAA="
        store.replies.put([sealed._replace(reply=replace(sealed.reply, text=damaged))])
        with pytest.raises(StoreError, match="damaged"):
            through.replies.claim([key])
    finally:
        store.close()


@pytest.mark.parametrize("compress", [bytes, zlib.compress], ids=["plain", "zlib"])
def test_a_reply_that_was_sealed_by_an_earlier_version_is_opened(
    store_url: str, compress: Callable[[bytes], bytes]
) -> None:
    """As text in JSON, with what was used beside it."""
    key, usage = "cd" * 32, Usage(input_tokens=3)
    content, nonce = compress(encode_reply(Reply(text="earlier"))), bytes(range(16))
    sealed = nonce + textless._tag(content, key, nonce) + textless._mixed(content, key, nonce)
    shut = Reply(text=b85encode(sealed).decode(), usage=usage)
    with closing(open_store(store_url)) as store:
        store.replies.put([KeptReply(textless._sealed_key(key), "run", "m", shut)])
        taken = keeping(store, "scores").replies.claim([key]).kept[key]
    assert taken.reply == Reply(text="earlier", usage=usage)


@pytest.mark.parametrize("said", [{"keep": "scores"}, {"keep_texts": False}], ids=str)
def test_a_job_over_http_keeps_none_and_its_upload_is_gone(
    tmp_path: Path, server: ChatServer, said: dict[str, Any]
) -> None:
    good = json.dumps({"evaluation": "XREASON of it, in a sentence.", "rating": 4})
    server.answer = lambda _: says(good)
    store = str(tmp_path / "kept" / ".adjudge" / "runs.db")
    served = ServeOptions(store=store, models=("openai/m",), base_url=server.base_url)
    row = {"id": "a", "question": "XQUESTION", "answer": "XANSWER"}
    body = {"judges": ["helpfulness"], "rows": [row], **said}
    with running_service(served) as running:
        started = running.ask("/api/v1/runs", body).json
        running.ask(f"/api/v1/runs/{started['run']}/events")
        verdicts = running.ask(f"/api/v1/runs/{started['run']}/verdicts?with_inputs=true").json
        page = running.ask(f"/runs/{started['run']}/item?id=a").body.decode()
    assert verdicts["verdicts"][0]["scores"]["rating"]["value"] == 4
    assert "--keep scores" in page
    assert "[not kept: " in page
    kept = written(tmp_path / "kept")
    assert [each for each in SECRETS if each.encode() in kept] == []
