"""The Python front, and what importing it does."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import adjudge
from adjudge import blocking
from adjudge.errors import UsageError

GOOD = "The answer is correct, and it names everything that the person asked about."
ITEM = {"id": "r1", "question": "How long?", "answer": "Two minutes."}


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """Writes data with replies for them; returns the options that judge by them."""
    monkeypatch.chdir(tmp_path)

    def recorded(*ratings: object) -> dict[str, Any]:
        rows = [ITEM | {"id": f"r{at}"} for at in range(1, len(ratings) + 1)]
        replies = [
            {"item": row["id"], "replies": [json.dumps({"evaluation": GOOD, "rating": rating})]}
            for row, rating in zip(rows, ratings, strict=True)
        ]
        for name, written in (("data.jsonl", rows), ("replies.jsonl", replies)):
            Path(name).write_text("".join(json.dumps(row) + "\n" for row in written))
        return {"judge": "helpfulness", "model": "replay:replies.jsonl"}

    return recorded


Recorded = Callable[..., dict[str, Any]]


class TestJudge:
    def test_one_item(self, recorded: Recorded) -> None:
        verdict = adjudge.judge(item=ITEM, **recorded(3))
        assert verdict.scores["rating"].value == 3
        assert not Path(".adjudge").exists()

    def test_async(self, recorded: Recorded) -> None:
        options = recorded(3)
        assert asyncio.run(adjudge.ajudge(item=ITEM, **options)).scores["rating"].value == 3

    def test_a_store_is_made_only_where_replies_are_worth_keeping(self, recorded: Recorded) -> None:
        options = recorded(3)
        adjudge.judge(item=ITEM, **options)
        assert not Path(".adjudge").exists()
        model = adjudge.function_model(lambda messages: "{}", name="acme")
        adjudge.judge("helpfulness", ITEM, model=model, no_cache=True)
        assert not Path(".adjudge").exists()
        adjudge.judge("helpfulness", ITEM, model=model)
        assert Path(".adjudge").exists()


class TestRun:
    def test_as_in_the_readme(self, recorded: Recorded) -> None:
        run = adjudge.run("data.jsonl", **recorded(4, 1, 9), out=["a.csv", Path("b.HTML")])
        assert run.mean("rating") == 2.5
        assert run.summary.unscored == 1
        rows = run.to_dicts()
        assert [row["item"] for row in rows] == ["r1", "r2", "r3"]
        assert [row["outcome"] for row in rows] == ["scored", "scored", "out_of_range"]
        assert [verdict.item for verdict in run.verdicts()] == ["r1", "r2", "r3"]
        assert "What was judged" in Path("b.HTML").read_text()
        run.close()
        again = adjudge.open_run(run.id[:6])
        assert again.to_dicts() == rows
        again.close()

    def test_async(self, recorded: Recorded) -> None:
        run = asyncio.run(adjudge.arun("data.jsonl", **recorded(4)))
        assert run.mean("rating") == 4.0
        run.close()

    def test_nobody_reads_it_back_to_show_it(
        self, recorded: Recorded, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """asyncio writes down what its main task returned when it takes its handler back."""
        shown: list[adjudge.Run] = []
        monkeypatch.setattr(adjudge.Run, "__repr__", lambda run: shown.append(run) or "")
        adjudge.run("data.jsonl", **recorded(4)).close()
        assert not shown

    def test_an_unknown_criterion(self, recorded: Recorded) -> None:
        run = adjudge.run("data.jsonl", **recorded(4))
        with pytest.raises(UsageError, match=r"no criterion 'tone'.*rating"):
            run.mean("tone")
        run.close()

    def test_an_unknown_run_closes_the_store(self, recorded: Recorded) -> None:
        adjudge.run("data.jsonl", **recorded(4)).close()
        with pytest.raises(UsageError, match="there is no run 'zzz'"):
            adjudge.open_run("zzz")

    def test_polars_when_it_is_there(self, recorded: Recorded) -> None:
        run = adjudge.run("data.jsonl", **recorded(4, 2))
        try:
            import polars  # noqa: F401 - only whether it is there
        except ImportError:
            with pytest.raises(UsageError, match=r"adjudge\[polars\]"):
                run.to_polars()
        else:
            assert run.to_polars()["scores.rating.value"].to_list() == [4, 2]
        run.close()


class TestNotebook:
    """Where a loop already runs."""

    def test_sync_functions_work(self, recorded: Recorded) -> None:
        options = recorded(3, 1)

        async def cell() -> tuple[object, object]:
            run = adjudge.run("data.jsonl", **options)
            mean = run.mean("rating")
            run.close()
            return mean, adjudge.judge(item=ITEM, **options).scores["rating"].value

        assert asyncio.run(cell()) == (2.0, 3)

    def test_errors_come_through(self, recorded: Recorded) -> None:
        async def cell() -> None:
            adjudge.judge("nobody", ITEM)

        with pytest.raises(UsageError):
            asyncio.run(cell())

    def test_stopping_a_cell_stops_the_work(self, monkeypatch: pytest.MonkeyPatch) -> None:
        ended = threading.Event()

        async def endless() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()

        async def cell() -> None:
            blocking.wait_for(endless())

        class Interrupted(blocking.ThreadPoolExecutor):
            """Its futures are interrupted while they are waited for."""

            def submit(self, *work: Any, **more: Any) -> Any:
                future = super().submit(*work, **more)

                def result(timeout: float | None = None) -> None:
                    raise KeyboardInterrupt

                future.result = result  # type: ignore[method-assign]
                return future

        monkeypatch.setattr(blocking, "ThreadPoolExecutor", Interrupted)
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(cell())
        assert ended.wait(5)


class TestAssert:
    def test_passes(self, recorded: Recorded) -> None:
        verdict = adjudge.assert_judged(ITEM, **recorded(3), at_least={"rating": 3})
        assert verdict.scores["rating"].value == 3

    def test_too_low(self, recorded: Recorded) -> None:
        with pytest.raises(AssertionError, match="rating is 2, below 3: The answer is correct"):
            adjudge.assert_judged(ITEM, **recorded(2), at_least={"rating": 3})

    def test_unscored_is_no_pass(self, recorded: Recorded) -> None:
        with pytest.raises(AssertionError, match="not scored: out_of_range"):
            adjudge.assert_judged(ITEM, **recorded(9), at_least={"rating": 0})

    def test_an_unknown_criterion(self, recorded: Recorded) -> None:
        with pytest.raises(UsageError, match="no criterion 'tone'"):
            adjudge.assert_judged(ITEM, **recorded(3), at_least={"tone": 3})

    def test_a_name_is_no_number(self, tmp_path: Path) -> None:
        replies = tmp_path / "r.jsonl"
        rows = [
            {"item": "1", "order": order, "replies": ['{"winner": "tie"}']}
            for order in ("ab", "ba")
        ]
        replies.write_text("".join(json.dumps(row) + "\n" for row in rows))
        pair = {"id": "1", "question": "?", "answer_a": "x", "answer_b": "y"}
        with pytest.raises(UsageError, match="winner is 'tie', a name"):
            adjudge.assert_judged(
                pair, judge="preference", model=f"replay:{replies}", at_least={"winner": 1}
            )

    def test_fixture(self, recorded: Recorded, adjudge_judge: Callable[..., Any]) -> None:
        options = recorded(4)
        del options["judge"]
        assert adjudge_judge(ITEM, at_least={"rating": 4}, **options).judge == "helpfulness"


def test_load() -> None:
    assert list(adjudge.load("helpfulness").rubric.criteria) == ["rating"]


class TestImport:
    def python(self, code: str, folder: Path) -> str:
        command = [sys.executable, "-c", code]
        ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        assert ended.stderr == ""
        return ended.stdout

    def test_has_no_side_effects(self, tmp_path: Path) -> None:
        code = (
            "import sys; before = set(sys.modules); import adjudge;"
            "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
        )
        loaded = set(self.python(code, tmp_path).split())
        assert "adjudge" in loaded
        third = {name for name in loaded if name not in sys.stdlib_module_names}
        assert third == {"adjudge"}
        assert list(tmp_path.iterdir()) == []

    def test_help_loads_little(self, tmp_path: Path) -> None:
        code = (
            "import sys; sys.argv = ['adjudge', '--help']; from adjudge.cli.main import main\n"
            "try: main()\nexcept SystemExit: pass\nfinally: print('LOADED', *sys.modules)"
        )
        loaded = set(self.python(code, tmp_path).partition("LOADED")[2].split())
        assert not loaded & {
            "pydantic",
            "sqlalchemy",
            "httptools",
            "numpy",
            "jinja2",
            "asyncio",
            "yaml",
        }

    def test_a_run_loads_no_statistics_and_no_importer(
        self, recorded: Recorded, tmp_path: Path
    ) -> None:
        recorded(3, 1)
        words = [
            "run",
            "data.jsonl",
            "--judge",
            "helpfulness",
            "-m",
            "replay:replies.jsonl",
            "--json",
            "--quiet",
        ]
        code = (
            f"import sys; sys.argv = ['adjudge', *{words}]; from adjudge.cli.main import main\n"
            "try: main()\nexcept SystemExit: pass\nfinally: print('LOADED', *sys.modules)"
        )
        table, _, loaded = self.python(code, tmp_path).partition("LOADED")
        assert "rating" in table
        assert not set(loaded.split()) & {"numpy", "scipy", "adjudge.judges.importing"}

    def test_public_names(self) -> None:
        assert adjudge.__all__ == sorted(adjudge.__all__)
        for name in adjudge.__all__:
            named = getattr(adjudge, name)
            home = getattr(named, "__module__", None) or named.__name__  # of a module, its name
            assert home.startswith("adjudge.")
        assert set(adjudge.__all__) <= set(dir(adjudge))
        with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
            adjudge.nonsense  # noqa: B018 - looking it up is the test

    def test_declared_names_are_the_public_ones(self) -> None:
        """The imports for type checkers and `__all__` name the same."""
        import ast

        tree = ast.parse(Path(adjudge.__file__).read_text())
        block = next(node for node in tree.body if isinstance(node, ast.If))
        declared = [
            alias.name
            for node in block.body
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        ]
        assert sorted(declared) == adjudge.__all__
