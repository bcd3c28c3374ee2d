"""For pytest: a fixture that judges, rows of a data file as tests, replies recorded and replayed.

::

    def test_reply(adjudge_judge):
        adjudge_judge({"question": "…", "answer": bot("…")}, at_least={"rating": 3})

    @pytest.mark.adjudge_data("questions.jsonl")
    def test_row(adjudge_row, adjudge_judge): ...

All verdicts of a session are kept as one run, whose items are the tests.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, Unpack

import pytest

from adjudge.blocking import session

if TYPE_CHECKING:
    from adjudge.blocking import SessionVerdict
    from adjudge.core.verdict import Verdict
    from adjudge.judges import JudgeLike
    from adjudge.running import JudgeKeywords, ModelLike

_OUTPUT = "adjudge_verdicts"  # what a worker of xdist hands over
_MARK = "adjudge_data"


class AssertJudged(Protocol):
    """Judges an item; AssertionError where a score is missing or below `at_least`."""

    def __call__(
        self,
        item: Mapping[str, object],
        *,
        at_least: Mapping[str, float],
        judge: JudgeLike = ...,
        model: ModelLike = ...,
        **options: Unpack[JudgeKeywords],
    ) -> Verdict: ...


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("adjudge", "judging with adjudge")
    group.addoption(
        "--adjudge-record",
        metavar="FILE",
        help="write every reply, under its exact request, to FILE",
    )
    group.addoption(
        "--adjudge-offline",
        metavar="FILE",
        nargs="?",
        const=True,
        help="ask no model: use the replies in FILE, or without FILE those in the store;"
        " a test whose reply is missing fails",
    )
    group.addoption("--adjudge-store", metavar="PATH", help="where replies and the run are kept")
    parser.addini("adjudge_judge", "the judge of adjudge_judge", default="helpfulness")
    parser.addini("adjudge_model", "the model of adjudge_judge", default="embedded")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", f"{_MARK}(path, limit=None): one test per row of the file, as adjudge_row"
    )
    config.pluginmanager.register(Session(config), "adjudge-session")


@pytest.fixture
def adjudge_judge(pytestconfig: pytest.Config) -> AssertJudged:
    """`adjudge.assert_judged` with the judge and the model of the settings, unless others are
    named."""
    import adjudge  # noqa: PLC0415 - a test session that does not judge pays nothing

    usual = {"judge": pytestconfig.getini("adjudge_judge")}
    usual["model"] = pytestconfig.getini("adjudge_model")

    def assert_judged(item: Mapping[str, object], **options: Any) -> Verdict:
        return adjudge.assert_judged(item, **{**usual, **options})

    return assert_judged


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """`adjudge_row` is one row after the other of the file that the mark names."""
    if "adjudge_row" not in metafunc.fixturenames:
        return
    mark = metafunc.definition.get_closest_marker(_MARK)
    if mark is None or not mark.args:
        raise pytest.UsageError(f"adjudge_row needs @pytest.mark.{_MARK}('FILE')")
    beside = metafunc.definition.path.parent / str(mark.args[0])
    path = str(beside) if beside.exists() else str(metafunc.config.rootpath / str(mark.args[0]))
    rows = list(data_rows(path, **mark.kwargs))
    metafunc.parametrize("adjudge_row", [row for _, row in rows], ids=[name for name, _ in rows])


def data_rows(path: str, limit: int | None = None) -> Iterator[tuple[str, dict[str, object]]]:
    """Rows of a data file with the names of their tests: the id, or the number of the row."""
    from itertools import islice  # noqa: PLC0415

    from adjudge.datasets import BadRow, open_data  # noqa: PLC0415
    from adjudge.errors import AdjudgeError  # noqa: PLC0415

    try:
        data = open_data(path)
        for number, (place, row) in enumerate(islice(data.rows(), limit), 1):
            if isinstance(row, BadRow):
                raise pytest.UsageError(f"{data.full_place(place)}: {row.why}")
            yield str(row.get("id") or f"row{number}"), row
    except AdjudgeError as error:
        raise pytest.UsageError(str(error)) from None


class Session:
    """Hears of every verdict, tells of them at the end, and keeps them as a run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._test = ""
        self._counts: dict[str, int] = defaultdict(int)
        self._verdicts: list[dict[str, Any]] = []
        self._run = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._test = item.nodeid
        self._counts.clear()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Iterator[None]:
        """While tests run, all that is judged is judged as the flags say."""
        named = {
            name: self._config.getoption(f"adjudge_{name}")
            for name in ("record", "offline", "store")
        }
        before = dict(session.defaults)
        session.defaults |= {name: value for name, value in named.items() if value}
        session.listeners.append(self.hear)
        try:
            return (yield)
        finally:
            session.listeners.remove(self.hear)
            session.defaults = before

    def hear(self, judged: SessionVerdict) -> None:
        from adjudge.stores.codec import encode  # noqa: PLC0415

        # The test names the item: its id stays when the answer changes.
        key = f"{judged.verdict.judge} {judged.verdict.model}"
        self._counts[key] += 1
        nth = self._counts[key]
        name = self._test if nth == 1 else f"{self._test} ({nth})"
        verdict = replace(judged.verdict, item=name)
        self._verdicts.append(
            {
                "fields": dict(judged.item.fields),
                "source": dict(judged.source),
                "verdict": encode(verdict).decode(),
            }
        )

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """A worker of xdist has ended: its verdicts come here."""
        self._verdicts += json.loads(getattr(node, "workeroutput", {}).get(_OUTPUT, "[]"))

    def pytest_sessionfinish(self) -> None:
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = json.dumps(self._verdicts)
        elif self._verdicts:
            self._run = keep_run(self._verdicts, self._config.getoption("adjudge_store"))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._verdicts:
            return
        terminalreporter.section("adjudge")
        for line in summary_lines(self._verdicts):
            terminalreporter.write_line(line)
        if self._run:
            terminalreporter.write_line(f"kept as run {self._run}: adjudge show {self._run}")


def summary_lines(kept: list[dict[str, Any]]) -> Iterator[str]:
    """A line per judge, model and criterion: how many scores, their mean, and how many are
    missing."""
    scores: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
    for entry in kept:
        verdict = json.loads(entry["verdict"])
        for name, score in verdict["scores"].items():
            scores[verdict["judge"], verdict["model"], name].append(score.get("value"))
    for (judge, model, criterion), values in sorted(scores.items()):
        numbers = [float(value) for value in values if isinstance(value, int | float)]
        mean = f"mean {sum(numbers) / len(numbers):.3g}" if numbers else "no mean"
        missing = sum(value is None for value in values)
        yield f"{criterion} ({judge} by {model}): {mean}, {len(values)} judged, {missing} unscored"


def keep_run(kept: list[dict[str, Any]], store: str | None) -> str:
    """Writes the verdicts as a finished run, and returns its id."""
    import hashlib  # noqa: PLC0415

    from adjudge.core.item import Item  # noqa: PLC0415
    from adjudge.core.run import Manifest  # noqa: PLC0415
    from adjudge.running import RunOptions  # noqa: PLC0415
    from adjudge.stores import Entry, RunRecord, open_store  # noqa: PLC0415
    from adjudge.stores.codec import decode_verdict  # noqa: PLC0415

    kept = sorted(kept, key=lambda entry: str(entry["verdict"]))
    verdicts = [decode_verdict(entry["verdict"].encode()) for entry in kept]
    places = {name: at for at, name in enumerate(dict.fromkeys(v.item for v in verdicts))}
    texts = [[verdict.item, entry["fields"]] for verdict, entry in zip(verdicts, kept, strict=True)]
    manifest = Manifest(
        data="pytest",
        data_hash=hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest(),
        judges={verdict.judge: verdict.fingerprint for verdict in verdicts},
        models=tuple(dict.fromkeys(verdict.model for verdict in verdicts)),
        settings={"repeat": 1, "session": hashlib.sha256(repr(verdicts).encode()).hexdigest()},
    )
    record = RunRecord(
        id=manifest.id,
        manifest=manifest,
        sources={v.judge: e["source"] for v, e in zip(verdicts, kept, strict=True)},
        rows=len(places),
    )
    with closing(open_store(store or RunOptions().store)) as opened:
        opened.runs.start(record)
        entries = [
            Entry(places[v.item], Item(v.item, e["fields"]), v)
            for v, e in zip(verdicts, kept, strict=True)
        ]
        opened.verdicts.put(record.id, entries)
        opened.runs.end(record.id, "finished", None)
        opened.sync()
    return record.id
