"""A run by likelihood: through the same cache, store and outcomes as any other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.commands import Command

import adjudge as package
from adjudge.core.prompt import Prompt, Sampling
from adjudge.core.reply import Reply, TokenLogprob, Usage
from adjudge.errors import ProviderError, UsageError
from adjudge.models import registry, replay
from adjudge.models.base import Capabilities, Likelihoods, Model, ModelOptions

ROWS = [
    {"id": "a", "source": "The bridge is closed.", "response": "Closed."},
    {"id": "b", "source": "The bridge is closed.", "response": "A long walk home."},
]


JUDGE = """
judge: likeness
version: 1
title: Is it like the reference?
language: en
explain_in: en
inputs:
  source: {}
  reference: {required: false}
  response: {judged: true}
criteria:
  closeness: {guide: "In short:", scale: {type: binary}}
"""


class Letters(Likelihoods):
    """A token a letter; the likelier the more often it stands in what is given."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []
        self.fails = False

    async def of(self, given: str, text: str) -> Reply:
        self.asked.append((given, text))
        if self.fails:
            raise ProviderError("out of breath")
        tokens = tuple(TokenLogprob(c, -1.0 / (1 + given.count(c)), {}) for c in text)
        return Reply(text="", logprobs=tokens, usage=Usage(input_tokens=len(given + text)))


def _write(folder: Path, rows: list[dict[str, str]]) -> None:
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


class Scripted(Model):
    name = identity = "test/letters"

    def __init__(self, likelihoods: Letters | None) -> None:
        self.capabilities = Capabilities()
        self.likelihoods = likelihoods

    async def ask(self, prompt: Prompt, sampling: Sampling) -> Reply:
        raise AssertionError("nothing is to be written")


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> Letters:
    letters = Letters()
    monkeypatch.setattr(registry, "open_plain", lambda *_: Scripted(letters))
    return letters


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Callable[..., package.Run]]:
    _write(tmp_path, ROWS)
    opened: list[package.Run] = []

    def run(**options: Any) -> package.Run:
        usual = {"judge": "gptscore", "model": "test/letters", "store": str(tmp_path / "s.db")}
        more = {"method": "likelihood", **usual, **options}
        opened.append(package.run(tmp_path / "data.jsonl", **more))
        return opened[-1]

    yield run
    for each in opened:
        each.close()


def test_true_probabilities_of_the_given_text(
    letters: Letters, running: Callable[..., package.Run]
) -> None:
    run = running()
    verdicts = list(run.verdicts())
    assert [verdict.outcome for verdict in verdicts] == ["scored", "scored"]
    assert len(letters.asked) == 2 * 9
    given, text = letters.asked[0]
    expected = sum(-1.0 / (1 + given.count(c)) for c in text) / len(text)
    assert verdicts[0].scores["factuality"].value == pytest.approx(expected)
    assert verdicts[0].scores["factuality"].explanation is None
    assert text == " Closed."
    assert given.startswith("Source text: The bridge is closed.") or "The bridge" in given


def test_nothing_is_asked_twice(letters: Letters, running: Callable[..., package.Run]) -> None:
    running()
    asked = len(letters.asked)
    running()
    assert len(letters.asked) == asked
    running(variant="pmi")  # the half of it that has a source is known
    assert len(letters.asked) == asked + 2 * 9


def test_another_variant_is_another_run(
    letters: Letters, running: Callable[..., package.Run]
) -> None:
    assert running().id != running(variant="back").id


def test_a_failure_is_never_a_number(letters: Letters, running: Callable[..., package.Run]) -> None:
    letters.fails = True
    (score, *_) = [verdict.scores["fluency"] for verdict in running().verdicts()]
    assert (score.outcome, score.value, score.why) == ("provider_error", None, "out of breath")


def test_what_was_asked_can_be_shown(letters: Letters, running: Callable[..., package.Run]) -> None:
    run = running(variant="pmi")
    entry = next(iter(run.entries()))
    made = run.prompts(entry)
    assert {(p.messages[0].content, p.target) for p in made} <= set(letters.asked)
    assert len(made) == 2 * 9


def test_reading_again_leaves_them(letters: Letters, running: Callable[..., package.Run]) -> None:
    run = running()
    assert run.reread(dry_run=True).changed == 0


def test_a_model_that_does_not_tell(
    monkeypatch: pytest.MonkeyPatch, running: Callable[..., package.Run]
) -> None:
    monkeypatch.setattr(registry, "open_plain", lambda *_: Scripted(None))
    with pytest.raises(UsageError, match="does not give the likelihood"):
        running()


def test_data_sorted_by_system_gives_the_same_run_source_by_source(
    letters: Letters, running: Callable[..., package.Run], tmp_path: Path
) -> None:
    rows = [
        {"id": f"{system}{source}", "source": f"Report {source}.", "response": f"{system} text"}
        for system in "abc"
        for source in range(4)
    ]
    _write(tmp_path, rows)
    run = running(concurrency=1)
    sources = [given.partition(".")[0][-1] for given, _ in letters.asked]
    assert sources == sorted(sources)
    assert [verdict.item for verdict in run.verdicts()] == [row["id"] for row in rows]


@pytest.mark.slow
def test_sixteen_systems_take_a_third_of_the_tokens_in_any_order(
    smollm: Path, running: Callable[..., package.Run], tmp_path: Path
) -> None:
    """On the real model, sorted by system: more sources than it keeps in mind at once."""
    told = "closed the bridge on {} Street, since two of its beams had cracks. The council "
    rows = [
        {"source": f"The council {told.format(street) * 8}", "response": f"{number} cracks."}
        for number in range(16)
        for street in ("Elm", "Oak", "Ash")
    ]
    (tmp_path / "r.yaml").write_text(JUDGE)
    _write(tmp_path, rows)
    run = running(judge=str(tmp_path / "r.yaml"), model="embedded/smollm2-135m")
    usage = run.summary.usage
    assert run.summary.verdicts == 48
    assert usage.input_tokens - usage.cached_tokens < usage.input_tokens / 3


def test_a_row_without_its_reference_has_no_number(
    letters: Letters, running: Callable[..., package.Run], tmp_path: Path
) -> None:
    (tmp_path / "r.yaml").write_text(JUDGE)
    rows = [{**row, "reference": text} for row, text in zip(ROWS, ("Shut.", ""), strict=True)]
    _write(tmp_path, rows)
    run = running(judge=str(tmp_path / "r.yaml"), variant="f")
    there, blank = (verdict.scores["closeness"] for verdict in run.verdicts())
    assert there.value is not None
    assert (blank.value, blank.outcome) == (None, "unreadable")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--variant", "pmi"], "--variant belongs to --method likelihood"),
        (["--logprobs", "prefer"], "--logprobs belongs to --method expected"),
        (["--method", "likelihood", "--variant", "reference"], "no input called reference"),
    ],
)
def test_flags_that_do_not_go_together(adjudge: Command, flags: list[str], said: str) -> None:
    adjudge.write("data.jsonl", ROWS)
    ended = adjudge("run", "data.jsonl", "--judge", "gptscore", "-m", "embedded", *flags)
    assert ended.code == 2
    assert said in ended.err


class TestBesidePeople:
    @pytest.fixture
    def labels(self, tmp_path: Path) -> str:
        rows = [{"item": "a", "factuality": 5}, {"item": "b", "factuality": 1}]
        (tmp_path / "people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(tmp_path / "people.jsonl")

    def test_calibrate_looks_at_the_order_alone(
        self, letters: Letters, running: Callable[..., package.Run], labels: str
    ) -> None:
        found = package.calibrate(running(), labels=labels).criteria["factuality"]
        assert found.spearman.value == pytest.approx(1.0)
        assert found.kappa.value is None
        assert "not on a scale" in str(found.bias.why)
        assert found.means.bounds is None
        assert found.means.raw.value < 0

    def test_two_likelihoods_can_be_compared(
        self, letters: Letters, running: Callable[..., package.Run]
    ) -> None:
        forward, back = running(), running(variant="back")
        found = package.compare(forward, back).criteria["fluency"]
        # Everything is scored, so that there is nothing between the worst and the best.
        assert found.bounds == pytest.approx([found.paired.difference.value] * 2)

    def test_a_likelihood_and_a_grade_cannot(
        self, letters: Letters, running: Callable[..., package.Run], tmp_path: Path
    ) -> None:
        replies = [
            {"item": row["id"], "replies": ['{"score": 4, "explanation": "…"}']} for row in ROWS
        ]
        (tmp_path / "r.jsonl").write_text("".join(json.dumps(row) + "\n" for row in replies))
        forward = running()
        with pytest.MonkeyPatch.context() as patch:
            replayed = replay.open_model(str(tmp_path / "r.jsonl"), ModelOptions())
            patch.setattr(registry, "open_plain", lambda *_: replayed)
            graded = running(method=None)
        with pytest.raises(UsageError, match="scored by likelihood"):
            package.compare(forward, graded)
