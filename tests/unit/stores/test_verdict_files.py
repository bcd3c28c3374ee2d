"""Verdicts in Parquet files: whole files only, no verdict twice, none lost, and goes on."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from adjudge.core.item import Item
from adjudge.core.reply import Reply, Usage
from adjudge.core.run import Manifest
from adjudge.core.score import Outcome, Score
from adjudge.core.verdict import Verdict
from adjudge.errors import StoreError, UnknownName, UsageError
from adjudge.stores import Cost, Entry, Granted, KeptReply, RunRecord, open_store
from adjudge.stores.adding import add_files
from adjudge.stores.block import Block
from adjudge.stores.folders import Folder
from adjudge.stores.parquet_store import open_parquet, rows_per_block
from adjudge.stores.verdict_files import Part, VerdictFiles

pytestmark = pytest.mark.cluster

RUN = "r"


class Purse:
    def __init__(self) -> None:
        self.spent = Cost()

    def spend(self, cost: Cost) -> None:
        self.spent = self.spent.plus(cost)

    def reduce(self, cost: Cost) -> None: ...
    def reserve(self, need: Cost, ahead: Cost, *, tokens: int | None, usd: float | None) -> Granted:
        return Granted(need, 100.0, False)

    def release(self) -> None: ...


def entry(position: int, outcome: Outcome = Outcome.SCORED, value: int | None = 3) -> Entry:
    score = Score(outcome=outcome, value=value if outcome is Outcome.SCORED else None)
    verdict = Verdict(
        item=f"i{position}",
        judge="j",
        fingerprint="f",
        model="m",
        outcome=outcome,
        scores={"rating": score},
        usage=Usage(input_tokens=5),
    )
    return Entry(position, Item(f"i{position}", {"answer": "x"}, {"topic": position}), verdict)


def reply(key: str) -> KeptReply:
    return KeptReply(key, RUN, "m", Reply(text=f"reply to {key}"))


@pytest.fixture(params=["path", "address"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> VerdictFiles:
    place = str(tmp_path) if request.param == "path" else tmp_path.as_uri()
    return VerdictFiles(Folder(place), RUN)


def block(files: VerdictFiles, number: int = 0, lag: int = 1) -> Block:
    return Block(files, number, lag, Purse())


def record(rows: int) -> RunRecord:
    manifest = Manifest(data="d", data_hash="h", judges={"j": "f"}, models=("m",))
    return RunRecord(id=RUN, manifest=manifest, sources={}, rows=rows)


def test_what_is_synced_is_there_for_whoever_begins_again(files: VerdictFiles) -> None:
    first = block(files)
    first.put(RUN, [entry(0)])
    first.keep([reply("k")])
    first.sync()
    first.put(RUN, [entry(1)])  # and here it is killed
    second = block(files)
    assert second.answered(RUN, ("j", "m", 0), ["i0", "i1"]) == {"i0"}
    claimed = second.claim(["k", "other"])
    assert claimed.kept["k"] == reply("k")
    assert claimed.ours == {"other"}


def test_a_closed_block_is_all_that_counts(files: VerdictFiles) -> None:
    late = block(files)  # of somebody who is thought to be dead
    judged = block(files)
    judged.put(RUN, [entry(1), entry(0)])
    judged.sync()
    judged.close()
    assert files.is_done(0)
    late.put(RUN, [entry(0, value=1)])
    late.sync()
    assert [(e.position, e.verdict.scores["rating"].value) for e in files.entries()] == [
        (0, 3),
        (1, 3),
    ]
    assert files.blocks() == [0]


def test_an_answer_is_not_replaced_by_none(files: VerdictFiles) -> None:
    failed = Outcome.PROVIDER_ERROR
    files.add_part(0, "1", Part([entry(0, failed), entry(1)], []))
    files.add_part(0, "2", Part([entry(0), entry(1, failed)], []))
    assert [e.verdict.outcome for e in files.entries()] == [Outcome.SCORED, Outcome.SCORED]


def test_a_block_with_unanswered_rows_is_judged_again(files: VerdictFiles) -> None:
    judged = block(files)
    judged.put(RUN, [entry(0), entry(1, Outcome.BUDGET_STOPPED)])
    judged.close()
    assert not files.is_done(0)
    again = block(files)
    assert again.answered(RUN, ("j", "m", 0), ["i0", "i1"]) == {"i0"}
    again.put(RUN, [entry(1)])
    again.close()
    assert files.is_done(0)
    assert len(list(files.entries())) == 2


def test_blocks_come_in_the_order_of_the_data(files: VerdictFiles) -> None:
    for number in (10, 0, 5):
        judged = block(files, number)
        judged.put(RUN, [entry(number + 1), entry(number)])
        judged.close()
    assert [e.position for e in files.entries()] == [0, 1, 5, 6, 10, 11]


def test_no_file_is_seen_before_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, seen = Folder(str(tmp_path)), list[list[str]]()
    monkeypatch.setattr("os.fsync", lambda _: seen.append(folder.names()))
    folder.write("a/b.json", b"one")
    folder.write("a/b.json", b"two")
    assert seen == [[], ["a/b.json"]]
    assert folder.read("a/b.json") == b"two"

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StoreError, match="No space left"):
        folder.write("a/b.json", b"three")
    assert folder.read("a/b.json") == b"two"
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.json"]


def test_a_file_that_is_broken_is_named(tmp_path: Path) -> None:
    files = VerdictFiles(Folder(str(tmp_path)), RUN)
    files.folder.write("r/parts/0000000000/1.parquet", b"PAR1 no")
    with pytest.raises(StoreError, match=r"parts/0000000000/1\.parquet"):
        list(files.entries())


def test_a_run_is_noted_and_goes_on_with_the_same_blocks(tmp_path: Path) -> None:
    store = open_parquet(f"parquet:{tmp_path}", workers=2)
    assert not store.runs.start(record(160))
    assert store.runs.start(record(160))
    again = open_parquet(f"parquet:{tmp_path}", workers=100)
    assert again.secret == store.secret
    noted = VerdictFiles(Folder(str(tmp_path)), RUN).record()
    assert noted
    assert noted[1] == rows_per_block(160, 2) == 10
    store.runs.end(RUN, "finished")
    assert store.runs.find(RUN).state == "finished"
    with pytest.raises(UnknownName):
        store.runs.find("other")
    with pytest.raises(UsageError, match="store add"):
        store.labels.of("d", "j")
    with pytest.raises(UsageError, match="--engine ray"):
        open_store(f"parquet:{tmp_path}")


class TestAdding:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        store = open_parquet(str(tmp_path / "files"))
        store.runs.start(record(4))
        files = VerdictFiles(Folder(str(tmp_path / "files")), RUN)
        judged = block(files)
        judged.put(RUN, [entry(0), entry(1)])
        judged.close()
        files.add_part(2, "1", Part([entry(2)], []))
        files.note_spending("first", Cost(15, 0.5), Cost(7, 0.0))
        return tmp_path / "files"

    def test_a_run_of_files_becomes_a_run_of_a_store(self, folder: Path, store_url: str) -> None:
        with closing(open_store(store_url)) as store:
            (added,) = add_files(str(folder), store)
            assert added == (RUN, 3, 3)
            kept = store.runs.find(RUN)
            assert (kept.state, kept.rows, kept.tokens, kept.usd) == ("interrupted", 4, 15, 0.5)
            there = list(store.verdicts.entries(RUN))
            assert there == [entry(0), entry(1), entry(2)]
            assert store.runs.progress(RUN).verdicts == 3
            secret = open_parquet(str(folder)).secret
        with closing(open_store(store_url)) as store:
            assert store.secret == secret  # its prompts can be shown as they were

    def test_once_more_it_adds_what_is_new(self, folder: Path, store_url: str) -> None:
        with closing(open_store(store_url)) as store:
            add_files(f"parquet:{folder}", store)
            files = VerdictFiles(Folder(str(folder)), RUN)
            files.add_part(2, "2", Part([entry(3)], []))
            files.note_spending("second", Cost(5, 0.0), Cost())
            for _ in range(2):
                assert add_files(str(folder), store) == [(RUN, 4, 4)]
            kept = store.runs.find(RUN)
            assert (kept.state, kept.tokens) == ("finished", 20)

    def test_a_folder_without_runs_is_refused(self, tmp_path: Path, store_url: str) -> None:
        with closing(open_store(store_url)) as store, pytest.raises(StoreError, match="no runs"):
            add_files(str(tmp_path), store)
